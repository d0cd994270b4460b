"""What runs per sample: datasets, transforms, random draws, handles, costly calls; by qualified name.

Random transforms of torchvision were read from torchvision 0.29 (v1 and v2); random functions from torch 2.13,
NumPy 2.4 and Python's `random`.
"""

from __future__ import annotations

# Datasets that wrap others: the parameter that holds them.
WRAPPING_DATASETS: dict[str, str] = {
    "torch.utils.data.Subset": "dataset",
    "torch.utils.data.dataset.Subset": "dataset",
    "torch.utils.data.random_split": "dataset",
    "torch.utils.data.dataset.random_split": "dataset",
    "torch.utils.data.ConcatDataset": "datasets",
    "torch.utils.data.dataset.ConcatDataset": "datasets",
    "torch.utils.data.StackDataset": "datasets",
    "torch_geometric.loader.dataloader.Collater": "dataset",
}
TENSOR_DATASETS: frozenset[str] = frozenset({"torch.utils.data.TensorDataset", "torch.utils.data.dataset.TensorDataset"})
ITERABLE_BASES: frozenset[str] = frozenset(
    {"torch.utils.data.IterableDataset", "torch.utils.data.dataset.IterableDataset", "torch.utils.data.IterDataPipe"}
)
ITERABLE_DATASETS: frozenset[str] = frozenset({"webdataset.WebDataset", "streaming.StreamingDataset", "litdata.StreamingDataset"})
_KNOWN_PREFIXES = ("torchvision.datasets.", "torchaudio.datasets.")


def known_dataset(name: str) -> bool:
    """Whether a class is a map-style dataset of a library whose item code is only reading and its own transforms."""
    return name.startswith(_KNOWN_PREFIXES)


TO_TENSOR: frozenset[str] = frozenset({"ToTensor", "PILToTensor", "ToImage", "ToTensorV2", "to_tensor", "ToDtype", "ConvertImageDtype"})

# Calls that only look up, convert or count: no work that a worker could take over.
TRIVIAL_CALLS: frozenset[str] = frozenset(
    {
        "builtins.len",
        "builtins.int",
        "builtins.float",
        "builtins.bool",
        "builtins.tuple",
        "builtins.list",
        "builtins.isinstance",
        "builtins.super",
        "builtins.dict",
        "torch.tensor",
        "torch.as_tensor",
        "torch.from_numpy",
        "torch.is_tensor",
        "torch.LongTensor",
        "torch.FloatTensor",
        "torch.Tensor",
        "numpy.asarray",
        "numpy.array",
        "torch.stack",
    }
)
TRIVIAL_METHODS: frozenset[str] = frozenset(
    "float long int double half bool item tolist unsqueeze squeeze view reshape size clone detach contiguous astype copy "
    "get permute transpose t type".split()
)
# Methods that change nothing and draw nothing, whatever object they are called on.
HARMLESS_METHODS: frozenset[str] = TRIVIAL_METHODS | frozenset(
    "append extend keys values items split strip join format lower upper replace startswith endswith convert resize crop "
    "rotate mean sum max min abs flatten numpy to cpu shape ravel index count encode decode read readline rsplit rstrip "
    "lstrip splitlines insert sort get_text close seek tell zfill find isdigit add union sin cos exp log sqrt numel dim flip "
    "repeat expand pad stack cat clamp clip div mul sub pow transform_points read_text read_bytes exists is_file "
    "setdefault issubset title strftime timestamp total_seconds any all argmax argmin nonzero gather scatter "
    "convert_tokens_to_ids tobytes".split()
)

