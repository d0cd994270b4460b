"""Tensors that are made on the host and moved to the device at once, in every step."""

from __future__ import annotations

from collections.abc import Iterator

from ..config import Settings
from ..findings import PROVEN, REFUTED, UNKNOWN, Evidence, Obligation
from ..fixes.operations import Operation, ReplaceMethod, SetArgument
from ..ir import nodes as ir
from ..knowledge import torch_functions
from ..knowledge.versions import is_there
from ..places import Place
from ..records import record
from ..semantics import devices
from ..semantics.evaluation import Semantics
from ..semantics.loops import PerStep, in_forward, per_step
from ..semantics.values import CPU, CUDA, CUDA_OR_CPU, Device, Known, Scalar, Tensor
from .scope import card_key, card_of, is_left_alone

_SAME_EVERYWHERE = frozenset(
    {"zeros", "ones", "empty", "full", "eye", "tensor", "as_tensor", "zeros_like", "ones_like", "full_like", "empty_like", "tril_indices", "triu_indices"}
)
_RANDOM = frozenset({"rand", "randn", "randint", "randperm", "rand_like", "randn_like", "randint_like", "normal"})
_NOT_MOVED = frozenset({"requires_grad", "pin_memory", "generator", "out", "device"})


@record(frozen=True, slots=True, eq=False)
class Creation:
    """`factory` makes a tensor on the host, `move` takes it to the device named by `device` (source text)."""

    factory: ir.Call
    move: ir.Call
    name: str
    device: str
    target: str
    steps: tuple[PerStep, ...]
    is_editable: bool
    is_whole: bool  # all its numbers are integers
    is_device: bool  # what it is moved to is certain to be a device, not a tensor whose type would be taken too
    place: Place
    statement: Place
    card: str

    @property
    def operations(self) -> tuple[Operation, ...]:
        return SetArgument(self.factory.place, "device", self.device), ReplaceMethod(self.move.place, "")

    @property
    def obligations(self) -> tuple[Obligation, ...]:
        return (self._leaf_kept(), self._same_numbers(), self._known_device())

    def _leaf_kept(self) -> Obligation:
        given = [a.keyword for a in self.factory.arguments if a.keyword in _NOT_MOVED]
        state = REFUTED if given else PROVEN
        return Obligation("leaf-kept", state, "numerics", tuple(Evidence(f"{name} is given") for name in given if name))

    def _same_numbers(self) -> Obligation:
        if self.name in _SAME_EVERYWHERE:
            return Obligation("same-numbers", PROVEN, "numerics")
        if self.name == "arange" and self.is_whole:
            return Obligation("same-numbers", PROVEN, "numerics")
        risk = "random-stream" if self.name in _RANDOM else "numerics"
        return Obligation("same-numbers", UNKNOWN, risk, (Evidence(f"torch.{self.name} gives other numbers on another device"),))

    def _known_device(self) -> Obligation:
        if self.is_device and (self.target in (CUDA, CUDA_OR_CPU) or self.name in _SAME_EVERYWHERE):
            return Obligation("cuda-or-cpu", PROVEN, "device-unknown")
        return Obligation("cuda-or-cpu", UNKNOWN, "device-unknown", (Evidence("it is not known which device this is"),))


def creations(semantics: Semantics, module: ir.Module, settings: Settings) -> Iterator[Creation]:
    """The creations of a module that run in every step or in the forward of a module, in source order."""
    calls = [call for name in ("to", "cuda", "type_as") for call in module.calls.get(name, ())]
    for call in sorted(calls, key=lambda c: (c.line, c.column)):
        found = _creation(semantics, call)
        if found is not None and not is_left_alone(semantics, call):
            yield found


