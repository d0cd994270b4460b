"""Evaluates expressions of a project to value sets.

Flow-sensitive for names within a function, insensitive to the calling context: a parameter is the union of what all
visible callers give it. Everything is asked on demand and remembered; a cycle contributes nothing to itself.
"""

from __future__ import annotations

import builtins
import operator
import sys
from collections.abc import Callable
from typing import Any, Protocol

from ..ir import nodes as ir
from . import bindings as reach
from .imports import ImportResolver
from .values import (
    COMPUTED,
    LITERAL,
    NOTHING,
    UNKNOWN,
    Batch,
    ClassValue,
    Device,
    Document,
    External,
    FunctionValue,
    Instance,
    Items,
    Iterator,
    Known,
    Mapping,
    Method,
    ModuleValue,
    Options,
    Origin,
    Partial,
    Scalar,
    Tensor,
    Value,
    ValueSet,
    one,
    union,
)

_BUILTINS = frozenset(dir(builtins))
_DEPTH = 120  # nested evaluations; deeper chains are given up as unknown

_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
}
_COMPARISON: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


class ProjectView(Protocol):
    """What the semantic layer asks of a project."""

    @property
    def root(self) -> str: ...
    @property
    def imports(self) -> ImportResolver: ...
    @property
    def facts(self) -> Any: ...
    @property
    def files(self) -> tuple[str, ...]: ...
    @property
    def installable(self) -> bool: ...
    def module(self, path: str) -> ir.Module | None: ...
    def modules_mentioning(self, word: str) -> tuple[ir.Module, ...]: ...
    def bytes_of(self, path: str) -> bytes | None: ...
    def exists(self, path: str) -> bool: ...
    def line_of(self, path: str, line: int) -> str: ...


