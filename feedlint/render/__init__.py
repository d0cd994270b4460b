"""Turn reports into text for people and for machines. Each format is loaded when it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from .view import View

if TYPE_CHECKING:
    from ..report import FileReport

Renderer = Callable[[Sequence["FileReport"], View], str]

_MODULES = {"full": "text", "concise": "concise", "json": "json"}

FORMATS = tuple(_MODULES)
"""The names that `--output-format` takes."""


def renderer(name: str) -> Renderer:
    """The function that renders reports in a format. Raises KeyError for a name that is not in FORMATS."""
    render: Renderer = import_module(f".{_MODULES[name]}", __name__).render
    return render


__all__ = ["FORMATS", "Renderer", "View", "renderer"]
