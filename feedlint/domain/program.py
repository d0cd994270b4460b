"""The program around a module: the files that run together with it, and facts about the whole of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..ir import nodes as ir
from ..knowledge import item_calls
from ..semantics.callers import callers
from ..semantics.evaluation import Semantics
from ..semantics.values import ClassValue, ModuleValue


def imported_by(semantics: Semantics, module: ir.Module) -> list[ir.Module]:
    """The modules of the project that this one imports directly."""
    key = ("imports of", module)
    if key not in semantics.cache:
        found: dict[str, ir.Module] = {}
        for statement in _import_statements(module):
            for path in _targets(semantics, module, statement):
                other = semantics.project.module(path)
                if other is not None and other is not module:
                    found[path] = other
        semantics.cache[key] = list(found.values())
    return semantics.cache[key]  # type: ignore[no-any-return]


def _import_statements(module: ir.Module) -> Iterator[ir.Import | ir.ImportFrom]:
    seen: set[int] = set()
    scopes = [module.inner_scope, *(f.inner_scope for f in module.functions)]
    for scope in scopes:
        for bindings in scope.bindings.values():
            for binding in bindings:
                node = binding.node
                if isinstance(node, (ir.Import, ir.ImportFrom)) and id(node) not in seen:
                    seen.add(id(node))
                    yield node
        yield from scope.star_imports


def _targets(semantics: Semantics, module: ir.Module, statement: ir.Import | ir.ImportFrom) -> Iterator[str]:
    resolve = semantics.project.imports.resolve
    if isinstance(statement, ir.Import):
        for name, _ in statement.names:
            found = resolve(module.path, name, 0)
            if isinstance(found, ModuleValue) and found.path:
                yield found.path
        return
    found = resolve(module.path, statement.source, statement.level)
    if isinstance(found, ModuleValue):
        if found.path:
            yield found.path
        for name, _ in statement.names:
            if found.folder:
                inner = semantics.project.imports.module(found.folder, name)
                if inner is not None and inner.path:
                    yield inner.path


def importers(semantics: Semantics, module: ir.Module) -> list[ir.Module]:
    """The modules of the project that import this one directly."""
    key = ("importers of", module)
    if key not in semantics.cache:
        stem = module.path.rpartition("/")[2].rpartition(".")[0]
        if stem == "__init__":
            stem = module.path.split("/")[-2]
        found = []
        for other in semantics.project.modules_mentioning(stem) if stem.isidentifier() else ():
            if other is not module and module in imported_by(semantics, other):
                found.append(other)
        semantics.cache[key] = found
    return semantics.cache[key]  # type: ignore[no-any-return]


def programs_of(semantics: Semantics, nodes: Iterable[ir.Node], module: ir.Module) -> tuple[ir.Module, ...]:
    """What is imported by the programs that may run these nodes; where that is not known, all that touches the module."""
    starts: dict[ir.Module, None] = {}
    for node in nodes:
        found = _started_from(semantics, node, 8)
        if found is None:
            return program(semantics, module)
        starts.update(found)
    whole = dict.fromkeys([*starts, module])
    todo = list(whole)
    while todo:
        for other in imported_by(semantics, todo.pop()):
            if other not in whole:
                whole[other] = None
                todo.append(other)
    return tuple(whole)


def _started_from(semantics: Semantics, node: ir.Node, depth: int) -> dict[ir.Module, None] | None:
    """The modules whose own statements lead to a node, None if it may be reached from elsewhere."""
    function = node.function
    if function is None:
        return {node.module: None}
    known = callers(semantics, function)
    if depth <= 0 or known.open or not known.sites:
        return None
    starts: dict[ir.Module, None] = {}
    for site in known.sites:
        found = _started_from(semantics, site.call, depth - 1)
        if found is None:
            return None
        starts.update(found)
    return starts


def program(semantics: Semantics, module: ir.Module) -> tuple[ir.Module, ...]:
    """The module, all that import it, and all that those import: what may run in one process with it."""
    key = ("program", module)
    if key not in semantics.cache:
        above: dict[ir.Module, None] = {module: None}
        todo = [module]
        while todo:
            for other in importers(semantics, todo.pop()):
                if other not in above:
                    above[other] = None
                    todo.append(other)
        whole = dict(above)
        todo = list(above)
        while todo:
            for other in imported_by(semantics, todo.pop()):
                if other not in whole:
                    whole[other] = None
                    todo.append(other)
        semantics.cache[key] = tuple(whole)
    return semantics.cache[key]  # type: ignore[no-any-return]


def seeding(semantics: Semantics, module: ir.Module) -> ir.Expression | None:
    """A call by which the program seeds a random stream, None if it seeds nothing."""
    key = ("seeding", module)
    if key not in semantics.cache:
        semantics.cache[key] = next(_seeding_calls(semantics, module), None)
    return semantics.cache[key]  # type: ignore[no-any-return]


def _seeding_calls(semantics: Semantics, module: ir.Module) -> Iterator[ir.Expression]:
    for other in program(semantics, module):
        for word in item_calls.SEEDING_WORDS:
            for call in other.calls.get(word, ()):
                if semantics.names_of(call.function_expression) & item_calls.SEEDING_CALLS or call.method in ("manual_seed", "seed_everything", "manual_seed_all"):
                    yield call
            # Handed on to something that calls it.
            for use in (*other.names.get(word, ()), *other.attributes.get(word, ())):
                if not (isinstance(use.parent, ir.Call) and use.parent.function_expression is use):
                    if semantics.names_of(use) & item_calls.SEEDING_CALLS:
                        yield use


def is_main_guard(test: ir.Expression) -> bool:
    """`__name__ == "__main__"`, also as a part of a conjunction."""
    if isinstance(test, ir.Boolean) and test.operator == "and":
        return any(is_main_guard(part) for part in test.values)
    if not isinstance(test, ir.Compare) or test.operators != ["=="]:
        return False
    sides = (test.left, test.others[0])
    return any(isinstance(s, ir.Name) and s.id == "__name__" for s in sides) and any(
        isinstance(s, ir.Constant) and s.value == "__main__" for s in sides
    )


def runs_only_when_started(semantics: Semantics, node: ir.Node, depth: int = 8) -> bool:
    """Whether a node runs only below `if __name__ == "__main__"`, never when its file is imported."""
    key = ("guarded", node)
    if key in semantics.cache:
        return semantics.cache[key]  # type: ignore[no-any-return]
    semantics.cache[key] = True  # recursion adds nothing
    semantics.cache[key] = result = _guarded(semantics, node, depth)
    return result


def _guarded(semantics: Semantics, node: ir.Node, depth: int) -> bool:
    child: ir.Node = node
    for ancestor in node.ancestors():
        if isinstance(ancestor, ir.If) and isinstance(child, ir.Statement) and child.block is ancestor.body:
            if is_main_guard(ancestor.test):
                return True
        elif isinstance(ancestor, ir.Function) and ancestor.encloses(child):
            if depth <= 0:
                return False
            known = callers(semantics, ancestor)
            sites = [site.call for site in known.sites]
            owner = ancestor.owner_class
            if not sites and owner is not None:
                sites = _constructions(semantics, owner)
            # A function that nobody in the project calls is run by importing programs at most: with their own guard.
            return bool(sites) and all(runs_only_when_started(semantics, call, depth - 1) for call in sites)
        child = ancestor
    return False


def _constructions(semantics: Semantics, owner: ir.Class) -> list[ir.Call]:
    """The calls that make an instance of a class."""
    found = []
    for module in semantics.project.modules_mentioning(owner.name):
        for call in module.calls.get(owner.name, ()) if module else ():
            if any(v.node is owner for v in semantics.evaluate(call.function_expression).of(ClassValue)):
                found.append(call)
    return found
