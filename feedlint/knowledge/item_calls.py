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
                "expovariate gammavariate lognormvariate triangular getrandbits vonmisesvariate paretovariate "
                "weibullvariate randbytes binomialvariate"
            ).split()
        ),
        *(
            f"numpy.random.{n}"
            for n in (
                "rand randn randint random random_sample uniform normal choice shuffle permutation beta binomial poisson "
                "exponential gamma laplace standard_normal dirichlet multinomial multivariate_normal ranf sample "
                "random_integers bytes lognormal vonmises chisquare f geometric gumbel hypergeometric logistic logseries "
                "negative_binomial noncentral_chisquare noncentral_f pareto power rayleigh standard_cauchy "
                "standard_exponential standard_gamma standard_t triangular wald weibull zipf"
            ).split()
        ),
        *(
            f"torch.{n}"
            for n in (
                "rand randn randint randperm rand_like randn_like randint_like bernoulli multinomial normal poisson "
                "binomial dropout dropout_ alpha_dropout alpha_dropout_ feature_dropout feature_dropout_ "
                "feature_alpha_dropout feature_alpha_dropout_ native_dropout rrelu rrelu_ svd_lowrank pca_lowrank lobpcg "
                "utils.data.random_split utils.data.dataset.random_split"
            ).split()
        ),
        *(
            f"torch.Tensor.{n}"
            for n in (
                "random_ normal_ uniform_ bernoulli_ exponential_ geometric_ cauchy_ log_normal_ bernoulli multinomial"
            ).split()
        ),
        *(
            f"torch.nn.functional.{n}"
            for n in (
                "dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout gumbel_softmax rrelu rrelu_ "
                "fractional_max_pool2d fractional_max_pool3d fractional_max_pool2d_with_indices "
                "fractional_max_pool3d_with_indices scaled_dot_product_attention multi_head_attention_forward"
            ).split()
        ),
        *(
            f"torch.nn.init.{n}"
            for n in (
                "normal uniform xavier_normal xavier_uniform kaiming_normal kaiming_uniform orthogonal sparse normal_ "
                "uniform_ xavier_normal_ xavier_uniform_ kaiming_normal_ kaiming_uniform_ trunc_normal_ orthogonal_ sparse_"
            ).split()
        ),
        *(f"cv2.{n}" for n in "randn randu randShuffle kmeans theRNG setRNGSeed".split()),
        *(
            f"torchaudio.functional.{n}"
            for n in "mask_along_axis mask_along_axis_iid griffinlim dither".split()
        ),
        # They add noise where they are given a `dither`.
        *(f"torchaudio.compliance.kaldi.{n}" for n in "fbank mfcc spectrogram".split()),
        *(f"torchvision.ops.{n}" for n in "stochastic_depth StochasticDepth drop_block2d drop_block3d DropBlock2d DropBlock3d MLP".split()),
        *(f"librosa.{n}" for n in "griffinlim feature.inverse.mel_to_audio feature.inverse.mfcc_to_audio decompose.decompose".split()),
        *(f"skimage.{n}" for n in "util.random_noise draw.random_shapes measure.ransac".split()),
        *(f"scipy.{n}" for n in "sparse.random sparse.random_array sparse.rand cluster.vq.kmeans cluster.vq.kmeans2".split()),
        "PIL.Image.effect_noise",
        # Collate functions and processors that mask tokens or crop sounds at random.
        *(
            f"transformers.{module}{n}"
            for module in ("", "data.data_collator.")
            for n in (
                "DataCollatorForLanguageModeling DataCollatorForWholeWordMask DataCollatorForPermutationLanguageModeling "
                "DataCollatorForSOP"
            ).split()
        ),
    }
)
# Methods that draw from a global stream unless they are told otherwise, of tables, distributions and collections.
RANDOM_METHODS: frozenset[str] = frozenset("sample rsample sample_n rvs shuffle train_test_split".split())
_RANDOM_PREFIXES = ("torch.distributions.",)
# Processors that crop, mask or dither at random for some models; which one it is, a file decides that is not at hand.
_MAYBE_RANDOM_PROCESSORS = tuple(
    f"transformers.{n}" for n in "AutoProcessor AutoFeatureExtractor Clap Flava Donut Wav2Vec2Processor".split()
)
_RANDOM_TRANSFORM_PREFIXES = (
    "torchvision.transforms.",
    "torchaudio.transforms.",
    "monai.transforms.",
    "kornia.augmentation.",
    "torchio.",
    "imgaug.",
    "audiomentations.",
    "torch_geometric.transforms.",
    "timm.data.",
)
# Every transform of these draws to decide whether it is applied, whatever its probability.
_ALWAYS_RANDOM_TRANSFORM_PREFIXES = ("albumentations.",)
_DETERMINISTIC_TRANSFORMS: frozenset[str] = frozenset(
    "Compose ToTensor PILToTensor ToImage ToPILImage ToDtype ConvertImageDtype Normalize Resize CenterCrop Pad Grayscale "
    "Lambda FiveCrop TenCrop LinearTransformation InterpolationMode ToPureTensor Identity Scale RGB ClampBoundingBoxes "
    "ClampKeyPoints ConvertBoundingBoxFormat SanitizeBoundingBoxes SanitizeKeyPoints SetClampingMode "
    "UniformTemporalSubsample "
    "MelSpectrogram Spectrogram InverseSpectrogram MelScale AmplitudeToDB Resample MFCC LFCC MuLawEncoding MuLawDecoding "
    "ComputeDeltas TimeStretch Fade Loudness Vol SlidingWindowCmn Vad SpectralCentroid PitchShift Convolve FFTConvolve "
    "Speed AddNoise Preemphasis Deemphasis "
    "LoadImage LoadImaged EnsureChannelFirst EnsureChannelFirstd ScaleIntensity ScaleIntensityd Spacing Spacingd "
    "Orientation Orientationd EnsureType EnsureTyped NormalizeFeatures ToUndirected AddSelfLoops".split()
)
# Modules that neither draw when they are made nor when they are run. All others of torch.nn initialise weights or drop.
QUIET_MODULES: frozenset[str] = frozenset(
    "Module Sequential ModuleList ModuleDict Parameter ParameterList ParameterDict Buffer Identity Flatten Unflatten "
    "DataParallel DistributedDataParallel PackedSequence "
    "ELU CELU SELU GELU GLU ReLU ReLU6 LeakyReLU PReLU Hardshrink Hardsigmoid Hardswish Hardtanh LogSigmoid LogSoftmax Mish "
    "SiLU Sigmoid Softmax Softmax2d Softmin Softplus Softshrink Softsign Tanh Tanhshrink Threshold "
    "AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d AdaptiveMaxPool3d "
    "AvgPool1d AvgPool2d AvgPool3d MaxPool1d MaxPool2d MaxPool3d LPPool1d LPPool2d LPPool3d MaxUnpool1d MaxUnpool2d "
    "MaxUnpool3d CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d ReflectionPad1d "
    "ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d ZeroPad1d ZeroPad2d ZeroPad3d "
    "Upsample UpsamplingBilinear2d UpsamplingNearest2d PixelShuffle PixelUnshuffle ChannelShuffle Fold Unfold "
    "BatchNorm1d BatchNorm2d BatchNorm3d InstanceNorm1d InstanceNorm2d InstanceNorm3d LayerNorm GroupNorm RMSNorm "
    "SyncBatchNorm LocalResponseNorm CosineSimilarity PairwiseDistance "
    "BCELoss BCEWithLogitsLoss CTCLoss CosineEmbeddingLoss CrossEntropyLoss GaussianNLLLoss HingeEmbeddingLoss HuberLoss "
    "KLDivLoss L1Loss MSELoss MarginRankingLoss MultiLabelMarginLoss MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss "
    "NLLLoss2d PoissonNLLLoss SmoothL1Loss SoftMarginLoss TripletMarginLoss TripletMarginWithDistanceLoss".split()
)


