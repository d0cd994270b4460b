"""Where LibCST's nodes stand: the same as `ast` says, the same as LibCST's own provider says, in real programs."""

from __future__ import annotations

import ast
import functools
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, ParentNodeProvider, PositionProvider  # noqa: TID251 (the reference)

from feedlint.places import Span
from feedlint.source import Source, source_from_bytes
from feedlint.syntax import NotRewritable, Tree, bind, parse, walk

MODULES = ["argparse", "dataclasses", "functools", "heapq", "textwrap", "zipapp"]

CLASSES: dict[type[ast.expr], type[cst.BaseExpression]] = {
    ast.Call: cst.Call,
    ast.Attribute: cst.Attribute,
    ast.Subscript: cst.Subscript,
    ast.Lambda: cst.Lambda,
    ast.IfExp: cst.IfExp,
    ast.Compare: cst.Comparison,
    ast.GeneratorExp: cst.GeneratorExp,
    ast.ListComp: cst.ListComp,
    ast.List: cst.List,
    ast.Dict: cst.Dict,
    ast.NamedExpr: cst.NamedExpr,
}


def source_of(text: str) -> Source:
    source = source_from_bytes("/project/train.py", text.encode())
    assert isinstance(source, Source)
    return source


def tree_of(text: str) -> Tree:
    tree = parse(source_of(text))
    assert isinstance(tree, Tree)
    return tree


@functools.cache
def tree_of_module(name: str) -> Tree:
    spec = importlib.util.find_spec(name)
    assert spec is not None
    assert spec.origin is not None
    return tree_of(Path(spec.origin).read_bytes().decode())


@pytest.fixture(params=MODULES)
def tree(request: pytest.FixtureRequest) -> Tree:
    return tree_of_module(request.param)


def expressions(source: Source, kind: type[ast.expr] = ast.expr) -> Iterator[tuple[ast.expr, Span]]:
    """The expressions as `ast` sees them, those in f-strings left out: it misplaces them before Python 3.12."""
    waiting: list[ast.AST] = [ast.parse(source.text)]
    while waiting:
        node = waiting.pop()
        if not isinstance(node, ast.JoinedStr):
            waiting += ast.iter_child_nodes(node)
        if isinstance(node, kind):
            assert node.end_lineno is not None
            assert node.end_col_offset is not None
            start = node.lineno, source.character_column(node.lineno, node.col_offset)
            end = node.end_lineno, source.character_column(node.end_lineno, node.end_col_offset)
            yield node, Span(*start, *end)


@pytest.mark.parametrize("kind", CLASSES, ids=lambda kind: kind.__name__)
def test_every_expression_of_the_standard_library_is_bound_at_its_span(kind: type[ast.expr]) -> None:
    unbound = []
    for name in MODULES:
        tree = tree_of_module(name)
        spans = [span for _, span in expressions(tree.source, kind)]
        found = bind(tree, spans, CLASSES[kind])
        unbound += [f"{name}:{span.line}" for span in spans if span not in found]
    assert unbound == []


def test_offsets_are_those_of_the_position_provider(tree: Tree) -> None:
    wrapper = MetadataWrapper(tree.module, unsafe_skip_copy=True)
    positions: Any = wrapper.resolve(PositionProvider)
    wrong = []
    for node in walk(tree.module):
        if isinstance(node, (cst.BaseExpression, cst.Arg, cst.BaseSmallStatement)):
            place = positions[node]
            start = tree.source.offset(place.start.line, place.start.column)
            end = tree.source.offset(place.end.line, place.end.column)
            if tree.extent(node) != (start, end):
                wrong.append((type(node).__name__, place.start.line))
    assert wrong == []


def test_parents_are_those_of_the_parent_provider(tree: Tree) -> None:
    wrapper = MetadataWrapper(tree.module, unsafe_skip_copy=True)
    above: Any = wrapper.resolve(ParentNodeProvider)
    nodes = [node for node in walk(tree.module) if not isinstance(node, cst.Module)]
    assert [node for node in nodes if tree.parent(node) is not above[node]] == []


