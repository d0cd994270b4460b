"""Reads of the device: places where the host waits until the GPU has caught up, in every step.

One fact per statement, judged by what the value is used for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..config import Settings
from ..ir import nodes as ir
from ..knowledge import host_reads as table
from ..places import Place
from ..records import record
from ..semantics import devices
from ..semantics.evaluation import Semantics
from ..semantics.loops import TRAINING, PerStep, is_throttle, per_step
from ..semantics.tensors import is_module
from ..semantics.values import CPU, UNKNOWN_DEVICE, Instance, Known, Scalar, Tensor
from .scope import card_of, is_left_alone

ACCUMULATE, LOG, BRANCH, HOST = "accumulate", "log", "branch", "host"
_WORST = (BRANCH, HOST, LOG, ACCUMULATE)
_LOGGERS = frozenset("info debug warning log add_scalar add_scalars log_metric log_metrics set_postfix set_description write writerow set_postfix_str".split())
_CALLS = (
    *("item", "tolist", "cpu", "numpy", "float", "int", "bool", "print", "min", "max", "sorted", "array", "asarray"),
    *("isnan", "isfinite", "isinf", "sqrt", "exp", "add_scalar", "add_scalars", "log"),
)
_KEEPERS = frozenset({"append", "update", "add", "extend", "add_batch"})


@record(frozen=True, slots=True, eq=False)
class HostRead:
    """`node` is the expression that waits; `use` what its value is for; `values` the tensors that are read."""

    semantics: Semantics
    node: ir.Expression
    use: str
    values: tuple[Tensor, ...]
    steps: tuple[PerStep, ...]
    place: Place
    statement: Place
    card: str

    @property
    def is_added(self) -> bool:
        """Whether the number is added to others at once."""
        return isinstance(self.node.statement, ir.AugmentedAssign)

    @property
    def in_training(self) -> bool:
        return any(step.loop.kind == TRAINING for step in self.steps)


_LOOKS = frozenset({"isinstance", "type", "hasattr", "callable", "id"})


def host_reads(semantics: Semantics, module: ir.Module, settings: Settings) -> Iterator[HostRead]:
    """The reads of a module that run in every step, one for each statement, in source order."""
    by_statement: dict[ir.Statement, list[HostRead]] = {}
    for node, is_test in _candidates(semantics, module):
        read = _read(semantics, node, is_test)
        if read is not None and not is_left_alone(semantics, node):
            by_statement.setdefault(node.statement, []).append(read)
    for statement in sorted(by_statement, key=lambda s: (s.line, s.column)):
        found = by_statement[statement]
        yield min(found, key=lambda r: (_WORST.index(r.use), r.node.line, r.node.column))


def _candidates(semantics: Semantics, module: ir.Module) -> Iterator[tuple[ir.Expression, bool]]:
    """Expressions that may wait, and whether their truth is asked for."""
    for name in _CALLS:
        for call in module.calls.get(name, ()):
            yield call, False
    for call in module.calls.get("to", ()):
        if devices.target_of(semantics, call) == CPU:
            yield call, False
    for test in module.tests:
        yield test, True
    for template in module.templates:
        yield template, False


def _read(semantics: Semantics, node: ir.Expression, is_test: bool) -> HostRead | None:
    values = _tested_values(semantics, node) if is_test else _read_values(semantics, node)
    if not values:
        return None
    steps = per_step(semantics, node)
    if not steps:
        return None
    if all(v.place == UNKNOWN_DEVICE for v in values) and not _somewhere_on_a_device(semantics, steps):
        return None
    use = BRANCH if is_test else _use(semantics, node, 0)
    if not use:
        return None
    return HostRead(semantics, node, use, values, steps, node.place, node.statement.place, card_of(steps))


def _somewhere_on_a_device(semantics: Semantics, steps: tuple[PerStep, ...]) -> bool:
    """Whether these loops work on an accelerator at all: a framework's hook does, and a loop that copies to one."""
    for step in steps:
        if step.loop.hook:
            return True
        loop = step.loop.node
        if isinstance(loop, ir.For) and any(t.source == "batch" for t in _targets(semantics, loop.target)):
            return True  # a framework moved it
        moved = _moved_modules(semantics)
        for node in step.loop.body:
            if isinstance(node, ir.Call) and moved and moved & set(semantics.evaluate(node.function_expression).of(Instance)):
                return True
            if isinstance(node, ir.Call) and node.method in ("to", "cuda") and devices.target_of(semantics, node) not in (None, CPU):
                return True
            if isinstance(node, ir.Call) and any(t.place not in (CPU, UNKNOWN_DEVICE) for t in semantics.evaluate(node).of(Tensor)):
                return True
    return False