def draws_randomness(name: str) -> bool:
    """Whether calling (or applying) this draws from a global random stream, or sets one back."""
    if name in RANDOM_CALLS or name in SEEDING_CALLS or name in _STREAM_STATES:
        return True
    if name.startswith(_RANDOM_PREFIXES + _MAYBE_RANDOM_PROCESSORS):
        return True
    head, _, last = name.rpartition(".")
    if name.startswith("numpy.random.mtrand"):
        return True
    if last in RANDOM_METHODS and not any(name.startswith(own + ".") for own in OWN_GENERATORS):
        return True
    # `RandomCrop.get_params(...)` draws as well: the class decides, wherever its name stands.
    classes = [part for part in name.split(".")[1:] if part[:1].isupper()]
    if name.startswith(_ALWAYS_RANDOM_TRANSFORM_PREFIXES):
        return bool(classes)
    if name.startswith(_RANDOM_TRANSFORM_PREFIXES):
        return ".functional" not in head and any(part not in _DETERMINISTIC_TRANSFORMS for part in classes[:1])
    if name.startswith("torch.nn."):
        return any(part not in QUIET_MODULES for part in classes[:1])
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
        # What brings back a state that was kept.
        "random.setstate",
        "numpy.random.set_state",
        "torch.set_rng_state",
        "torch.random.set_rng_state",
        "torch.cuda.set_rng_state",
        "torch.default_generator.set_state",
        "torch.default_generator.manual_seed",
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
    "set_rng_state",
    "setstate",
    "set_state",
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

