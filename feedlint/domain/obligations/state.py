"""Whether each worker may have its own copy of the dataset: what item code changes, and what lives in one process only."""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import REFUTED, UNKNOWN
from ...ir import nodes as ir
from ...knowledge import item_calls
from ...semantics.classes import lineage, lookup, self_name, stores
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
from .changes import changes
from .main_process import changed_dataset, changed_global
from .objects import objects


def no_own_generator(loader: Loader) -> Answer:
    """No generator that was made before the sample is drawn from: every worker would have the same copy of it."""
    semantics = loader.semantics
    functions = loader.item_code.functions
    for function in functions:
        for node in ir.walk_block(function.body):
            if isinstance(node, (ir.Name, ir.Attribute, ir.Index)):
                for value in semantics.evaluate(node).of(Instance):
                    if _is_generator(value) and (value.call is None or value.call.function not in functions):
                        return no(REFUTED, f"every worker would repeat the numbers of {ir.dotted(node) or 'a generator'}", value.call)
    return YES


def _is_generator(value: Instance) -> bool:
    return isinstance(value.maker, External) and value.maker.name in item_calls.OWN_GENERATORS


def stateless_items(loader: Loader) -> Answer:
    semantics = loader.semantics
    functions = loader.item_code.functions
    for function in functions:
        for place, changed in changes(semantics, function, functions):
            return no(UNKNOWN, f"item code changes {changed}, in each worker for itself", place)
        for decorator in function.decorators:
            called = decorator.function_expression if isinstance(decorator, ir.Call) else decorator
            if ir.dotted(called).rpartition(".")[2] in ("lru_cache", "cache", "memoize"):
                return no(UNKNOWN, f"{function.name} remembers its results, in each worker for itself", function)
    for name, call in loader.item_code.externals.items():
        if name in item_calls.WRITES_FILES or (name in ("builtins.open", "path.open") and _opens_to_write(semantics, name, call)):
            return no(UNKNOWN, f"item code changes files: {text(call)}", call)
    changed_later = changed_dataset(loader)
    if changed_later is not None:
        return no(UNKNOWN, "the main process changes the dataset after it was made", changed_later)
    return YES


def _opens_to_write(semantics: Semantics, name: str, call: ir.Call) -> bool:
    mode = call.argument("mode", 1 if name == "builtins.open" else 0)
    return mode is not None and not semantics.evaluate(mode).are_all("r", "rb", "rt")


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
        opened = _opened_on_the_way(semantics, instance.maker)
        if opened is not None:
            used = _used_in_main(loader, instance)
            if used is not None:
                return no(REFUTED, "this opens what workers would then share", used)
    functions = loader.item_code.functions
    for function in functions:
        names = (node for node in ir.walk_block(function.body) if isinstance(node, ir.Name))
        for part in names:
            for held in semantics.evaluate(part).of(Instance):
                if _is_handle(semantics, held) and held.call is not None and held.call.function is None:
                    return no(REFUTED, f"{part.id} is open in the main process: workers would share it", held.call)
    for value in loader.dataset.values.of(Instance):
        if value.call is None:
            continue
        for argument in value.call.arguments:
            for given in semantics.evaluate(argument.value).of(Instance):
                if _is_handle(semantics, given):
                    return no(REFUTED, f"the dataset holds {text(given.call)}, which lives in one process", given.call)
    return YES


def _opened_on_the_way(semantics: Semantics, maker: ClassValue) -> ir.Function | None:
    """A method that opens something when it is first needed, and keeps it."""
    for each in lineage(semantics, maker.node).classes:
        for method in each.methods:
            keeps = any("cached" in ir.dotted(d) for d in method.decorators)
            if keeps and any(_is_handle(semantics, v) for v in semantics.results(method).of(Instance)):
                return method
            for node in ir.walk_block(method.body):
                if isinstance(node, ir.Assign) and any(isinstance(target, ir.Attribute) for target in node.targets):
                    if any(_is_handle(semantics, v) for v in semantics.evaluate(node.value).of(Instance)):
                        return method
    return None


def _used_in_main(loader: Loader, instance: Instance) -> ir.Node | None:
    """A place outside of item code that takes a sample, or calls a method, of the object itself."""
    semantics = loader.semantics
    own = {f for each in lineage(semantics, instance.maker.node).classes for f in each.methods} if isinstance(instance.maker, ClassValue) else set()
    for module in program(semantics, loader.call.module):
        for node in ir.walk(module):
            if isinstance(node, (ir.Index, ir.For, ir.Attribute)) and not any(a in own for a in node.ancestors() if isinstance(a, ir.Function)):
                used = node.iterable if isinstance(node, ir.For) else node.value
                if instance in semantics.evaluate(used).values:
                    return node
    return None


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


def _read_in_items(loader: Loader, name: str) -> bool:
    return any(
        isinstance(node, ir.Attribute) and node.name == name
        for function in loader.item_code.functions
        for node in ir.walk_block(function.body)
    )


def frozen_dataset(loader: Loader) -> Answer:
    changed = changed_dataset(loader)
    if changed is not None:
        return no(REFUTED, "the dataset is changed after the loader was made: workers that stay would not see it", changed)
    changed = changed_global(loader)
    if changed is not None:
        return no(UNKNOWN, "a global that item code reads is changed: workers that stay would not see it", changed)
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
    changed = changed_dataset(loader)
    if changed is not None:
        return no(REFUTED, "the dataset changes between the iterations", changed)
    return no(UNKNOWN, "one loader would be iterated over again and again: what its dataset keeps is kept too")
