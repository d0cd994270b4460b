"""FDL307: Outputs are copied to the host in every training step."""

from __future__ import annotations

from collections.abc import Iterator

from feedlint.api import STABLE, Bad, Finding, Good, HostRead, Rule, Settings, Severity

from ._programs import AFTER_A_STEP, END


class HostMetrics(Rule):
    """Outputs are copied to the host in every training step.

    ## What it does

    Finds `.cpu()`, `.numpy()`, `.tolist()` and their like on outputs in a training loop.

    ## Why it starves the GPU

    The host waits until every kernel before it is done, and only then launches the next ones: the queue runs empty.

    ## What it is worth

    0-18 %: 1.18x for 276 reads per step (fairchem), 5-10 % for one more read (fvdb), under 1 % where the GPU is busy anyway.

    ## When it is right

    Evaluation that needs its outputs, inference that writes them, copies every n steps and data of the host are not reported.

    ## Fix safety

    No edit: compute the metric on the device, or collect tensors and copy them once per epoch.

    ## References

    PyTorch's performance tuning guide, "avoid unnecessary CPU-GPU synchronization"; facebookresearch/fairchem#2193.
    """

    code, name, since = "FDL307", "host-metrics-per-step", "0.1"
    status = STABLE
    severity = Severity.INFO
    sees = HostRead
    needs = ("cpu", "numpy", "tolist", "array")
    worth = "0-18 %, nothing where the GPU is busy anyway"
    bad = (Bad(AFTER_A_STEP.replace("    total = 0.0\n", "    scores = []\n") + "        scores.extend(net(wave).softmax(1).tolist())  #! FDL307\n" + END),)
    good = (Good(AFTER_A_STEP + "        if step % 50 == 0:\n            print(net(wave).cpu().shape)\n" + END, "It copies every fifty steps."),)

    def judge(self, read: HostRead, settings: Settings) -> Iterator[Finding]:
        if read.use != "host" or not read.in_training:
            return
        yield self.finding(
            read,
            "outputs are copied to the host in every step",
            advice="compute on the device, or collect the tensors and copy them once",
        )
