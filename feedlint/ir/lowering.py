"""From `ast` to the intermediate representation, in one pass that also collects scopes and look-up lists."""

from __future__ import annotations

import ast
import gc
import warnings
from collections.abc import Callable
from typing import Any

from ..records import record
from . import nodes as ir

_BINARY = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
}
_UNARY = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~", ast.Not: "not"}
_COMPARE = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
}


@record(frozen=True, slots=True)
class Unparsable:
    """Why a text could not be lowered; line from 1, column from 0."""

    reason: str
    line: int
    column: int


def lower(path: str, text: str) -> ir.Module | Unparsable:
    """Lower one module. `path` is what places in it will carry."""
    collecting = gc.isenabled()
    gc.disable()  # a tree is all live objects: collecting while it grows is wasted work
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # invalid escapes of other people's files are not ours to report
            tree = ast.parse(text)
        return _Lowering(path, text).module(tree)
    except SyntaxError as error:
        return Unparsable(error.msg or "invalid syntax", error.lineno or 1, max((error.offset or 1) - 1, 0))
    except (RecursionError, MemoryError):
        return Unparsable("nested too deeply to be analysed", 1, 0)
    except ValueError as error:  # null bytes
        return Unparsable(str(error), 1, 0)
    finally:
        if collecting:
            gc.enable()


