"""FDL303: Control flow hangs on a value of the device in every step."""

from __future__ import annotations

from collections.abc import Iterator

from feedlint.api import STABLE, Bad, Finding, Good, HostRead, Rule, Settings, Severity

from ._programs import AFTER_A_STEP, END


class TensorBranch(Rule):
    """Control flow hangs on a value of the device in every step.

    ## What it does

    Finds conditions, assertions, `min`, `max` and comparisons on device tensors, or on numbers read from them, in a step loop.

    ## Why it starves the GPU

    The host waits until every kernel before it is done, and only then launches the next ones: the queue runs empty.

    ## What it is worth

    0-18 %: 1.18x for 276 reads per step (fairchem), 5-10 % for one more read (fvdb), under 1 % where the GPU is busy anyway.

    ## When it is right

    Tests of shapes, of `None`, of values of the host, and tests every n steps are not reported.

    ## Fix safety

    No edit: what the program decides depends on the value. Test every n steps, or select on the device (`torch.where`).

    ## References

    PyTorch's performance tuning guide, "avoid unnecessary CPU-GPU synchronization"; facebookresearch/fairchem#2193.
    """

    code, name, since = "FDL303", "tensor-branch-per-step", "0.1"
    status = STABLE
    severity = Severity.INFO
    sees = HostRead
    needs = ("if", "while", "assert", "min", "max")
    worth = "0-18 %, nothing where the GPU is busy anyway"
    bad = (Bad(AFTER_A_STEP + "        if torch.isnan(loss):  #! FDL303\n            break\n" + END),)
    good = (Good(AFTER_A_STEP + "        if loss.shape:\n            break\n" + END, "A shape is known to the host."),)

    def judge(self, read: HostRead, settings: Settings) -> Iterator[Finding]:
        if read.use != "branch":
            return
        yield self.finding(
            read,
            "the host waits for the device to decide what to do",
            advice="test every n steps, or select on the device with torch.where",
        )
