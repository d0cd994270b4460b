"""Which device an expression means: the CPU, CUDA, CUDA where there is one, or a choice that may end elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..ir import nodes as ir
from .values import (
    CPU,
    CUDA,
    CUDA_OR_CPU,
    OPTION_DEFAULT,
    OTHER,
    UNKNOWN_DEVICE,
    Device,
    External,
    Known,
    Scalar,
    Tensor,
    ValueSet,
)

if TYPE_CHECKING:
    from .evaluation import Semantics


def kind_of(semantics: Semantics, expression: ir.Expression) -> str:
    """The kind of device that an expression means; what the user states decides where the source does not."""
    found = _kind_of(semantics, expression)
    if found in (UNKNOWN_DEVICE, OTHER):
        return {"cuda": CUDA_OR_CPU, "cpu": CPU}.get(semantics.project.facts.device or "", found)
    return found


def _kind_of(semantics: Semantics, expression: ir.Expression) -> str:
    if isinstance(expression, ir.Call) and "torch.device" in semantics.names_of(expression.function_expression):
        if not expression.arguments:
            return UNKNOWN_DEVICE
        return kind_of(semantics, expression.arguments[0].value)
    if isinstance(expression, ir.Template):
        return _template(expression)
    return kind_of_values(semantics.evaluate(expression))


def _template(node: ir.Template) -> str:
    """`f"cuda:{rank}"`: the text before the number is not kept in the representation; a rank makes it CUDA."""
    return CUDA if node.parts else UNKNOWN_DEVICE


def of_text(text: str) -> str:
    head = text.partition(":")[0]
    return {"cpu": CPU, "cuda": CUDA}.get(head, OTHER if head in ("mps", "xla", "xpu", "npu", "hpu", "mlu", "privateuseone") else UNKNOWN_DEVICE)


def kind_of_values(values: ValueSet) -> str:
    """The kind of a set of devices, device strings and indices."""
    kinds = set()
    free = values.open
    for value in values.values:
        if isinstance(value, Device):
            kinds.add(value.kind)
        elif isinstance(value, Known):
            if isinstance(value.value, str):
                kinds.add(of_text(value.value))
                # What a user may type freely on the command line may also be "mps".
                free |= value.origin.kind == OPTION_DEFAULT
            elif isinstance(value.value, bool) or value.value is None:
                kinds.add(UNKNOWN_DEVICE)
            elif isinstance(value.value, int):
                kinds.add(CUDA)
            else:
                kinds.add(UNKNOWN_DEVICE)
        elif isinstance(value, Scalar) and value.kind in ("int", "cpu-count"):
            kinds.add(CUDA)
        elif isinstance(value, (Tensor,)):
            kinds.add(value.place)
        else:
            kinds.add(UNKNOWN_DEVICE)
    return join(kinds, free)


def join(kinds: set[str], free: bool = False) -> str:
    if OTHER in kinds:
        return OTHER
    if not kinds or free or UNKNOWN_DEVICE in kinds:
        return UNKNOWN_DEVICE
    if kinds == {CPU}:
        return CPU
    if kinds == {CUDA}:
        return CUDA
    return CUDA_OR_CPU


def target_of(semantics: Semantics, node: ir.Call) -> str | None:
    """Where a `.to(...)` or `.cuda(...)` call moves something; None if it only changes the type."""
    name = node.method
    if name == "cuda":
        return CUDA
    if name == "cpu":
        return CPU
    if name == "type":
        for value in (semantics.evaluate(node.positional[0]).values if node.positional else ()):
            if isinstance(value, External) and ".cuda." in value.name:
                return CUDA
            if isinstance(value, Known) and isinstance(value.value, str) and ".cuda." in value.value:
                return CUDA
        return None
    if name != "to":
        return None
    given = node.keyword("device") or node.keyword("other")
    if given is None and node.positional:
        given = node.positional[0]
    if given is None:
        for spread in node.spreads:
            mapping = semantics.as_mapping(semantics.evaluate(spread))
            if mapping is not None and "device" in mapping.entries:
                return kind_of_values(mapping.entries["device"])
            if mapping is None or mapping.open:
                return UNKNOWN_DEVICE
        return None
    if is_dtype(semantics, given):
        return None
    return kind_of(semantics, given)


def is_dtype(semantics: Semantics, expression: ir.Expression) -> bool:
    """Whether an argument is a type rather than a device."""
    values = semantics.evaluate(expression)
    for value in values.values:
        if isinstance(value, External):
            short = value.name.rpartition(".")[2]
            return value.name.startswith("torch.") and short in _DTYPES
        if isinstance(value, Scalar) and isinstance(expression, ir.Attribute) and expression.name == "dtype":
            return True
    return (isinstance(expression, ir.Attribute) and expression.name == "dtype") or ("dtype" in ir.dotted(expression).rpartition(".")[2])


_DTYPES = frozenset(
    "float float16 float32 float64 double half bfloat16 int int8 int16 int32 int64 long short uint8 bool complex64 complex128 cfloat".split()
)


def dtype_of(semantics: Semantics, expression: ir.Expression | None) -> str:
    """ "float" (up to 32 bits), "double", "int", "bool", or "" if not known."""
    if expression is None:
        return ""
    for name in semantics.names_of(expression):
        short = name.rpartition(".")[2]
        if short in ("float64", "double"):
            return "double"
        if short in ("float", "float32", "float16", "half", "bfloat16"):
            return "float"
        if short in ("bool",):
            return "bool"
        if short.startswith(("int", "long", "uint", "short")):
            return "int"
    return ""


def sets_default_device(semantics: Semantics) -> bool:
    """Whether the project changes where new tensors are made."""
    key = "default device"
    if key not in semantics.cache:
        found = False
        for word in ("set_default_device", "set_default_tensor_type"):
            for module in semantics.project.modules_mentioning(word):
                found |= word in module.calls
        semantics.cache[key] = found
    return semantics.cache[key]  # type: ignore[no-any-return]