class Semantics:
    """Evaluates expressions of one project. Holds what it found out; everything else is in modules beside this one."""

    def __init__(self, project: ProjectView) -> None:
        from . import callers, calls, classes, options  # they need this module's names; bound once per project

        # An evaluation takes up to a dozen frames, and `_DEPTH` of them may be nested.
        sys.setrecursionlimit(max(sys.getrecursionlimit(), 6000))
        self.project = project
        self._calls = calls
        self._classes = classes
        self._options = options
        self._callers = callers
        self._memo: dict[Any, ValueSet] = {}
        self._active: dict[Any, int] = {}
        self._lowest = _DEPTH + 1  # depth of the outermost thing that the current evaluation rests on
        self._asked_itself: set[Any] = set()
        self._seeds: dict[Any, ValueSet] = {}
        self._provisional: dict[Any, tuple[ValueSet, int]] = {}
        self._trail: list[Any] = []
        self.cache: dict[Any, Any] = {}  # for the modules beside this one

    # --- the demand-driven core

    def evaluate(self, expression: ir.Expression | None) -> ValueSet:
        """All values that an expression was seen to have."""
        if expression is None:
            return NOTHING
        known = self._memo.get(expression)
        return self.remember(expression, self._evaluate) if known is None else known

    def remember(self, key: Any, compute: Callable[[Any], ValueSet]) -> ValueSet:
        """`compute(key)`, once; a key that asks for itself gets what the round before found, first nothing.

        Results that rest on something still being evaluated are provisional. When the outermost member of such a cycle
        is done, the cycle is evaluated once more with what was found, and only then remembered for good.
        """
        known = self._memo.get(key)
        if known is not None:
            return known
        active = self._active
        started = active.get(key)
        if started is not None:
            self._lowest = min(self._lowest, started)
            self._asked_itself.add(key)
            return self._seeds.get(key, NOTHING)
        provisional = self._provisional.get(key)
        if provisional is not None:
            self._lowest = min(self._lowest, provisional[1])
            return provisional[0]
        depth = len(active)
        if depth > _DEPTH:
            self._lowest = 0  # nothing above may be taken as complete
            return UNKNOWN
        outer_lowest = self._lowest
        mark = len(self._trail)
        self._lowest = depth
        active[key] = depth
        try:
            result = compute(key)
            if self._lowest >= depth and key in self._asked_itself:
                self._seeds[key] = result
                self._forget_after(mark)
                result = result | compute(key)
        finally:
            del active[key]
        lowest = self._lowest
        if lowest >= depth:
            self._memo[key] = result
            for each in self._trail[mark:]:
                entry = self._provisional.pop(each, None)
                if entry is not None:
                    self._memo[each] = entry[0]
            del self._trail[mark:]
            self._seeds.pop(key, None)
            self._asked_itself.discard(key)
            self._lowest = outer_lowest
        else:
            self._provisional[key] = (result, lowest)
            self._trail.append(key)
            self._lowest = min(outer_lowest, lowest)
        return result

    def _forget_after(self, mark: int) -> None:
        for each in self._trail[mark:]:
            self._provisional.pop(each, None)
        del self._trail[mark:]

    def _evaluate(self, expression: Any) -> ValueSet:
        handler = _HANDLERS.get(type(expression))
        return handler(self, expression) if handler else UNKNOWN

    # --- literals and operators

    def _constant(self, node: ir.Constant) -> ValueSet:
        if node.value is ...:
            return UNKNOWN
        return one(Known(node.value, Origin(LITERAL, None, "", node)))

    def _template(self, node: ir.Template) -> ValueSet:
        return one(Scalar("str"))

    def _display(self, node: ir.Display) -> ValueSet:
        if any(isinstance(item, ir.Star) for item in node.items):
            return UNKNOWN
        return one(Items(node.kind, tuple(self.evaluate(item) for item in node.items), node))

    def _dictionary(self, node: ir.Dictionary) -> ValueSet:
        entries: dict[str, ValueSet] = {}
        is_open = False
        for key, value in zip(node.keys, node.values):
            if key is None:
                is_open |= self._spread(self.evaluate(value), entries)
                continue
            names = self.evaluate(key).constants
            if names is None or len(names) != 1 or not isinstance(names[0], str):
                is_open = True
                continue
            entries[names[0]] = self.evaluate(value)
        return one(Mapping(entries, is_open, node))

    def _spread(self, values: ValueSet, into: dict[str, ValueSet]) -> bool:
        """Add the entries of a mapping that is spread into another; True if it may hold others."""
        mapping = self.as_mapping(values)
        if mapping is None:
            return True
        into.update(mapping.entries)
        return mapping.open

    def as_mapping(self, values: ValueSet) -> Mapping | None:
        """The mapping that a `**spread` hands over, as far as it is known."""
        if values.open or not values.values:
            return None
        mappings = [self._one_mapping(value) for value in values.values]
        if any(m is None for m in mappings):
            return None
        first, *others = [m for m in mappings if m is not None]
        if not others:
            return first
        names = set(first.entries).union(*(m.entries for m in others))
        entries = {}
        is_open = first.open or any(m.open for m in others)
        for name in names:
            found = [m.entries.get(name) for m in (first, *others)]
            entry = union(f for f in found if f is not None)
            # Some of the alternatives lack the key: what the callee's default says then is not known here.
            entries[name] = entry if None not in found else entry.opened()
        return Mapping(entries, is_open)

    def _one_mapping(self, value: Value) -> Mapping | None:
        if isinstance(value, Mapping):
            return value
        if isinstance(value, Document):
            return value.content.as_mapping()  # type: ignore[no-any-return]
        if isinstance(value, Options):
            return self._options.all_options(self, value)
        if isinstance(value, Instance) and isinstance(value.maker, ClassValue):
            return self._classes.fields_as_mapping(self, value)
        return None

    def _index(self, node: ir.Index) -> ValueSet:
        base = self.evaluate(node.value)
        if isinstance(node.index, ir.Slice):
            return union(self._sliced(value, node) for value in base.values) | ValueSet((), base.open)
        keys = self.evaluate(node.index)
        constants = keys.constants
        found = union(self._item(value, constants, node) for value in base.values)
        found = found | self._stored_items(node, constants)
        return found.opened() if base.open else found

    def _stored_items(self, node: ir.Index, constants: list[Any] | None) -> ValueSet:
        """What the same code assigned to the same key before: `config["workers"] = 4`."""
        if not constants or len(constants) != 1:
            return NOTHING
        found = NOTHING
        for target, statement in node.module.index_stores:
            if target is node or not isinstance(statement, ir.Assign) or statement.value is None:
                continue
            if target not in statement.targets or ir.dotted(target.value) != ir.dotted(node.value) or not ir.dotted(node.value):
                continue
            if target.scope is not node.scope:
                continue
            if self.evaluate(target.index).constants == constants:
                found = found | self.evaluate(statement.value)
        return found

    def _sliced(self, value: Value, node: ir.Index) -> ValueSet:
        if isinstance(value, Items):
            return one(Items(value.kind, (union(value.items),) if value.items else (), node))
        if isinstance(value, Known) and isinstance(value.value, str):
            return one(Scalar("str"))
        if isinstance(value, (Tensor, Batch, Scalar)):
            return self._calls.indexed(value, ())
        return UNKNOWN

    def _item(self, value: Value, constants: list[Any] | None, node: ir.Node) -> ValueSet:
        if isinstance(value, Items):
            if constants and all(isinstance(c, int) and -len(value.items) <= c < len(value.items) for c in constants):
                return union(value.items[c] for c in constants)
            return union(value.items)
        if isinstance(value, Mapping):
            if constants is None:
                return union(value.entries.values()).opened()
            return union(value.entries.get(c, UNKNOWN) for c in constants)
        if isinstance(value, Document):
            if constants is None:
                return UNKNOWN
            return union(value.content.child(c) for c in constants)
        if isinstance(value, Options):
            if constants is None:
                return UNKNOWN
            return union(self._options.option(self, value, c) for c in constants if isinstance(c, str))
        if isinstance(value, Instance):
            if isinstance(value.maker, ClassValue):
                method = self._classes.lookup(self, value.maker, "__getitem__")
                if method is not None:
                    return self.results(method)
            return UNKNOWN
        return self._calls.indexed(value, tuple(constants or ()))

    def _binary(self, node: ir.Binary) -> ValueSet:
        return self.arithmetic(node.operator, self.evaluate(node.left), self.evaluate(node.right))

    def arithmetic(self, symbol: str, left: ValueSet, right: ValueSet) -> ValueSet:
        """The values of `left symbol right`."""
        found = NOTHING
        for a in left.values:
            for b in right.values:
                found = found | self._one_arithmetic(symbol, a, b)
        if left.open or right.open:
            tensors = [v for v in (*left.values, *right.values) if isinstance(v, Tensor)]
            found = (found | self._calls.combined(tensors)) if tensors else found
            found = found.opened()
        return found

    def _one_arithmetic(self, symbol: str, a: Value, b: Value) -> ValueSet:
        tensors = [v for v in (a, b) if isinstance(v, (Tensor, Batch))]
        if tensors:
            return self._calls.combined(tensors)
        if symbol == "/":
            path = self._calls.joined_path(a, b)
            if path is not None:
                return path
        if isinstance(a, Known) and isinstance(b, Known):
            function = _ARITHMETIC.get(symbol)
            if function is None:
                return one(Scalar("number"))
            try:
                result = function(a.value, b.value)
                hash(result)
            except Exception:
                return UNKNOWN
            if isinstance(result, (str, bytes)) and len(result) > 1000:
                return one(Scalar("str"))
            origin = a.origin.weakest(b.origin)
            kind = COMPUTED if origin.kind == LITERAL else origin.kind
            return one(Known(result, Origin(kind, origin.place, origin.note, origin.node)))
        if isinstance(a, Items) and isinstance(b, Items) and symbol == "+":
            return one(Items(a.kind, a.items + b.items, a.node))
        for value in (a, b):
            if isinstance(value, Scalar):
                return one(value)
        return UNKNOWN

    def _unary(self, node: ir.Unary) -> ValueSet:
        operand = self.evaluate(node.operand)
        if node.operator == "not":
            truths = [truth(v) for v in operand.values]
            if operand.open or not truths or None in truths:
                return one(Scalar("bool"))
            return union(one(Known(not t, Origin(COMPUTED, None, "", node))) for t in truths)
        found = NOTHING
        for value in operand.values:
            if isinstance(value, Known) and isinstance(value.value, (int, float)) and node.operator in "-+":
                found = found | one(Known(-value.value if node.operator == "-" else value.value, value.origin))
            elif isinstance(value, (Tensor, Batch)):
                found = found | self._calls.combined([value])
            else:
                found = found | one(Scalar("number"))
        return found.opened() if operand.open else found

    def _boolean(self, node: ir.Boolean) -> ValueSet:
        """`a or b`: what is known to be truthy ends it, what is known to be falsy is never the result of `or`."""
        found = NOTHING
        for position, part in enumerate(node.values):
            values = self.evaluate(part)
            if position == len(node.values) - 1:
                return found | values
            goes_on = values.open
            for value in values.values:
                known = truth(value)
                stops = known if node.operator == "or" else (None if known is None else not known)
                if stops is None or stops:
                    found = found | one(value)
                if stops is not True:
                    goes_on = True
            if values.open:
                found = found.opened()
            if not goes_on and values.values:
                return found
        return found

    def _compare(self, node: ir.Compare) -> ValueSet:
        left = self.evaluate(node.left)
        right = self.evaluate(node.others[0])
        for value in (*left.values, *right.values):
            if isinstance(value, (Tensor, Batch)) and node.operators[0] not in ("is", "is not", "in", "not in"):
                return self._calls.compared([v for v in (*left.values, *right.values) if isinstance(v, (Tensor, Batch))])
        if len(node.others) == 1:
            a, b = left.single, right.single
            function = _COMPARISON.get(node.operators[0])
            if isinstance(a, Known) and isinstance(b, Known):
                try:
                    if function is not None:
                        answer = function(a.value, b.value)
                    elif node.operators[0] in ("is", "is not") and (a.value is None or b.value is None):
                        answer = (a.value is b.value) == (node.operators[0] == "is")
                    else:
                        return one(Scalar("bool"))
                except TypeError:
                    return one(Scalar("bool"))
                if isinstance(answer, bool):
                    weakest = a.origin.weakest(b.origin)
                    kind = COMPUTED if weakest.kind == LITERAL else weakest.kind
                    return one(Known(answer, Origin(kind, weakest.place, weakest.note)))
        return one(Scalar("bool"))

    def _conditional(self, node: ir.Conditional) -> ValueSet:
        known = self.test(node.test)
        if known is True:
            return self.evaluate(node.then)
        if known is False:
            return self.evaluate(node.orelse)
        return self.evaluate(node.then) | self.evaluate(node.orelse)

    def test(self, expression: ir.Expression) -> bool | None:
        """Whether a condition always holds or never does, as far as literals decide; options may be given otherwise."""
        values = self.evaluate(expression)
        if values.open or not values.values:
            return None
        truths = {truth(v) if isinstance(v, Known) and v.origin.kind in (LITERAL, COMPUTED) else None for v in values.values}
        return truths.pop() if len(truths) == 1 else None

    def _lambda(self, node: ir.LambdaExpression) -> ValueSet:
        return one(FunctionValue(node.definition))

    def _star(self, node: ir.Star) -> ValueSet:
        return UNKNOWN

    def _walrus(self, node: ir.Walrus) -> ValueSet:
        return self.evaluate(node.value)

    def _yielding(self, node: ir.Yielding) -> ValueSet:
        return self.evaluate(node.value) if node.kind == "await" else UNKNOWN

    def _comprehension(self, node: ir.Comprehension) -> ValueSet:
        elements = self.evaluate(node.element)
        if node.kind == "dict":
            source = self.evaluate(node.generators[0].iterable)
            batches = [v for s in source.values for v in ([s.source] if isinstance(s, Iterator) else [s]) if isinstance(v, Batch)]
            tensors = [v for v in elements.values if isinstance(v, (Tensor, Batch))]
            if tensors and (batches or not elements.open):
                return union(one(t) for t in tensors)  # a dict of the same things: looking into it gives them again
            return one(Mapping({}, True, node))
        return one(Iterator(elements, held=node.kind != "generator"))

    # --- names

    def _name(self, node: ir.Name) -> ValueSet:
        scope: ir.Scope | None = node.scope
        in_place = True  # still in code that runs where the name stands
        while scope is not None:
            found = scope.bindings.get(node.id)
            if found and node.id not in scope.globals:
                if in_place and scope.kind != "comprehension":
                    reached, settled = reach.reaching(found, node, scope)
                    if settled or reached or scope.kind == "function":
                        return self._changed(union(self.binding(b) for b in reached), node, scope)
                    # Used before it is bound in the module's own order: from a function that runs later.
                return self._changed(union(self.binding(b) for b in found), node, scope)
            if scope.kind != "comprehension":
                in_place = False
            scope = scope.parent
        return self.outer_name(node.module, node.id)

    def _changed(self, values: ValueSet, node: ir.Name, scope: ir.Scope) -> ValueSet:
        """The values with what the same scope does to them in place: lists that grow, dictionaries that are filled."""
        if not any(isinstance(v, (Items, Mapping)) for v in values.values):
            return values
        found = NOTHING
        for value in values.values:
            if isinstance(value, Items) and value.kind == "list":
                found = found | self._grown(value, node, scope)
            elif isinstance(value, Mapping) and not value.maker:
                found = found | one(self._filled(value, node, scope))
            else:
                found = found | one(value)
        return found.opened() if values.open else found

    def _on_name(self, node: ir.Name, scope: ir.Scope, method: str) -> list[ir.Call]:
        """Calls of a method on the same name in the same scope."""
        return [
            call
            for call in node.module.calls.get(method, ())
            if isinstance(call.receiver, ir.Name) and call.receiver.id == node.id and call.receiver.scope is scope
        ]

    def _grown(self, value: Items, node: ir.Name, scope: ir.Scope) -> ValueSet:
        appended = [call.positional[0] for call in self._on_name(node, scope, "append") if call.positional]
        if not appended:
            return one(value)
        elements = self.remember(("appended", node.id, scope.node), lambda _: union(self.evaluate(a) for a in appended))
        return one(Iterator(elements | union(value.items), held=True))

    def _filled(self, value: Mapping, node: ir.Name, scope: ir.Scope) -> Mapping:
        """A dictionary with its later `update(...)` and `d["key"] = value`; what only some paths do leaves it open there."""
        updates = self._on_name(node, scope, "update")
        stores = [
            (target, statement)
            for target, statement in node.module.index_stores
            if isinstance(target.value, ir.Name) and target.value.id == node.id and target.value.scope is scope
        ]
        if not updates and not stores:
            return value
        entries = dict(value.entries)
        is_open = value.open
        for call in updates:
            added: dict[str, ValueSet] = {}
            for given in call.positional:
                is_open |= self._spread(self.evaluate(given), added)
            for argument in call.arguments:
                if argument.star == "**":
                    is_open |= self._spread(self.evaluate(argument.value), added)
                elif argument.keyword is not None:
                    added[argument.keyword] = self.evaluate(argument.value)
            self._put(entries, added, call.statement, node, scope)
        for target, statement in stores:
            keys = self.evaluate(target.index).constants
            if keys is None or not isinstance(statement, ir.Assign) or statement.value is None:
                is_open = True
                continue
            self._put(entries, {k: self.evaluate(statement.value) for k in keys if isinstance(k, str)}, statement, node, scope)
        return Mapping(entries, is_open, value.node, value.maker)

    def _put(
        self, entries: dict[str, ValueSet], added: dict[str, ValueSet], statement: ir.Statement, node: ir.Name, scope: ir.Scope
    ) -> None:
        use = node.statement
        if node.scope is scope and statement.order >= use.order:
            return  # later than the use
        certain = statement.block.owner is scope.node or any(a.block is statement.block for a in (use, *_statements_above(use)))
        for name, values in added.items():
            if certain:
                entries[name] = values
            else:
                entries[name] = (entries[name] | values) if name in entries else values.opened()

    def outer_name(self, module: ir.Module, name: str) -> ValueSet:
        """A name that no scope of the module binds."""
        externals = []
        for statement in module.inner_scope.star_imports:
            source = self.project.imports.resolve(module.path, statement.source, statement.level)
            if isinstance(source, ModuleValue):
                values = self.member(source, name)
                if values.values:
                    return values
            elif isinstance(source, External):
                externals.append(source.name)
        if name in _BUILTINS:
            return one(External("builtins." + name))
        if name == "__file__":
            return one(Known(module.path, Origin(COMPUTED)))
        if name == "__name__":
            return one(Scalar("str"))
        if len(externals) == 1:
            return one(External(f"{externals[0]}.{name}"))
        return UNKNOWN

    def binding(self, binding: ir.Binding) -> ValueSet:
        """What a binding gives its name."""
        kind = binding.kind
        if kind == "assign":
            if binding.value is None:
                return UNKNOWN
            return self.project_path(self.evaluate(binding.value), binding.path)
        if kind == "element":
            return self.project_path(self.elements(binding), binding.path)
        if kind == "function":
            assert isinstance(binding.node, ir.Function)
            return one(FunctionValue(binding.node))
        if kind == "class":
            assert isinstance(binding.node, ir.Class)
            return one(ClassValue(binding.node))
        if kind == "import":
            return self._imported(binding)
        if kind == "parameter":
            return self.parameter(binding)
        if kind == "enter":
            return self.project_path(self._entered(self.evaluate(binding.value)), binding.path)
        if kind == "augmented":
            return self.remember(("augmented", binding.node), lambda _: self._augmented(binding.node))
        if kind == "delete":
            return NOTHING
        return UNKNOWN

    def _entered(self, values: ValueSet) -> ValueSet:
        found = NOTHING
        for value in values.values:
            if isinstance(value, Instance) and isinstance(value.maker, ClassValue):
                method = self._classes.lookup(self, value.maker, "__enter__")
                if method is not None:
                    found = found | self.results(method, receiver=value)
                    continue
            found = found | one(value)
        return found.opened() if values.open else found

    def _augmented(self, node: Any) -> ValueSet:
        assert isinstance(node, ir.AugmentedAssign)
        return self.arithmetic(node.operator, self.evaluate(node.target), self.evaluate(node.value))

    def elements(self, binding: ir.Binding) -> ValueSet:
        """What the target of a loop gets."""
        iterable = binding.value
        values = self.evaluate(iterable)
        found = union(self.element_of(value, iterable) for value in values.values)
        if values.open or not values.values:
            if isinstance(binding.node, ir.For) and self._calls.fetches_batches(binding.node):
                # A loop that steps an optimizer over something unknown: it is fed with batches from somewhere.
                return found | self._calls.unknown_batches(binding.node)
            return found.opened()
        return found

    def element_of(self, value: Value, node: ir.Expression | None = None) -> ValueSet:
        """What iterating over a value gives."""
        if isinstance(value, Iterator):
            return value.elements
        if isinstance(value, Items):
            return union(value.items)
        if isinstance(value, Mapping):
            return one(Scalar("str"))
        if isinstance(value, Known):
            return one(Scalar("str")) if isinstance(value.value, str) else UNKNOWN
        if isinstance(value, (Document,)):
            return value.content.elements()  # type: ignore[no-any-return]
        if isinstance(value, Instance):
            return self._calls.iterated(self, value)
        if isinstance(value, (Tensor, Batch)):
            return self._calls.indexed(value, ("*",))
        if isinstance(value, Scalar):
            return one(Scalar("object"))
        return UNKNOWN

    def project_path(self, values: ValueSet, path: tuple[int | str, ...]) -> ValueSet:
        """Follow an unpacking into a value set."""
        for step in path:
            found = NOTHING
            for value in values.values:
                found = found | self._unpacked(value, step)
            values = found.opened() if values.open else found
        return values

    def _unpacked(self, value: Value, step: int | str) -> ValueSet:
        if isinstance(value, Items):
            if isinstance(step, int) and -len(value.items) <= step < len(value.items):
                return value.items[step]
            return one(Items("list", value.items)) if step == "*" else UNKNOWN
        if isinstance(value, Instance):
            if isinstance(value.maker, External) and not value.path:
                return one(Instance(value.maker, value.call, (step,)))
            return UNKNOWN
        if isinstance(value, Iterator):
            return value.elements
        if isinstance(value, Document):
            return value.content.child(step)  # type: ignore[no-any-return]
        if isinstance(value, Scalar):
            return one(Scalar("object")) if value.kind != "ndarray" else one(value)
        return self._calls.indexed(value, (step,))

    def _imported(self, binding: ir.Binding) -> ValueSet:
        assert binding.imported is not None
        source, level, name = binding.imported
        importer = binding.node.module.path
        if name is None:
            return one(self.project.imports.resolve(importer, source, level))
        module = self.project.imports.resolve(importer, source, level)
        if isinstance(module, External):
            return one(External(f"{module.name}.{name}" if module.name.strip(".") else name))
        assert isinstance(module, ModuleValue)
        return self.member(module, name)

    def member(self, module: ModuleValue, name: str) -> ValueSet:
        """`module.name`: what the module binds, or a submodule."""
        return self.remember(("member", module, name), lambda _: self._member(module, name))

    def _member(self, module: ModuleValue, name: str) -> ValueSet:
        if module.path:
            tree = self.project.module(module.path)
            if tree is None:
                return UNKNOWN
            found = tree.inner_scope.bindings.get(name)
            if found:
                return union(self.binding(b) for b in found)
        folder = module.folder
        if folder:
            submodule = self.project.imports.module(folder, name)
            if submodule is not None:
                return one(submodule)
        if module.path and tree is not None:
            return self.outer_name(tree, name) if tree.inner_scope.star_imports else UNKNOWN
        return UNKNOWN

    # --- parameters and results

    def parameter(self, binding: ir.Binding) -> ValueSet:
        """What the visible callers give a parameter; open where there may be others."""
        assert isinstance(binding.node, ir.Function)
        assert binding.parameter is not None
        return self.remember(
            ("parameter", binding.node, binding.name), lambda _: self._callers.parameter(self, binding.node, binding.parameter)
        )

    def results(self, function: ir.Function, receiver: Value | None = None) -> ValueSet:
        """What calling a function of the project gives."""
        if receiver is not None and self._returns_self(function):
            return one(receiver)
        return self.remember(("results", function), lambda _: self._results(function))

    def _returns_self(self, function: ir.Function) -> bool:
        returns = self.returns(function)
        first = function.parameters[0].name if function.parameters else ""
        return bool(returns) and all(isinstance(r.value, ir.Name) and r.value.id == first and first == "self" for r in returns)

    def returns(self, function: ir.Function) -> list[ir.Return]:
        """The return statements of a function itself."""
        key = ("returns", function)
        if key not in self.cache:
            self.cache[key] = [
                n for n in ir.walk_block(function.body, into_functions=False) if isinstance(n, ir.Return) and n.function is function
            ]
        return self.cache[key]  # type: ignore[no-any-return]

    def _results(self, function: ir.Function) -> ValueSet:
        if function.is_generator:
            found = NOTHING
            for node in ir.walk_block(function.body, into_functions=False):
                if isinstance(node, ir.Yielding) and node.function is function:
                    values = self.evaluate(node.value)
                    if node.kind == "yield":
                        found = found | values
                    elif node.kind == "yieldfrom":
                        found = found | union(self.element_of(v) for v in values.values)
            source = next((v for n in ir.walk_block(function.body) if isinstance(n, ir.For) for v in self.evaluate(n.iterable).of(Instance)), None)
            return one(Iterator(found, source))
        statements = self.returns(function)
        if not statements:
            return one(Known(None, Origin(COMPUTED)))
        found = NOTHING
        for statement in statements:
            if statement.value is None:
                found = found | one(Known(None, Origin(COMPUTED)))
            else:
                found = found | self.evaluate(statement.value)
        return found

    # --- attributes and calls

    def _attribute(self, node: ir.Attribute) -> ValueSet:
        base = self.evaluate(node.value)
        found = union(self.attribute(value, node.name, node) for value in base.values)
        if base.open or not base.values:
            return self._calls.attribute_of_unknown(self, node, found)
        return found

    def attribute(self, value: Value, name: str, node: ir.Attribute | None = None) -> ValueSet:
        """`value.name`."""
        if isinstance(value, ModuleValue):
            return self.member(value, name)
        if isinstance(value, External):
            return one(External(f"{value.name}.{name}"))
        if isinstance(value, Instance):
            return self._classes.attribute(self, value, name)
        if isinstance(value, ClassValue):
            return self._classes.class_attribute(self, value, name)
        if isinstance(value, Options):
            return self._options.option(self, value, name)
        if isinstance(value, Document):
            child: ValueSet = value.content.child(name)
            return child if child.values else one(Method(value, name))
        if isinstance(value, Mapping):
            if value.maker and name in value.entries:
                return value.entries[name]
            if value.maker and value.open and name not in ("get", "items", "keys", "values", "update", "pop"):
                return UNKNOWN
            return one(Method(value, name))
        if isinstance(value, (Tensor, Batch)):
            return self._calls.tensor_attribute(value, name, node)
        if isinstance(value, Device):
            return one(Scalar("str")) if name == "type" else UNKNOWN
        if isinstance(value, FunctionValue):
            return UNKNOWN
        if isinstance(value, Known) and isinstance(value.value, str) and name in ("parent", "name", "stem", "parents"):
            return self._calls.path_part(value, name)
        return one(Method(value, name))

    def _call(self, node: ir.Call) -> ValueSet:
        return self._calls.call(self, node)

    # --- names of what is called

    def names_of(self, expression: ir.Expression) -> set[str]:
        """The qualified names of the things outside of the project that an expression may be."""
        return {v.name for v in self.evaluate(expression).values if isinstance(v, External)}

    def functions_of(self, node: ir.Call) -> list[ir.Function]:
        """The functions of the project that a call may run (constructors included)."""
        found = []
        for value in self.evaluate(node.function_expression).values:
            if isinstance(value, FunctionValue):
                found.append(value.node)
            elif isinstance(value, Partial) and isinstance(value.target, FunctionValue):
                found.append(value.target.node)
            elif isinstance(value, ClassValue):
                constructor = self._classes.lookup(self, value, "__init__")
                if constructor is not None:
                    found.append(constructor)
            elif isinstance(value, Instance) and isinstance(value.maker, ClassValue):
                for name in ("__call__", "forward"):
                    method = self._classes.lookup(self, value.maker, name)
                    if method is not None:
                        found.append(method)
                        break
        return found


