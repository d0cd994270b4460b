"""What an edit of the text must know of a node, as plain offsets: who uses these needs no LibCST."""

from __future__ import annotations

from typing import Any

import libcst as cst

from ..places import Span
from ..records import record
from .tree import Tree, bind


@record(frozen=True, slots=True)
class Argument:
    """One argument of a call. `start` to `end` is its text without the comma, `value_start` to `value_end` that of its
    value with parentheses. `comma` is the offset of its comma, None if none follows it."""

    keyword: str | None
    star: str
    start: int
    end: int
    value_start: int
    value_end: int
    comma: int | None
    is_bare_generator: bool


@record(frozen=True, slots=True)
class CallShape:
    """A call from the text behind its opening parenthesis, `open`, up to its closing one, `close`."""

    open: int
    close: int
    arguments: tuple[Argument, ...]


@record(frozen=True, slots=True)
class ExpressionShape:
    """An expression. `start` to `end` is what can be replaced by other code; `outer_start` to `outer_end` holds all of its
    own parentheses too. `whole_start` to `whole_end` is the largest expression around it."""

    start: int
    end: int
    outer_start: int
    outer_end: int
    whole_start: int
    whole_end: int
    has_parentheses: bool
    is_printed: bool
    """It is in `f"{...=}"`, which prints its source."""


@record(frozen=True, slots=True)
class MethodShape:
    """`receiver.method(args)`. The receiver ends, its own parentheses included, at `receiver_end`."""

    whole: ExpressionShape
    receiver_end: int
    dot: int


def _bound_call(tree: Tree, span: Span) -> cst.Call | None:
    return bind(tree, [span], cst.Call).get(span)


def call_at(tree: Tree, span: Span) -> CallShape | None:
    """The call at a span as `ast` reports it."""
    call = _bound_call(tree, span)
    if call is None:
        return None
    opening = tree.after(tree.outer_extent(call.func)[1])
    return CallShape(opening + 1, tree.extent(call)[1] - 1, tuple(_argument(tree, arg) for arg in call.args))


def _argument(tree: Tree, argument: cst.Arg) -> Argument:
    start, end = tree.extent(argument)
    value_start, value_end = tree.outer_extent(argument.value)
    comma = tree.after(end) if isinstance(argument.comma, cst.Comma) else None
    return Argument(
        argument.keyword.value if argument.keyword is not None else None,
        argument.star,
        start,
        end,
        value_start,
        value_end,
        comma,
        isinstance(argument.value, cst.GeneratorExp) and not argument.value.lpar,
    )


def expression_at(tree: Tree, span: Span) -> ExpressionShape | None:
    """The expression at a span as `ast` reports it."""
    found = [node for node in tree.nodes_at(span) if isinstance(node, cst.BaseExpression)]
    node = found[-1] if found else None
    return None if node is None else _expression(tree, node)


def _expression(tree: Tree, node: cst.BaseExpression) -> ExpressionShape:
    start, end = tree.extent(node)
    lpar: Any = getattr(node, "lpar", ())
    has_parentheses = bool(lpar)
    if isinstance(node, (cst.Tuple, cst.GeneratorExp)) and lpar:
        start, end = tree.ast_extent(node)
        has_parentheses = len(lpar) > 1
    whole: cst.BaseExpression = node
    is_printed = False
    above = tree.parent(node)
    while not isinstance(above, (cst.BaseStatement, cst.Module)):
        if isinstance(above, cst.BaseExpression):
            whole = above
        is_printed = is_printed or bool(getattr(above, "expression", None) and getattr(above, "equal", None))
        above = tree.parent(above)
    return ExpressionShape(start, end, *tree.outer_extent(node), *tree.outer_extent(whole), has_parentheses, is_printed)


def method_at(tree: Tree, span: Span) -> MethodShape | None:
    """The method call at a span as `ast` reports it; None also where parentheses enclose `receiver.method`."""
    call = _bound_call(tree, span)
    if call is None or not isinstance(call.func, cst.Attribute) or call.func.lpar:
        return None
    receiver_end = tree.outer_extent(call.func.value)[1]
    return MethodShape(_expression(tree, call), receiver_end, tree.after(receiver_end))


def has_comment(tree: Tree, start: int, end: int) -> bool:
    """Whether a comment begins between two offsets."""
    return bool(tree.comments_between(start, end))


@record(frozen=True, slots=True)
class StatementShape:
    """A statement that begins its line. `first` is the offset of its first token, decorators included."""

    first: int
    is_simple: bool
    is_alone: bool
    """It is the only simple statement on its line."""
    is_only_one: bool
    """Its block holds nothing else."""


