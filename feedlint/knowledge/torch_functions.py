"""What the semantic layer needs of torch's functions and methods: host or device, one number or many, type class.

Names were read from torch 2.13; that functions named here exist is checked against the installed torch by the tests.
"""

from __future__ import annotations


def _prefixed(prefix: str, names: str) -> frozenset[str]:
    return frozenset(prefix + name for name in names.split())


FACTORIES: frozenset[str] = _prefixed(
    "torch.",
    "zeros ones empty full eye arange linspace logspace tensor as_tensor rand randn randint randperm zeros_like ones_like "
    "empty_like full_like rand_like randn_like randint_like tril_indices triu_indices hann_window hamming_window normal "
    "empty_strided scalar_tensor asarray sparse_coo_tensor",
)
LEGACY_CONSTRUCTORS: frozenset[str] = _prefixed(
    "torch.",
    "Tensor FloatTensor DoubleTensor HalfTensor LongTensor IntTensor ShortTensor ByteTensor BoolTensor cuda.FloatTensor "
    "cuda.LongTensor cuda.ByteTensor cuda.IntTensor cuda.DoubleTensor cuda.HalfTensor cuda.BoolTensor",
)
AVAILABILITY: frozenset[str] = frozenset(
    {
        "torch.cuda.is_available",
        "torch.cuda.is_bf16_supported",
        "torch.backends.mps.is_available",
        "torch.accelerator.is_available",
        "torch.distributed.is_initialized",
        "torch.distributed.is_available",
        "torch.is_tensor",
        "torch.is_grad_enabled",
    }
)
# Functions whose result is a Python value: the kind of it.
PLAIN_RESULTS: dict[str, str] = {
    "torch.cuda.device_count": "int",
    "torch.cuda.current_device": "int",
    "torch.cuda.max_memory_allocated": "int",
    "torch.cuda.memory_allocated": "int",
    "torch.distributed.get_rank": "int",
    "torch.distributed.get_world_size": "int",
    "torch.equal": "bool",
    "torch.allclose": "bool",
    "torch.numel": "int",
    "torch.initial_seed": "int",
    "torch.is_floating_point": "bool",
}
# What NumPy makes that is no array of this process alone: generators, maps of files, iterators, functions, types.
NUMPY_OBJECTS: frozenset[str] = _prefixed(
    "numpy.",
    "random.RandomState random.Generator random.default_rng random.SeedSequence random.PCG64 random.MT19937 random.Philox "
    "random.SFC64 memmap lib.format.open_memmap vectorize frompyfunc nditer ndenumerate ndindex poly1d dtype finfo iinfo errstate",
)
# Things of torch that are objects, not tensor functions.
OPAQUE: frozenset[str] = _prefixed(
    "torch.",
    "load save manual_seed Generator no_grad enable_grad set_grad_enabled inference_mode compile device Size finfo iinfo "
    "set_default_dtype set_default_device set_num_threads autocast",
)
OPAQUE_PREFIXES = (
    "torch.utils.",
    "torch.optim.",
    "torch.cuda.",
    "torch.distributed.",
    "torch.multiprocessing.",
    "torch.backends.",
    "torch.amp.",
    "torch.autograd.",
    "torch.distributions.",
    "torch.jit.",
    "torch.onnx.",
    "torch.profiler.",
    "torch.hub.",
    "torch.random.",
    "torch.version.",
    "torch.nn.init.",
    "torch.nn.utils.",
    "torch.nn.parallel.",
)
LOSSES: frozenset[str] = _prefixed(
    "torch.nn.functional.",
    "cross_entropy nll_loss mse_loss l1_loss smooth_l1_loss huber_loss binary_cross_entropy binary_cross_entropy_with_logits "
    "kl_div poisson_nll_loss hinge_embedding_loss margin_ranking_loss cosine_embedding_loss triplet_margin_loss "
    "multi_margin_loss soft_margin_loss gaussian_nll_loss ctc_loss multilabel_margin_loss multilabel_soft_margin_loss",
)
LOSS_CLASSES: frozenset[str] = _prefixed(
    "torch.nn.",
    "CrossEntropyLoss NLLLoss MSELoss L1Loss SmoothL1Loss HuberLoss BCELoss BCEWithLogitsLoss KLDivLoss PoissonNLLLoss "
    "HingeEmbeddingLoss MarginRankingLoss CosineEmbeddingLoss TripletMarginLoss MultiMarginLoss SoftMarginLoss "
    "GaussianNLLLoss CTCLoss MultiLabelMarginLoss MultiLabelSoftMarginLoss NLLLoss2d",
)
# They give the norm of all gradients, one number on the device.
GRADIENT_NORMS: frozenset[str] = _prefixed("torch.nn.utils.", "clip_grad_norm_ clip_grad_norm get_total_norm clip_grad.clip_grad_norm_")
# Without a dimension these give a single number.
REDUCTIONS: frozenset[str] = frozenset(
    "sum mean max min prod norm std var median nanmedian all any argmax argmin nansum nanmean dist dot amax amin "
    "count_nonzero vdot trace det logdet".split()
)
TUPLE_RESULTS: frozenset[str] = frozenset(
    "topk sort kthvalue mode cummax cummin aminmax std_mean var_mean svd qr eig eigh slogdet lu lstsq geqrf "
    "triangular_solve histogram frexp".split()
)
TUPLE_WITH_DIMENSION: frozenset[str] = frozenset("max min median nanmedian".split())
ELEMENTWISE: frozenset[str] = frozenset(
    "abs exp log sqrt rsqrt sin cos tan tanh sigmoid relu neg square clamp clip add sub mul div pow float_power isnan isinf "
    "isfinite log1p log2 log10 expm1 sign round floor ceil trunc reciprocal eq ne lt le gt ge logical_not logical_and "
    "logical_or nan_to_num lerp maximum minimum fmod remainder erf softplus detach".split()
)
KEEPS_SCALAR: frozenset[str] = ELEMENTWISE | frozenset({"where"})
RESHAPES: frozenset[str] = frozenset(
    "view reshape flatten squeeze unsqueeze transpose permute expand expand_as repeat t view_as narrow select unflatten "
    "movedim swapaxes contiguous diagonal".split()
)
RESULT_DTYPES: dict[str, str] = {
    **dict.fromkeys(("eq", "ne", "lt", "le", "gt", "ge", "isnan", "isinf", "isfinite", "logical_not", "logical_and", "logical_or", "all", "any", "bool"), "bool"),
    **dict.fromkeys(("argmax", "argmin", "long", "int", "count_nonzero", "byte"), "int"),
    **dict.fromkeys(("softmax", "log_softmax", "sigmoid", "tanh", "mean", "float", "half", "bfloat16", "log", "exp", "sqrt"), "float"),
    "double": "double",
}
HOST_ATTRIBUTES: frozenset[str] = frozenset(
    "shape dtype ndim is_cuda requires_grad is_leaf layout itemsize nbytes grad_fn is_cpu is_mps is_xpu is_xla is_meta "
    "is_sparse is_sparse_csr is_nested is_quantized is_mkldnn output_nr retains_grad".split()
)
TENSOR_ATTRIBUTES: frozenset[str] = frozenset("T mT H data grad real imag".split())
HOST_METHODS: frozenset[str] = frozenset(
    "size dim numel nelement element_size stride is_contiguous is_floating_point data_ptr get_device is_pinned storage "
    "ndimension __len__ is_complex storage_offset untyped_storage const_data_ptr dim_order dense_dim sparse_dim is_conj "
    "is_neg is_signed is_inference is_shared is_set_to is_same_size".split()
)
SAME_METHODS: frozenset[str] = frozenset(
    "detach requires_grad_ contiguous retain_grad share_memory_ zero_ fill_ copy_ add_ mul_ div_ sub_ clamp_ normal_ uniform_".split()
)
# Other functions of torch whose result is a tensor even where none of the arguments is known to be one.
TENSOR_FUNCTIONS: frozenset[str] = frozenset(
    "cat stack matmul mm bmm einsum softmax log_softmax sigmoid where gather index_select flatten".split()
) | ELEMENTWISE
OTHER_FUNCTIONS: tuple[str, ...] = ("einops.rearrange", "einops.repeat", "einops.reduce")

