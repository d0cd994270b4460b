"""FDL302: A value is read from the device in every step to be logged."""

from __future__ import annotations

from collections.abc import Iterator

from feedlint.api import STABLE, Bad, Finding, Good, HostRead, Rule, Settings, Severity

from ._programs import AFTER_A_STEP, END


class SyncToLog(Rule):
    """A value is read from the device in every step to be logged.

    ## What it does

    Finds device tensors, or numbers read from them, that are printed, formatted, logged or shown in a progress bar in every
    step.

    ## Why it starves the GPU

    The host waits until every kernel before it is done, and only then launches the next ones: the queue runs empty.

    ## What it is worth

    0-18 %: 1.18x for 276 reads per step (fairchem), 5-10 % for one more read (fvdb), under 1 % where the GPU is busy anyway.

    ## When it is right

    Logging every n steps or seconds, lazy debug messages, shapes and numbers of the host are not reported.

    ## Fix safety

    No edit yet: logging less changes what the user sees (`log-cadence`).

    ## References

    PyTorch's performance tuning guide, "avoid unnecessary CPU-GPU synchronization"; facebookresearch/fairchem#2193.
    """

    code, name, since = "FDL302", "sync-to-log-every-step", "0.1"
    status = STABLE
    severity = Severity.WARNING
    sees = HostRead
    needs = ("print", "item", "format", "log", "set_", "f\"", "f'", "write", "add_scalar", "{")
    worth = "0-18 %, nothing where the GPU is busy anyway"
    bad = (Bad(AFTER_A_STEP + "        print(step, loss.item())  #! FDL302\n" + END),)
    good = (Good(AFTER_A_STEP + "        if step % 50 == 0:\n            print(step, loss.item())\n" + END, "It logs every fifty steps."),)

    def judge(self, read: HostRead, settings: Settings) -> Iterator[Finding]:
        if read.use != "log":
            return
        yield self.finding(
            read,
            "the host waits for the device to write a line",
            severity=self.severity if read.in_training else Severity.INFO,
            advice="log every n steps, or read several values at once",
        )
