"""The layer over LibCST: parsing once, an own walk, spans of wanted nodes only. Nothing else touches LibCST."""

from .tree import NotRewritable, Tree, parse

__all__ = ["NotRewritable", "Tree", "parse"]
