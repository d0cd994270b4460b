"""What an edit must know of the code around it, in offsets of the text, so that no other part needs to know LibCST."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from ..places import Span
from .positions import Extent
from .tree import Node, Tree, bind
from .walking import walk


@dataclass(frozen=True, slots=True)
class Argument:
    """`start` and `end` leave out the comma, whose offset is `comma`. `star` is "", "*" or "**"."""

    start: int
    end: int
    value: Extent
    keyword: str | None
    star: str
    comma: int | None


@dataclass(frozen=True, slots=True)
class Call:
    """`opening` is the offset behind the parenthesis that opens the arguments, `closing` that of the closing one.

    `lone_generator` is the extent of a generator whose only parentheses are those of the call. `receiver_end` and `dot`
    belong to `receiver.method(...)`; elsewhere they are None. `in_string` is true inside an f-string.
    """

    start: int
    end: int
    opening: int
    closing: int
    arguments: tuple[Argument, ...]
    lone_generator: Extent | None
    receiver_end: int | None
    dot: int | None
    in_string: bool


@dataclass(frozen=True, slots=True)
class Expression:
    """`start` and `end` are those of `ast`, `outer` has the parentheses around.

    `beside_operator` is true where what stands in its place must hold together by itself: an operand, what is called or
    asked for an attribute, what is looped over in a comprehension. `is_bare` is true of a tuple or generator that has no
    parentheses of its own.
    """

    start: int
    end: int
    outer: Extent
    beside_operator: bool
    is_bare: bool
    in_string: bool


@dataclass(frozen=True, slots=True)
class Statement:
    """A simple statement, without white space and comments around it.

    `is_alone` is true where no other statement stands on its lines; `is_only` where its block has no other.
    """

    start: int
    end: int
    is_alone: bool
    is_only: bool
    holds_lines_of_a_string: bool


@dataclass(frozen=True, slots=True)
class Import:
    """What one import binds: `import module` (`name` is None) or `from module import name` (`*` counts as a name)."""

    module: str
    name: str | None
    alias: str | None


def call_at(tree: Tree, span: Span) -> Call | None:
    """The call at a span as `ast` reports it."""
    call = _only(tree, span, cst.Call)
    if call is None:
        return None
    start, end = tree.extent(call)
    arguments = tuple(_argument(tree, argument) for argument in call.args)
    first = call.args[0].value if len(call.args) == 1 else None
    attribute = call.func if isinstance(call.func, cst.Attribute) and not call.func.lpar else None
    receiver_end = tree.outer_extent(attribute.value)[1] if attribute else None
    return Call(
        start,
        end,
        opening=tree.before(arguments[0].start if arguments else end - 1) + 1,
        closing=end - 1,
        arguments=arguments,
        lone_generator=tree.extent(first) if isinstance(first, cst.GeneratorExp) and not first.lpar else None,
        receiver_end=receiver_end,
        dot=tree.after(receiver_end) if receiver_end is not None else None,
        in_string=_in_string(tree, call),
    )


def _argument(tree: Tree, argument: cst.Arg) -> Argument:
    start, end = tree.extent(argument)
    return Argument(
        start,
        end,
        value=tree.outer_extent(argument.value),
        keyword=argument.keyword.value if argument.keyword else None,
        star=argument.star,
        comma=tree.after(end) if isinstance(argument.comma, cst.Comma) else None,
    )


_STANDS_FREE = (
    cst.AnnAssign,
    cst.Arg,
    cst.Assign,
    cst.AugAssign,
    cst.DictElement,
    cst.Element,
    cst.Expr,
    cst.For,
    cst.If,
    cst.Index,
    cst.Param,
    cst.Return,
    cst.While,
)
"""The parents beside which an operator of an expression cannot be taken for another one."""


def expression_at(tree: Tree, span: Span) -> Expression | None:
    """The expression at a span as `ast` reports it."""
    node = _only(tree, span, cst.BaseExpression)
    if node is None or isinstance(node, cst.StarredElement):
        return None
    parent = tree.parent(node)
    has_star = isinstance(parent, cst.Arg) and parent.star != ""
    is_bare = isinstance(node, (cst.Tuple, cst.GeneratorExp)) and not node.lpar
    return Expression(
        # The parentheses that `ast` gives to a lone generator belong to the call.
        *(tree.extent(node) if is_bare else tree.ast_extent(node)),
        outer=tree.outer_extent(node),
        beside_operator=has_star or not isinstance(parent, _STANDS_FREE),
        is_bare=is_bare,
        in_string=_in_string(tree, node),
    )


def statement_at(tree: Tree, span: Span) -> Statement | None:
    """The simple statement at a span as `ast` reports it."""
    node = _only(tree, span, cst.BaseSmallStatement)
    line = tree.parent(node) if node is not None else None
    if node is None or not isinstance(line, (cst.SimpleStatementLine, cst.SimpleStatementSuite)):
        return None
    block = tree.parent(line)
    return Statement(
        *tree.extent(node),
        is_alone=isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1,
        is_only=isinstance(block, cst.IndentedBlock) and len(block.body) == 1,
        holds_lines_of_a_string=any(_has_line_break(tree, part) for part in walk(node)),
    )


def _has_line_break(tree: Tree, node: cst.CSTNode) -> bool:
    if not isinstance(node, cst.BaseString) or isinstance(node, cst.ConcatenatedString):
        return False
    start, end = tree.extent(node)
    return any(character in tree.source.text[start:end] for character in "\r\n")


def first_statements(tree: Tree) -> Iterator[tuple[int, int, tuple[Import, ...] | str | None]]:
    """The simple statements of the module, line by line: start, end, and what they are.

    That is the imports of a line that has nothing else, the text of a string that stands alone (a docstring), or None.
    """
    for line in tree.module.body:
        if isinstance(line, cst.SimpleStatementLine) and line.body:
            start, end = tree.extent(line.body[0])[0], tree.extent(line.body[-1])[1]
            yield start, end, _meaning(tree, line)


def _meaning(tree: Tree, line: cst.SimpleStatementLine) -> tuple[Import, ...] | str | None:
    first = line.body[0]
    if isinstance(first, cst.Expr) and isinstance(first.value, (cst.SimpleString, cst.ConcatenatedString)):
        return tree.module.code_for_node(first)
    imports = [imported for small in line.body for imported in _imports(tree, small)]
    return tuple(imports) or None


def _imports(tree: Tree, small: cst.BaseSmallStatement) -> Iterator[Import]:
    name_of = tree.module.code_for_node
    if isinstance(small, cst.Import):
        for alias in small.names:
            yield Import(name_of(alias.name), None, name_of(alias.asname.name) if alias.asname else None)
    elif isinstance(small, cst.ImportFrom):
        module = "." * len(small.relative) + (name_of(small.module) if small.module else "")
        if isinstance(small.names, cst.ImportStar):
            yield Import(module, "*", None)
        else:
            for alias in small.names:
                yield Import(module, name_of(alias.name), name_of(alias.asname.name) if alias.asname else None)


def _only(tree: Tree, span: Span, kind: type[Node]) -> Node | None:
    return bind(tree, [span], kind).get(span)


_FIELDS_OF_STRINGS = ("FormattedStringExpression", "TemplatedStringExpression")
"""By name: old versions of LibCST lack the second."""


def _in_string(tree: Tree, node: cst.CSTNode) -> bool:
    while not isinstance(node, (cst.BaseSmallStatement, cst.BaseCompoundStatement, cst.Module)):
        if type(node).__name__ in _FIELDS_OF_STRINGS:
            return True
        node = tree.parent(node)
    return False