def test_the_walk_sees_every_expression_argument_and_statement(tree: Tree) -> None:
    kinds = (cst.BaseExpression, cst.Arg, cst.BaseSmallStatement, cst.BaseStatement)
    wrapper = MetadataWrapper(tree.module, unsafe_skip_copy=True)
    above: Any = wrapper.resolve(ParentNodeProvider)
    wanted = {id(node) for node in above if isinstance(node, kinds)}
    assert {id(node) for node in walk(tree.module) if isinstance(node, kinds)} == wanted


def test_comments_are_found_where_they_stand(tree: Tree) -> None:
    text = tree.source.text
    assert all(text[start] == "#" and not set("\r\n") & set(text[start:end]) for start, end in tree.comments)
    assert list(tree.comments) == sorted(tree.comments)


def test_a_node_comes_before_what_it_holds_and_those_in_the_order_of_the_text() -> None:
    tree = tree_of("f(a, b)[c]\n")
    names = [node.value for node in walk(tree.module) if isinstance(node, cst.Name)]
    assert names == ["f", "a", "b", "c"]
    assert isinstance(next(walk(tree.module)), cst.Module)


@pytest.mark.parametrize(
    ("text", "expression"),
    [
        ("x = (  # c\n  a\n)\n", "a"),
        ("if x:\n    y = (  # c\n        a\n        # d\n    ).b()\n", "(  # c\n        a\n        # d\n    ).b()"),
        ("x = 'é😀', f(a)\n", "f(a)"),
        ("x = f(\r\n  a,\r\n)\r\n", "f(\r\n  a,\r\n)"),
        ("if x:\n\tf(a)\n", "f(a)"),
        ("f(a)", "f(a)"),
        ("f( (a, 1) for a in b )\n", "( (a, 1) for a in b )"),
        ("x = ((a, b))\n", "(a, b)"),
        ("x = a, b\n", "a, b"),
        ("x = \\\n  f(a)\n", "f(a)"),
    ],
)
def test_an_expression_is_bound_in_odd_layouts(text: str, expression: str) -> None:
    tree = tree_of(text)
    ((_, span),) = [
        (node, span) for node, span in expressions(tree.source) if tree.source.span_text(span) == expression
    ]
    (node,) = [node for node in tree.nodes_at(span) if isinstance(node, cst.BaseExpression)]
    start, end = tree.ast_extent(node)
    assert tree.source.text[start:end] == expression


def test_the_outer_extent_holds_all_parentheses_with_the_comments_in_them() -> None:
    inner = "((  # c )\n        a\n        # ( d\n    ))"
    tree = tree_of(f"if x:\n    y = {inner}.b\n")
    receiver = next(node.value for node in walk(tree.module) if isinstance(node, cst.Attribute))
    start, end = tree.outer_extent(receiver)
    assert tree.source.text[start:end] == inner


def test_a_span_at_which_nothing_stands_is_left_out() -> None:
    tree = tree_of("f(a)\n")
    assert bind(tree, [Span(1, 0, 1, 3), Span(9, 0, 9, 1), Span(1, 2, 1, 3)], cst.Call) == {}


@pytest.mark.parametrize("text", ["def f(:\n", "x = 1\n  y = 2\n", "print 'a'\n"])
def test_a_file_that_cannot_be_parsed_is_not_rewritable(text: str) -> None:
    assert isinstance(parse(source_of(text)), NotRewritable)


def test_a_file_that_does_not_come_back_exactly_is_not_rewritable() -> None:
    # LibCST drops a form feed at the start of the file.
    found = parse(source_of("\x0cf(a)\n"))
    assert isinstance(found, NotRewritable)
    assert "give it back" in found.reason


@pytest.mark.parametrize(
    "text", ["", "\n", "# c", "x = 1", "x = 1\r\n", "\r\nx\r\n", "x\n\n\n", "if x:\n\ty\n# z\n  # w\n"]
)
def test_files_with_any_kind_of_line_break_and_end_are_rewritable(text: str) -> None:
    assert isinstance(parse(source_of(text)), Tree)