MODULE_MAKERS: frozenset[str] = frozenset(
    {
        "timm.create_model",
        "timm.models.create_model",
        "segmentation_models_pytorch.Unet",
        "segmentation_models_pytorch.create_model",
        "torch.hub.load",
        "torch.compile",
        "torch.nn.parallel.DistributedDataParallel",
        "torch.nn.DataParallel",
        "torch.nn.parallel.DataParallel",
        "torch.distributed.fsdp.FullyShardedDataParallel",
        "apex.parallel.DistributedDataParallel",
        "torch.optim.swa_utils.AveragedModel",
        "ignite.distributed.auto_model",
    }
)
MODULE_PREFIXES = ("torchvision.models.", "transformers.Auto", "monai.networks.nets.", "monai.losses.", "torchvision.ops.")
MODULE_SUFFIXES = (".from_pretrained",)
OPTIMIZER_PREFIXES = ("torch.optim.", "transformers.AdamW", "timm.optim.", "apex.optimizers.", "bitsandbytes.optim.", "pytorch_optimizer.")
# Calling what these made gives nothing on a device.
NOT_TENSOR_PREFIXES = ("sklearn.", "numpy.", "wandb.", "pandas.", "matplotlib.", "logging.", "torch.utils.tensorboard.", "tensorboardX.", "torchvision.transforms.", "builtins.")
# Functions of unknown origin that by their name give numbers or text, not tensors.
HOST_HELPERS: frozenset[str] = frozenset(
    "accuracy print log info debug warning format append update add_scalar write len save dump plot visualize imshow show "
    "to_numpy tensor2img evaluate compute_metrics timer time".split()
)
# Functions that make one tensor of several of different length.
PADDERS: frozenset[str] = frozenset({"torch.nn.utils.rnn.pad_sequence", "torch.nested.to_padded_tensor"})