def _statements_above(statement: ir.Statement) -> list[ir.Statement]:
    return [node for node in statement.ancestors() if isinstance(node, ir.Statement) and hasattr(node, "block")]


def truth(value: Value) -> bool | None:
    """The truth of a value, None where it is not known."""
    if isinstance(value, Known):
        return bool(value.value)
    if isinstance(value, (Instance, FunctionValue, ClassValue, ModuleValue, External, Partial, Device)):
        return True if not isinstance(value, External) else None
    if isinstance(value, Items):
        return bool(value.items)
    return None


_HANDLERS: dict[type, Callable[[Semantics, Any], ValueSet]] = {
    ir.Name: Semantics._name,
    ir.Attribute: Semantics._attribute,
    ir.Constant: Semantics._constant,
    ir.Template: Semantics._template,
    ir.Call: Semantics._call,
    ir.Display: Semantics._display,
    ir.Dictionary: Semantics._dictionary,
    ir.Index: Semantics._index,
    ir.Binary: Semantics._binary,
    ir.Unary: Semantics._unary,
    ir.Boolean: Semantics._boolean,
    ir.Compare: Semantics._compare,
    ir.Conditional: Semantics._conditional,
    ir.LambdaExpression: Semantics._lambda,
    ir.Star: Semantics._star,
    ir.Walrus: Semantics._walrus,
    ir.Yielding: Semantics._yielding,
    ir.Comprehension: Semantics._comprehension,
}