def _creation(semantics: Semantics, move: ir.Call) -> Creation | None:
    factory, is_direct = _made_by(move.receiver)
    if isinstance(factory, ir.Call) and factory.positional and "torch.autograd.Variable" in semantics.names_of(factory.function_expression):
        factory, is_direct = factory.positional[0], False
    if not isinstance(factory, ir.Call) or len(move.arguments) > 1:
        return None
    names = semantics.names_of(factory.function_expression)
    legacy = {n for n in names & torch_functions.LEGACY_CONSTRUCTORS if ".cuda." not in n}
    names = legacy or names & torch_functions.FACTORIES
    if len(names) != 1 or any(a.star for a in factory.arguments) or any(a.keyword in _NOT_MOVED for a in factory.arguments):
        return None
    target = _place_taken_over(semantics, move) if move.method == "type_as" else devices.target_of(semantics, move)
    if target is None or target == CPU:
        return None
    name = names.pop().rpartition(".")[2]
    if name in ("tensor", "as_tensor") and any(semantics.evaluate(a.value).of(Tensor) for a in factory.arguments):
        return None  # a copy of a tensor, not a creation
    steps = per_step(semantics, move)
    if not steps and not in_forward(semantics, move):
        return None
    device = '"cuda"' if not move.arguments else _text(semantics, move.arguments[0].value)
    if not device:
        return None
    card = card_of(steps) if steps else card_key(move)
    editable = is_direct and not legacy and move.method != "type_as" and is_there("device", semantics.project.facts.torch)
    is_whole = all(_is_whole(semantics, a.value) for a in factory.arguments if a.keyword in (None, "start", "end", "step"))
    is_device = not move.arguments or _is_device(semantics, move.arguments[0].value)
    return Creation(
        factory, move, name, device, target, steps, editable, is_whole, is_device, move.place, move.statement.place, card
    )


def _is_whole(semantics: Semantics, number: ir.Expression | None, depth: int = 4) -> bool:
    """Whether an expression is certain to be an integer: by its value, or as a length or a part of a shape."""
    if isinstance(number, ir.Index):
        shape = number.value
        return isinstance(shape, ir.Attribute) and shape.name == "shape"
    if isinstance(number, ir.Call) and number.method in ("len", "size", "numel", "dim") and (number.arguments or number.receiver):
        return number.method != "size" or bool(number.arguments)
    if isinstance(number, ir.Binary) and number.operator in ("+", "-", "*", "//", "%"):
        return depth > 0 and all(_is_whole(semantics, side, depth - 1) for side in (number.left, number.right))
    values = semantics.evaluate(number)
    if values.values and not values.open:
        return all((isinstance(v, Known) and type(v.value) is int) or (isinstance(v, Scalar) and v.kind == "int") for v in values.values)
    if isinstance(number, ir.Name) and depth > 0:
        bindings = number.scope.bindings.get(number.id, ())
        return bool(bindings) and all(b.kind == "assign" and not b.path and _is_whole(semantics, b.value, depth - 1) for b in bindings)
    return False


def _is_device(semantics: Semantics, expression: ir.Expression) -> bool:
    """Whether an expression means a device: by its values, or because it is the device of something."""
    values = semantics.evaluate(expression)
    if isinstance(expression, ir.Attribute) and expression.name == "device":
        return True
    return not values.of(Tensor) and any(isinstance(v, (Device, Known)) for v in values.values)


def _place_taken_over(semantics: Semantics, move: ir.Call) -> str | None:
    """Where `made.type_as(other)` takes a tensor, if that is known: to the device of the other one."""
    places = {tensor.place for given in move.positional for tensor in semantics.evaluate(given).of(Tensor)}
    return places.pop() if len(places) == 1 and places <= {CUDA, CUDA_OR_CPU} else None


def _made_by(receiver: ir.Expression | None) -> tuple[ir.Expression | None, bool]:
    """The call behind reshaping, filling and a name bound just before, and whether an edit can follow that way back."""
    is_direct = True
    for _ in range(6):
        if isinstance(receiver, ir.Call) and receiver.receiver is not None:
            if receiver.method in torch_functions.RESHAPES:
                receiver = receiver.receiver
                continue
            if receiver.method in ("fill_", "zero_", "long", "float"):
                receiver, is_direct = receiver.receiver, False
                continue
        elif isinstance(receiver, ir.Index):
            receiver, is_direct = receiver.value, False
            continue
        elif isinstance(receiver, ir.Name):
            bindings = receiver.scope.bindings.get(receiver.id) or []
            own = [b for b in bindings if b.kind == "assign" and not b.path and b.node.statement is not receiver.statement]
            uses = [u for u in receiver.module.names.get(receiver.id, ()) if u.scope is receiver.scope]
            between = [u for u in uses if own and own[0].node.statement.order < u.statement.order < receiver.statement.order]
            if any(isinstance(u.parent, ir.Attribute) and u.parent.name == "is_cuda" for u in between):
                between = []
            if len(own) == 1 and not between and isinstance(own[0].value, (ir.Call, ir.Index)):
                receiver, is_direct = own[0].value, False
                continue
        break
    return receiver, is_direct


def _text(semantics: Semantics, node: ir.Expression) -> str:
    """The source of an expression on one line."""
    if node.line != node.end_line:
        return ""
    return semantics.project.line_of(node.module.path, node.line)[node.column : node.end_column]