RANDOM_CALLS: frozenset[str] = frozenset(
    {
        *(
            f"random.{n}"
            for n in (
                "random randint uniform choice choices sample shuffle gauss normalvariate randrange betavariate "
                "expovariate gammavariate lognormvariate triangular getrandbits vonmisesvariate"
            ).split()
        ),
        *(
            f"numpy.random.{n}"
            for n in (
                "rand randn randint random random_sample uniform normal choice shuffle permutation beta binomial poisson "
                "exponential gamma laplace standard_normal dirichlet multinomial multivariate_normal ranf sample "
                "random_integers bytes lognormal vonmises"
            ).split()
        ),
        *(
            f"torch.{n}"
            for n in (
                "rand randn randint randperm rand_like randn_like randint_like bernoulli multinomial normal poisson"
            ).split()
        ),
        *(f"torch.Tensor.{n}" for n in ("random_ normal_ uniform_ bernoulli_ exponential_ geometric_ cauchy_ log_normal_ bernoulli multinomial").split()),
        *(f"torch.nn.functional.{n}" for n in ("dropout dropout1d dropout2d dropout3d alpha_dropout gumbel_softmax rrelu").split()),
        *(f"torch.nn.init.{n}" for n in ("normal_ uniform_ xavier_normal_ xavier_uniform_ kaiming_normal_ kaiming_uniform_ trunc_normal_ orthogonal_").split()),
    }
)
_RANDOM_TRANSFORM_PREFIXES = (
    "torchvision.transforms.",
    "torchaudio.transforms.",
    "albumentations.",
    "monai.transforms.",
    "kornia.augmentation.",
    "torchio.",
    "imgaug.",
    "audiomentations.",
    "torch_geometric.transforms.",
    "timm.data.",
)
_DETERMINISTIC_TRANSFORMS: frozenset[str] = frozenset(
    "Compose ToTensor PILToTensor ToImage ToPILImage ToDtype ConvertImageDtype Normalize Resize CenterCrop Pad Grayscale "
    "Lambda FiveCrop TenCrop LinearTransformation InterpolationMode ToPureTensor Identity Scale ToTensorV2 "
    "MelSpectrogram Spectrogram AmplitudeToDB Resample MFCC LoadImage LoadImaged EnsureChannelFirst EnsureChannelFirstd "
    "ScaleIntensity ScaleIntensityd Spacing Spacingd Orientation Orientationd EnsureType EnsureTyped NormalizeFeatures "
    "ToUndirected AddSelfLoops v2 functional".split()
)


def draws_randomness(name: str) -> bool:
    """Whether calling (or applying) this draws from a global random stream."""
    if name in RANDOM_CALLS:
        return True
    if name.startswith(_RANDOM_TRANSFORM_PREFIXES):
        if ".functional." in name or ".functional" in name.rpartition(".")[0]:
            return False
        last = name.rpartition(".")[2]
        return last[:1].isupper() and last not in _DETERMINISTIC_TRANSFORMS
    return False


# Prefixes of packages whose functions draw nothing at random besides what is named above.
DETERMINISTIC_PREFIXES: tuple[str, ...] = (
    "builtins.",
    "math.",
    "os.",
    "json.",
    "re.",
    "io.",
    "csv.",
    "struct.",
    "pathlib.",
    "collections.",
    "itertools.",
    "functools.",
    "operator.",
    "pickle.",
    "copy.",
    "time.",
    "datetime.",
    "glob.",
    "gzip.",
    "zipfile.",
    "tarfile.",
    "sqlite3.",
    "base64.",
    "hashlib.",
    "string.",
    "warnings.",
    "logging.",
    "dataclasses.",
    "typing.",
    "path.",
    "numpy.",
    "torch.",
    "PIL.",
    "cv2.",
    "pandas.",
    "h5py.",
    "lmdb.",
    "soundfile.",
    "librosa.",
    "torchaudio.",
    "torchvision.",
    "scipy.",
    "imageio.",
    "skimage.",
    "nibabel.",
    "pydicom.",
    "SimpleITK.",
    "transformers.",
    "tokenizers.",
    "datasets.",
    "sentencepiece.",
    "einops.",
    "polars.",
    "pyarrow.",
    "orjson.",
    "decord.",
    "av.",
    "tifffile.",
    "tqdm.",
    "argparse.",
    "types.",
    "threading.",
    "enum.",
    "abc.",
    "textwrap.",
    "unicodedata.",
    "array.",
    "bisect.",
    "heapq.",
    "zlib.",
    "shutil.",
    "tempfile.",
    "contextlib.",
    "importlib.",
    "codecs.",
    "wave.",
)

