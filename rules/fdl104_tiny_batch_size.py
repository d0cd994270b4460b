"""FDL104: the batches of a training loader are tiny."""

from __future__ import annotations

from collections.abc import Iterator

from feedlint.api import PREVIEW, Bad, Finding, Good, Loader, Rule, Settings, Severity

from ._programs import END, MODEL_ON_CUDA, SAMPLES, cuda_step

_START = SAMPLES + "def main():\n" + MODEL_ON_CUDA
_LOOP = "    for wave, kind in loader:\n" + cuda_step(2) + END


class TinyBatchSize(Rule):
    """A training loader gives so few samples at a time that the GPU is mostly waiting for launches.

    ## What it does

    Finds training loaders whose batch size is below `batch-size-minimum` (8) on every path; 1 where it is never given.

    ## Why it starves the GPU

    Each step launches hundreds of kernels. With a handful of samples every kernel is over before the next one is
    launched, so the host sets the pace.

    ## What it is worth

    3-5x: 3.41x and 4.92x measured by Gao et al. (ICSE 2024) from a larger batch, a quarter of all causes that they found.

    ## When it is right

    Volumes, detection at high resolution and large language models may have no room for more; datasets that give ready
    batches, batch samplers, graphs and evaluation are not reported.

    ## Fix safety

    No edit: another batch size is another optimisation (learning rate, batch normalisation). Try the largest batch that
    fits, and adapt the learning rate.

    ## References

    Gao et al., ICSE 2024 (doi 10.1145/3597503.3639232); Hugging Face's guide on training on one GPU, which prefers 4 x 16
    over 64 x 1.
    """

    code, name, since = "FDL104", "tiny-batch-size", "0.1"
    status = PREVIEW
    severity = Severity.WARNING
    sees = Loader
    needs = ("DataLoader", "Arguments", "Config", "Loader")
    worth = "3-5x where the GPU waits for launches; changes the optimisation"
    bad = (Bad(_START + "    loader = DataLoader(Waves(), num_workers=2, pin_memory=True)  #! FDL104\n" + _LOOP),)
    good = (
        Good(_START + "    loader = DataLoader(Waves(), batch_size=64, num_workers=2, pin_memory=True)\n" + _LOOP, "64 samples at a time."),
        Good(
            _START + "    loader = DataLoader(Waves(), batch_size=None, num_workers=2, pin_memory=True)\n" + _LOOP,
            "The dataset gives ready batches.",
        ),
    )

    def judge(self, loader: Loader, settings: Settings) -> Iterator[Finding]:
        minimum: int = settings.batch_size_minimum
        sizes = loader.batch_size.values.constants
        if not loader.trains or loader.decides_its_batches or loader.needs_small_batches or not sizes:
            return
        if not all(isinstance(size, int) and not isinstance(size, bool) and 0 < size < minimum for size in sizes):
            return
        smallest = min(sizes)
        yield self.finding(
            loader,
            f"each step works on {smallest} sample{'' if smallest == 1 else 's'}",
            because=loader.because(loader.batch_size, loader.api.batch_size or "the batch size"),
            severity=Severity.WARNING if smallest == 1 else Severity.INFO,
            advice="try the largest batch that fits into memory, and adapt the learning rate to it",
        )
