"""Calls that matter for how a program starts, forks and is imported again; by qualified name, prefix or last name."""

from __future__ import annotations

# What importing a module again may do without anyone noticing.
QUIET_PREFIXES: tuple[str, ...] = (
    "os.path.",
    "os.environ.get",
    "os.getenv",
    "pathlib.",
    "path.",
    "torch.device",
    "torch.nn.",
    "torch.tensor",
    "torch.zeros",
    "torch.ones",
    "torch.arange",
    "torch.cuda.is_available",
    "torch.cuda.device_count",
    "torch.version",
    "torchvision.transforms.",
    "albumentations.",
    "logging.getLogger",
    "argparse.",
    "re.",
    "typing.",
    "collections.",
    "functools.",
    "itertools.",
    "dataclasses.",
    "enum.",
    "warnings.",
    "numpy.array",
    "numpy.asarray",
    "numpy.float",
    "numpy.arange",
    "json.load",
    "yaml.safe_load",
    "yaml.load",
    "types.",
    "math.",
    "operator.",
    "copy.",
    "string.",
    "decimal.",
    "fractions.",
    "datetime.",
)
QUIET_CALLS: frozenset[str] = frozenset(
    {
        "builtins.dict",
        "builtins.list",
        "builtins.tuple",
        "builtins.set",
        "builtins.frozenset",
        "builtins.int",
        "builtins.float",
        "builtins.str",
        "builtins.bool",
        "builtins.len",
        "builtins.range",
        "builtins.sorted",
        "builtins.enumerate",
        "builtins.zip",
        "builtins.min",
        "builtins.max",
        "builtins.sum",
        "builtins.super",
        "builtins.object",
        "builtins.isinstance",
        "builtins.hasattr",
        "builtins.getattr",
        "builtins.staticmethod",
        "builtins.classmethod",
        "builtins.property",
        "os.cpu_count",
        "os.getcwd",
        "torch.backends.mps.is_available",
        "matplotlib.use",
        "torch.Generator",
        "builtins.print.__doc__",
        "sys.path.append",
        "sys.path.insert",
        "numpy.prod",
    }
)
QUIET_METHODS: frozenset[str] = frozenset(
    "read read_text format join split strip keys values items get append extend resolve parent parse_args add_argument "
    "add_argument_group lower upper replace startswith endswith encode copy is_available float long cos sin register".split()
)
# What these give can be sent to a worker that is not forked. Left out on purpose, since it can't: csv.reader, itertools
# (from Python 3.14 on), matches of regular expressions, walks and other generators, memoryviews, scripted modules,
# streams and events of a device, writers of TensorBoard.
PICKLABLE_PREFIXES: tuple[str, ...] = (
    "torchvision.",
    "torch.utils.data.",
    "torch.nn.",
    "torch.load",
    "torch.serialization.load",
    "torch.hub.load",
    "torch.device",
    "torch.Size",
    "torch.distributions.",
    "torchaudio.transforms.",
    "pandas.",
    "polars.",
    "numpy.",
    "pathlib.",
    "path.",
    "os.listdir",
    "os.path.",
    "os.getcwd",
    "os.getenv",
    "os.environ.get",
    "os.fspath",
    "glob.glob",
    "collections.",
    "albumentations.",
    *(
        f"builtins.{n}"
        for n in (
            "bool bytearray bytes complex dict float frozenset int list range set slice str tuple "
            "abs ascii bin chr divmod format hash hex id len max min oct ord pow repr round sorted sum super "
            "open.read"
        ).split()
    ),
    "PIL.Image.open.",
    "json.load",
    "json.dumps",
    "transformers.",
    "tokenizers.",
    "datetime.",
    "logging.getLogger",
    "operator.itemgetter",
    "operator.attrgetter",
    "operator.methodcaller",
    "re.compile",
    "re.findall",
    "re.split",
    "re.sub",
    "pickle.load",
    "scipy.",
    "sklearn.",
    "array.",
)
# Methods whose results can't be sent, whatever they are called on: views of a mapping, walks through a table.
UNPICKLABLE_RESULTS: frozenset[str] = frozenset(
    "keys values items iterrows itertuples iterfind iteritems finditer iterdir rglob glob open __iter__ __enter__".split()
)
# Names that look as if they could be sent, and can't.
UNPICKLABLE: frozenset[str] = frozenset(
    {"torch.ops", "numpy.frompyfunc", "numpy.nditer", "numpy.load", "numpy.lib.npyio.NpzFile", "os.environ", "builtins.object", "collections.namedtuple.made"}
)
# Modules of which an attribute is a function or a class, to be found again by its name.
FOUND_BY_NAME: tuple[str, ...] = (
    *("torch.", "torchvision.", "torchaudio.", "numpy.", "scipy.", "PIL.", "cv2.", "math.", "operator.", "builtins.", "random."),
    *("os.path.", "json.", "re.", "collections.", "functools.", "itertools.", "copy.", "pickle.", "pathlib.", "path.", "pandas."),
    *("albumentations.", "skimage.", "librosa.", "soundfile.", "transformers.", "tokenizers.", "statistics.", "string.", "struct."),
)
# Methods with which a class says for itself how it is copied, made or asked for attributes.
OWN_PROTOCOLS: frozenset[str] = frozenset(
    "__getstate__ __setstate__ __reduce__ __reduce_ex__ __new__ __getattr__ __getattribute__ __getnewargs__ "
    "__getnewargs_ex__ __copy__ __slots__".split()
)
# Decorators of classes that leave the class to be found under its name.
QUIET_CLASS_DECORATORS: frozenset[str] = frozenset(
    {"dataclasses.dataclass", "functools.total_ordering", "typing.final", "attr.s", "attrs.define", "attr.define", "attrs.frozen"}
)
# Modules that were compiled: what is compiled is not sent.
COMPILED: frozenset[str] = frozenset({"torch.jit.script", "torch.jit.trace", "torch.jit.load", "torch.compile", "torch.export.export"})
# Settings of one process that spawned workers do not inherit, by the last name of the call.
PROCESS_WIDE: frozenset[str] = frozenset(
    "set_default_dtype set_default_device set_default_tensor_type set_sharing_strategy setrecursionlimit "
    "register_codec setlocale seterr seterrcall add_safe_globals field_size_limit set_flush_denormal setdefaulttimeout "
    "set_option register_module_from_file register_dialect register_error unregister_dialect".split()
)
PROCESS_GROUPS: frozenset[str] = frozenset(
    "init_process_group init_distributed initialize_model_parallel init_distributed_mode".split()
)
NESTING_PACKAGES: frozenset[str] = frozenset("celery ray dask distributed airflow gunicorn luigi prefect jax tensorflow grpc pyspark".split())
# Decorators that have something run later, in every process that imports the file.
REGISTERING: tuple[str, ...] = ("atexit.", "signal.", "click.", "typer.", "celery.", "flask.")
# What a worker can't start, since it is a daemon.
STARTS_PROCESSES: tuple[str, ...] = ("multiprocessing.", "torch.multiprocessing.", "concurrent.futures.Process", "joblib.", "billiard.")
# Attributes of things outside of the project that say nothing to item code.
SILENT_SETTINGS: tuple[str, ...] = ("torch.backends.", "matplotlib.", "sys.", "os.", "wandb.", "tqdm.", "torch.distributed.", "torch.cuda.")
# Errors that a worker never raises for the loop to catch: they are the main process's own.
OWN_ERRORS: frozenset[str] = frozenset(
    "KeyboardInterrupt StopIteration SystemExit GeneratorExit OutOfMemoryError BrokenPipeError".split()
)
POOL_METHODS: frozenset[str] = frozenset("map imap imap_unordered starmap apply apply_async map_async submit starmap_async".split())
HANDLER_DECORATORS: frozenset[str] = frozenset("route get post put task app shared_task websocket on_event command_handler".split())
THREADED_PREFIXES: tuple[str, ...] = ("transformers.", "tokenizers.")
