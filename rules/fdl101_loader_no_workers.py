"""FDL101: a loader that feeds a step loop has no workers."""

from __future__ import annotations

from collections.abc import Iterator

from feedlint.api import (
    STABLE,
    WORKERS,
    Bad,
    Finding,
    Good,
    Loader,
    Rule,
    Settings,
    Severity,
    prove,
    refuted,
    set_workers,
)

from ._programs import END, MODEL_ON_DEVICE, SAMPLES, device_step

_LOOP = MODEL_ON_DEVICE + "    for wave, kind in loader:\n" + device_step(2, "") + END


class LoaderNoWorkers(Rule):
    """A loader that feeds a step loop loads every batch in the training process.

    ## What it does

    Finds loaders (torch's own and those of frameworks) whose worker count is 0 on every path and that a training or
    evaluation loop, or a framework's trainer, iterates over. A count that comes from an option, a configuration class or
    a file counts with its default.

    ## Why it starves the GPU

    Without workers the loop stops at every batch, reads, decodes, transforms and collates it, and only then gives the GPU
    something to do. With workers the next batches are made while the GPU works on this one.

    ## What it is worth

    2-10x where making a sample is real work: about 2.7x in PyTorch's own data loading tutorial, 10x for image transforms
    (huggingface/transformers#20581). Nothing, or a loss, where samples are only looked up in memory.

    ## When it is right

    Samples that are only indexed in memory, data that already lie on the device, loaders whose library wants 0, tests, and
    an explicit 0 with a comment that gives the reason are not reported.

    ## Fix safety

    Safe where every obligation is proven: item code draws no random numbers (or nothing is seeded), keeps no state, opens
    no handle in the main process, everything can be sent to a worker, and iteration starts below a main guard. Changing
    the default of an option carries `option-default`, an explicit 0 `explicit-zero`. Workers need shared memory for the
    batches under way: Docker gives 64 MB unless told otherwise (`--shm-size`).

    ## References

    PyTorch tutorial "Data loading optimization"; Gao et al., ICSE 2024 (doi 10.1145/3597503.3639232);
    huggingface/transformers#20581; Lightning's warning about few workers.
    """

    code, name, since = "FDL101", "loader-no-workers", "0.1"
    status = STABLE
    severity = Severity.WARNING
    sees = Loader
    needs = ("DataLoader", "Arguments", "Config", "create_loader", "from_datasets", "auto_dataloader", "build_detection", "Loader")
    worth = "2-10x where making a sample is real work"
    bad = (
        Bad(
            SAMPLES + "def main():\n    loader = DataLoader(Waves(), batch_size=64, shuffle=True)  #! FDL101\n" + _LOOP,
            SAMPLES + "def main():\n    loader = DataLoader(Waves(), batch_size=64, shuffle=True, num_workers=4)\n" + _LOOP,
        ),
        Bad(
            {
                "options.py": "import argparse\n\n\ndef parse():\n    parser = argparse.ArgumentParser()\n"
                '    parser.add_argument("--workers", type=int, default=0)\n    return parser.parse_args()\n',
                "train.py": SAMPLES.replace("import torch\n", "import torch\nfrom options import parse\n", 1)
                + "def main():\n    args = parse()\n"
                "    loader = DataLoader(Waves(), batch_size=64, num_workers=args.workers)  #! FDL101\n" + _LOOP,
            },
            {
                "options.py": "import argparse\n\n\ndef parse():\n    parser = argparse.ArgumentParser()\n"
                '    parser.add_argument("--workers", type=int, default=4)\n    return parser.parse_args()\n',
            },
            accept=("option-default",),
            note="The default of an option in another file decides: the edit goes there.",
        ),
    )
    good = (
        Good(
            SAMPLES + "def main():\n    loader = DataLoader(Waves(), batch_size=64, num_workers=2)\n" + _LOOP,
            "It has workers.",
        ),
        Good(
            SAMPLES.replace("import torch\n", "import json\nimport sys\n\nimport torch\n", 1)
            + "def main():\n    options = json.load(sys.stdin)\n    loader = DataLoader(Waves(), batch_size=64, **options)\n"
            + _LOOP,
            "What is spread into the call may set the worker count.",
        ),
        Good(
            SAMPLES
            + "def main():\n    # one process: the debugger has to reach the dataset\n"
            + "    loader = DataLoader(Waves(), batch_size=64, num_workers=0)\n"
            + _LOOP,
            "The author gives a reason for the 0.",
        ),
        Good(
            SAMPLES.replace("torch.sin(torch.linspace(0, 1 + i, 400)), i % 4", "self.waves[i]").replace(
                "class Waves(Dataset):\n", "class Waves(Dataset):\n    def __init__(self):\n        self.waves = torch.randn(512, 400)\n\n"
            )
            + "def main():\n    loader = DataLoader(Waves(), batch_size=64)\n"
            + _LOOP,
            "Samples are only looked up in memory: sending them between processes costs more.",
        ),
    )

    def judge(self, loader: Loader, settings: Settings) -> Iterator[Finding]:
        if not loader.has_no_workers or not loader.feeds_steps or loader.better_without_workers:
            return
        if loader.workers.given and loader.is_explained:
            return
        change = set_workers(loader, settings.workers)
        obligations = prove(loader, WORKERS)
        against = refuted(obligations)
        yield self.finding(
            loader,
            "every batch is loaded in the training process",
            because=loader.because(loader.workers, loader.api.workers or "the worker count"),
            severity=Severity.WARNING if loader.trains and loader.uses_accelerator else Severity.INFO,
            fix=None if change is None or against else self.fix(loader, change.message, *change.operations, obligations=obligations),
            why_not=against,
            advice="" if change is not None and not against else _advice(loader, against),
        )


def _advice(loader: Loader, against: tuple[object, ...]) -> str:
    if against:
        return "cure what stands against workers first"
    return f"set {loader.api.workers} above 0 where its value comes from"


