"""FDL105: a loader is made anew in every iteration although nothing about it changes."""

from __future__ import annotations

from collections.abc import Iterator

from feedlint.api import PREVIEW, Bad, Finding, Good, Loader, Rule, Settings, Severity, hoist, prove, refuted

from ._programs import END, MODEL_ON_CUDA, SAMPLES, cuda_step

_START = SAMPLES + "def main():\n" + MODEL_ON_CUDA + "    data = Waves()\n"
_STEPS = "        for wave, kind in loader:\n" + cuda_step(3) + END


class LoaderBuiltInLoop(Rule):
    """A loader is made anew in every iteration of a loop although nothing about it changes.

    ## What it does

    Finds loaders that are made inside of an epoch or step loop, or in a function that such a loop calls, from arguments
    that do not change in it.

    ## Why it starves the GPU

    Every new loader starts its workers and fills its pipeline again, and they can't be kept (`persistent_workers`).

    ## What it is worth

    0.1-8 s per iteration: starting workers takes 0.1-0.3 s under fork and up to 8 s where they are spawned.

    ## When it is right

    Folds, stages of growing resolution, subsets drawn anew: a loader whose arguments depend on the loop is not reported.

    ## Fix safety

    Moving the statement before the loop keeps the order of a seeded run bit for bit, but a dataset that changes between
    epochs would now be seen by one loader: `stateful-dataset`. No edit where a function makes the loader.

    ## References

    pytorch/pytorch#22133.
    """

    code, name, since = "FDL105", "loader-built-in-loop", "0.1"
    status = PREVIEW
    severity = Severity.WARNING
    sees = Loader
    needs = ("DataLoader", "Loader")
    worth = "the start of the workers, 0.1-8 s, in every iteration"
    bad = (
        Bad(
            _START
            + "    for epoch in range(20):\n        loader = DataLoader(data, batch_size=64, num_workers=2, pin_memory=True)  #! FDL105\n"
            + _STEPS,
            _START
            + "    loader = DataLoader(data, batch_size=64, num_workers=2, pin_memory=True)\n    for epoch in range(20):\n"
            + _STEPS,
            accept=("stateful-dataset",),
        ),
    )
    good = (
        Good(
            _START
            + "    for size in (16, 32, 64):\n        loader = DataLoader(data, batch_size=size, num_workers=2, pin_memory=True)\n"
            + _STEPS,
            "Every stage has its own batch size.",
        ),
        Good(
            _START
            + "    loader = DataLoader(data, batch_size=64, num_workers=2, pin_memory=True, persistent_workers=True)\n    for epoch in range(20):\n"
            + _STEPS,
            "It is made once.",
        ),
    )

    def judge(self, loader: Loader, settings: Settings) -> Iterator[Finding]:
        if loader.builder_loop is None or not loader.use.loops or not loader.is_the_same_each_time:
            return
        change = hoist(loader)
        obligations = prove(loader, ("unchanged-dataset",))
        against = refuted(obligations)
        yield self.finding(
            loader,
            "the loader is made anew in every iteration, with new workers",
            fix=None if change is None or against else self.fix(loader, change.message, *change.operations, obligations=obligations),
            why_not=against,
            advice="" if change is not None and not against else "make it once, before the loop, and hand it in",
        )
