"""The layer over LibCST: parsing once, an own walk, and where things stand. Nothing else touches LibCST.

What leaves this layer are nodes by their spans (`bind`) and plain views of what an edit must know, in offsets of the text.
"""

from .tree import NotRewritable, Tree, bind, parse
from .views import Argument, Call, Expression, Import, Statement, call_at, expression_at, first_statements, statement_at
from .walking import parents, walk

__all__ = [
    "Argument",
    "Call",
    "Expression",
    "Import",
    "NotRewritable",
    "Statement",
    "Tree",
    "bind",
    "call_at",
    "expression_at",
    "first_statements",
    "parents",
    "parse",
    "statement_at",
    "walk",
]