# Calls that set the state of a global random stream in another way than by a seed.
_STREAM_STATES: frozenset[str] = frozenset(
    {
        "random.setstate",
        "numpy.random.set_state",
        "torch.seed",
        "torch.random.seed",
        "torch.set_rng_state",
        "torch.random.set_rng_state",
        "torch.random.fork_rng",
    }
)

# What lives in one process only: forked workers share it or its position, others do not get it.
HANDLES: frozenset[str] = frozenset(
    {
        # Files, and what reads on in them.
        "builtins.open",
        "path.open",
        "io.open",
        "codecs.open",
        "gzip.open",
        "gzip.GzipFile",
        "bz2.open",
        "bz2.BZ2File",
        "lzma.open",
        "lzma.LZMAFile",
        "os.open",
        "os.fdopen",
        "os.popen",
        "mmap.mmap",
        "tempfile.TemporaryFile",
        "tempfile.NamedTemporaryFile",
        "csv.reader",
        "csv.DictReader",
        "csv.writer",
        "csv.DictWriter",
        "fsspec.open",
        "fsspec.filesystem",
        "smart_open.open",
        "s3fs.S3FileSystem",
        "gcsfs.GCSFileSystem",
        "logging.FileHandler",
        # Generators: each worker would go through all of it.
        "os.scandir",
        "os.walk",
        "glob.iglob",
        "re.finditer",
        *(
            f"pandas.{maker}.{walk}"
            for maker in "DataFrame read_csv read_table read_parquet read_json read_excel read_pickle read_feather read_sql".split()
            for walk in "iterrows itertuples items".split()
        ),
        # Archives and scientific containers.
        "h5py.File",
        "h5py.Dataset",
        "h5pickle.File",
        "tables.open_file",
        "zarr.open",
        "zipfile.ZipFile",
        "tarfile.open",
        "tarfile.TarFile",
        "numpy.memmap",
        "numpy.lib.format.open_memmap",
        "netCDF4.Dataset",
        "scipy.io.netcdf_file",
        "xarray.open_dataset",
        "xarray.open_mfdataset",
        "pandas.HDFStore",
        "pandas.ExcelFile",
        "pandas.ExcelWriter",
        "pyarrow.parquet.ParquetFile",
        "pyarrow.memory_map",
        "pyarrow.ipc.open_file",
        "pyarrow.ipc.open_stream",
        "tensorflow.io.TFRecordWriter",
        # Images, slides, sound and video.
        "rasterio.open",
        "rioxarray.open_rasterio",
        "openslide.OpenSlide",
        "openslide.open_slide",
        "tiffslide.TiffSlide",
        "tifffile.TiffFile",
        "pyvips.Image.new_from_file",
        "turbojpeg.TurboJPEG",
        "soundfile.SoundFile",
        "wave.open",
        "cv2.VideoCapture",
        "cv2.VideoWriter",
        "decord.VideoReader",
        "av.open",
        "imageio.get_reader",
        "imageio.v2.get_reader",
        "moviepy.editor.VideoFileClip",
        "moviepy.VideoFileClip",
        "torchvision.io.VideoReader",
        "torchvision.datasets.LSUN",
        "torchvision.datasets.LSUNClass",
        # Databases and connections.
        "lmdb.open",
        "lmdb.Environment",
        "leveldb.LevelDB",
        "plyvel.DB",
        "rocksdb.DB",
        "shelve.open",
        "dbm.open",
        "sqlite3.connect",
        "duckdb.connect",
        "pyodbc.connect",
        "sqlalchemy.create_engine",
        "psycopg.connect",
        "psycopg2.connect",
        "mysql.connector.connect",
        "pymysql.connect",
        "pymongo.MongoClient",
        "redis.Redis",
        "redis.StrictRedis",
        "redis.from_url",
        "elasticsearch.Elasticsearch",
        "boto3.client",
        "boto3.resource",
        "boto3.Session",
        "google.cloud.storage.Client",
        "minio.Minio",
        "requests.Session",
        "requests.session",
        "httpx.Client",
        "aiohttp.ClientSession",
        "urllib3.PoolManager",
        "urllib.request.urlopen",
        "http.client.HTTPConnection",
        "http.client.HTTPSConnection",
        "ftplib.FTP",
        "paramiko.SSHClient",
        "grpc.insecure_channel",
        "grpc.secure_channel",
        "socket.socket",
        "socket.create_connection",
        # Threads, locks and other processes.
        "threading.Lock",
        "threading.RLock",
        "threading.Condition",
        "threading.Event",
        "threading.Barrier",
        "threading.Semaphore",
        "threading.BoundedSemaphore",
        "threading.Thread",
        "threading.Timer",
        "threading.local",
        "queue.Queue",
        "queue.SimpleQueue",
        "queue.LifoQueue",
        "queue.PriorityQueue",
        "concurrent.futures.ThreadPoolExecutor",
        "concurrent.futures.ProcessPoolExecutor",
        "multiprocessing.Pool",
        "multiprocessing.pool.ThreadPool",
        "subprocess.Popen",
        "contextvars.ContextVar",
        # Of a device, and of what watches the run.
        "torch.cuda.Stream",
        "torch.cuda.Event",
        "torch.cuda.CUDAGraph",
        "torch.utils.tensorboard.SummaryWriter",
        "torch.utils.tensorboard.writer.SummaryWriter",
        "tensorboardX.SummaryWriter",
    }
)
DEBUGGERS: frozenset[str] = frozenset({"builtins.breakpoint", "pdb.set_trace", "ipdb.set_trace", "IPython.embed", "code.interact"})

