"""The layer over LibCST: parsing once, an own walk, and where things stand. Nothing else touches LibCST.

What leaves this layer are nodes by their spans (`bind`) and, in `shapes`, what an edit must know of them in plain offsets.
"""

from .tree import NotRewritable, Tree, bind, parse
from .walking import children, parents, walk

__all__ = ["NotRewritable", "Tree", "bind", "children", "parents", "parse", "walk"]
