"""FDL106: a new iteration is started only to take one batch."""

from __future__ import annotations

from collections.abc import Iterator

from feedlint.api import PREVIEW, Bad, Finding, Good, Restart, Rule, Settings, Severity

from ._programs import END, MODEL_ON_CUDA, SAMPLES, cuda_step

_START = (
    SAMPLES
    + "def main():\n"
    + MODEL_ON_CUDA
    + "    loader = DataLoader(Waves(), batch_size=64, shuffle=True, num_workers=2, pin_memory=True)\n"
)
_STEP = cuda_step(2) + END


class IteratorRebuilt(Rule):
    """A loop starts a new iteration over a loader in every step, only to take its first batch.

    ## What it does

    Finds `next(iter(loader))`, and loops over a loader that end at their first batch, inside of a step loop or in a
    function that one calls.

    ## Why it starves the GPU

    Every call starts all workers, lets each load `prefetch_factor` batches, takes one and throws the others away. Without
    shuffling it even gives the same first batch for ever.

    ## What it is worth

    158-295 ms per step with 2-4 forked workers, seconds where they are spawned.

    ## When it is right

    A single look before training, overfitting one batch on purpose outside of the loop, and iterators that are started
    again only when they are exhausted are not reported.

    ## Fix safety

    No edit: which batches are trained on changes. Keep one iterator and start it again on StopIteration.

    ## References

    Measured with torch 2.13 on the CPU (start of an iteration with 2 and 4 workers).
    """

    code, name, since = "FDL106", "iterator-rebuilt-per-step", "0.1"
    status = PREVIEW
    severity = Severity.ERROR
    sees = Restart
    needs = ("next", "break", "return")
    worth = "0.1-0.3 s per step under fork, seconds where workers are spawned"
    bad = (
        Bad(
            _START + "    for step in range(1000):\n        wave, kind = next(iter(loader))  #! FDL106\n" + _STEP,
        ),
    )
    good = (
        Good(
            _START + "    batches = iter(loader)\n    for step in range(8):\n        wave, kind = next(batches)\n" + _STEP,
            "One iterator that goes on.",
        ),
        Good(
            _START + "    print(next(iter(loader))[0].shape)\n    for wave, kind in loader:\n" + _STEP,
            "One look before training.",
        ),
    )

    def judge(self, restart: Restart, settings: Settings) -> Iterator[Finding]:
        severity = Severity.INFO
        if restart.in_step:
            severity = Severity.WARNING if restart.loader.has_no_workers else Severity.ERROR
        yield self.finding(
            restart,
            "a new iteration is started for one batch" + (" in every step" if restart.in_step else ""),
            severity=severity,
            because=restart.loader.because(restart.loader.workers, restart.loader.api.workers or "the worker count"),
            advice="keep one iterator, and start it again only when it raises StopIteration",
        )