# --- what works in place

# Methods that change what they are called on, and give nothing back: where the result is used, it is another method.
CHANGING_METHODS: frozenset[str] = frozenset(
    "append appendleft extend extendleft update add insert remove clear discard put sort reverse write writelines fill itemset "
    "partition resize byteswap setflags difference_update intersection_update symmetric_difference_update subtract".split()
)
# Methods that change what they are called on and give something back too.
# Those of them that tensors and arrays have too, where they give something new.
AMBIGUOUS_METHODS: frozenset[str] = frozenset("add update sort resize partition remove fill write subtract reverse insert".split())
TAKING_METHODS: frozenset[str] = frozenset("pop popitem popleft setdefault send __setitem__ __delitem__ __setattr__ __delattr__ __next__".split())
CHANGES_FIRST_ARGUMENT: frozenset[str] = frozenset(
    {
        *("builtins.setattr", "builtins.delattr", "builtins.next", "random.shuffle", "numpy.random.shuffle"),
        *(f"numpy.{n}" for n in "copyto put place putmask fill_diagonal add.at put_along_axis".split()),
        *(f"heapq.{n}" for n in "heappush heappop heapify heapreplace heappushpop".split()),
        *(f"bisect.{n}" for n in "insort insort_left insort_right".split()),
        *(f"operator.{n}" for n in "setitem delitem iadd isub imul iconcat".split()),
        *(f"cv2.{n}" for n in "rectangle line circle putText polylines fillPoly ellipse drawContours arrowedLine".split()),
    }
)
# Methods that put their arguments into what they are called on.
PUTS_INTO: frozenset[str] = frozenset("append appendleft extend add insert update setdefault put __setitem__".split())
# Methods that give a part or a view of what they are called on.
GIVES_A_PART: frozenset[str] = frozenset(
    "get setdefault view reshape squeeze unsqueeze transpose permute detach ravel narrow select expand swapaxes numpy "
    "values items keys __getitem__ unfold diagonal movedim view_as expand_as t float double half long int to contiguous flatten "
    "unbind split chunk type astype cpu pop popitem swapdims unflatten as_strided mT rename refine_names".split()
)
# Functions that give a view of their first argument, or go through it.
GIVES_ITS_ARGUMENT: frozenset[str] = frozenset(
    {
        *(f"torch.{n}" for n in (
            "from_numpy as_tensor squeeze unsqueeze transpose permute reshape flatten ravel unbind split chunk narrow select "
            "movedim swapaxes t view_as_real atleast_1d atleast_2d"
        ).split()),
        *(f"numpy.{n}" for n in (
            "asarray asanyarray ascontiguousarray squeeze reshape transpose ravel moveaxis swapaxes atleast_1d atleast_2d "
            "expand_dims flip fliplr flipud rot90 split array_split hsplit vsplit broadcast_to diagonal array"
        ).split()),
        *(f"builtins.{n}" for n in "iter enumerate zip reversed getattr vars".split()),
        "operator.getitem",
    }
)
# What gives a new container with the same things in it.
KEEPS_ELEMENTS: frozenset[str] = frozenset(
    {*(f"builtins.{n}" for n in "list tuple set sorted filter dict map".split()), "copy.copy", "collections.OrderedDict", "collections.deque"}
)
ELEMENTWISE_FUNCTIONS: frozenset[str] = frozenset(
    f"numpy.{n}" for n in (
        "add subtract multiply divide true_divide floor_divide power maximum minimum fmax fmin mod remainder arctan2 hypot "
        "logical_and logical_or bitwise_and bitwise_or"
    ).split()
)
UNARY_FUNCTIONS: frozenset[str] = frozenset(
    f"numpy.{n}" for n in "negative absolute abs sqrt exp log log1p expm1 square sin cos tan tanh floor ceil rint sign clip".split()
)
# What leaves something behind on the disk.
WRITES_FILES: frozenset[str] = frozenset(
    {
        *(f"numpy.{n}" for n in "save savez savez_compressed savetxt".split()),
        *(f"os.{n}" for n in "remove unlink rename replace rmdir removedirs truncate symlink link".split()),
        *(f"shutil.{n}" for n in "move copy copy2 copyfile rmtree copytree".split()),
        *("torch.save", "pickle.dump", "json.dump", "cv2.imwrite", "yaml.dump", "joblib.dump", "imageio.imwrite"),
        *("soundfile.write", "torchaudio.save", "torchvision.utils.save_image", "path.write_text", "path.write_bytes"),
        *("path.unlink", "path.rename", "path.replace", "path.touch"),
    }
)

