"""Functions that something outside of the project calls, and with what.

Sources: the documentation of Lightning 2.6, transformers 5.24, torch 2.13 (torch.multiprocessing.spawn passes the rank
first), mmengine 0.10, Composer 0.32.
"""

from __future__ import annotations

# Starters of processes and threads that take the function and `args`: whether the rank comes before them.
STARTERS: dict[str, bool] = {
    "torch.multiprocessing.spawn": True,
    "torch.multiprocessing.spawn.spawn": True,
    "torch.multiprocessing.start_processes": True,
    "torch.multiprocessing.Process": False,
    "multiprocessing.Process": False,
    "multiprocessing.context.Process": False,
    "threading.Thread": False,
    "accelerate.notebook_launcher": False,
    "torch_xla.distributed.xla_multiprocessing.spawn": True,
}

# Methods that start the function given first, with the rank before the other arguments.
STARTING_METHODS: dict[tuple[str, str], bool] = {
    ("ignite.distributed.Parallel", "run"): True,
    ("ignite.distributed.launcher.Parallel", "run"): True,
}
# What takes a function that is then called once per step with (engine, batch).
ENGINES: frozenset[str] = frozenset({"ignite.engine.Engine", "ignite.engine.engine.Engine"})
# What copies each batch to `device` and takes `non_blocking`.
COPYING_ENGINES: frozenset[str] = frozenset(
    f"ignite.engine.{name}" for name in ("create_supervised_trainer", "create_supervised_evaluator")
)
# What makes a command line out of a function: its defaults are those of options.
COMMAND_LINES: frozenset[str] = frozenset({"fire.Fire", "fire.core.Fire", "typer.run", "defopt.run", "tyro.cli", "jsonargparse.CLI"})

_MODULE_TRAINER = (
    "pytorch_lightning.LightningModule",
    "pytorch_lightning.core.LightningModule",
    "pytorch_lightning.core.module.LightningModule",
    "pytorch_lightning.core.lightning.LightningModule",
    "lightning.LightningModule",
    "lightning.pytorch.LightningModule",
    "lightning.pytorch.core.LightningModule",
    "lightning.pytorch.core.module.LightningModule",
    "lightning.pytorch.demos.boring_classes.BoringModel",
)
_TRAINER = (
    "transformers.Trainer",
    "transformers.Seq2SeqTrainer",
    "transformers.trainer.Trainer",
    "trl.SFTTrainer",
    "trl.DPOTrainer",
    "sentence_transformers.SentenceTransformerTrainer",
)
_MODULE = (
    "torch.nn.Module",
    "torch.nn.modules.Module",
    "torch.nn.modules.module.Module",
    "torch.nn.Sequential",
    "torch.nn.ModuleList",
    "torch.jit.ScriptModule",
    "transformers.PreTrainedModel",
    "timm.models.VisionTransformer",
    "timm.models.vision_transformer.VisionTransformer",
    "torch.nn.parallel.DistributedDataParallel",
    "torch.nn.DataParallel",
    "torch_geometric.nn.MessagePassing",
    "torch_geometric.nn.conv.MessagePassing",
    "fairseq.models.BaseFairseqModel",
    "mmengine.model.BaseModel",
    "mmengine.model.BaseModule",
    "huggingface_hub.PyTorchModelHubMixin",
)
_DATA_MODULE = (
    "pytorch_lightning.LightningDataModule",
    "pytorch_lightning.core.LightningDataModule",
    "pytorch_lightning.core.datamodule.LightningDataModule",
    "lightning.LightningDataModule",
    "lightning.pytorch.LightningDataModule",
    "lightning.pytorch.core.LightningDataModule",
    "lightning.pytorch.core.datamodule.LightningDataModule",
)
_DATASET = (
    "torch.utils.data.Dataset",
    "torch.utils.data.dataset.Dataset",
    "torch.utils.data.ConcatDataset",
    "torch.utils.data.Subset",
    "torch.utils.data.TensorDataset",
    "torch_geometric.data.Dataset",
    "torch_geometric.data.InMemoryDataset",
    "torchvision.datasets.VisionDataset",
    "monai.data.Dataset",
)
_ITERABLE_DATASET = (
    "torch.utils.data.IterableDataset",
    "torch.utils.data.dataset.IterableDataset",
)

# The kind of a project class, by an outside class that it derives from.
CLASS_KINDS: dict[str, str] = {
    **{name: "module-trainer" for name in _MODULE_TRAINER},
    **{name: "trainer" for name in _TRAINER},
    **{name: "module" for name in _MODULE},
    **{name: "data-module" for name in _DATA_MODULE},
    **{name: "dataset" for name in _DATASET},
    **{name: "iterable-dataset" for name in _ITERABLE_DATASET},
}

# Hooks that run once per step, and which parameter is the batch (0 is self), -1 if none is.
BATCH_PARAMETERS: dict[tuple[str, str], int] = {
    ("module-trainer", "training_step"): 1,
    ("module-trainer", "validation_step"): 1,
    ("module-trainer", "test_step"): 1,
    ("module-trainer", "predict_step"): 1,
    ("module-trainer", "on_train_batch_start"): 1,
    ("module-trainer", "on_train_batch_end"): 2,
    ("module-trainer", "on_validation_batch_end"): 2,
    ("module-trainer", "on_after_backward"): -1,
    ("module-trainer", "on_before_optimizer_step"): -1,
    ("module-trainer", "on_before_zero_grad"): -1,
    ("trainer", "compute_loss"): 2,
    ("trainer", "training_step"): 2,
    ("trainer", "prediction_step"): 2,
}
TRAINING_HOOKS = frozenset(
    {
        "training_step",
        "on_train_batch_start",
        "on_train_batch_end",
        "on_after_backward",
        "on_before_optimizer_step",
        "compute_loss",
    }
)

# Methods of a data module (or LightningModule) that give a loader to the trainer.
LOADER_HOOKS: dict[str, str] = {
    "train_dataloader": "training",
    "val_dataloader": "evaluation",
    "test_dataloader": "evaluation",
    "predict_dataloader": "evaluation",
}
