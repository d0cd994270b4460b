"""FDL103: workers end and start again with every epoch."""

from __future__ import annotations

from collections.abc import Iterator

from feedlint.api import (
    PERSISTENCE,
    STABLE,
    Bad,
    Finding,
    Good,
    Loader,
    Rule,
    Settings,
    Severity,
    prove,
    refuted,
    set_persistence,
)

from ._programs import END, MODEL_ON_CUDA, SAMPLES, cuda_step

_START = SAMPLES + "def main():\n" + MODEL_ON_CUDA
_LOOP = "    for epoch in range(20):\n        for wave, kind in loader:\n" + cuda_step(3) + END


class WorkersNotPersistent(Rule):
    """A loader with workers starts them anew for every epoch.

    ## What it does

    Finds loaders with workers and without `persistent_workers` that are iterated over more than once.

    ## Why it starves the GPU

    Each epoch begins with starting processes, importing the program and filling the pipeline, while the GPU waits. Under
    fork that takes 0.1-0.3 s, with forkserver 2.5-5.6 s and with spawn 6-8 s; workers that stay need 4-10 ms.

    ## What it is worth

    0-30 %: nothing under fork with long epochs, up to 30 % where processes are spawned or epochs are short
    (pytorch/pytorch#55455).

    ## When it is right

    Loaders that are iterated over once, that are made anew in each epoch, or whose dataset is changed between epochs are
    not reported or get no fix: workers that stay keep the dataset as it was when they started.

    ## Fix safety

    Safe in a program that seeds nothing. In a seeded one the order of samples changes from the second epoch on
    (`shuffle-order`), because workers that stay draw no new seed.

    ## References

    PyTorch tutorial "Data loading optimization" (1.3x); pytorch/pytorch#55455; starVLA/starVLA#471 for the frozen copy.
    """

    code, name, since = "FDL103", "loader-workers-not-persistent", "0.1"
    status = STABLE
    severity = Severity.INFO
    sees = Loader
    needs = ("DataLoader", "Arguments", "Config", "Loader")
    worth = "0-30 %: most where processes are spawned or epochs are short"
    bad = (
        Bad(
            _START + "    loader = DataLoader(Waves(), batch_size=64, num_workers=2, pin_memory=True)  #! FDL103\n" + _LOOP,
            _START
            + "    loader = DataLoader(Waves(), batch_size=64, num_workers=2, pin_memory=True, persistent_workers=True)\n"
            + _LOOP,
        ),
    )
    good = (
        Good(
            _START + "    loader = DataLoader(Waves(), batch_size=64, num_workers=2, pin_memory=True)\n"
            + _LOOP.replace("    for epoch in range(20):\n", "    if net is not None:\n"),
            "It is iterated over once.",
        ),
        Good(
            _START
            + "    loader = DataLoader(Waves(), batch_size=64, num_workers=2, pin_memory=True, persistent_workers=True)\n"
            + _LOOP,
            "Its workers stay.",
        ),
    )

    def judge(self, loader: Loader, settings: Settings) -> Iterator[Finding]:
        if not loader.has_workers or not loader.persistent.values.are_all(False):
            return
        if not loader.iterated_again or loader.is_settings:
            return
        change = set_persistence(loader)
        obligations = prove(loader, PERSISTENCE)
        against = refuted(obligations)
        yield self.finding(
            loader,
            "its workers end with every epoch and start again with the next",
            because=(*loader.because(loader.workers, loader.api.workers or "the worker count"), *loader.because(loader.persistent, "persistent_workers")),
            severity=Severity.WARNING if loader.starts_slowly else self.severity,
            fix=None if change is None or against else self.fix(loader, change.message, *change.operations, obligations=obligations),
            why_not=against,
        )