def _moved_modules(semantics: Semantics) -> set[Instance]:
    """The modules that the project moves to an accelerator."""
    key = "moved modules"
    if key not in semantics.cache:
        found: set[Instance] = set()
        semantics.cache[key] = found
        for name in ("to", "cuda"):
            for module in semantics.project.modules_mentioning(name):
                for call in module.calls.get(name, ()):
                    if call.receiver is not None and devices.target_of(semantics, call) not in (None, CPU):
                        found |= {v for v in semantics.evaluate(call.receiver).of(Instance) if is_module(semantics, v)}
    return semantics.cache[key]  # type: ignore[no-any-return]


def _targets(semantics: Semantics, target: ir.Expression) -> Iterator[Tensor]:
    """The tensors that the names of a loop's target get."""
    for node in ir.walk(target):
        if isinstance(node, ir.Name):
            for binding in node.scope.bindings.get(node.id, ()):
                if binding.kind == "element":
                    yield from semantics.binding(binding).of(Tensor)


def _read_values(semantics: Semantics, node: ir.Expression) -> tuple[Tensor, ...]:
    """The device tensors that evaluating this expression waits for."""
    if isinstance(node, ir.Template):
        return tuple(t for part in node.parts for t in _always_on_device(semantics, part) if t.scalar or t.certain)
    assert isinstance(node, ir.Call)
    if node.method in ("add_scalar", "add_scalars", "log"):
        return _logged_values(semantics, node)
    if node.receiver is not None and node.method in ("item", "tolist", "cpu", "numpy", "to"):
        if node.method == "numpy" and isinstance(node.receiver, ir.Call) and node.receiver.method == "cpu":
            return ()  # the copy before it has waited
        return _on_device(semantics, node.receiver)
    names = semantics.names_of(node.function_expression)
    if not any(name in table.FUNCTIONS or name.startswith(("math.", "numpy.")) for name in names):
        return ()
    if node.method in ("min", "max", "sorted") and len(node.positional) < 2:
        return ()
    return tuple(t for given in node.positional for t in _always_on_device(semantics, given) if t.certain or t.scalar)


def _tested_values(semantics: Semantics, test: ir.Expression) -> tuple[Tensor, ...]:
    """The device tensors whose truth a condition asks for; nothing behind an `and` that lets few steps through."""
    found: list[Tensor] = []
    for part in _truths(test):
        if is_throttle(semantics, part):
            break
        found += [t for t in _on_device(semantics, part) if t.certain or t.scalar]
    return tuple(found)


def _logged_values(semantics: Semantics, node: ir.Call) -> tuple[Tensor, ...]:
    """Tensors that a writer turns into numbers; a framework's `self.log` does so only for the progress bar."""
    if node.method == "log":
        shown = all(node.keyword(k) is not None and semantics.evaluate(node.keyword(k)).are_all(True) for k in ("prog_bar", "on_step"))
        if not shown or ir.dotted(node.receiver) != "self":
            return ()
    return tuple(t for given in node.positional[1:2] for t in _always_on_device(semantics, given))


def _truths(test: ir.Expression) -> Iterator[ir.Expression]:
    if isinstance(test, ir.Boolean):
        for part in test.values:
            yield from _truths(part)
    elif isinstance(test, ir.Unary) and test.operator == "not":
        yield from _truths(test.operand)
    elif isinstance(test, ir.Compare):
        if not any(o in ("is", "is not", "in", "not in") for o in test.operators):
            yield test
    elif not isinstance(test, ir.Constant):
        yield test


