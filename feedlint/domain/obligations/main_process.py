"""What the main process changes after workers got their copy of it: the dataset, what it was made from, globals it reads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ...ir import nodes as ir
from ...semantics.callers import callers
from ...semantics.classes import foreign_stores, lineage, self_name, stores
from ...semantics.evaluation import Semantics
from ...semantics.values import ClassValue, Instance, ModuleValue
from .. import items
from ..loaders import Loader
from ..program import is_main_guard, program
from .changes import changed_by, changed_from_outside, changes
from .objects import objects


def changed_dataset(loader: Loader) -> ir.Node | None:
    """A place in the main process that changes the dataset, or what it holds, after its constructor."""
    semantics = loader.semantics
    for instance in objects(loader):
        assert isinstance(instance.maker, ClassValue)
        node = instance.maker.node
        in_items = set(loader.item_code.functions)
        for name in items.stored_names(semantics, node):
            for store in foreign_stores(semantics, node, name):
                return store.statement
            for use in _uses_from_outside(semantics, instance, name):
                if changed_from_outside(semantics, use) and runs_with(use, loader):
                    return use
        for each in lineage(semantics, node).classes:
            for method in each.methods:
                if method.name.startswith("__") or method in in_items:
                    continue
                if next(changes(semantics, method, (method,)), None) is not None:
                    for site in callers(semantics, method).sites:
                        if not _inside_class(site.call, each) and runs_with(site.call, loader):
                            return site.call
    return _changed_by_name(loader) or _changed_through_loader(loader)


def _uses_from_outside(semantics: Semantics, instance: Instance, name: str) -> Iterator[ir.Attribute]:
    """`dataset.name`, for this dataset, anywhere but in its own methods."""
    for module in semantics.project.modules_mentioning(name):
        for use in module.attributes.get(name, ()):
            if instance in semantics.evaluate(use.value).values:
                yield use


def _inside_class(node: ir.Node, owner: ir.Class) -> bool:
    return any(a is owner for a in node.ancestors())


def runs_with(node: ir.Node, loader: Loader) -> bool:
    """Whether this may run after the loader was made: anything but code that builds the dataset before it."""
    if node.module is loader.call.module and node.function is loader.call.function:
        return node.line > loader.call.line or any(isinstance(a, (ir.For, ir.While)) for a in node.ancestors())
    return True


def _changed_by_name(loader: Loader) -> ir.Node | None:
    """A change of something that has a name in the main process: the dataset itself, or what it was given."""
    semantics = loader.semantics
    for name in _names_of_what_it_holds(loader):
        for use in name.module.names.get(name.id, ()):
            if use.scope is name.scope and changed_from_outside(semantics, use) and runs_with(use, loader):
                return use
    return None


def _names_of_what_it_holds(loader: Loader) -> Iterator[ir.Name]:
    node = loader.dataset.node
    if isinstance(node, ir.Name):
        yield node
        for use in node.module.names.get(node.id, ()):
            parent = use.parent
            if use.scope is node.scope and isinstance(parent, ir.Attribute) and isinstance(parent.parent, ir.Call):
                yield from _names(parent.parent)
    for instance in objects(loader):
        if instance.call is not None:
            yield from _names(instance.call)
            receiver = instance.call.parent
            # `Points().attach(state)`
            while isinstance(receiver, ir.Attribute) and isinstance(receiver.parent, ir.Call):
                yield from _names(receiver.parent)
                receiver = receiver.parent.parent


def _names(call: ir.Call) -> Iterator[ir.Name]:
    for argument in call.arguments:
        if isinstance(argument.value, ir.Name):
            yield argument.value


def _changed_through_loader(loader: Loader) -> ir.Node | None:
    """`loader.dataset.epoch = epoch`."""
    semantics = loader.semantics
    for module in program(semantics, loader.call.module):
        for use in module.attributes.get("dataset", ()):
            if any(v.call is loader.call for v in semantics.evaluate(use.value).of(Instance)) and changed_from_outside(semantics, use):
                return use
    return None


def changed_global(loader: Loader) -> ir.Node | None:
    """A place, not run by importing the file, that changes a name of the module which item code reads."""
    semantics = loader.semantics
    modules = program(semantics, loader.call.module)
    for module, name in _globals_read(loader):
        known_as = dict.fromkeys([name, *(other for each in modules for other in each.renamed.get(name, ()))])
        for other in modules:
            for each in known_as:
                if other is not module and not _imports(other, each):
                    continue
                for use in other.names.get(each, ()):
                    if _runs_later(use) and use.function not in loader.item_code.functions and changed_from_outside(semantics, use):
                        return use
    return None


def changed_class(loader: Loader) -> ir.Node | None:
    """Where a method changes its class instead of its object: a class is found again by its name, not sent."""
    semantics = loader.semantics
    for instance in objects(loader):
        assert isinstance(instance.maker, ClassValue)
        for each in lineage(semantics, instance.maker.node).classes:
            for method in each.methods:
                own = self_name(method)
                is_class = any(ir.dotted(d) == "classmethod" for d in method.decorators)
                for node in ir.walk_block(method.body):
                    for changed in changed_by(semantics, node):
                        if (is_class and _root_name(changed) == own) or _means_class(changed, own):
                            return node
                        if _is_kept_by_class(semantics, each, changed, own):
                            return node
    return None


def _means_class(expression: ir.Expression, own: str) -> bool:
    """`type(self).x`, `self.__class__.x`."""
    node: Any = expression
    while isinstance(node, (ir.Attribute, ir.Index)):
        if isinstance(node, ir.Attribute) and node.name == "__class__":
            return True
        node = node.value
    return isinstance(node, ir.Call) and isinstance(node.function_expression, ir.Name) and node.function_expression.id == "type"


def _is_kept_by_class(semantics: Semantics, node: ir.Class, changed: ir.Expression, own: str) -> bool:
    """Whether `self.name` is a container that the class body made, and no object has its own."""
    while isinstance(changed, ir.Index):
        changed = changed.value
    if not isinstance(changed, ir.Attribute) or not (isinstance(changed.value, ir.Name) and changed.value.id == own):
        return False
    is_assigned = isinstance(changed.parent, (ir.Assign, ir.AugmentedAssign))
    return not is_assigned and changed.name in node.inner_scope.bindings and not list(stores(semantics, node, changed.name))


def _root_name(expression: ir.Expression) -> str:
    node: Any = expression
    while isinstance(node, (ir.Attribute, ir.Index)):
        node = node.value
    return node.id if isinstance(node, ir.Name) else ""


def changed_module(loader: Loader) -> ir.Node | None:
    """A module whose attribute item code reads (`settings.scale`), where that attribute gets its value only later."""
    semantics = loader.semantics
    for function in loader.item_code.functions:
        for node in ir.walk_block(function.body):
            if not isinstance(node, ir.Attribute):
                continue
            for value in semantics.evaluate(node.value).of(ModuleValue):
                other = semantics.project.module(value.path) if value.path else None
                for binding in other.inner_scope.bindings.get(node.name, ()) if other is not None else ():
                    if binding.node.function is not None or below_guard(binding.node):
                        return binding.node
                for module in program(semantics, loader.call.module):
                    for store in module.attribute_stores.get(node.name, ()):
                        if value in semantics.evaluate(store.target.value).values and _runs_later(store.statement):
                            return store.statement
    return None


def _globals_read(loader: Loader) -> dict[tuple[ir.Module, str], None]:
    """The names of modules that item code reads, with the classes of what workers get."""
    found: dict[tuple[ir.Module, str], None] = {}
    for function in loader.item_code.functions:
        top = function.module.inner_scope
        for node in ir.walk_block(function.body):
            if isinstance(node, ir.Name) and node.id in top.bindings and _scope_of(node) is top:
                found[function.module, node.id] = None
                for binding in top.bindings[node.id]:
                    if binding.imported is not None and binding.imported[2] is not None:
                        found.update(dict.fromkeys(_defined_in(loader.semantics, node)))
    for instance in objects(loader):
        assert isinstance(instance.maker, ClassValue)
        for each in lineage(loader.semantics, instance.maker.node).classes:
            found[each.module, each.name] = None
    return found


def _defined_in(semantics: Semantics, name: ir.Name) -> list[tuple[ir.Module, str]]:
    """Where a class or another thing with a place of its own comes from."""
    return [(v.node.module, v.node.name) for v in semantics.evaluate(name).of(ClassValue)]


def _scope_of(name: ir.Name) -> ir.Scope | None:
    scope: ir.Scope | None = name.scope
    while scope is not None:
        if name.id in scope.bindings and name.id not in scope.globals:
            return scope
        scope = scope.parent
    return None


def _imports(module: ir.Module, name: str) -> bool:
    return any(binding.imported is not None for binding in module.inner_scope.bindings.get(name, ()))


def _runs_later(node: ir.Node) -> bool:
    """Whether code does not run when its file is imported."""
    return node.function is not None or below_guard(node)


def below_guard(node: Any) -> bool:
    return any(isinstance(a, ir.If) and is_main_guard(a.test) for a in node.ancestors())
