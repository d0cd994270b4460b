"""Loader-like APIs: what their parameters are called, what they default to, and what they do by themselves.

Read from the signatures of the versions named: torch 2.13, torchdata 0.11, Lightning 2.6, transformers 5.24, TRL 1.16,
sentence-transformers 6.2, timm 1.0, MONAI 1.6, PyG 2.8, fastai 2.8, ignite 0.5, torchio 1.2, detectron2 main,
streaming 0.13, litdata 0.2, webdataset 1.0, mmengine 0.10, DGL 2.1.
"""

from __future__ import annotations

from dataclasses import replace

from ..records import record


@record(frozen=True, slots=True)
class LoaderApi:
    """One way to make a loader.

    A parameter is None where the API has none; its default is what holds when it is left out. `kind`: "loader" (an object
    to iterate over), "arguments" (the settings of a trainer that makes its own loaders), "data-module".
    """

    names: tuple[str, ...]
    kind: str = "loader"
    positional: tuple[str, ...] = ()
    dataset: str | None = "dataset"
    batch_size: str | None = "batch_size"
    batch_size_default: int | None = 1
    shuffle: str | None = "shuffle"
    sampler: str | None = "sampler"
    batch_sampler: str | None = "batch_sampler"
    workers: str | None = "num_workers"
    workers_default: int | None = 0
    collate: str | None = "collate_fn"
    pin: str | None = "pin_memory"
    pin_default: bool = False
    drop_last: str | None = "drop_last"
    timeout: str | None = "timeout"
    worker_init: str | None = "worker_init_fn"
    context: str | None = "multiprocessing_context"
    generator: str | None = "generator"
    prefetch: str | None = "prefetch_factor"
    persistent: str | None = "persistent_workers"
    persistent_default: bool = False
    moves_batches: bool = False
    pins_itself: bool = False
    workers_impossible: str = ""
    plain_torch: bool = False
    accumulation: str | None = None


_TORCH_POSITIONS = (
    "dataset",
    "batch_size",
    "shuffle",
    "sampler",
    "batch_sampler",
    "num_workers",
    "collate_fn",
    "pin_memory",
    "drop_last",
    "timeout",
    "worker_init_fn",
    "multiprocessing_context",
    "generator",
)

TORCH = LoaderApi(
    ("torch.utils.data.DataLoader", "torch.utils.data.dataloader.DataLoader"), positional=_TORCH_POSITIONS, plain_torch=True
)

# What derives from torch's loader and hands everything on by keyword.
_LIKE_TORCH = replace(TORCH, names=(), positional=("dataset",), plain_torch=False)

_ARGUMENTS = LoaderApi(
    (),
    kind="arguments",
    dataset=None,
    batch_size="per_device_train_batch_size",
    batch_size_default=8,
    shuffle=None,
    sampler=None,
    batch_sampler=None,
    workers="dataloader_num_workers",
    collate=None,
    pin="dataloader_pin_memory",
    pin_default=True,
    drop_last="dataloader_drop_last",
    timeout=None,
    worker_init=None,
    context=None,
    generator=None,
    prefetch="dataloader_prefetch_factor",
    persistent="dataloader_persistent_workers",
    moves_batches=True,
    accumulation="gradient_accumulation_steps",
)

# What timm's functions have in common: they shuffle by themselves and put the batch on the device.
_TIMM = LoaderApi(
    (),
    shuffle=None,
    sampler=None,
    batch_sampler=None,
    persistent_default=True,
    context=None,
    generator=None,
    prefetch=None,
    timeout=None,
    drop_last=None,
    worker_init=None,
    moves_batches=True,
)

