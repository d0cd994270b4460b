"""Who iterates over which loader, over the whole project: loops, and trainers that it is handed to."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from ..ir import nodes as ir
from ..knowledge import hooks
from ..semantics.callers import callers
from ..semantics.entry import framework_of
from ..semantics.evaluation import Semantics
from ..semantics.loops import TRAINING, StepLoop, drawn_from, hook, step_loop
from ..semantics.values import Instance
from ..semantics.values import Items as ItemsValue
from ..semantics.values import Iterator as IteratorValue

_MAY_ITERATE = re.compile(rb"torch|lightning|[lL]oader|backward|accelerat|fastai|ignite")
_FIT = frozenset({"fit", "validate", "test", "predict", "run", "fit_one_cycle", "lr_find"})


@dataclass(slots=True)
class Use:
    """How one loader is used."""

    loops: list[StepLoop] = field(default_factory=list)
    other_loops: list[Any] = field(default_factory=list)  # iterated without a step: counting, exporting
    peeks: list[ir.Call] = field(default_factory=list)  # next(iter(loader))
    framework: list[str] = field(default_factory=list)  # TRAINING or EVALUATION, per hand-over to a trainer
    handed_over: list[ir.Call] = field(default_factory=list)

    @property
    def trains(self) -> bool:
        return any(loop.kind == TRAINING for loop in self.loops) or TRAINING in self.framework

    @property
    def feeds_steps(self) -> bool:
        return bool(self.loops or self.framework)


def uses(semantics: Semantics) -> dict[ir.Call, Use]:
    """How each loader of the project is used, by the call that makes it."""
    key = "uses of loaders"
    if key not in semantics.cache:
        found: dict[ir.Call, Use] = {}
        semantics.cache[key] = found
        for path in semantics.project.files:
            data = semantics.project.bytes_of(path)
            if data is None or not _MAY_ITERATE.search(data):
                continue
            module = semantics.project.module(path)
            if module is not None:
                _in_module(semantics, module, found)
    return semantics.cache[key]  # type: ignore[no-any-return]


def _in_module(semantics: Semantics, module: ir.Module, found: dict[ir.Call, Use]) -> None:
    for loop in module.loops:
        step = step_loop(semantics, loop)
        if step is not None:
            for loader in step.loaders:
                _use(found, loader).loops.append(step)
            continue
        iterables = [g.iterable for g in loop.generators] if isinstance(loop, ir.Comprehension) else (
            [loop.iterable] if isinstance(loop, ir.For) else []
        )
        for iterable in iterables:
            for loader in drawn_from(semantics, (semantics.evaluate(iterable),)):
                _use(found, loader).other_loops.append(loop)
    for call in module.calls.get("next", ()):
        for loader in drawn_from(semantics, (semantics.evaluate(call.positional[0]),)) if call.positional else ():
            _use(found, loader).peeks.append(call)
    for name in _FIT:
        for call in module.calls.get(name, ()):
            _handed_over(semantics, call, found)
    for function in module.functions:
        step = hook(semantics, function)
        for loader in step.loaders if step is not None else ():
            _use(found, loader).loops.append(step)  # type: ignore[arg-type]
        _from_hook(semantics, function, found)


def _use(found: dict[ir.Call, Use], loader: Instance) -> Use:
    return found.setdefault(loader.call, Use())  # type: ignore[arg-type]


def _handed_over(semantics: Semantics, call: ir.Call, found: dict[ir.Call, Use]) -> None:
    """`trainer.fit(model, train_loader, val_loader)`: the trainer of a framework iterates."""
    receiver = call.receiver
    if receiver is None:
        return
    owners = semantics.evaluate(receiver)
    if any(isinstance(v, Instance) and not hasattr(v.maker, "name") for v in owners.values):
        return  # a class of the project: its own loops are seen
    for position, argument in enumerate(call.arguments):
        for loader in _loaders_in(semantics, semantics.evaluate(argument.value).values):
            name = (argument.keyword or "").lower()
            evaluates = "val" in name or "test" in name or call.method in ("validate", "test", "predict") or position > 1
            use = _use(found, loader)
            use.framework.append("evaluation" if evaluates else TRAINING)
            use.handed_over.append(call)


def _loaders_in(semantics: Semantics, values: Any) -> list[Instance]:
    found: list[Instance] = []
    for value in values:
        if isinstance(value, ItemsValue):
            for item in value.items:
                found += _loaders_in(semantics, item.values)
        elif isinstance(value, (Instance, IteratorValue)):
            found += drawn_from(semantics, (value,))
    return found


def _from_hook(semantics: Semantics, function: ir.Function, found: dict[ir.Call, Use]) -> None:
    """`train_dataloader` of a data module: the trainer calls it and iterates."""
    kind = hooks.LOADER_HOOKS.get(function.name)
    owner = function.owner_class
    if kind is None or owner is None or framework_of(semantics, owner) not in ("data-module", "module-trainer"):
        return
    for statement in semantics.returns(function):
        if statement.value is None:
            continue
        for loader in _loaders_in(semantics, semantics.evaluate(statement.value).values):
            _use(found, loader).framework.append(kind)


# --- how often


def iterated_again(semantics: Semantics, use: Use, made_by: ir.Call) -> bool:
    """Whether the same loader is iterated over several times: its loop stands in another one, or is called from one."""
    if use.framework:
        return True
    if any(_repeated(semantics, peek, made_by, 3) for peek in use.peeks):
        return True
    total = len(use.loops)
    for loop in use.loops:
        if _repeated(semantics, loop.node, made_by, 3):
            return True
    return total > 1 and len({loop.node for loop in use.loops if loop.kind == TRAINING}) > 1


def is_repeated(semantics: Semantics, node: ir.Node, made_by: ir.Call) -> bool:
    """Whether a node runs several times for one loader."""
    return _repeated(semantics, node, made_by, 3)


def _repeated(semantics: Semantics, node: ir.Node, made_by: ir.Call, depth: int) -> bool:
    child: Any = node
    for ancestor in node.ancestors():
        if isinstance(ancestor, (ir.For, ir.While)) and isinstance(child, ir.Statement) and child.block is ancestor.body:
            if not _runs_once(semantics, ancestor):
                return not _made_inside(semantics, made_by, ancestor)
        elif isinstance(ancestor, ir.Function):
            if not ancestor.encloses(child):
                child = ancestor
                continue
            if depth <= 0 or (made_by.function is ancestor):
                return False  # made anew in every call
            return any(_repeated(semantics, site.call, made_by, depth - 1) for site in callers(semantics, ancestor).sites if _in_tree(site.call))
        child = ancestor
    return False


def _in_tree(call: ir.Call) -> bool:
    node: Any = call
    while node.parent is not None:
        node = node.parent
    return isinstance(node, ir.Module)


def _made_inside(semantics: Semantics, made_by: ir.Call, loop: Any) -> bool:
    return any(a is loop for a in made_by.ancestors()) or loop_that_builds(semantics, made_by) is loop


def _runs_once(semantics: Semantics, loop: ir.For | ir.While) -> bool:
    if not isinstance(loop, ir.For) or not isinstance(loop.iterable, ir.Call) or loop.iterable.method != "range":
        return False
    given = loop.iterable.positional
    if len(given) == 1:
        return semantics.evaluate(given[0]).are_all(1)
    return False


def loop_that_builds(semantics: Semantics, node: ir.Node, depth: int = 2) -> ir.For | ir.While | None:
    """The loop in which a loader is made anew in each iteration, directly or in a function that the loop calls."""
    child: Any = node
    for ancestor in node.ancestors():
        if isinstance(ancestor, (ir.For, ir.While)) and isinstance(child, ir.Statement) and child.block is ancestor.body:
            return ancestor
        if isinstance(ancestor, ir.Function):
            if not ancestor.encloses(child):
                child = ancestor
                continue
            if depth <= 0:
                return None
            sites = [s.call for s in callers(semantics, ancestor).sites if _in_tree(s.call)]
            loops = [loop_that_builds(semantics, call, depth - 1) for call in sites]
            found = [loop for loop in loops if loop is not None]
            return found[0] if found and len(found) == len(sites) else None
        child = ancestor
    return None
