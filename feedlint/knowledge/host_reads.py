"""What makes the program wait for a tensor's value, and what the value is then used for.

Counted by running torch 2.13 and watching for `aten::_local_scalar_dense`, the operation that fetches one number; the
tests count again. Copies (`cpu`, `numpy`, `tolist`) and texts (`str`, `print`) wait in the same way by another door.
Calls of loggers were read from tqdm 4.67, tensorboard 2.20, wandb 0.22, MLflow 3, Lightning 2.6 and Python's own library.

The uses: "number" (a Python number, to be added, stored or returned), "choice" (control flow hangs on it), "text" (it is
shown, logged or written), "array" (it goes to NumPy, a list or another library on the host).
"""

from __future__ import annotations

# Methods of tensors.
METHODS: dict[str, str] = {
    "item": "number",
    "__float__": "number",
    "__int__": "number",
    "__index__": "number",
    "__complex__": "number",
    "__bool__": "choice",
    "__contains__": "choice",
    "is_nonzero": "choice",
    "equal": "choice",
    "allclose": "choice",
    "__format__": "text",
    "__repr__": "text",
    "__str__": "text",
    "tolist": "array",
    "cpu": "array",
    "numpy": "array",
    "__array__": "array",
}

# Functions, given a tensor; for `min`, `max`, `sorted`, `all` and `any` also tensors among several arguments or in a list.
FUNCTIONS: dict[str, str] = {
    **dict.fromkeys(
        (f"builtins.{name}" for name in ("float", "int", "complex", "range", "bin", "oct", "hex", "chr", "bytes")), "number"
    ),
    **dict.fromkeys((f"builtins.{name}" for name in ("bool", "min", "max", "sorted", "all", "any")), "choice"),
    **dict.fromkeys((f"builtins.{name}" for name in ("print", "str", "repr", "ascii", "format")), "text"),
    "torch.equal": "choice",
    "torch.allclose": "choice",
    "torch.is_nonzero": "choice",
    "operator.index": "number",
    "operator.truth": "choice",
    "statistics.mean": "number",
    "statistics.fmean": "number",
}
# All functions of these modules turn a tensor into a number or an array of the host.
PREFIXES: dict[str, str] = {
    "math.": "number",
    "cmath.": "number",
    "numpy.": "array",
    "scipy.": "array",
    "sklearn.": "array",
    "skimage.": "array",
    "pandas.": "array",
    "cv2.": "array",
    "PIL.": "array",
    "matplotlib.": "array",
    "seqeval.": "array",
}

# Functions that take a tensor as it is, on the device or by its shape, and wait for nothing.
NOT_READING: frozenset[str] = frozenset(
    f"builtins.{name}"
    for name in (
        "abs",
        "callable",
        "dict",
        "divmod",
        "enumerate",
        "filter",
        "getattr",
        "hasattr",
        "hash",
        "id",
        "isinstance",
        "iter",
        "len",
        "list",
        "map",
        "next",
        "pow",
        "reversed",
        "set",
        "setattr",
        "slice",
        "sum",
        "super",
        "tuple",
        "type",
        "zip",
    )
)

# Methods and functions of torch whose result has a shape that hangs on the values: they wait for the count.
COUNTING: frozenset[str] = frozenset({"nonzero", "argwhere", "unique", "unique_consecutive", "masked_select", "bincount"})

# What shows, logs or writes what it is given, by qualified name.
LOG_CALLS: frozenset[str] = frozenset(
    {
        "builtins.print",
        "sys.stdout.write",
        "sys.stderr.write",
        "warnings.warn",
        *(
            f"logging.{name}"
            for name in ("debug", "info", "warning", "warn", "error", "critical", "exception", "log")
        ),
        "tqdm.tqdm.write",
        "tqdm.auto.tqdm.write",
        "rich.print",
        "pprint.pprint",
        "absl.logging.info",
        "absl.logging.warning",
        "absl.logging.error",
        "absl.logging.log",
        "wandb.log",
        "wandb.run.log",
        "mlflow.log_metric",
        "mlflow.log_metrics",
        "mlflow.log_dict",
        "neptune.log_metric",
        "clearml.Logger.current_logger.report_scalar",
        "swanlab.log",
        "trackio.log",
        "json.dump",
        "json.dumps",
        "yaml.dump",
        "yaml.safe_dump",
    }
)
# Logging through these formats only what its level lets pass, and only then reads.
LAZY_LOG_METHODS: frozenset[str] = frozenset({"debug", "info", "warning", "warn", "error", "critical", "exception", "log"})

# What makes the objects on which the methods below log.
LOGGER_MAKERS: frozenset[str] = frozenset(
    {
        "logging.getLogger",
        "logging.Logger",
        "loguru.logger",
        "structlog.get_logger",
        "accelerate.logging.get_logger",
        "transformers.utils.logging.get_logger",
        "transformers.logging.get_logger",
        "tqdm.tqdm",
        "tqdm.trange",
        "tqdm.std.tqdm",
        "tqdm.auto.tqdm",
        "tqdm.auto.trange",
        "tqdm.notebook.tqdm",
        "tqdm.rich.tqdm",
        "accelerate.utils.tqdm",
        "rich.progress.Progress",
        "rich.console.Console",
        "torch.utils.tensorboard.SummaryWriter",
        "torch.utils.tensorboard.writer.SummaryWriter",
        "tensorboardX.SummaryWriter",
        "wandb.init",
        "swanlab.init",
        "comet_ml.Experiment",
        "comet_ml.start",
        "neptune.init_run",
        "aim.Run",
        "visdom.Visdom",
        "csv.writer",
        "csv.DictWriter",
    }
)
# Methods that show, log or write their arguments whatever object they belong to: no other library uses these names.
LOG_METHODS: frozenset[str] = frozenset(
    {
        "set_postfix",
        "set_postfix_str",
        "set_description",
        "set_description_str",
        "add_scalar",
        "add_scalars",
        "add_text",
        "add_hparams",
        "log_metric",
        "log_metrics",
        "log_scalar",
        "report_scalar",
        "track_metric",
        "writerow",
        "writerows",
    }
)

# `self.log` and `self.log_dict` of Lightning's modules keep tensors on the device, unless the value goes to the bar.
KEEPING_LOG_METHODS: frozenset[str] = frozenset({"log", "log_dict"})
# Metrics that add up on the device and are read by `compute`.
DEVICE_METRICS: tuple[str, ...] = ("torchmetrics.", "torcheval.metrics.", "ignite.metrics.")