def statement_at(tree: Tree, span: Span) -> StatementShape | None:
    """The statement at a span as `ast` reports it; None if another stands before it on its line."""
    try:
        offset = tree.source.offset(span.line, span.column)
    except IndexError:
        return None
    for placed, (start, _) in tree.placed():
        if start != offset or not isinstance(placed, cst.BaseStatement):
            continue
        node: Any = placed
        above: Any = tree.parent(node)
        if isinstance(above, cst.If) and above.orelse is node:
            return None  # an elif
        first = offset
        for decorator in getattr(node, "decorators", ()):
            first = min(first, tree.source.text.rindex("@", 0, tree.outer_extent(decorator.decorator)[0]))
        simple = isinstance(node, cst.SimpleStatementLine)
        alone = simple and len(node.body) == 1 and not isinstance(node.body[0].semicolon, cst.Semicolon)
        return StatementShape(first, simple, alone, len(getattr(above, "body", (0, 0))) == 1)
    return None


def simple_statement_at(tree: Tree, span: Span) -> tuple[int, int] | None:
    """The offsets of the statement without a block that stands at a span as `ast` reports it."""
    for node in tree.nodes_at(span):
        if isinstance(node, cst.BaseSmallStatement):
            return tree.extent(node)
    return None


def names_within(tree: Tree, span: Span, name: str) -> list[ExpressionShape] | None:
    """The uses of a name in the expression at a span; None if no expression is there, or the name is bound in it."""
    if not any(isinstance(node, cst.BaseExpression) for node in tree.nodes_at(span)):
        return None
    start, end = (tree.source.offset(*place) for place in ((span.line, span.column), (span.end_line, span.end_column)))
    found = []
    for node, extent in tree.placed():
        if not isinstance(node, cst.Name) or node.value != name or not (start <= extent[0] and extent[1] <= end):
            continue
        above: Any = tree.parent(node)
        if getattr(above, "attr", None) is node or getattr(above, "keyword", None) is node:
            continue
        if isinstance(above, (cst.NamedExpr, cst.CompFor, cst.Param)) and getattr(above, "value", getattr(above, "iter", None)) is not node:
            return None
        found.append(_expression(tree, node))
    return found


def lines_in_strings(tree: Tree, start: int, end: int) -> frozenset[int]:
    """The lines (from 1) between two offsets that begin inside of a string."""
    found: set[int] = set()
    strings = (cst.SimpleString, cst.FormattedString, getattr(cst, "TemplatedString", cst.FormattedString))
    for node, extent in tree.placed():
        if start <= extent[0] < end and isinstance(node, strings):
            first, last = (tree.source.position(offset)[0] for offset in extent)
            found.update(range(first + 1, last + 1))
    return frozenset(found)


@record(frozen=True, slots=True)
class TopStatement:
    """A statement of the module. `imports` holds (module, None) for `import module` and (module, name) for `from module
    import name`, renamed ones left out; `packages` the packages whose import it runs."""

    start: int
    end: int
    is_docstring: bool
    is_future: bool
    is_import: bool
    imports: frozenset[tuple[str, str | None]]
    packages: frozenset[str]


def top_statements(tree: Tree) -> tuple[TopStatement, ...]:
    """The statements of a module, in order. A `try` counts as what it tries to import."""
    return tuple(_top(tree, node, index == 0) for index, node in enumerate(tree.module.body))


def _top(tree: Tree, node: Any, is_first: bool) -> TopStatement:
    start, end = tree.extent(node)
    lines = node.body.body if isinstance(node, (cst.Try, cst.TryStar)) else [node]
    imports: set[tuple[str, str | None]] = set()
    packages: set[str] = set()
    for line in lines:
        for small in line.body if isinstance(line, cst.SimpleStatementLine) else ():
            _add_imports(small, imports, packages)
    simple = isinstance(node, cst.SimpleStatementLine)
    first: Any = node.body[0] if simple else None
    is_docstring = (
        is_first and isinstance(first, cst.Expr) and isinstance(first.value, (cst.SimpleString, cst.ConcatenatedString))
    )
    return TopStatement(
        start,
        end,
        is_docstring,
        any(module == "__future__" for module, _ in imports),
        simple and isinstance(first, (cst.Import, cst.ImportFrom)),
        frozenset(imports),
        frozenset(packages),
    )


def _add_imports(small: Any, imports: set[tuple[str, str | None]], packages: set[str]) -> None:
    if isinstance(small, cst.Import):
        for alias in small.names:
            dotted = _dotted(alias.name)
            packages.add(dotted.partition(".")[0])
            if alias.asname is None:
                imports.add((dotted, None))
                # `import a.b` binds `a`.
                imports.add((dotted.partition(".")[0], None))
            elif isinstance(alias.asname.name, cst.Name) and alias.asname.name.value == dotted:
                imports.add((dotted, None))
    elif isinstance(small, cst.ImportFrom) and not small.relative and small.module is not None:
        module = _dotted(small.module)
        packages.add(module.partition(".")[0])
        for alias in small.names if not isinstance(small.names, cst.ImportStar) else ():
            name = _dotted(alias.name)
            renamed = alias.asname.name if alias.asname is not None else None
            if renamed is None or (isinstance(renamed, cst.Name) and renamed.value == name):
                imports.add((module, name))


def _dotted(node: Any) -> str:
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    return ".".join([node.value, *reversed(parts)])