SEEDING_CALLS: frozenset[str] = frozenset(
    {
        "torch.manual_seed",
        "torch.random.manual_seed",
        "torch.cuda.manual_seed",
        "torch.cuda.manual_seed_all",
        "random.seed",
        "numpy.random.seed",
        "pytorch_lightning.seed_everything",
        "pytorch_lightning.utilities.seed.seed_everything",
        "lightning.seed_everything",
        "lightning.pytorch.seed_everything",
        "lightning.fabric.seed_everything",
        "lightning_fabric.seed_everything",
        "transformers.set_seed",
        "transformers.trainer_utils.set_seed",
        "accelerate.utils.set_seed",
        "accelerate.utils.random.set_seed",
        "monai.utils.set_determinism",
        "ignite.utils.manual_seed",
        "fastai.torch_core.set_seed",
        "torch.use_deterministic_algorithms",
        "timm.utils.random_seed",
        "diffusers.training_utils.set_seed",
        "detectron2.utils.env.seed_all_rng",
        "mmengine.runner.set_random_seed",
        "torch_geometric.seed_everything",
        "sklearn.utils.check_random_state",
    }
)
SEEDING_WORDS: tuple[str, ...] = (
    "manual_seed",
    "manual_seed_all",
    "seed_everything",
    "set_seed",
    "set_determinism",
    "seed",
    "random_seed",
    "seed_all_rng",
    "set_random_seed",
)
OWN_GENERATORS: frozenset[str] = frozenset(
    {
        "numpy.random.default_rng",
        "numpy.random.RandomState",
        "numpy.random.Generator",
        "random.Random",
        "torch.Generator",
        "numpy.random.SeedSequence",
    }
)

# What lives in one process only.
HANDLES: frozenset[str] = frozenset(
    {
        "builtins.open",
        "io.open",
        "gzip.open",
        "bz2.open",
        "lzma.open",
        "os.open",
        "mmap.mmap",
        "h5py.File",
        "h5py.Dataset",
        "h5pickle.File",
        "tables.open_file",
        "zarr.open",
        "lmdb.open",
        "lmdb.Environment",
        "zipfile.ZipFile",
        "tarfile.open",
        "tarfile.TarFile",
        "sqlite3.connect",
        "socket.socket",
        "psycopg2.connect",
        "mysql.connector.connect",
        "pymysql.connect",
        "pymongo.MongoClient",
        "redis.Redis",
        "redis.StrictRedis",
        "boto3.client",
        "boto3.resource",
        "boto3.Session",
        "requests.Session",
        "threading.Lock",
        "threading.RLock",
        "threading.Condition",
        "threading.Event",
        "threading.Thread",
        "threading.local",
        "threading.Semaphore",
        "queue.Queue",
        "numpy.memmap",
        "cv2.VideoCapture",
        "rasterio.open",
        "decord.VideoReader",
        "av.open",
        "netCDF4.Dataset",
        "xarray.open_dataset",
        "openslide.OpenSlide",
        "pyarrow.parquet.ParquetFile",
        "pyarrow.memory_map",
        "logging.FileHandler",
        "concurrent.futures.ThreadPoolExecutor",
        "multiprocessing.Pool",
        "tensorflow.io.TFRecordWriter",
        "fsspec.open",
        "s3fs.S3FileSystem",
        "gcsfs.GCSFileSystem",
    }
)
DEBUGGERS: frozenset[str] = frozenset({"builtins.breakpoint", "pdb.set_trace", "ipdb.set_trace", "IPython.embed", "code.interact"})