class _Lowering:
    def __init__(self, path: str, text: str) -> None:
        self._path = path
        self._order = 0
        self._wide: list[bytes] | None = None if text.isascii() else _byte_lines(text)
        self._template: ir.Template | None = None
        self._scope: ir.Scope
        self._functions: list[ir.Function] = []
        self._module: ir.Module
        self._names: dict[str, list[ir.Name]]
        self._attributes: dict[str, list[ir.Attribute]]

    # --- helpers

    def _put(self, new: Any, old: Any, parent: Any) -> Any:
        new.parent = parent
        template = self._template
        if template is not None:
            new.line, new.column, new.end_line, new.end_column = template.span
            return new
        new.line = old.lineno
        new.end_line = old.end_lineno
        if self._wide is None:
            new.column = old.col_offset
            new.end_column = old.end_col_offset
        else:
            new.column = self._column(old.lineno, old.col_offset)
            new.end_column = self._column(old.end_lineno, old.end_col_offset)
        return new

    def _column(self, line: int, offset: int) -> int:
        assert self._wide is not None
        return len(self._wide[line - 1][:offset].decode("utf-8", "replace"))

    def _bind(self, name: str, kind: str, node: ir.Node, **more: Any) -> None:
        scope = self._scope
        if name in scope.globals:
            scope = self._module.inner_scope
        elif name in scope.nonlocals and scope.parent is not None:
            scope = scope.parent
        scope.bindings.setdefault(name, []).append(ir.Binding(name, kind, node, **more))

    def _bind_target(
        self,
        target: ir.Expression,
        kind: str,
        value: ir.Expression | None,
        node: ir.Node,
        path: tuple[int | str, ...] = (),
        annotation: ir.Expression | None = None,
    ) -> None:
        if isinstance(target, ir.Name):
            self._bind(target.id, kind, node, value=value, path=path, annotation=annotation)
        elif isinstance(target, ir.Display):
            starred = False
            for index, item in enumerate(target.items):
                if isinstance(item, ir.Star):
                    starred = True
                    self._bind_target(item.value, kind, value, node, (*path, "*"))
                else:
                    step = index - len(target.items) if starred else index
                    self._bind_target(item, kind, value, node, (*path, step))
        elif isinstance(target, ir.Attribute):
            store = ir.AttributeStore(target, value, path, target.statement, kind)
            self._module.attribute_stores.setdefault(target.name, []).append(store)
        elif isinstance(target, ir.Index):
            self._module.index_stores.append((target, target.statement))
        elif isinstance(target, ir.Star):
            self._bind_target(target.value, kind, value, node, (*path, "*"))

    # --- module and statements

    def module(self, tree: ast.Module) -> ir.Module:
        module = ir.Module()
        module.parent = None
        module.path = self._path
        module.line, module.column, module.end_line, module.end_column = 1, 0, 1, 0
        module.order = 0
        module.calls = {}
        module.names = {}
        module.attributes = {}
        module.renamed = {}
        module.loops = []
        module.functions = []
        module.classes = []
        module.attribute_stores = {}
        module.index_stores = []
        module.tests = []
        module.templates = []
        module.inner_scope = self._scope = ir.Scope("module", module, None)
        module.body = ir.Block(module, "body")
        module.block = module.body
        self._module = module
        self._names = module.names
        self._attributes = module.attributes
        self._statements(tree.body, module.body, module)
        return module

    def _statements(self, old: list[ast.stmt], block: ir.Block, parent: ir.Node) -> None:
        for statement in old:
            self._statement(statement, block, parent)

    def _block(self, old: list[ast.stmt], owner: ir.Node, kind: str) -> ir.Block:
        block = ir.Block(owner, kind)
        self._statements(old, block, owner)
        return block

    def _new(self, kind: type, old: Any, block: ir.Block, parent: ir.Node) -> Any:
        new = kind()
        self._put(new, old, parent)
        self._order += 1
        new.order = self._order
        new.block = block
        block.statements.append(new)
        return new

    def _statement(self, old: ast.stmt, block: ir.Block, parent: ir.Node) -> None:
        handler = _STATEMENTS.get(type(old))
        if handler is not None:
            handler(self, old, block, parent)
            return
        new = self._new(ir.Jump, old, block, parent)
        new.kind = type(old).__name__.lower()
        if isinstance(old, ast.Global):
            self._scope.globals.update(old.names)
        elif isinstance(old, ast.Nonlocal):
            self._scope.nonlocals.update(old.names)
        elif type(old).__name__ == "TypeAlias":
            name: Any = getattr(old, "name")  # noqa: B009
            self._bind(name.id, "unknown", new)

    def _assign(self, old: ast.Assign, block: ir.Block, parent: ir.Node) -> None:
        new = self._new(ir.Assign, old, block, parent)
        new.annotation = None
        new.value = self.expression(old.value, new)
        new.targets = [self.expression(target, new) for target in old.targets]
        for target in new.targets:
            self._bind_target(target, "assign", new.value, new)

    def _annotated(self, old: ast.AnnAssign, block: ir.Block, parent: ir.Node) -> None:
        new = self._new(ir.Assign, old, block, parent)
        new.value = None if old.value is None else self.expression(old.value, new)
        new.annotation = self.expression(old.annotation, new)
        new.targets = [self.expression(old.target, new)]
        if old.value is not None or self._scope.kind == "class":
            self._bind_target(new.targets[0], "assign", new.value, new, annotation=new.annotation)

    def _augmented(self, old: ast.AugAssign, block: ir.Block, parent: ir.Node) -> None:
        new = self._new(ir.AugmentedAssign, old, block, parent)
        new.operator = _BINARY[type(old.op)]
        new.value = self.expression(old.value, new)
        new.target = self.expression(old.target, new)
        self._bind_target(new.target, "augmented", None, new)

    def _expression_statement(self, old: ast.Expr, block: ir.Block, parent: ir.Node) -> None:
        new = self._new(ir.ExpressionStatement, old, block, parent)
        new.value = self.expression(old.value, new)

    def _return(self, old: ast.Return, block: ir.Block, parent: ir.Node) -> None:
        new = self._new(ir.Return, old, block, parent)
        new.value = None if old.value is None else self.expression(old.value, new)

    def _if(self, old: ast.If, block: ir.Block, parent: ir.Node) -> None:
        while True:  # an `elif` chain is nested in `ast`: walk it without recursion
            new = self._new(ir.If, old, block, parent)
            new.test = self.expression(old.test, new)
            self._module.tests.append(new.test)
            new.body = self._block(old.body, new, "body")
            new.orelse = ir.Block(new, "orelse")
            if len(old.orelse) == 1 and isinstance(old.orelse[0], ast.If):
                old, block, parent = old.orelse[0], new.orelse, new
                continue
            self._statements(old.orelse, new.orelse, new)
            return

    def _while(self, old: ast.While, block: ir.Block, parent: ir.Node) -> None:
        new = self._new(ir.While, old, block, parent)
        new.test = self.expression(old.test, new)
        self._module.tests.append(new.test)
        self._module.loops.append(new)
        new.body = self._block(old.body, new, "body")
        new.orelse = self._block(old.orelse, new, "orelse")

    def _for(self, old: Any, block: ir.Block, parent: ir.Node) -> None:
        new = self._new(ir.For, old, block, parent)
        new.iterable = self.expression(old.iter, new)
        new.target = self.expression(old.target, new)
        self._module.loops.append(new)
        self._bind_target(new.target, "element", new.iterable, new)
        new.body = self._block(old.body, new, "body")
        new.orelse = self._block(old.orelse, new, "orelse")

    def _with(self, old: Any, block: ir.Block, parent: ir.Node) -> None:
        new = self._new(ir.With, old, block, parent)
        new.items = []
        for item in old.items:
            context = self.expression(item.context_expr, new)
            target = None if item.optional_vars is None else self.expression(item.optional_vars, new)
            new.items.append((context, target))
            if target is not None:
                self._bind_target(target, "enter", context, new)
        new.body = self._block(old.body, new, "body")

    def _try(self, old: Any, block: ir.Block, parent: ir.Node) -> None:
        new = self._new(ir.Try, old, block, parent)
        new.handlers = []
        new.body = self._block(old.body, new, "body")
        for handler in old.handlers:
            caught = None if handler.type is None else self.expression(handler.type, new)
            if handler.name:
                self._bind(handler.name, "except", new)
            new.handlers.append(ir.Handler(caught, handler.name, self._block(handler.body, new, "handler")))
        new.orelse = self._block(old.orelse, new, "orelse")
        new.final = self._block(old.finalbody, new, "final")

    def _raise(self, old: ast.Raise, block: ir.Block, parent: ir.Node) -> None:
        new = self._new(ir.Raise, old, block, parent)
        new.values = [self.expression(x, new) for x in (old.exc, old.cause) if x is not None]

    def _assert(self, old: ast.Assert, block: ir.Block, parent: ir.Node) -> None:
        new = self._new(ir.Assert, old, block, parent)
        new.test = self.expression(old.test, new)
        self._module.tests.append(new.test)
        new.message = None if old.msg is None else self.expression(old.msg, new)

    def _delete(self, old: ast.Delete, block: ir.Block, parent: ir.Node) -> None:
        new = self._new(ir.Delete, old, block, parent)
        new.targets = [self.expression(target, new) for target in old.targets]
        for target in new.targets:
            self._bind_target(target, "delete", None, new)

    def _import(self, old: ast.Import, block: ir.Block, parent: ir.Node) -> None:
        new = self._new(ir.Import, old, block, parent)
        new.names = [(alias.name, alias.asname) for alias in old.names]
        for name, bound in new.names:
            if bound:
                self._bind(bound, "import", new, imported=(name, 0, None))
            else:
                self._bind(name.partition(".")[0], "import", new, imported=(name.partition(".")[0], 0, None))

    def _import_from(self, old: ast.ImportFrom, block: ir.Block, parent: ir.Node) -> None:
        new = self._new(ir.ImportFrom, old, block, parent)
        new.source = old.module or ""
        new.level = old.level
        new.names = [(alias.name, alias.asname) for alias in old.names]
        for name, bound in new.names:
            if name == "*":
                self._scope.star_imports.append(new)
            else:
                self._bind(bound or name, "import", new, imported=(new.source, new.level, name))
                if bound is not None and bound != name:
                    self._module.renamed.setdefault(name, {})[bound] = None

    def _function(self, old: Any, block: ir.Block, parent: ir.Node) -> None:
        new = self._new(ir.Function, old, block, parent)
        new.name = old.name
        new.decorators = [self.expression(x, new) for x in old.decorator_list]
        new.first_line = min([x.line for x in new.decorators], default=new.line)
        new.returns = None if old.returns is None else self.expression(old.returns, new)
        self._bind(old.name, "function", new)
        self._function_body(new, old.args, lambda: self._block(old.body, new, "body"))

    def _function_body(self, new: ir.Function, arguments: ast.arguments, body: Callable[[], ir.Block]) -> None:
        new.is_generator = False
        new.parameters = self._parameters(arguments, new)
        self._module.functions.append(new)
        outer = self._scope
        lookup = outer
        while lookup.kind == "class" and lookup.parent is not None:
            lookup = lookup.parent  # names of a class body are not seen inside of its methods
        new.inner_scope = self._scope = ir.Scope("function", new, lookup)
        for parameter in new.parameters:
            self._bind(parameter.name, "parameter", new, parameter=parameter, annotation=parameter.annotation)
        self._functions.append(new)
        new.body = body()
        self._functions.pop()
        self._scope = outer

    def _parameters(self, arguments: ast.arguments, new: ir.Function) -> list[ir.Parameter]:
        def annotation(old: ast.arg) -> ir.Expression | None:
            return None if old.annotation is None else self.expression(old.annotation, new)

        def default(old: ast.expr | None) -> ir.Expression | None:
            return None if old is None else self.expression(old, new)

        plain = [*arguments.posonlyargs, *arguments.args]
        missing = len(plain) - len(arguments.defaults)
        found = [
            ir.Parameter(
                old.arg,
                "plain",
                default(arguments.defaults[index - missing]) if index >= missing else None,
                annotation(old),
                index,
            )
            for index, old in enumerate(plain)
        ]
        if arguments.vararg:
            found.append(ir.Parameter(arguments.vararg.arg, "*", None, annotation(arguments.vararg), -1))
        for old, value in zip(arguments.kwonlyargs, arguments.kw_defaults):
            found.append(ir.Parameter(old.arg, "keyword", default(value), annotation(old), -1))
        if arguments.kwarg:
            found.append(ir.Parameter(arguments.kwarg.arg, "**", None, annotation(arguments.kwarg), -1))
        return found

    def _class(self, old: ast.ClassDef, block: ir.Block, parent: ir.Node) -> None:
        new = self._new(ir.Class, old, block, parent)
        new.name = old.name
        new.bases = [self.expression(x.value if isinstance(x, ast.Starred) else x, new) for x in old.bases]
        new.keywords = [
            ir.Argument(x.arg, "" if x.arg else "**", self.expression(x.value, new)) for x in old.keywords
        ]
        new.decorators = [self.expression(x, new) for x in old.decorator_list]
        self._module.classes.append(new)
        self._bind(old.name, "class", new)
        outer = self._scope
        new.inner_scope = self._scope = ir.Scope("class", new, outer)
        new.body = self._block(old.body, new, "body")
        self._scope = outer

    def _match(self, old: Any, block: ir.Block, parent: ir.Node) -> None:
        new = self._new(ir.Match, old, block, parent)
        new.subject = self.expression(old.subject, new)
        new.guards = []
        new.cases = []
        for case in old.cases:
            for pattern in ast.walk(case.pattern):
                name = getattr(pattern, "name", None) or getattr(pattern, "rest", None)
                if isinstance(name, str):
                    self._bind(name, "unknown", new)
            if case.guard is not None:
                new.guards.append(self.expression(case.guard, new))
            new.cases.append(self._block(case.body, new, "case"))

    # --- expressions

    def expression(self, old: ast.expr, parent: ir.Node) -> ir.Expression:
        handler = _EXPRESSIONS.get(type(old))
        if handler is None:  # syntax newer than this table: a value that nobody knows
            new = self._put(ir.Constant(), old, parent)
            new.value = ...
            return new  # type: ignore[no-any-return]
        return handler(self, old, parent)

    def _name(self, old: ast.Name, parent: ir.Node) -> ir.Expression:
        new = self._put(ir.Name(), old, parent)
        new.id = old.id
        self._names.setdefault(old.id, []).append(new)
        return new  # type: ignore[no-any-return]

    def _constant(self, old: ast.Constant, parent: ir.Node) -> ir.Expression:
        new = self._put(ir.Constant(), old, parent)
        new.value = old.value
        return new  # type: ignore[no-any-return]

    def _attribute(self, old: ast.Attribute, parent: ir.Node) -> ir.Expression:
        new = self._put(ir.Attribute(), old, parent)
        new.name = old.attr
        new.value = self.expression(old.value, new)
        self._attributes.setdefault(old.attr, []).append(new)
        return new  # type: ignore[no-any-return]

    def _call(self, old: ast.Call, parent: ir.Node) -> ir.Expression:
        new = self._put(ir.Call(), old, parent)
        new.function_expression = self.expression(old.func, new)
        arguments = []
        for value in old.args:
            if isinstance(value, ast.Starred):
                arguments.append(ir.Argument(None, "*", self.expression(value.value, new)))
            else:
                arguments.append(ir.Argument(None, "", self.expression(value, new)))
        for keyword in old.keywords:
            star = "" if keyword.arg else "**"
            arguments.append(ir.Argument(keyword.arg, star, self.expression(keyword.value, new)))
        new.arguments = arguments
        self._module.calls.setdefault(new.method, []).append(new)
        return new  # type: ignore[no-any-return]

    def _display(self, old: Any, parent: ir.Node) -> ir.Expression:
        new = self._put(ir.Display(), old, parent)
        new.kind = type(old).__name__.lower()
        new.items = [self.expression(x, new) for x in old.elts]
        return new  # type: ignore[no-any-return]

    def _dictionary(self, old: ast.Dict, parent: ir.Node) -> ir.Expression:
        new = self._put(ir.Dictionary(), old, parent)
        new.keys = [None if key is None else self.expression(key, new) for key in old.keys]
        new.values = [self.expression(value, new) for value in old.values]
        return new  # type: ignore[no-any-return]

    def _index(self, old: ast.Subscript, parent: ir.Node) -> ir.Expression:
        new = self._put(ir.Index(), old, parent)
        new.value = self.expression(old.value, new)
        new.index = self.expression(old.slice, new)
        return new  # type: ignore[no-any-return]

    def _slice(self, old: ast.Slice, parent: ir.Node) -> ir.Expression:
        new = self._put(ir.Slice(), old, parent)
        new.parts = [self.expression(x, new) for x in (old.lower, old.upper, old.step) if x is not None]
        return new  # type: ignore[no-any-return]

    def _binary(self, old: ast.BinOp, parent: ir.Node) -> ir.Expression:
        # A long sum is a deep left spine: go down it without recursion.
        top: Any = None
        holder: Any = parent
        while True:
            new = self._put(ir.Binary(), old, holder)
            new.operator = _BINARY[type(old.op)]
            if top is None:
                top = new
            else:
                holder.left = new
            if not isinstance(old.left, ast.BinOp):
                new.left = self.expression(old.left, new)
                new.right = self.expression(old.right, new)
                break
            new.right = self.expression(old.right, new)
            holder, old = new, old.left
        return top  # type: ignore[no-any-return]

    def _unary(self, old: ast.UnaryOp, parent: ir.Node) -> ir.Expression:
        new = self._put(ir.Unary(), old, parent)
        new.operator = _UNARY[type(old.op)]
        new.operand = self.expression(old.operand, new)
        return new  # type: ignore[no-any-return]

    def _boolean(self, old: ast.BoolOp, parent: ir.Node) -> ir.Expression:
        new = self._put(ir.Boolean(), old, parent)
        new.operator = "and" if isinstance(old.op, ast.And) else "or"
        new.values = [self.expression(x, new) for x in old.values]
        return new  # type: ignore[no-any-return]

    def _compare(self, old: ast.Compare, parent: ir.Node) -> ir.Expression:
        new = self._put(ir.Compare(), old, parent)
        new.left = self.expression(old.left, new)
        new.operators = [_COMPARE[type(x)] for x in old.ops]
        new.others = [self.expression(x, new) for x in old.comparators]
        return new  # type: ignore[no-any-return]

    def _conditional(self, old: ast.IfExp, parent: ir.Node) -> ir.Expression:
        new = self._put(ir.Conditional(), old, parent)
        new.test = self.expression(old.test, new)
        new.then = self.expression(old.body, new)
        new.orelse = self.expression(old.orelse, new)
        return new  # type: ignore[no-any-return]

    def _starred(self, old: ast.Starred, parent: ir.Node) -> ir.Expression:
        new = self._put(ir.Star(), old, parent)
        new.value = self.expression(old.value, new)
        return new  # type: ignore[no-any-return]

    def _walrus(self, old: ast.NamedExpr, parent: ir.Node) -> ir.Expression:
        new = self._put(ir.Walrus(), old, parent)
        new.value = self.expression(old.value, new)
        new.target = self.expression(old.target, new)
        scope = self._scope
        while self._scope.kind == "comprehension" and self._scope.parent is not None:
            self._scope = self._scope.parent  # PEP 572: it binds outside of the comprehension
        self._bind_target(new.target, "assign", new.value, new)
        self._scope = scope
        return new  # type: ignore[no-any-return]

    def _yielding(self, old: Any, parent: ir.Node) -> ir.Expression:
        new = self._put(ir.Yielding(), old, parent)
        new.kind = type(old).__name__.lower()
        new.value = None if old.value is None else self.expression(old.value, new)
        if not isinstance(old, ast.Await) and self._functions:
            self._functions[-1].is_generator = True
        return new  # type: ignore[no-any-return]

    def _joined(self, old: Any, parent: ir.Node) -> ir.Expression:
        outer = self._template
        new = self._put(ir.Template(), old, parent)
        self._module.templates.append(new)
        if outer is None:
            self._template = new
        new.parts, new.formats = [], []
        for value in old.values:
            if isinstance(value, ast.FormattedValue):
                new.parts.append(self.expression(value.value, new))
                new.formats.append(value.format_spec is not None or value.conversion != -1)
                if isinstance(value.format_spec, ast.JoinedStr):
                    for inner in value.format_spec.values:
                        if isinstance(inner, ast.FormattedValue):
                            new.parts.append(self.expression(inner.value, new))
                            new.formats.append(False)
        self._template = outer
        return new  # type: ignore[no-any-return]

    def _lambda(self, old: ast.Lambda, parent: ir.Node) -> ir.Expression:
        new = self._put(ir.LambdaExpression(), old, parent)
        definition = ir.Function()
        self._put(definition, old, new)
        statement = new.statement
        definition.order = statement.order
        definition.block = statement.block
        definition.name = ""
        definition.decorators = []
        definition.first_line = definition.line
        definition.returns = None
        new.definition = definition

        def body() -> ir.Block:
            block = ir.Block(definition, "body")
            result = ir.Return()
            self._put(result, old.body, definition)
            result.order = statement.order
            result.block = block
            block.statements.append(result)
            result.value = self.expression(old.body, result)
            return block

        self._function_body(definition, old.args, body)
        return new  # type: ignore[no-any-return]

    def _comprehension(self, old: Any, parent: ir.Node) -> ir.Expression:
        new = self._put(ir.Comprehension(), old, parent)
        new.kind = {"ListComp": "list", "SetComp": "set", "DictComp": "dict"}.get(type(old).__name__, "generator")
        new.generators = []
        new.key = None
        self._module.loops.append(new)
        outer = self._scope
        lookup = outer
        while lookup.kind == "class" and lookup.parent is not None:
            lookup = lookup.parent
        new.inner_scope = ir.Scope("comprehension", new, lookup)
        for index, old_generator in enumerate(old.generators):
            if index:
                self._scope = new.inner_scope
            iterable = self.expression(old_generator.iter, new)
            self._scope = new.inner_scope
            target = self.expression(old_generator.target, new)
            generator = ir.Generator(target, iterable, [])
            new.generators.append(generator)
            self._bind_target(target, "element", iterable, new)
            generator.conditions = [self.expression(x, new) for x in old_generator.ifs]
        self._scope = new.inner_scope
        if new.kind == "dict":
            new.key = self.expression(old.key, new)
            new.element = self.expression(old.value, new)
        else:
            new.element = self.expression(old.elt, new)
        self._scope = outer
        return new  # type: ignore[no-any-return]


