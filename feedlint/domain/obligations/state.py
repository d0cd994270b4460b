"""Whether each worker may have its own copy of the dataset: what item code changes, and what lives in one process only."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...findings import REFUTED, UNKNOWN
from ...ir import nodes as ir
from ...knowledge import item_calls
from ...semantics.callers import callers
from ...semantics.classes import attribute, foreign_stores, lineage, lookup, self_name, stores
from ...semantics.evaluation import Semantics
from ...semantics.values import (
    ClassValue,
    External,
    Instance,
)
from .. import items
from ..loaders import Loader
from ..program import program
from .answers import YES, Answer, no, text


def no_own_generator(loader: Loader) -> Answer:
    for instance in objects(loader):
        assert isinstance(instance.maker, ClassValue)
        for name in items.stored_names(loader.semantics, instance.maker.node):
            for value in attribute(loader.semantics, instance, name).of(Instance):
                if isinstance(value.maker, External) and value.maker.name in item_calls.OWN_GENERATORS:
                    if _read_in_items(loader, name):
                        return no(REFUTED, f"every worker would repeat the numbers of self.{name}", value.call)
    return YES


def stateless_items(loader: Loader) -> Answer:
    semantics = loader.semantics
    for function in loader.item_code.functions:
        owner = self_name(function)
        for statement in _statements(function):
            written = _written_target(semantics, statement, owner, function)
            if written is not None:
                return no(UNKNOWN, f"item code changes {written}, in each worker for itself", statement)
        for decorator in function.decorators:
            called = decorator.function_expression if isinstance(decorator, ir.Call) else decorator
            if ir.dotted(called).rpartition(".")[2] in ("lru_cache", "cache", "memoize"):
                return no(UNKNOWN, f"{function.name} remembers its results, in each worker for itself", function)
    changed = _changed_by_main(loader)
    if changed is not None:
        return no(UNKNOWN, "the main process changes the dataset after it was made", changed)
    return YES


_CONTAINER_CHANGES = frozenset("append extend update add insert pop remove clear setdefault discard popitem put sort write".split())


def _written_target(semantics: Semantics, statement: ir.Statement, owner: str, function: ir.Function) -> str | None:
    """What a statement of item code changes that lives longer than the sample."""
    if isinstance(statement, (ir.Assign, ir.AugmentedAssign)):
        targets = statement.targets if isinstance(statement, ir.Assign) else [statement.target]
        for target in targets:
            root = target
            while isinstance(root, (ir.Attribute, ir.Index)):
                root = root.value
            if root is target:
                if isinstance(target, ir.Name) and target.id in target.scope.globals:
                    return target.id
                continue
            if isinstance(root, ir.Name) and function.name != "__init__" and (root.id == owner or _is_global(root)):
                return ir.dotted(target.value if isinstance(target, ir.Index) else target) or root.id
    if isinstance(statement, ir.ExpressionStatement) and isinstance(statement.value, ir.Call):
        call = statement.value
        if call.method in _CONTAINER_CHANGES and call.receiver is not None:
            root = call.receiver
            while isinstance(root, (ir.Attribute, ir.Index)):
                root = root.value
            if isinstance(root, ir.Name) and ((root.id == owner and root is not call.receiver) or _is_global(root)):
                values = semantics.evaluate(call.receiver)
                if not any(isinstance(v, External) for v in values.values):
                    return ir.dotted(call.receiver) or root.id
    return None


def _is_global(name: ir.Name) -> bool:
    scope: Any = name.scope
    while scope is not None:
        if name.id in scope.bindings and name.id not in scope.globals:
            found = scope.bindings[name.id]
            return scope.kind == "module" and all(b.kind == "assign" for b in found)
        scope = scope.parent
    return False


def _statements(function: ir.Function) -> Iterator[ir.Statement]:
    for node in ir.walk_block(function.body):
        if isinstance(node, ir.Statement):
            yield node


def _changed_by_main(loader: Loader) -> ir.Node | None:
    """A place in the main process that changes an attribute of the dataset after the constructor."""
    semantics = loader.semantics
    for instance in objects(loader):
        assert isinstance(instance.maker, ClassValue)
        node = instance.maker.node
        in_items = set(loader.item_code.functions)
        for name in items.stored_names(semantics, node):
            for store in foreign_stores(semantics, node, name):
                return store.statement
        for each in lineage(semantics, node).classes:
            for method in each.methods:
                if method.name.startswith("__") or method in in_items:
                    continue
                changes = [s for s in _statements(method) if _written_target(semantics, s, self_name(method), method)]
                if changes:
                    for site in callers(semantics, method).sites:
                        if not _inside_class(site.call, each) and _runs_with(site.call, loader):
                            return site.call
    return None


def _inside_class(node: ir.Node, owner: ir.Class) -> bool:
    return any(a is owner for a in node.ancestors())


def _runs_with(call: ir.Call, loader: Loader) -> bool:
    """Whether a call may run after the loader was made: anything but code that builds the dataset before it."""
    if call.module is loader.call.module and call.function is loader.call.function:
        return call.line > loader.call.line or any(isinstance(a, (ir.For, ir.While)) for a in call.ancestors())
    return True


def no_local_handles(loader: Loader) -> Answer:
    semantics = loader.semantics
    for name, call in loader.item_code.externals.items():
        if name in item_calls.DEBUGGERS:
            return no(REFUTED, "item code stops in a debugger, which a worker has no terminal for", call)
    for instance in objects(loader):
        assert isinstance(instance.maker, ClassValue)
        node = instance.maker.node
        early = _reached_early(semantics, instance.maker)
        for name in items.stored_names(semantics, node):
            for store in stores(semantics, node, name):
                if store.value is None:
                    continue
                for value in semantics.evaluate(store.value).of(Instance):
                    if _is_handle(semantics, value) and (store.statement.function in early or store.statement.function is None):
                        return no(REFUTED, f"self.{name} is open in the main process: workers would share it or could not get it", store.statement)
                if isinstance(store.value, ir.Comprehension) and store.value.kind == "generator":
                    return no(REFUTED, f"self.{name} is a generator, which can't be sent to a worker", store.statement)
    for value in loader.dataset.values.of(Instance):
        if value.call is None:
            continue
        for argument in value.call.arguments:
            for given in semantics.evaluate(argument.value).of(Instance):
                if _is_handle(semantics, given):
                    return no(REFUTED, f"the dataset holds {text(given.call)}, which lives in one process", given.call)
    return YES


def _is_handle(semantics: Semantics, value: Instance) -> bool:
    if isinstance(value.maker, External):
        if value.maker.name == "numpy.load":
            return True  # only what holds its file is seen as an object
        return value.maker.name in item_calls.HANDLES
    return bool(set(lineage(semantics, value.maker.node).externals) & item_calls.HANDLES)


def _reached_early(semantics: Semantics, maker: ClassValue) -> set[ir.Function]:
    """The methods that run in the main process before workers start: the constructor, `len`, and what they call."""
    found: set[ir.Function] = set()
    todo = [m for name in ("__init__", "__len__", "setup", "__post_init__") for m in [lookup(semantics, maker, name)] if m is not None]
    while todo:
        function = todo.pop()
        if function in found:
            continue
        found.add(function)
        for node in ir.walk_block(function.body):
            if isinstance(node, ir.Call):
                todo += semantics.functions_of(node)
            elif isinstance(node, ir.Attribute) and isinstance(node.value, ir.Name) and node.value.id == self_name(function):
                method = lookup(semantics, maker, node.name)
                if method is not None and any("property" in ir.dotted(d) for d in method.decorators):
                    todo.append(method)
    return found


def no_cuda_in_items(loader: Loader) -> Answer:
    moved = loader.moves_in_items
    if moved is not None:
        return no(REFUTED, "item code works on an accelerator", moved)
    if loader.holds_device_data:
        return no(REFUTED, "the dataset holds tensors on an accelerator", loader.dataset.node)
    if _default_device(loader) is not None:
        return no(REFUTED, "new tensors are made on an accelerator by default", _default_device(loader))
    return YES


def _default_device(loader: Loader) -> ir.Call | None:
    for module in program(loader.semantics, loader.call.module):
        for word in ("set_default_device", "set_default_tensor_type"):
            for call in module.calls.get(word, ()):
                return call
    return None


def calls(function: ir.Function) -> Iterator[ir.Call]:
    for node in ir.walk_block(function.body):
        if isinstance(node, ir.Call):
            yield node


def objects(loader: Loader) -> list[Instance]:
    """The objects of project classes that workers get: datasets, transforms, collate objects."""
    found = [v for v in loader.item_code.values if isinstance(v, Instance) and isinstance(v.maker, ClassValue)]
    for value in list(found):
        assert isinstance(value.maker, ClassValue)
        for name in items.stored_names(loader.semantics, value.maker.node):
            for inner in attribute(loader.semantics, value, name).of(Instance):
                if isinstance(inner.maker, ClassValue) and all(inner.maker != f.maker for f in found):
                    found.append(inner)
    return found


def _read_in_items(loader: Loader, name: str) -> bool:
    return any(
        isinstance(node, ir.Attribute) and node.name == name
        for function in loader.item_code.functions
        for node in ir.walk_block(function.body)
    )


def frozen_dataset(loader: Loader) -> Answer:
    changed = _changed_by_main(loader)
    if changed is not None:
        return no(REFUTED, "the dataset is changed after the loader was made: workers that stay would not see it", changed)
    semantics = loader.semantics
    for module in program(semantics, loader.call.module):
        for stores_ in module.attribute_stores.values():
            for store in stores_:
                holder = store.target.value
                if isinstance(holder, ir.Attribute) and holder.name == "dataset" and store.statement.function is not None:
                    return no(REFUTED, "the dataset is changed through the loader", store.statement)
        for call in module.calls.get("set_epoch", ()):
            receiver = call.receiver
            if receiver is not None and "sampler" not in ir.dotted(receiver).lower() and not ir.dotted(receiver).lower().endswith("loader"):
                return no(UNKNOWN, "set_epoch may change the dataset of workers that stay", call)
    if loader.item_code.unknown:
        return Answer(UNKNOWN, (loader.item_code.unknown[0],))
    return YES


def unchanged_dataset(loader: Loader) -> Answer:
    """For a loader that is made once instead of in each iteration: what it was made from stays as it is."""
    changed = _changed_by_main(loader)
    if changed is not None:
        return no(REFUTED, "the dataset changes between the iterations", changed)
    return no(UNKNOWN, "one loader would be iterated over again and again: what its dataset keeps is kept too")
