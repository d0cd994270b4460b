"""FDL110: arguments of a loader contradict each other, so that making it raises."""

from __future__ import annotations

from collections.abc import Iterator

from feedlint.api import PREVIEW, Bad, Finding, Good, Loader, Rule, Settings, Severity, conflicts

from ._programs import SAMPLES_WITH_SAMPLER


class LoaderArgumentsConflict(Rule):
    """Arguments of a loader contradict each other: making it, or iterating over it, raises.

    ## What it does

    Finds arguments that need workers where the worker count is 0 (`persistent_workers`, `prefetch_factor`,
    `multiprocessing_context`), a sampler beside `shuffle`, a batch sampler beside what it decides, `drop_last` without a
    batch size.

    ## Why it starves the GPU

    A run that stops at once starves it completely; more often an option is switched to 0 workers for debugging and the
    program then fails.

    ## What it is worth

    The run itself.

    ## When it is right

    Arguments that follow the worker count (`persistent_workers=workers > 0`) and values equal to the defaults are not
    reported.

    ## Fix safety

    Safe: it changes only programs that raise.

    ## References

    The checks of `torch.utils.data.DataLoader.__init__` in torch 2.13.
    """

    code, name, since = "FDL110", "loader-args-conflict", "0.1"
    status = PREVIEW
    severity = Severity.ERROR
    sees = Loader
    needs = ("DataLoader", "Arguments", "Loader")
    worth = "the run itself: it raises"
    bad = (
        Bad(
            SAMPLES_WITH_SAMPLER + "loader = DataLoader(Waves(), batch_size=8, persistent_workers=True)  #! FDL110\n",
            SAMPLES_WITH_SAMPLER + "loader = DataLoader(Waves(), batch_size=8)\n",
        ),
        Bad(
            SAMPLES_WITH_SAMPLER + "weights = WeightedRandomSampler([1.0] * 512, 512)\nloader = DataLoader(Waves(), 8, sampler=weights, shuffle=True)  #! FDL110\n",
            SAMPLES_WITH_SAMPLER + "weights = WeightedRandomSampler([1.0] * 512, 512)\nloader = DataLoader(Waves(), 8, sampler=weights)\n",
        ),
    )
    good = (
        Good(
            SAMPLES_WITH_SAMPLER + "workers = 0\nloader = DataLoader(Waves(), batch_size=8, num_workers=workers, persistent_workers=workers > 0)\n",
            "Persistence follows the worker count.",
        ),
    )

    def judge(self, loader: Loader, settings: Settings) -> Iterator[Finding]:
        for conflict in conflicts(loader):
            change = conflict.change
            yield self.finding(
                loader,
                conflict.message,
                because=conflict.because,
                fix=None if change is None else self.fix(loader, change.message, *change.operations),
            )
            return  # one at a time: the next one shows when this one is cured
