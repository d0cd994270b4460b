"""FDL203: a tensor is made on the host and moved to the device in every step."""

from __future__ import annotations

from collections.abc import Iterator

from feedlint.api import REFUTED, STABLE, Bad, Creation, Finding, Good, Rule, Settings, Severity

from ._programs import AFTER_A_STEP, END


class CreatedOnCpu(Rule):
    """A tensor is made on the host and moved to the device in every step.

    ## What it does

    Finds factories such as `torch.zeros(...)` that are followed by `.to(device)` or `.cuda()`, in a step loop or in the
    forward of a module.

    ## Why it starves the GPU

    The host fills memory and waits for a copy from pageable memory, where the device could fill its own.

    ## What it is worth

    Microseconds to milliseconds per step, by size; PyTorch's profiler calls it the extra-copy pattern.

    ## When it is right

    Tensors that are filled on the host before they are moved, functions that take no `device`, and creation outside of the
    loop are not reported.

    ## Fix safety

    Safe for factories whose values are the same on every device. Random ones draw from another stream there
    (`random-stream`), floating ranges may differ in the last bit (`numerics`).

    ## References

    PyTorch's performance tuning guide, "create tensors directly on the target device"; torch.profiler's ExtraCUDACopy.
    """

    code, name, since = "FDL203", "created-on-cpu-then-moved", "0.1"
    status = STABLE
    severity = Severity.WARNING
    sees = Creation
    needs = ("torch",)
    worth = "a copy from pageable memory in every step"
    bad = (
        Bad(
            AFTER_A_STEP + "        weight = torch.ones(4).to(device)  #! FDL203\n        print(weight.shape)\n" + END,
            AFTER_A_STEP + "        weight = torch.ones(4, device=device)\n        print(weight.shape)\n" + END,
        ),
        Bad(
            AFTER_A_STEP + "        weight = torch.ones(4).type_as(wave)  #! FDL203\n        print(weight.shape)\n" + END,
            note="It takes over the device of another tensor, and its type.",
        ),
    )
    good = (
        Good(AFTER_A_STEP + "        weight = torch.ones(4, device=device)\n        print(weight.shape)\n" + END, "It is made on the device."),
        Good(
            AFTER_A_STEP + "        weight = torch.zeros(4)\n        weight[step % 4] = 1\n        print(weight.to(device).shape)\n" + END,
            "It is filled on the host first.",
        ),
    )

    def judge(self, creation: Creation, settings: Settings) -> Iterator[Finding]:
        obligations = creation.obligations
        against = [o for o in obligations if o.state == REFUTED]
        yield self.finding(
            creation,
            f"torch.{creation.name} fills host memory that is then copied",
            fix=None if against or not creation.is_editable else self.fix(creation, f"device={creation.device}", *creation.operations, obligations=obligations),
            why_not=against,
        )
