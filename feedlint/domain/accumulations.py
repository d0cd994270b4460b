"""The edit for accumulators: `total += loss.item() * n` is kept on the device and read once, after the loop.

It is offered only where the sum stays the same to the last bit and of the same Python type, and where every other use of
the accumulator is seen.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..findings import PROVEN, UNKNOWN, Evidence, Obligation
from ..fixes.operations import Operation, ReplaceMethod, Wrap
from ..ir import nodes as ir
from ..semantics.evaluation import Semantics
from ..semantics.loops import per_step
from ..semantics.values import CUDA, CUDA_OR_CPU, Known, Scalar
from .reads import HostRead

_LOOKS_AT_NAMES = ("locals", "vars", "eval", "exec", "dir")


def accumulation_fix(read: HostRead) -> tuple[tuple[Operation, ...], tuple[Obligation, ...]] | None:
    """The operations and what they rest on; None where no edit is certain to keep the sum."""
    node, statement, semantics = read.node, read.node.statement, read.semantics
    if not isinstance(node, ir.Call) or node.method != "item" or not isinstance(statement, ir.AugmentedAssign):
        return None
    target = statement.target
    if statement.operator != "+" or not isinstance(target, ir.Name) or read_again(semantics, node) is not None:
        return None
    if not all(value.scalar for value in read.values):
        return None  # added in place, a tensor of another shape would fail
    kind = _kind(read, node)
    factor = _factor(statement.value, node)
    if not kind or factor is None or not all(_is_number(semantics, each, kind) for each in factor):
        return None
    starts = _starts(semantics, target, statement)
    if starts is None or not _runs_in_one_mode(semantics, target):
        return None
    # Python's own float has 64 bits; an integer sum is exact anyway, but 0.0 and a tensor of integers would have 32.
    reader = "int" if kind == "int" and float not in starts else "float"
    replacement = ".detach().double()" if kind == "float" else (".double()" if reader == "float" else "")
    uses = _other_uses(semantics, target, statement)
    if uses is None or _is_shadowed(target, reader):
        return None
    if reader == "float" and int in starts and not all(_is_divided(use) for use in uses):
        return None  # a loop without a step would leave 0, not 0.0
    wraps = tuple(Wrap(use.place, f"{reader}(", ")") for use in uses)
    return (ReplaceMethod(node.place, replacement), *wraps), _obligations(read)


def _obligations(read: HostRead) -> tuple[Obligation, ...]:
    known = {v.place for v in read.values} <= {CUDA, CUDA_OR_CPU}
    unknown = (Evidence("the device may be one without float64, such as MPS"),)
    return (
        Obligation("reads-visible", PROVEN, "type-change"),
        Obligation("no-alias", PROVEN, "numerics"),
        Obligation("cuda-or-cpu", PROVEN if known else UNKNOWN, "device-unknown", () if known else unknown),
    )


def _kind(read: HostRead, node: ir.Call) -> str:
    """`float`, or `int` where the sum of the device has 64 bits too; "" for anything else."""
    kinds = {v.dtype for v in read.values}
    if kinds == {"float"}:
        return "float"
    receiver = node.receiver
    if kinds == {"int"} and isinstance(receiver, ir.Call) and receiver.method in ("sum", "count_nonzero"):
        return "" if receiver.keyword("dtype") is not None else "int"
    return ""


def _factor(value: ir.Expression, node: ir.Call) -> list[ir.Expression] | None:
    """What the value is multiplied with, as a list of at most one; None if something else is done to it.

    A division is left alone: CUDA divides by a number of the host through its reciprocal.
    """
    if value is node:
        return []
    if isinstance(value, ir.Binary) and value.operator == "*" and value.left is node:
        return [value.right]
    return None


def _is_number(semantics: Semantics, expression: ir.Expression, kind: str) -> bool:
    """Whether it is certain to be a plain number of the host that leaves the kind of the product as it is."""
    values = semantics.evaluate(expression)
    if values.open or not values.values:
        return False
    for value in values.values:
        known = isinstance(value, Known) and (type(value.value) is int or (kind == "float" and type(value.value) is float))
        if not known and not (isinstance(value, Scalar) and value.kind == "int"):
            return False
    return True


def _starts(semantics: Semantics, target: ir.Name, statement: ir.AugmentedAssign) -> set[type] | None:
    """The types of the zeros that the accumulator starts from; None if it gets anything else."""
    if target.scope.kind == "module" or target.id in target.scope.globals or target.id in target.scope.nonlocals:
        return None
    starts: set[type] = set()
    for binding in target.scope.bindings.get(target.id, ()):
        if binding.node is statement:
            continue
        value = _unpacked(binding)
        if not isinstance(value, ir.Constant) or not semantics.evaluate(value).are_all(0, 0.0):
            return None
        starts.add(type(value.value))
    return starts or None


def _unpacked(binding: ir.Binding) -> ir.Expression | None:
    """The expression that an assignment gives to a name, also one of `a, b = 0.0, 0`."""
    if binding.kind != "assign":
        return None
    value = binding.value
    for step in binding.path:
        if not isinstance(value, ir.Display) or not isinstance(step, int):
            return None
        value = value.items[step]
    return value


def _other_uses(semantics: Semantics, target: ir.Name, statement: ir.AugmentedAssign) -> list[ir.Name] | None:
    """Where the accumulator is read, to be wrapped; None if one place can't be, or runs in every step."""
    found = []
    for use in target.module.names.get(target.id, ()):
        if use is target or _is_assigned(use):
            continue
        if use.scope is not target.scope:
            if target.id in use.scope.bindings and target.id not in use.scope.nonlocals:
                continue
            return None
        if isinstance(use.statement, (ir.AugmentedAssign, ir.Delete)) or any(isinstance(a, ir.Template) for a in use.ancestors()):
            return None
        if per_step(semantics, use):
            return None
        found.append(use)
    return found