def _always_on_device(semantics: Semantics, node: ir.Expression) -> tuple[Tensor, ...]:
    """The same, where nothing says that it may be a number of the host as well."""
    for value in semantics.evaluate(node).values:
        if isinstance(value, Scalar) or (isinstance(value, Known) and value.value is not None):
            return ()
    return _on_device(semantics, node)


def _on_device(semantics: Semantics, node: ir.Expression) -> tuple[Tensor, ...]:
    values = semantics.evaluate(node)
    found = tuple(t for t in values.of(Tensor) if t.place != CPU and t.source != "read")
    if found or any(isinstance(v, Tensor) for v in values.values):
        return found
    if isinstance(node, ir.Name) and not isinstance(values.single, Known) and _is_differentiated(node):
        return (Tensor(UNKNOWN_DEVICE, True, "loss", dtype="float"),)
    return ()


def _is_differentiated(name: ir.Name) -> bool:
    """Whether the same function calls `.backward()` on the name: it is the loss, wherever it came from."""
    return any(
        isinstance(call.receiver, ir.Name) and call.receiver.id == name.id and call.function is name.function
        for call in name.module.calls.get("backward", ())
    )


# --- what it is for


def _use(semantics: Semantics, node: ir.Expression, depth: int) -> str:
    if isinstance(node, ir.Call) and node.method in ("add_scalar", "add_scalars", "log") and node.receiver is not None:
        return LOG
    child: Any = node
    host = isinstance(node, ir.Call) and node.method in ("cpu", "numpy", "tolist", "to", "array", "asarray")
    if isinstance(node, ir.Call) and node.method == "print" and node.receiver is None:
        return LOG
    for parent in node.ancestors():
        if isinstance(parent, ir.Call) and parent.function_expression is not child:
            method = parent.method
            if method in _LOOKS and depth:
                return ""  # at what the value is, not at the value
            if method in _LOGGERS or method == "print" or _is_logger(semantics, parent):
                return LOG
            if method in _KEEPERS:
                return HOST if host else ACCUMULATE
            if method in ("min", "max", "isnan", "isfinite", "isinf") and parent.receiver is None:
                return BRANCH
        elif isinstance(parent, ir.Template):
            return _use(semantics, parent, depth + 1) or LOG
        elif isinstance(parent, (ir.If, ir.While, ir.Assert)) or (isinstance(parent, ir.Compare) and not host):
            return BRANCH
        elif isinstance(parent, (ir.AugmentedAssign, ir.Return)):
            return HOST if host else ACCUMULATE
        elif isinstance(parent, ir.Assign):
            if depth > 2:
                return ACCUMULATE
            return _use_of_targets(semantics, parent, host, depth)
        elif isinstance(parent, ir.ExpressionStatement):
            return LOG if isinstance(node, ir.Template) else (HOST if host else ACCUMULATE)
        elif isinstance(parent, ir.Statement):
            return HOST if host else ACCUMULATE
        child = parent
    return ""


def _use_of_targets(semantics: Semantics, statement: ir.Assign, host: bool, depth: int) -> str:
    found = []
    for target in statement.targets:
        if not isinstance(target, ir.Name):
            continue
        for use in statement.module.names.get(target.id, ()):
            if use.statement.order > statement.order and use.scope is target.scope and not _is_bound(use):
                found.append(_use(semantics, use, depth + 1))
    for kind in (BRANCH, LOG, ACCUMULATE):
        if kind in found and not host:
            return kind
    return HOST if host else ACCUMULATE


def _is_bound(use: ir.Name) -> bool:
    parent = use.parent
    return (isinstance(parent, ir.Assign) and use in parent.targets) or isinstance(parent, ir.For)


def _is_logger(semantics: Semantics, call: ir.Call) -> bool:
    return bool(semantics.names_of(call.function_expression) & table.LOG_CALLS)