def _byte_lines(text: str) -> list[bytes]:
    """Lines as `ast` counts them, in UTF-8, in which its columns are given."""
    return text.replace("\r\n", "\n").replace("\r", "\n").encode("utf-8", "surrogatepass").split(b"\n")


_STATEMENTS: dict[type, Callable[..., None]] = {
    ast.Assign: _Lowering._assign,
    ast.AnnAssign: _Lowering._annotated,
    ast.AugAssign: _Lowering._augmented,
    ast.Expr: _Lowering._expression_statement,
    ast.Return: _Lowering._return,
    ast.If: _Lowering._if,
    ast.While: _Lowering._while,
    ast.For: _Lowering._for,
    ast.AsyncFor: _Lowering._for,
    ast.With: _Lowering._with,
    ast.AsyncWith: _Lowering._with,
    ast.Try: _Lowering._try,
    ast.Raise: _Lowering._raise,
    ast.Assert: _Lowering._assert,
    ast.Delete: _Lowering._delete,
    ast.Import: _Lowering._import,
    ast.ImportFrom: _Lowering._import_from,
    ast.FunctionDef: _Lowering._function,
    ast.AsyncFunctionDef: _Lowering._function,
    ast.ClassDef: _Lowering._class,
    ast.Match: _Lowering._match,
}
if hasattr(ast, "TryStar"):
    _STATEMENTS[ast.TryStar] = _Lowering._try