APIS: tuple[LoaderApi, ...] = (
    TORCH,
    replace(
        _LIKE_TORCH,
        names=(
            "torchdata.stateful_dataloader.StatefulDataLoader",
            "torchdata.stateful_dataloader.stateful_dataloader.StatefulDataLoader",
        ),
        positional=_TORCH_POSITIONS,
    ),
    replace(_LIKE_TORCH, names=("monai.data.DataLoader", "monai.data.dataloader.DataLoader"), positional=("dataset", "num_workers")),
    replace(
        _LIKE_TORCH,
        names=("monai.data.ThreadDataLoader", "monai.data.thread_buffer.ThreadDataLoader"),
        positional=("dataset", "buffer_size", "buffer_timeout", "repeats", "use_thread_workers"),
        workers_impossible="a thread feeds it; no workers are recommended with cached or device transforms",
    ),
    replace(
        _LIKE_TORCH,
        names=(
            "torch_geometric.loader.DataLoader",
            "torch_geometric.data.DataLoader",
            "torch_geometric.loader.dataloader.DataLoader",
            "torch_geometric.loader.DenseDataLoader",
            "torch_geometric.loader.DataListLoader",
            "torch_geometric.data.DataListLoader",
            "torch_geometric.data.DenseDataLoader",
        ),
        positional=("dataset", "batch_size", "shuffle"),
        collate=None,
    ),
    *(
        replace(
            _LIKE_TORCH,
            names=(f"torch_geometric.loader.{name}", f"torch_geometric.loader.{module}.{name}"),
            dataset="data",
            positional=("data", *positional),
            collate=None,
        )
        for name, module, positional in (
            ("NeighborLoader", "neighbor_loader", ("num_neighbors", "input_nodes")),
            ("LinkNeighborLoader", "link_neighbor_loader", ("num_neighbors", "edge_label_index", "edge_label")),
            ("HGTLoader", "hgt_loader", ("num_samples", "input_nodes")),
            ("NodeLoader", "node_loader", ("node_sampler", "input_nodes")),
            ("LinkLoader", "link_loader", ("link_sampler", "edge_label_index", "edge_label")),
            ("GraphSAINTNodeSampler", "graph_saint", ("batch_size", "num_steps", "sample_coverage")),
            ("GraphSAINTEdgeSampler", "graph_saint", ("batch_size", "num_steps", "sample_coverage")),
            ("GraphSAINTRandomWalkSampler", "graph_saint", ("batch_size", "walk_length", "num_steps", "sample_coverage")),
            ("ShaDowKHopSampler", "shadow", ("depth", "num_neighbors", "node_idx", "replace")),
            ("RandomNodeLoader", "random_node_loader", ("num_parts",)),
            ("TemporalDataLoader", "temporal_dataloader", ("batch_size", "neg_sampling_ratio")),
        )
    ),
    replace(
        _LIKE_TORCH,
        names=("torch_geometric.loader.ClusterLoader", "torch_geometric.loader.cluster.ClusterLoader", "torch_geometric.data.ClusterLoader"),
        dataset="cluster_data",
        positional=("cluster_data",),
        collate=None,
    ),
    replace(
        _TIMM,
        names=("timm.data.create_loader", "timm.data.loader.create_loader"),
        positional=("dataset", "input_size", "batch_size"),
        batch_size_default=None,
        workers_default=1,
    ),
    replace(
        _TIMM,
        names=("timm.data.create_naflex_loader", "timm.data.naflex_loader.create_naflex_loader"),
        positional=("dataset", "patch_size", "patch_size_choices", "patch_size_choice_probs", "train_seq_lens", "max_seq_len", "batch_size"),
        batch_size_default=32,
        workers_default=4,
        collate=None,
        pin_default=True,
    ),
    # Its iterator is made once and then restarts its sampler: the workers live as long as the loader.
    replace(
        TORCH,
        names=("timm.data.loader.MultiEpochsDataLoader",),
        persistent_default=True,
        plain_torch=False,
    ),
    *(replace(_ARGUMENTS, names=names) for names in (
        ("transformers.TrainingArguments", "transformers.training_args.TrainingArguments"),
        ("transformers.Seq2SeqTrainingArguments", "transformers.training_args_seq2seq.Seq2SeqTrainingArguments"),
        (
            "sentence_transformers.SentenceTransformerTrainingArguments",
            "sentence_transformers.training_args.SentenceTransformerTrainingArguments",
            "sentence_transformers.sentence_transformer.training_args.SentenceTransformerTrainingArguments",
            *(
                name
                for kind, package in (
                    ("CrossEncoder", "cross_encoder"),
                    ("SparseEncoder", "sparse_encoder"),
                    ("MultiVectorEncoder", "multi_vector_encoder"),
                )
                for name in (
                    f"sentence_transformers.{kind}TrainingArguments",
                    f"sentence_transformers.{package}.{kind}TrainingArguments",
                    f"sentence_transformers.{package}.training_args.{kind}TrainingArguments",
                )
            ),
        ),
        (
            *(f"trl.{kind}Config" for kind in ("SFT", "DPO", "Reward", "KTO", "ORPO", "CPO", "BCO", "PRM", "IterativeSFT")),
            *(f"trl.trainer.{kind.lower()}_config.{kind}Config" for kind in ("SFT", "DPO", "Reward", "KTO")),
            *(f"trl.experimental.{kind.lower()}.{kind}Config" for kind in ("ORPO", "CPO", "KTO", "BCO", "PRM", "TPO")),
        ),
    )),
    replace(
        _ARGUMENTS,
        names=(
            *(f"trl.{kind}Config" for kind in ("GRPO", "RLOO", "OnlineDPO", "NashMD", "XPO", "PPO", "GKD", "Distillation")),
            *(f"trl.trainer.{kind.lower()}_config.{kind}Config" for kind in ("GRPO", "RLOO", "Distillation")),
            *(f"trl.experimental.{kind}.{name}" for kind, name in (("online_dpo", "OnlineDPOConfig"), ("gkd", "GKDConfig"), ("gold", "GOLDConfig"))),
        ),
        workers_impossible="its batches are prompts: generating from them takes far longer than loading them, and an iterable dataset forces 0",
    ),
    LoaderApi(
        tuple(
            f"{package}.LightningDataModule.from_datasets"
            for package in (
                "lightning",
                "lightning.pytorch",
                "lightning.pytorch.core",
                "lightning.pytorch.core.datamodule",
                "pytorch_lightning",
                "pytorch_lightning.core",
                "pytorch_lightning.core.datamodule",
            )
        ),
        kind="data-module",
        positional=("train_dataset", "val_dataset", "test_dataset", "predict_dataset", "batch_size", "num_workers"),
        dataset="train_dataset",
        shuffle=None,
        sampler=None,
        batch_sampler=None,
        collate=None,
        pin=None,
        pin_default=True,
        drop_last=None,
        timeout=None,
        worker_init=None,
        context=None,
        generator=None,
        prefetch=None,
        persistent=None,
        moves_batches=True,
        pins_itself=True,
    ),
    replace(
        _LIKE_TORCH,
        names=("ignite.distributed.auto_dataloader", "ignite.distributed.auto.auto_dataloader"),
        pins_itself=True,
    ),
    LoaderApi(
        (
            "fastai.data.load.DataLoader",
            "fastai.data.core.DataLoaders.from_dsets",
            *(
                f"fastai.{module}.{maker}"
                for module in ("vision.all", "vision.data", "text.all", "tabular.all", "basics", "data.all")
                for maker in (
                    "DataLoaders.from_dsets",
                    "ImageDataLoaders.from_folder",
                    "ImageDataLoaders.from_name_func",
                    "ImageDataLoaders.from_name_re",
                    "ImageDataLoaders.from_path_func",
                    "ImageDataLoaders.from_path_re",
                    "ImageDataLoaders.from_df",
                    "ImageDataLoaders.from_csv",
                    "ImageDataLoaders.from_lists",
                    "SegmentationDataLoaders.from_label_func",
                    "TextDataLoaders.from_folder",
                    "TextDataLoaders.from_df",
                    "TabularDataLoaders.from_df",
                )
            ),
        ),
        kind="data-module",
        positional=(),
        dataset=None,
        batch_size="bs",
        batch_size_default=64,
        workers_default=16,
        sampler=None,
        batch_sampler=None,
        collate=None,
        context=None,
        generator=None,
        prefetch=None,
        moves_batches=True,
    ),
    # Called with a whole configuration they take its DATALOADER.NUM_WORKERS, else 0: what holds can't be told by default.
    LoaderApi(
        ("detectron2.data.build_detection_train_loader", "detectron2.data.build.build_detection_train_loader"),
        positional=("dataset",),
        batch_size="total_batch_size",
        batch_size_default=None,
        workers_default=None,
        pin=None,
        persistent=None,
        moves_batches=True,
        batch_sampler=None,
        shuffle=None,
        context=None,
    ),
    LoaderApi(
        ("detectron2.data.build_detection_test_loader", "detectron2.data.build.build_detection_test_loader"),
        positional=("dataset",),
        batch_size_default=None,
        workers_default=None,
        pin=None,
        persistent=None,
        moves_batches=True,
        batch_sampler=None,
        shuffle=None,
        context=None,
    ),
    replace(
        _LIKE_TORCH,
        names=("torchio.SubjectsLoader", "torchio.data.SubjectsLoader", "torchio.data.loader.SubjectsLoader"),
    ),
    replace(
        _LIKE_TORCH,
        names=(
            "streaming.StreamingDataLoader",
            "streaming.base.StreamingDataLoader",
            "streaming.base.dataloader.StreamingDataLoader",
        ),
        positional=_TORCH_POSITIONS,
    ),
    replace(
        _LIKE_TORCH,
        names=(
            "litdata.StreamingDataLoader",
            "litdata.streaming.StreamingDataLoader",
            "litdata.streaming.dataloader.StreamingDataLoader",
        ),
    ),
    replace(
        _LIKE_TORCH,
        names=("webdataset.WebLoader", "webdataset.compat.WebLoader"),
        positional=_TORCH_POSITIONS,
        batch_size_default=None,
    ),
    replace(
        _LIKE_TORCH,
        names=("speechbrain.dataio.dataloader.SaveableDataLoader",),
        positional=_TORCH_POSITIONS,
    ),
    LoaderApi(
        ("dgl.dataloading.DataLoader", "dgl.dataloading.GraphDataLoader", "dgl.graphbolt.DataLoader"),
        dataset=None,
        pin=None,
        pins_itself=True,
        workers_impossible="sampling on the GPU or through unified addressing needs 0 workers",
    ),
)

# The dictionaries `train_dataloader = dict(...)` of mmengine's configuration files.
MMENGINE = replace(_LIKE_TORCH, names=("mmengine.dataloader",), kind="data-module", positional=(), moves_batches=True, shuffle=None)

BY_NAME: dict[str, LoaderApi] = {name: api for api in APIS for name in api.names}

# Iterating over one of these gives batches.
LOADER_CLASSES: frozenset[str] = frozenset(name for api in APIS if api.kind == "loader" for name in api.names)

# A loader over one of these must have no workers: they bring their own.
FEEDS_ITSELF: frozenset[str] = frozenset({"torchio.Queue", "torchio.data.Queue", "torchio.data.queue.Queue"})
# What wraps a loader and copies asynchronously by itself.
PREFETCHERS: frozenset[str] = frozenset({"torch_geometric.loader.PrefetchLoader", "torch_geometric.loader.prefetch.PrefetchLoader", "timm.data.loader.PrefetchLoader"})
