"""What torch computes: where a result lies, and whether it is a single number.

Only as much as the rules need: host or device, scalar or not, integer or floating. Shapes are not tracked.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..ir import nodes as ir
from ..knowledge import torch_functions as table
from . import devices
from .classes import lineage
from .values import (
    COMPUTED,
    CPU,
    CUDA,
    CUDA_OR_CPU,
    NOTHING,
    OTHER,
    UNKNOWN,
    UNKNOWN_DEVICE,
    Batch,
    ClassValue,
    Device,
    External,
    Instance,
    Items,
    Iterator,
    Known,
    Mapping,
    Method,
    Origin,
    Scalar,
    Tensor,
    Value,
    ValueSet,
    one,
    union,
)

if TYPE_CHECKING:
    from .evaluation import Semantics

EXTRA: frozenset[str] = frozenset(table.OTHER_FUNCTIONS)


def join_places(places: Iterable[str]) -> str:
    """Where the result of an operation on tensors of these places lies: a single number on the host does not count."""
    found = list(dict.fromkeys(places))
    on_device = [p for p in found if p != CPU]
    if not found:
        return UNKNOWN_DEVICE
    if not on_device:
        return CPU
    known = [p for p in on_device if p != UNKNOWN_DEVICE]
    if len(known) == 1:
        return known[0]
    if OTHER in known:
        return OTHER
    return CUDA_OR_CPU if known else UNKNOWN_DEVICE


def _as_tensor(value: Tensor | Batch) -> Tensor:
    if isinstance(value, Batch):
        return Tensor(CPU, None, "data", certain=False, batch=value)
    return value


def place_of(values: Iterable[Any]) -> str:
    return join_places(_as_tensor(v).place for v in values)


def combined(values: Iterable[Any], scalar: bool | None = None, dtype: str | None = None) -> ValueSet:
    """A new tensor computed from these."""
    found = [_as_tensor(v) for v in values if isinstance(v, (Tensor, Batch))]
    if not found:
        return UNKNOWN
    if scalar is None:
        scalar = True if all(t.scalar is True for t in found) else (False if any(t.scalar is False for t in found) else None)
    source = "model" if any(t.source in ("model", "loss") for t in found) else found[0].source
    if source == "batch":
        source = "computed"
    if dtype is None:
        kinds = {t.dtype for t in found}
        dtype = kinds.pop() if len(kinds) == 1 else ("float" if kinds <= {"float", "int", "bool", ""} and "float" in kinds else "")
    return one(Tensor(join_places(t.place for t in found), scalar, source, all(t.certain for t in found), False, dtype))


def compared(values: Iterable[Any]) -> ValueSet:
    return combined(values, dtype="bool")


def indexed(value: Value, path: tuple[Any, ...]) -> ValueSet:
    """A part of a batch or of a tensor."""
    if isinstance(value, Batch):
        steps = tuple(p if isinstance(p, (int, str)) else "*" for p in path) or ("*",)
        return one(Batch(value.loader, value.path + steps))
    if isinstance(value, Tensor):
        batch = value.batch
        if isinstance(batch, Batch) and not value.certain:
            batch = Batch(batch.loader, batch.path + tuple(p if isinstance(p, (int, str)) else "*" for p in path))
        return one(replace(value, scalar=value.scalar if not value.certain else None, reference=value.certain, batch=batch))
    if isinstance(value, Scalar):
        return one(value if value.kind == "ndarray" else Scalar("object"))
    if isinstance(value, Instance):
        return UNKNOWN
    if isinstance(value, Iterator):
        return value.elements
    return UNKNOWN


def attribute(value: Tensor | Batch, name: str, node: ir.Attribute | None) -> ValueSet:
    """`tensor.name`; for a batch of unknown structure a field of that name."""
    if name == "device":
        return one(Device(CPU if isinstance(value, Batch) else value.place))
    if name in table.HOST_ATTRIBUTES:
        if name in ("shape",):
            return one(Iterator(one(Scalar("int")), held=True))
        return one(Scalar("object" if name not in ("ndim", "is_cuda") else "int"))
    called = node is not None and isinstance(node.parent, ir.Call) and node.parent.function_expression is node
    if called:
        return one(Method(value, name))
    if name in table.TENSOR_ATTRIBUTES and isinstance(value, Tensor):
        return one(replace(value, reference=True))
    if isinstance(value, Batch):
        return one(Batch(value.loader, (*value.path, name)))
    if not value.certain:
        scalar = True if name == "loss" else None  # ModelOutput of transformers and what imitates it
        batch = value.batch
        if isinstance(batch, Batch):
            batch = Batch(batch.loader, (*batch.path, name))
        return one(replace(value, scalar=scalar, batch=batch))
    return UNKNOWN


# --- functions


def _device_argument(semantics: Semantics, node: ir.Call) -> str | None:
    """Where `device=` puts a result, None if it is not given."""
    given = node.keyword("device")
    if given is not None:
        return devices.kind_of(semantics, given)
    for spread in node.spreads:
        mapping = semantics.as_mapping(semantics.evaluate(spread))
        if mapping is None or mapping.open:
            return UNKNOWN_DEVICE
        if "device" in mapping.entries:
            return devices.kind_of_values(mapping.entries["device"])
    return None


def _arguments(semantics: Semantics, node: ir.Call) -> list[Any]:
    found: list[Any] = []
    for argument in node.arguments:
        values = semantics.evaluate(argument.value)
        for value in values.values:
            if isinstance(value, (Tensor, Batch)):
                found.append(value)
            elif isinstance(value, Items):
                found += [v for item in value.items for v in item.of(Tensor, Batch)]
            elif isinstance(value, Iterator):
                found += value.elements.of(Tensor, Batch)
    return found


def function(semantics: Semantics, node: ir.Call, name: str) -> ValueSet | None:
    """The result of a function of torch or NumPy, None if this table has nothing to say."""
    if name in ("torch.device",):
        return one(Device(devices.kind_of(semantics, node)))
    short = name.rpartition(".")[2]
    if name in table.AVAILABILITY:
        return one(Scalar("bool"))
    if name == "numpy.load" and _stays_open(semantics, node):
        return None
    if name.startswith("numpy."):
        return one(Scalar("ndarray")) if name not in table.NUMPY_OBJECTS else None
    if name in table.FACTORIES:
        place = _device_argument(semantics, node)
        like = short.endswith("_like")
        given = _arguments(semantics, node) if like or short in ("tensor", "as_tensor") else []
        if place is None:
            if (like and given) or (short == "as_tensor" and given):
                place = place_of(given)
            else:
                place = _default_place(semantics)
        scalar = _factory_scalar(semantics, node, short)
        dtype = "int" if short in ("arange", "randint", "randperm") else ("float" if short in ("zeros", "ones", "rand", "randn", "empty") else "")
        if node.keyword("dtype") is not None:
            dtype = devices.dtype_of(semantics, node.keyword("dtype"))
        elif short == "tensor" and node.positional:
            values = semantics.evaluate(node.positional[0])
            if values.constants and all(type(c) is float for c in values.constants):
                dtype = "float"
            elif values.constants and all(type(c) is int for c in values.constants):
                dtype = "int"
        return one(Tensor(place, scalar, "factory", dtype=dtype))
    if name in table.LEGACY_CONSTRUCTORS:
        return one(Tensor(CUDA if ".cuda." in name else CPU, None, "factory"))
    if name == "torch.from_numpy":
        return one(Tensor(CPU, False, "data"))
    if name in table.PADDERS:
        given = _arguments(semantics, node)
        return combined(given, scalar=False) if given else None
    if name in table.MODULE_MAKERS or _is_module_class(name):
        return None
    if name in table.LOSSES:
        return combined(_arguments(semantics, node), scalar=_reduces(semantics, node), dtype="float") if _arguments(semantics, node) else one(
            Tensor(UNKNOWN_DEVICE, _reduces(semantics, node), "loss", dtype="float")
        )
    if name in table.PLAIN_RESULTS:
        return one(Scalar(table.PLAIN_RESULTS[name]))
    if name == "torch.autograd.Variable":
        return semantics.evaluate(node.positional[0]) if node.positional else None  # the tensor itself since torch 0.4
    if name in table.GRADIENT_NORMS:
        return one(Tensor(UNKNOWN_DEVICE, True, "parameter", dtype="float"))
    if name in table.OPAQUE or name.startswith(table.OPAQUE_PREFIXES):
        return None
    given = _arguments(semantics, node)
    if given:
        if short in table.TUPLE_RESULTS or (short in table.TUPLE_WITH_DIMENSION and _has_dimension(node, True)):
            return one(Items("tuple", tuple(combined(given, scalar=None) for _ in range(3))))
        if short in ("split", "chunk", "unbind", "meshgrid", "tensor_split"):
            return one(Iterator(combined(given), held=True))
        scalar = True if short in table.REDUCTIONS and not _has_dimension(node, True) else None
        if short in table.ELEMENTWISE:
            return combined(given, dtype=table.RESULT_DTYPES.get(short))
        if scalar is None and short not in table.KEEPS_SCALAR:
            return combined(given, scalar=False if short in ("stack", "cat") else None, dtype=table.RESULT_DTYPES.get(short))
        return combined(given, scalar=scalar, dtype=table.RESULT_DTYPES.get(short))
    if name.startswith(("torch.nn.functional.", "torch.linalg.", "torch.fft.")) or short in table.TENSOR_FUNCTIONS:
        return ValueSet((Tensor(UNKNOWN_DEVICE, None, "computed"),), True)
    return None


def _stays_open(semantics: Semantics, node: ir.Call) -> bool:
    """Whether `np.load` gives something that holds its file: an archive, or memory mapped from it."""
    mode = node.argument("mmap_mode", 1)
    if mode is not None and not semantics.evaluate(mode).are_all(None):
        return True
    constants = semantics.evaluate(node.positional[0]).constants if node.positional else None
    return bool(constants) and any(isinstance(c, str) and c.endswith(".npz") for c in constants or ())


def _default_place(semantics: Semantics) -> str:
    return UNKNOWN_DEVICE if devices.sets_default_device(semantics) else CPU


def _factory_scalar(semantics: Semantics, node: ir.Call, short: str) -> bool | None:
    positional = node.positional
    if short in ("tensor", "as_tensor") and positional:
        values = semantics.evaluate(positional[0])
        if values.values and not values.open and all(isinstance(v, (Known, Scalar)) and not _is_array(v) for v in values.values):
            return True
        return False if any(isinstance(v, Items) for v in values.values) else None
    if short in ("zeros", "ones", "empty", "rand", "randn", "full", "eye", "arange", "linspace", "randperm"):
        if positional and isinstance(positional[0], ir.Display) and not positional[0].items:
            return True
        return False
    return None


def _is_array(value: Value) -> bool:
    return isinstance(value, Scalar) and value.kind in ("ndarray", "object")


def _reduces(semantics: Semantics, node: ir.Call) -> bool | None:
    """Whether a loss gives a single number: unless `reduction="none"`."""
    given = node.keyword("reduction")
    if given is None:
        return None if node.spreads else True
    constants = semantics.evaluate(given).constants
    if constants is None:
        return None
    return "none" not in constants


def _has_dimension(node: ir.Call, as_function: bool) -> bool:
    """Whether a reduction is told along which dimension to work."""
    if node.keyword("dim") is not None or node.keyword("axis") is not None or node.spreads or node.has_star:
        return True
    return len(node.positional) > (1 if as_function else 0)


# --- methods


def method(semantics: Semantics, node: ir.Call, receiver: Tensor | Batch, name: str) -> ValueSet:
    """The result of a tensor method."""
    if isinstance(receiver, Batch):
        if name in ("items", "keys", "values") and not node.arguments:
            inner = Batch(receiver.loader, (*receiver.path, "*"))
            if name == "keys":
                return one(Iterator(one(Scalar("str")), (receiver,)))
            return one(Iterator(one(Items("tuple", (one(Scalar("str")), one(inner)))) if name == "items" else one(inner), (receiver,)))
        if name in ("get", "pop") and node.positional:
            keys = semantics.evaluate(node.positional[0]).constants or ["*"]
            return union(one(Batch(receiver.loader, (*receiver.path, k if isinstance(k, (int, str)) else "*"))) for k in keys)
    if name in ("items", "values") and isinstance(receiver, Tensor) and not receiver.certain:
        inner_tensor = receiver
        return one(Iterator(one(Items("tuple", (one(Scalar("str")), one(inner_tensor)))) if name == "items" else one(inner_tensor), (receiver,)))
    if name in ("to", "cuda", "cpu", "type", "type_as", "pin_memory"):
        return moved(semantics, node, receiver, name)
    tensor = _as_tensor(receiver)
    if name in ("item",):
        kind = {"int": "int", "bool": "bool", "float": "float"}.get(tensor.dtype, "number")
        return one(Scalar(kind))
    if name == "tolist":
        return one(Scalar("object"))
    if name in ("numpy", "__array__"):
        return one(Scalar("ndarray"))
    if name in table.HOST_METHODS:
        return one(Scalar("int" if name in ("dim", "numel", "nelement", "size") else "object")) if name != "size" or node.arguments else one(
            Iterator(one(Scalar("int")), held=True)
        )
    if name in table.SAME_METHODS or (name.endswith("_") and not name.endswith("__")):
        if isinstance(receiver, Batch):
            return one(receiver)
        return one(replace(receiver, reference=name != "clone"))
    if name in ("clone", "contiguous", "float", "double", "half", "long", "int", "bool", "bfloat16", "byte"):
        if isinstance(receiver, Batch) and name in ("contiguous", "clone"):
            return one(receiver)
        dtype = table.RESULT_DTYPES.get(name, tensor.dtype)
        return one(replace(tensor, dtype=dtype, reference=tensor.reference and name != "clone"))
    if name in table.TUPLE_RESULTS or (name in table.TUPLE_WITH_DIMENSION and _has_dimension(node, False)):
        part = combined([tensor], scalar=None)
        return one(Items("tuple", (part, combined([tensor], dtype="int"))))
    if name in ("split", "chunk", "unbind", "tensor_split"):
        return one(Iterator(combined([tensor]), held=True))
    if name in table.REDUCTIONS:
        scalar = None if _has_dimension(node, False) else True
        return combined([tensor], scalar=scalar, dtype=_reduction_dtype(tensor.dtype, name))
    if name == "backward":
        return one(Known(None, Origin(COMPUTED)))
    others = [v for a in node.arguments for v in semantics.evaluate(a.value).of(Tensor, Batch)]
    if name in table.RESHAPES:
        return one(replace(tensor, scalar=None if tensor.scalar else tensor.scalar, reference=True, certain=True))
    scalar_result = tensor.scalar if name in table.ELEMENTWISE and not others else None
    return combined([tensor, *others], scalar=scalar_result, dtype=table.RESULT_DTYPES.get(name))


def _reduction_dtype(dtype: str, name: str) -> str:
    if name in ("sum", "prod") and dtype in ("bool", "int"):
        return "int"
    if name in ("all", "any", "equal"):
        return "bool"
    if name in ("mean", "norm", "std", "var"):
        return "float"
    return dtype


def moved(semantics: Semantics, node: ir.Call, receiver: Tensor | Batch, name: str) -> ValueSet:
    """`.to(...)`, `.cuda()`, `.cpu()`: the same values elsewhere, or in another type."""
    tensor = _as_tensor(receiver)
    if name == "cpu":
        return one(replace(tensor, place=CPU, source="read"))
    if name == "pin_memory":
        return one(receiver)
    target = devices.target_of(semantics, node)
    if target is None:
        dtype = devices.dtype_of(semantics, node.positional[0]) if node.positional else tensor.dtype
        if isinstance(receiver, Batch):
            return one(replace(tensor, dtype=dtype))
        return one(replace(tensor, dtype=dtype))
    source = "batch" if isinstance(receiver, Batch) else ("moved" if tensor.source == "factory" else tensor.source)
    origin = receiver if isinstance(receiver, Batch) else tensor.batch
    return one(replace(tensor, place=target, source=source, batch=origin))


def method_of_unknown(semantics: Semantics, node: ir.Call, receiver: ir.Expression) -> ValueSet | None:
    """A method that only tensors (and modules) have, called on something that is not known."""
    name = node.method
    if name in ("item",):
        return one(Scalar("number"))
    if name in ("cuda", "to"):
        target = devices.target_of(semantics, node)
        if target is None:
            return None
        return ValueSet((Tensor(target, None, "moved", certain=False),), True)
    if name == "size":
        return one(Scalar("int"))
    if name == "clip_grad_norm_":
        return ValueSet((Tensor(UNKNOWN_DEVICE, True, "parameter", dtype="float"),), True)
    if name in ("parameters", "named_parameters") and not node.arguments:
        return parameters(receiver, name)
    return None


def parameters(source: Any, name: str) -> ValueSet:
    """What `parameters()` or `named_parameters()` of a module gives."""
    tensor = one(Tensor(UNKNOWN_DEVICE, None, "parameter"))
    elements = tensor if not name.startswith("named_") else one(Items("tuple", (one(Scalar("str")), tensor)))
    return one(Iterator(elements, (source,)))


def array_method(name: str) -> ValueSet:
    """A method of a NumPy array."""
    if name in ("item", "tolist"):
        return one(Scalar("number"))
    return one(Scalar("ndarray"))


# --- modules


def _is_module_class(name: str) -> bool:
    short = name.rpartition(".")[2]
    return (name.startswith("torch.nn.") and not name.startswith("torch.nn.functional.") and short[:1].isupper()) or name.startswith("torchvision.models.")


def is_module(semantics: Semantics, value: Any) -> bool:
    """Whether a value is an nn.Module."""
    if not isinstance(value, Instance):
        return False
    if isinstance(value.maker, ClassValue):
        from .entry import framework_of

        return framework_of(semantics, value.maker.node) in ("module", "module-trainer")
    name = value.maker.name
    return _is_module_class(name) or name in table.MODULE_MAKERS or name.startswith(table.MODULE_PREFIXES) or name.endswith(table.MODULE_SUFFIXES)


def is_optimizer(semantics: Semantics, value: Any) -> bool:
    if not isinstance(value, Instance):
        return False
    if isinstance(value.maker, ClassValue):
        return any(n.startswith("torch.optim.") and ".lr_scheduler" not in n for n in lineage(semantics, value.maker.node).externals)
    return value.maker.name.startswith(table.OPTIMIZER_PREFIXES) and ".lr_scheduler" not in value.maker.name


def module_called(semantics: Semantics, value: Instance, given: list[Any]) -> ValueSet:
    """Calling something from outside of the project: a module, a loss, or an object that is not known."""
    assert isinstance(value.maker, External)
    name = value.maker.name
    place = place_of(given) if given else UNKNOWN_DEVICE
    if name in table.LOSS_CLASSES:
        reduces: bool | None = True
        if value.call is not None:
            reduces = _reduces(semantics, value.call)
        return one(Tensor(place, reduces, "loss", dtype="float"))
    if is_module(semantics, value):
        certain = _is_module_class(name) and not name.endswith(("LSTM", "GRU", "RNN", "MultiheadAttention"))
        return one(Tensor(place, None, "model", certain=certain and not name.startswith("torchvision."), dtype="float"))
    if given and any(_as_tensor(g).place != CPU for g in given) and not name.startswith(table.NOT_TENSOR_PREFIXES):
        return ValueSet((Tensor(place, None, "model", certain=False),), True)
    return UNKNOWN


def placed(results: ValueSet, given: list[Any]) -> ValueSet:
    """The results of a module's forward, which lie where its inputs lie."""
    place = place_of(given) if given else UNKNOWN_DEVICE
    found = NOTHING
    for value in results.values:
        found = found | one(_placed(value, place))
    if results.open or not results.values:
        found = found | one(Tensor(place, None, "model", certain=False))
    return ValueSet(found.values, False)


