"""Callables that iterate over their first argument and hand its elements on, and names of loader classes.

Sources: documentation of Python 3.14, tqdm 4.67, rich 14, accelerate 1.15, Lightning 2.6, torch 2.13.
"""

from __future__ import annotations

from collections.abc import Collection

from .loader_apis import LOADER_CLASSES

# "same": the elements as they are; "index": (number, element); "zip": one of each; "chain": of each argument in turn.
ITERATES: dict[str, str] = {
    "builtins.enumerate": "index",
    "builtins.zip": "zip",
    "builtins.reversed": "same",
    "itertools.islice": "same",
    "itertools.cycle": "same",
    "itertools.chain": "chain",
    "itertools.zip_longest": "zip",
    "tqdm.tqdm": "same",
    "tqdm.trange": "same",
    "tqdm.auto.tqdm": "same",
    "tqdm.autonotebook.tqdm": "same",
    "tqdm.notebook.tqdm": "same",
    "tqdm.rich.tqdm": "same",
    "tqdm.tqdm_notebook": "same",
    "tqdm.std.tqdm": "same",
    "tqdm.gui.tqdm": "same",
    "tqdm.asyncio.tqdm": "same",
    "tqdm.contrib.tenumerate": "index",
    "tqdm.contrib.tzip": "zip",
    "accelerate.utils.tqdm": "same",
    "prefetch_generator.BackgroundGenerator": "same",
    "rich.progress.track": "same",
    "alive_progress.alive_it": "same",
    "progressbar.progressbar": "same",
    "fastprogress.progress_bar": "same",
    "fastprogress.fastprogress.progress_bar": "same",
    "fastprogress.fastprogress.master_bar": "same",
    # What has moved the batch to a device when it hands it on.
    "torch_xla.distributed.parallel_loader.MpDeviceLoader": "moved",
    "torch_xla.distributed.parallel_loader.ParallelLoader": "moved",
    "torch_geometric.loader.PrefetchLoader": "moved",
    "torch_geometric.loader.prefetch.PrefetchLoader": "moved",
    "torch_geometric.loader.CachedLoader": "moved",
    "timm.data.loader.PrefetchLoader": "moved",
}

# What gives its argument back, prepared by a framework.
SAME: frozenset[str] = frozenset(
    {
        "accelerate.skip_first_batches",
        "accelerate.data_loader.skip_first_batches",
        "accelerate.data_loader.prepare_data_loader",
        "ray.train.torch.prepare_data_loader",
        "ray.train.torch.prepare_model",
        "ignite.distributed.auto_model",
        "ignite.distributed.auto_optim",
        "torch.compile",
        "torch.jit.script",
        "torch.nn.SyncBatchNorm.convert_sync_batchnorm",
    }
)

PREPARERS: frozenset[str] = frozenset(
    {"accelerate.Accelerator", "accelerate.accelerator.Accelerator", "lightning.Fabric", "lightning.fabric.Fabric", "lightning_fabric.Fabric", "lightning.fabric.fabric.Fabric"}
)

LOADER_NAMES: frozenset[str] = LOADER_CLASSES


def is_stated(name: str, wrappers: Collection[str]) -> bool:
    """Whether the user says of a callable, by its whole name or its last part, that it returns a loader."""
    return name in wrappers or name.rpartition(".")[2] in wrappers