def _is_assigned(use: ir.Name) -> bool:
    part: ir.Node = use
    while isinstance(part.parent, ir.Display):
        part = part.parent
    return isinstance(part.parent, ir.Assign) and any(target is part for target in part.parent.targets)


def _is_divided(use: ir.Name) -> bool:
    return isinstance(use.parent, ir.Binary) and use.parent.operator == "/"


def _function_nodes(target: ir.Name) -> Iterator[ir.Node]:
    owner = target.scope.node
    return ir.walk_block(owner.body) if isinstance(owner, ir.Function) else iter(())


_PLAIN_CONTEXTS = (
    *("torch.no_grad", "torch.enable_grad", "torch.set_grad_enabled", "torch.autocast", "torch.amp.", "torch.cuda.amp."),
    *("torch.profiler.", "torch.autograd.profiler.", "torch.cuda.nvtx.", "contextlib.nullcontext", "tqdm.", "builtins.open"),
    *("accelerate.", "lightning.", "torch.nn.attention.", "torch.backends.", "torch.autograd.set_detect_anomaly"),
)


def _is_plain_context(semantics: Semantics, item: ir.Expression) -> bool:
    """Whether a context manager is known not to change what kind of tensors are made."""
    if not isinstance(item, ir.Call):
        return False
    names = semantics.names_of(item.function_expression)
    if item.method in ("autocast", "no_sync", "accumulate"):
        return True
    return bool(names) and all(name.startswith(_PLAIN_CONTEXTS) for name in names)


def _is_shadowed(target: ir.Name, reader: str) -> bool:
    """Whether `float` or `int` means something else where the sum is read."""
    scope: ir.Scope | None = target.scope
    while scope is not None:
        if reader in scope.bindings or scope.star_imports:
            return True
        scope = scope.parent
    return False


def _runs_in_one_mode(semantics: Semantics, target: ir.Name) -> bool:
    """Whether no part of the function runs under inference mode, whose tensors can't be changed outside, or reads by name."""
    for node in _function_nodes(target):
        if isinstance(node, ir.With) and not all(_is_plain_context(semantics, item) for item, _ in node.items):
            return False
        if isinstance(node, ir.Call) and (node.method == "inference_mode" or (node.receiver is None and node.method in _LOOKS_AT_NAMES)):
            return False
    return True


def read_again(semantics: Semantics, node: ir.Expression) -> ir.Call | None:
    """Another place of the same step that reads the same tensor: there the host waits anyway."""
    receiver = node.receiver if isinstance(node, ir.Call) else None
    if not isinstance(receiver, ir.Name):
        return None
    for name in ("item", "cpu", "tolist", "numpy"):
        for call in node.module.calls.get(name, ()):
            other = call.receiver
            if call is not node and isinstance(other, ir.Name) and other.id == receiver.id and other.scope is receiver.scope:
                if per_step(semantics, call):
                    return call
    return None


def advice(read: HostRead) -> str:
    """What to do by hand where no edit is offered."""
    again = read_again(read.semantics, read.node)
    if again is not None:
        return f"the same value is read on line {again.line} too: read it once, or every n steps"
    if read.is_added:
        return "keep the tensor (detached) and read the sum once, after the loop"
    return "keep the tensor (detached) and read it when it is needed, not in every step"