def _placed(value: Any, place: str) -> Any:
    if isinstance(value, Tensor):
        where = place if value.place in (UNKNOWN_DEVICE, CPU) else value.place
        return replace(value, place=where, source="model" if value.source != "loss" else "loss", batch=None)
    if isinstance(value, Items):
        return Items(value.kind, tuple(placed_items(item, place) for item in value.items), value.node)
    if isinstance(value, Iterator):
        return Tensor(place, None, "model", certain=False)
    if isinstance(value, Mapping):
        return Mapping({k: placed_items(v, place) for k, v in value.entries.items()}, value.open, value.node, value.maker)
    return value


def placed_items(item: ValueSet, place: str) -> ValueSet:
    found = union(one(_placed(v, place)) for v in item.values)
    if item.open and not item.values:
        return one(Tensor(place, None, "model", certain=False))
    return found


def may_be_model(node: ir.Call) -> bool:
    """Whether an unknown callable with tensors on the device may be a model or a loss: anything but a known host helper."""
    return node.method not in table.HOST_HELPERS


def instance_method(semantics: Semantics, node: ir.Call, receiver: Instance, name: str) -> ValueSet | None:
    """Methods of optimizers, scalers and modules that matter here."""
    if name in ("step", "zero_grad", "update", "backward", "train", "eval") and not node.positional:
        if is_optimizer(semantics, receiver) or is_module(semantics, receiver):
            return one(Known(None, Origin(COMPUTED)))
    if name == "scale" and isinstance(receiver.maker, External) and receiver.maker.name.endswith("GradScaler") and node.positional:
        return semantics.evaluate(node.positional[0])
    if name in ("unwrap_model",) and node.positional:
        return semantics.evaluate(node.positional[0])
    if name in ("gather", "gather_for_metrics", "reduce") and node.positional:
        return semantics.evaluate(node.positional[0])
    if name in ("encode", "decode", "forward", "generate", "loss_function", "module", "get_loss") and is_module(semantics, receiver):
        given = _arguments(semantics, node)
        return one(Tensor(place_of(given) if given else UNKNOWN_DEVICE, None, "model", certain=False))
    if is_module(semantics, receiver) and isinstance(receiver.maker, External):
        given = _arguments(semantics, node)
        if given:
            return ValueSet((Tensor(place_of(given), None, "model", certain=False),), True)
    return None
