"""What a module says, lowered from `ast`: expressions, statements, scopes, and lists of what later stages look up."""

from .lowering import Unparsable, lower
from .nodes import Module

__all__ = ["Module", "Unparsable", "lower"]