_EXPRESSIONS: dict[type, Callable[..., ir.Expression]] = {
    ast.Name: _Lowering._name,
    ast.Constant: _Lowering._constant,
    ast.Attribute: _Lowering._attribute,
    ast.Call: _Lowering._call,
    ast.List: _Lowering._display,
    ast.Tuple: _Lowering._display,
    ast.Set: _Lowering._display,
    ast.Dict: _Lowering._dictionary,
    ast.Subscript: _Lowering._index,
    ast.Slice: _Lowering._slice,
    ast.BinOp: _Lowering._binary,
    ast.UnaryOp: _Lowering._unary,
    ast.BoolOp: _Lowering._boolean,
    ast.Compare: _Lowering._compare,
    ast.IfExp: _Lowering._conditional,
    ast.Starred: _Lowering._starred,
    ast.NamedExpr: _Lowering._walrus,
    ast.Yield: _Lowering._yielding,
    ast.YieldFrom: _Lowering._yielding,
    ast.Await: _Lowering._yielding,
    ast.JoinedStr: _Lowering._joined,
    ast.Lambda: _Lowering._lambda,
    ast.ListComp: _Lowering._comprehension,
    ast.SetComp: _Lowering._comprehension,
    ast.DictComp: _Lowering._comprehension,
    ast.GeneratorExp: _Lowering._comprehension,
}