# --- what runs without being called by its name

# Methods with two underscores that neither an operator nor a loop runs.
METHODS_THAT_DO_NOT_RUN: frozenset[str] = frozenset(
    "__init__ __new__ __repr__ __str__ __format__ __del__ __init_subclass__ __class_getitem__ __getstate__ __setstate__ "
    "__reduce__ __reduce_ex__ __getnewargs__ __sizeof__ __dir__ __post_init__".split()
)
# Decorators that draw nothing and change nothing that outlives the call. Those that remember are judged on their own.
QUIET_DECORATORS: frozenset[str] = frozenset(
    {
        *(f"builtins.{n}" for n in "staticmethod classmethod property".split()),
        *(f"functools.{n}" for n in "wraps cached_property lru_cache cache total_ordering".split()),
        *(f"abc.{n}" for n in "abstractmethod abstractproperty".split()),
        *(f"typing.{n}" for n in "overload override final no_type_check".split()),
        *(f"torch.{n}" for n in "no_grad inference_mode enable_grad".split()),
        *("typing_extensions.override", "contextlib.contextmanager", "torch.jit.ignore", "torch.jit.unused"),
        *("numba.jit", "numba.njit", "torch.utils.data.functional_datapipe"),
    }
)
# What gives another value in another process.
PROCESS_VALUES: frozenset[str] = frozenset(
    {
        *("torch.initial_seed", "torch.random.initial_seed", "torch.get_rng_state", "torch.random.get_rng_state"),
        *("random.getstate", "numpy.random.get_state", "torch.utils.data.get_worker_info", "os.getpid", "os.getppid"),
        *("multiprocessing.current_process", "threading.get_ident", "threading.current_thread", "builtins.hash", "builtins.id"),
        *("torch.get_num_threads", "os.getcwd", "datetime.datetime.now", "datetime.datetime.today", "datetime.date.today"),
        *("time.time", "time.time_ns", "time.monotonic", "time.perf_counter", "uuid.uuid1", "uuid.uuid4"),
        *( "torch.get_default_dtype", "os.sched_getaffinity", "time.process_time"),
    }
)
# Sums over many numbers: torch splits them among its threads, of which a worker has one, and rounds differently.
REDUCTIONS: frozenset[str] = frozenset(
    {
        *(f"torch.{where}{n}" for where in ("", "Tensor.") for n in (
            "sum mean std var norm prod logsumexp softmax log_softmax matmul mm bmm dot mv addmm baddbmm einsum tensordot cdist "
            "nansum nanmean cumsum cumprod trace inverse det svd cholesky"
        ).split()),
        *(f"torch.nn.functional.{n}" for n in (
            "normalize softmax log_softmax layer_norm linear bilinear conv1d conv2d conv3d conv_transpose2d cosine_similarity "
            "mse_loss l1_loss smooth_l1_loss cross_entropy nll_loss binary_cross_entropy kl_div avg_pool2d"
        ).split()),
        *(f"torch.fft.{n}" for n in "fft rfft fft2 rfft2 fftn ifft irfft ifft2".split()),
        *("torch.stft", "torch.istft", "torch.Tensor.stft"),
        *(f"torch.linalg.{n}" for n in "norm vector_norm matrix_norm solve inv svd eigh qr lstsq det pinv cholesky".split()),
        *("torch.std_mean", "torch.var_mean"),
    }
)
# What runs something that its arguments only name.
OPAQUE_CALLS: frozenset[str] = frozenset(
    {"operator.methodcaller", *(f"builtins.{n}" for n in "eval exec compile __import__".split()), "importlib.import_module"}
)
