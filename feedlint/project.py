"""A read-only view of one project: its files, with unsaved texts laid over them, and what is asked of them on the way."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from .config import Facts, Settings
from .discovery import files_beside, find_files
from .gates import speaks_of_training
from .source import Source, SourceProblem, read_bytes, source_from_bytes

# What a file means is loaded only when the gates let a file pass.
if TYPE_CHECKING:
    from .ir import Module, Unparsable
    from .semantics.evaluation import Semantics
    from .semantics.imports import ImportResolver

_WORD = re.compile(rb"[A-Za-z_\x80-\xff][\w\x80-\xff]*")
_METADATA = ("setup.py", "setup.cfg", "pyproject.toml")


class Project:
    """`root` is the project's folder; `overlays` maps absolute paths to texts that are not on disk (yet).

    With `loose=True` the folder is only where a file happens to lie: what is far below it is not looked at.
    With `gates=False` no file is left out for what its bytes do not say; for tests, since findings must be the same.
    """

    def __init__(self, root: str, settings: Settings, overlays: Mapping[str, bytes] | None = None, *, gates: bool = True, loose: bool = False) -> None:
        self.root = root.rstrip("/") or "/"
        self.settings = settings
        self.gates = gates
        self.loose = loose
        self._overlays = dict(overlays or {})
        self._bytes: dict[str, bytes | SourceProblem] = {}
        self._sources: dict[str, Source | SourceProblem] = {}
        self._modules: dict[str, Module | Unparsable | None] = {}
        self._trees: dict[str, Any] = {}
        self._mentioning: dict[str, tuple[Module, ...]] = {}

    @property
    def facts(self) -> Facts:
        return self.settings.facts

    @cached_property
    def files(self) -> tuple[str, ...]:
        """All Python files and notebooks of the project, sorted."""
        if self.loose:
            found = dict.fromkeys(files_beside(self.root))
        else:
            found = dict.fromkeys(find_files([self.root], self.settings.exclude, self.settings.extend_exclude, self.root).files)
        for path in self._overlays:
            if os.path.splitext(path)[1] in ("", ".py", ".ipynb"):  # standard input may have no name
                found.setdefault(path)
        return tuple(sorted(found))

    @cached_property
    def imports(self) -> ImportResolver:
        from .semantics.imports import ImportResolver

        extends_path = any(b"sys.path" in (self.bytes_of(path) or b"") for path in self.files)
        return ImportResolver(self.root, frozenset(self.files), self.facts.source_roots, extends_path)

    @cached_property
    def installable(self) -> bool:
        """Whether others can install it as a package, so that functions may have callers that nobody sees here."""
        for name in _METADATA:
            data = self.bytes_of(os.path.join(self.root, name))
            if data is not None and (name != "pyproject.toml" or b"[project]" in data or b"[tool.poetry]" in data):
                if name == "setup.cfg" and b"[metadata]" not in data:
                    continue
                return True
        return False

    @cached_property
    def semantics(self) -> Semantics:
        from .semantics.evaluation import Semantics

        return Semantics(self)

    @cached_property
    def may_train(self) -> bool:
        """Whether some file shows that there may be something to find."""
        contents = (data for path in self.files if (data := self.bytes_of(path)) is not None)
        return speaks_of_training(contents, self.facts.wrappers)

    @cached_property
    def wrapper_names(self) -> frozenset[str]:
        """Names by which the project itself makes loaders: subclasses, partials, factories; they open the gates too."""
        from .semantics.wrappers import wrapper_names

        return wrapper_names(self.semantics) | frozenset(self.facts.wrappers)

    def exists(self, path: str) -> bool:
        return path in self._overlays or path in self.imports.files or os.path.isfile(path)

    def bytes_of(self, path: str) -> bytes | None:
        """The content of a file, None if it can't be read."""
        data = self._content(path)
        return None if isinstance(data, SourceProblem) else data

    def _content(self, path: str) -> bytes | SourceProblem:
        if path in self._overlays:
            return self._overlays[path]
        if path not in self._bytes:
            self._bytes[path] = read_bytes(path)
        return self._bytes[path]

    def source(self, path: str) -> Source | SourceProblem:
        if path not in self._sources:
            data = self._content(path)
            self._sources[path] = data if isinstance(data, SourceProblem) else source_from_bytes(path, data)
        return self._sources[path]

    def line_of(self, path: str, line: int) -> str:
        """A line of a file, counted from 1, "" if there is none."""
        source = self.source(path)
        if isinstance(source, SourceProblem) or not 0 < line <= len(source.lines):
            return ""
        return source.lines[line - 1]

    def parsed(self, path: str) -> Module | Unparsable | SourceProblem:
        source = self.source(path)
        if isinstance(source, SourceProblem):
            return source
        if path not in self._modules:
            from .ir import lower

            self._modules[path] = lower(path, source.text)
        module = self._modules[path]
        assert module is not None
        return module

    def tree(self, path: str) -> Any:
        """The file as LibCST sees it, or why it can't be rewritten; parsed once."""
        from .syntax import NotRewritable, parse

        if path not in self._trees:
            source = self.source(path)
            self._trees[path] = NotRewritable(source.reason) if isinstance(source, SourceProblem) else parse(source)
        return self._trees[path]

    def module(self, path: str) -> Module | None:
        """The representation of a file, None if it can't be read or parsed."""
        from .ir import Module

        found = self.parsed(path)
        return found if isinstance(found, Module) else None

    def modules_mentioning(self, word: str) -> tuple[Module, ...]:
        """The modules in which this name stands, code or not, in the order of their paths."""
        found = self._mentioning.get(word)
        if found is None:
            modules = (self.module(path) for path in self._paths_by_word.get(word.encode(), ()))
            found = self._mentioning[word] = tuple(module for module in modules if module is not None)
        return found

    @cached_property
    def _paths_by_word(self) -> dict[bytes, list[str]]:
        found: dict[bytes, list[str]] = {}
        for path in self.files:
            for word in set(_WORD.findall(self._words_stand_in(path))):
                found.setdefault(word, []).append(path)
        return found

    def _words_stand_in(self, path: str) -> bytes:
        if path.endswith(".ipynb"):  # where JSON may write a line break as a letter before a word
            source = self.source(path)
            return b"" if isinstance(source, SourceProblem) else source.text.encode("utf-8", "surrogateescape")
        return self.bytes_of(path) or b""
