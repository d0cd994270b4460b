"""FDL102: batches that go to CUDA lie in pageable memory."""

from __future__ import annotations

from collections.abc import Iterator

from feedlint.api import (
    PINNING,
    STABLE,
    Bad,
    Finding,
    Good,
    Loader,
    Rule,
    Settings,
    Severity,
    fix_key,
    prove,
    refuted,
    set_pinning,
)

from ._programs import END, MODEL_ON_DEVICE, SAMPLES, device_step

_START = SAMPLES + "def main():\n" + MODEL_ON_DEVICE
_LOOP = "    for wave, kind in loader:\n" + device_step(2) + END


class LoaderNotPinned(Rule):
    """A loader whose batches go to CUDA does not pin them.

    ## What it does

    Finds loaders without `pin_memory` whose batches the program (or a framework that does not pin by itself) copies to
    CUDA.

    ## Why it starves the GPU

    From pageable memory the driver first copies a batch into a pinned buffer of its own, and the host waits for that. From
    pinned memory the copy runs beside the computation, if it is also asked for with `non_blocking=True`.

    ## What it is worth

    0-15 % together with asynchronous copies: 2-15 % measured for pinning in Gao et al. (ICSE 2024), about nothing in
    PyTorch's tutorial once there are workers.

    ## When it is right

    Data that already lie on the device (pinning them fails), batches of objects that can't be pinned, programs without
    CUDA, and frameworks that pin by default are not reported.

    ## Fix safety

    Values never change. The value written is true only where there is CUDA. Safe where a batch is proven to be dense
    tensors in plain containers and nothing forks a child that uses CUDA. Without workers pinning runs in the training
    process: the fix is then applied only together with workers. Pinned memory can't be swapped out: it takes about one
    batch for each one under way.

    ## References

    Gao et al., ICSE 2024 (doi 10.1145/3597503.3639232); PyTorch tutorial "A guide on good usage of non_blocking and
    pin_memory()".
    """

    code, name, since = "FDL102", "loader-not-pinned", "0.1"
    status = STABLE
    severity = Severity.WARNING
    sees = Loader
    needs = ("DataLoader", "Arguments", "Config", "create_loader", "Loader")
    worth = "0-15 % together with asynchronous copies"
    bad = (
        Bad(
            _START + "    loader = DataLoader(Waves(), batch_size=64, num_workers=2)  #! FDL102\n" + _LOOP,
            _START
            + '    loader = DataLoader(Waves(), batch_size=64, num_workers=2, pin_memory=device.type == "cuda")\n'
            + _LOOP,
        ),
    )
    good = (
        Good(
            _START + "    loader = DataLoader(Waves(), batch_size=64, num_workers=2, pin_memory=torch.cuda.is_available())\n" + _LOOP,
            "It pins where there is CUDA.",
        ),
        Good(
            _START.replace("i % 4\n", "i % 4\n", 1).replace("torch.sin(torch.linspace(0, 1 + i, 400))", 'torch.linspace(0, 1 + i, 400, device="cuda")')
            + "    loader = DataLoader(Waves(), batch_size=64)\n"
            + _LOOP,
            "Samples are made on the device: pinning them would fail.",
        ),
        Good(
            _START.replace('"cuda" if torch.cuda.is_available() else "cpu"', '"cpu"')
            + "    loader = DataLoader(Waves(), batch_size=64, num_workers=2)\n"
            + _LOOP,
            "The program runs on the CPU.",
        ),
    )

    def judge(self, loader: Loader, settings: Settings) -> Iterator[Finding]:
        if not loader.pinned.values.are_all(False) or not loader.feeds_steps or not loader.could_be_pinned:
            return
        change = set_pinning(loader)
        obligations = prove(loader, PINNING)
        against = refuted(obligations)
        requires = (fix_key("FDL101", loader.place),) if loader.has_no_workers else ()
        fix = None
        if change is not None and not against:
            fix = self.fix(loader, change.message, *change.operations, obligations=obligations, requires=requires)
        yield self.finding(
            loader,
            "its batches are copied from pageable memory",
            because=loader.because(loader.pinned, loader.api.pin or "pinning"),
            severity=Severity.INFO if loader.has_no_workers and (loader.better_without_workers or not loader.trains) else self.severity,
            fix=fix,
            why_not=against,
        )
