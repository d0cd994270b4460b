"""FDL201: the loop stands still until a batch is copied to the device."""

from __future__ import annotations

from collections.abc import Iterator

from feedlint.api import (
    STABLE,
    Bad,
    Finding,
    Good,
    Rule,
    Settings,
    Severity,
    Transfer,
    is_slight,
    made_asynchronous,
    pinning_keys,
    prove_copy,
    refuted,
)

from ._programs import END, MODEL_ON_DEVICE, SAMPLES, step

_START = (
    SAMPLES
    + "def main():\n"
    + MODEL_ON_DEVICE
    + "    loader = DataLoader(Waves(), batch_size=64, num_workers=2, pin_memory=torch.cuda.is_available())\n"
    "    for wave, kind in loader:\n"
)
_STEP = step(2) + END


class BlockingCopy(Rule):
    """A step waits until its batch is copied to the device.

    ## What it does

    Finds `.to(device)` and `.cuda()` of batch data in a step loop, or in a function that one calls, without
    `non_blocking=True`.

    ## Why it starves the GPU

    The host waits for the copy before it launches the first kernel of the step. From pinned memory an asynchronous copy
    lets it go on at once.

    ## What it is worth

    0-15 % together with pinning; nothing from pageable memory.

    ## When it is right

    Copies from the device to the host, of modules, of objects whose `.to()` takes no `non_blocking`, and outside of the
    loop are not reported.

    ## Fix safety

    Safe where what is copied is proven to be a tensor, the device is CUDA (or the CPU where there is none), and the source
    is not changed after the copy. On MPS an asynchronous copy may read memory that is already freed (`device-unknown`).
    The fix is applied only together with a pinned loader.

    ## References

    PyTorch tutorial "A guide on good usage of non_blocking and pin_memory()"; Gao et al., ICSE 2024; pytorch/pytorch#139550.
    """

    code, name, since = "FDL201", "blocking-h2d-copy", "0.1"
    status = STABLE
    severity = Severity.WARNING
    sees = Transfer
    needs = ("cuda", "to")
    worth = "0-15 % together with pinning"
    bad = (
        Bad(
            _START + "        wave, kind = wave.to(device), kind.to(device)  #! FDL201\n" + _STEP,
            _START + "        wave, kind = wave.to(device, non_blocking=True), kind.to(device, non_blocking=True)\n" + _STEP,
        ),
    )
    good = (
        Good(
            _START + "        wave, kind = wave.to(device, non_blocking=True), kind.to(device, torch.long, True)\n" + _STEP,
            "It is asynchronous, by keyword and by position.",
        ),
        Good(
            _START
            + "        wave, kind = wave.to(device, non_blocking=True), kind.to(device, non_blocking=True)\n        wave = wave.to(torch.float32)\n"
            + _STEP,
            "A change of the type copies nothing to the device.",
        ),
    )

    def judge(self, copy: Transfer, settings: Settings) -> Iterator[Finding]:
        obligations = prove_copy(copy)
        against = refuted(obligations)
        if any(o.name == "source-kept" for o in against):
            return  # the copy has to be over before its source changes
        change = made_asynchronous(copy)
        yield self.finding(
            copy,
            "the step waits until the copy is done",
            severity=Severity.INFO if is_slight(copy) else self.severity,
            fix=None if against else self.fix(copy, change.message, *change.operations, obligations=obligations, requires=pinning_keys(copy)),
            why_not=against,
        )
