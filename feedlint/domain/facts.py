"""Which facts there are, and where they come from. A rule names the class of fact that it judges."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..config import Settings
from ..ir import Module
from ..semantics.evaluation import Semantics
from .creations import Creation, creations
from .loaders import Loader, loaders
from .reads import HostRead, host_reads
from .restarts import Restart, restarts
from .transfers import Transfer, transfers
from .unreadable import Unreadable

Finder = Callable[[Semantics, Module, Settings], Iterable[Any]]

FINDERS: dict[type, Finder] = {
    Loader: loaders,
    Restart: restarts,
    Transfer: transfers,
    Creation: creations,
    HostRead: host_reads,
}

__all__ = ["FINDERS", "Creation", "HostRead", "Loader", "Restart", "Transfer", "Unreadable"]
