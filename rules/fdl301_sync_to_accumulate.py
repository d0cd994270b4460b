"""FDL301: A value is read from the device in every step only to be added up or stored."""

from __future__ import annotations

from collections.abc import Iterator

from feedlint.api import (
    STABLE,
    Bad,
    Finding,
    Good,
    HostRead,
    Rule,
    Settings,
    Severity,
    accumulation_advice,
    accumulation_fix,
)

from ._programs import AFTER_A_STEP, END


class SyncToAccumulate(Rule):
    """A value is read from the device in every step only to be added up or stored.

    ## What it does

    Finds `.item()`, `float(...)` and their like on device tensors in a step loop whose value only goes into a sum, a list or a
    meter.

    ## Why it starves the GPU

    The host waits until every kernel before it is done, and only then launches the next ones: the queue runs empty.

    ## What it is worth

    0-18 %: 1.18x for 276 reads per step (fairchem), 5-10 % for one more read (fvdb), under 1 % where the GPU is busy anyway.

    ## When it is right

    Values of the host, reads every n steps or once per epoch, and values that decide something are not reported here.

    ## Fix safety

    Safe where the accumulator is a local number that starts at 0, the sum keeps its type, and every read of it can be seen
    and wrapped: it is kept in float64 on the device, so the sum is the same to the last bit. On a device without float64
    (MPS) it would fail: `device-unknown`. No edit is offered where the same step reads the value in another place anyway.

    ## References

    PyTorch's performance tuning guide, "avoid unnecessary CPU-GPU synchronization"; facebookresearch/fairchem#2193.
    """

    code, name, since = "FDL301", "sync-to-accumulate", "0.1"
    status = STABLE
    severity = Severity.WARNING
    sees = HostRead
    needs = ("item", "float", "int", "cpu", "tolist", "numpy")
    worth = "0-18 %, nothing where the GPU is busy anyway"
    bad = (
        Bad(
            AFTER_A_STEP + "        total += loss.item() * wave.size(0)  #! FDL301\n    print(total)\n" + END,
            AFTER_A_STEP + "        total += loss.detach().double() * wave.size(0)\n    print(float(total))\n" + END,
        ),
    )
    good = (Good(AFTER_A_STEP + "        if step % 100 == 0:\n            total += loss.item()\n    print(total)\n" + END, "It reads every hundred steps."),)

    def judge(self, read: HostRead, settings: Settings) -> Iterator[Finding]:
        if read.use != "accumulate":
            return
        made = accumulation_fix(read)
        yield self.finding(
            read,
            "the host waits for the device " + ("to add a number up" if read.is_added else "only to keep a number"),
            severity=self.severity if read.in_training else Severity.INFO,
            fix=None if made is None else self.fix(read, "kept on the device, read once", *made[0], obligations=made[1]),
            advice="" if made is not None else accumulation_advice(read),
        )
