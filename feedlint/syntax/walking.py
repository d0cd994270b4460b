"""Walking a tree from the top down, without recursion.

LibCST's visitors rebuild every node that they see and cost as much as the parse; this costs a small part of it.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

_WHITE_SPACE = ("__", "whitespace", "leading_", "lines_", "trailing_", "header", "footer")
"""How the names of fields begin that hold white space and comments, or no node at all."""

_PUNCTUATION = frozenset(
    ["asynchronous", "colon", "comma", "dot", "equal", "first_colon", "indent", "lbrace", "lbracket", "lpar", "newline"]
    + ["operator", "rbrace", "rbracket", "relative", "rpar", "second_colon", "semicolon", "separator", "star"]
)

_fields: dict[type, tuple[str, ...]] = {}


def walk(root: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """All nodes but white space, comments and punctuation: each before what it holds, in the order of their fields."""
    stack = [root]
    while stack:
        node = stack.pop()
        yield node
        stack += reversed(children(node))


def parents(root: cst.CSTNode) -> dict[int, cst.CSTNode]:
    """The node that holds a node, by the identity (`id`) of the latter."""
    found: dict[int, cst.CSTNode] = {}
    stack = [root]
    while stack:
        node = stack.pop()
        below = children(node)
        for child in below:
            found[id(child)] = node
        stack += below
    return found


def children(node: cst.CSTNode) -> list[cst.CSTNode]:
    """What a node holds directly."""
    kind = node.__class__
    names = _fields.get(kind)
    if names is None:
        names = _fields[kind] = _fields_of(kind)
    found: list[cst.CSTNode] = []
    for name in names:
        value = getattr(node, name)
        if isinstance(value, cst.CSTNode):
            found.append(value)
        elif value.__class__ in (tuple, list):
            found += value
    return found


def _fields_of(kind: type) -> tuple[str, ...]:
    names = getattr(kind, "__dataclass_fields__", {})
    return tuple(name for name in names if name not in _PUNCTUATION and not name.startswith(_WHITE_SPACE))
