"""Configuration files that a program opens by a constant path: YAML, JSON, TOML, Hydra folders. Data only, never run."""

from __future__ import annotations

import posixpath
import re
from dataclasses import field
from typing import TYPE_CHECKING, Any

from ..ir import nodes as ir
from ..places import Place, Span
from ..records import record
from .values import (
    CONFIGURED,
    UNKNOWN,
    Document,
    Known,
    Mapping,
    Origin,
    Scalar,
    ValueSet,
    one,
    union,
)

if TYPE_CHECKING:
    from .evaluation import Semantics

_LARGEST = 1_000_000  # bytes; larger files are data, not configuration


@record(frozen=True, slots=True, eq=False)
class DocumentNode:
    """A value in a configuration file: `content` is a dict of nodes, a list of nodes, or a constant."""

    path: str
    line: int
    column: int
    content: Any
    key: str = ""
    children: dict[Any, Any] = field(default_factory=dict)

    def value(self) -> ValueSet:
        if isinstance(self.content, (dict, list)):
            return one(Document(self))
        if isinstance(self.content, str) and "${" in self.content:
            return UNKNOWN  # interpolated from elsewhere
        place = Place(self.path, Span(self.line, self.column, self.line, self.column + 1))
        note = f"{self.key} is {self.content!r} in {posixpath.basename(self.path)}"
        return one(Known(self.content, Origin(CONFIGURED, place, note)))

    def child(self, key: Any) -> ValueSet:
        """The value at a key; nothing if there is none."""
        if isinstance(self.content, dict):
            node = self.content.get(key)
        elif isinstance(self.content, list) and isinstance(key, int) and -len(self.content) <= key < len(self.content):
            node = self.content[key]
        else:
            node = None
        return node.value() if node is not None else ValueSet()

    def elements(self) -> ValueSet:
        if isinstance(self.content, dict):
            return one(Scalar("str"))
        if isinstance(self.content, list):
            return union(node.value() for node in self.content)
        return UNKNOWN

    def as_mapping(self) -> Mapping | None:
        if not isinstance(self.content, dict):
            return None
        return Mapping({k: n.value() for k, n in self.content.items() if isinstance(k, str)}, False)


def parse(path: str, data: bytes) -> DocumentNode | None:
    """The content of a configuration file, None if it is not one or is broken."""
    if len(data) > _LARGEST:
        return None
    suffix = path.rpartition(".")[2].lower()
    try:
        if suffix == "toml":
            return _plain(path, _toml(data), "")
        if suffix == "json":
            return _json(path, data)
        return _yaml(path, data)
    except Exception:  # whatever a broken file of somebody else makes a parser raise
        return None


def _toml(data: bytes) -> Any:
    import importlib

    try:
        parser = importlib.import_module("tomllib")
    except ImportError:  # before Python 3.11
        parser = importlib.import_module("tomli")
    return parser.loads(data.decode("utf-8"))


def _json(path: str, data: bytes) -> DocumentNode:
    import json

    text = data.decode("utf-8-sig")
    content = json.loads(text)
    lines = text.split("\n")

    def line_of(key: str) -> tuple[int, int]:
        pattern = re.compile(re.escape(json.dumps(key)) + r"\s*:")
        for number, line in enumerate(lines, 1):
            match = pattern.search(line)
            if match:
                return number, match.start()
        return 1, 0

    return _plain(path, content, "", line_of)


def _plain(path: str, content: Any, key: str, line_of: Any = None) -> DocumentNode:
    line, column = line_of(key) if line_of is not None and key else (1, 0)
    if isinstance(content, dict):
        made: Any = {k: _plain(path, v, str(k), line_of) for k, v in content.items()}
    elif isinstance(content, list):
        made = [_plain(path, v, key, line_of) for v in content]
    else:
        made = content
    return DocumentNode(path, line, column, made, key)


def _yaml(path: str, data: bytes) -> DocumentNode | None:
    import yaml

    class Loader(yaml.SafeLoader):
        pass

    # As most programs write it, `1e-4` without a dot is a number too.
    loader = Loader(data)
    try:
        root = loader.get_single_node()
        if root is None:
            return None
        return _from_yaml(path, loader, root, "", 0)
    finally:
        loader.dispose()


def _from_yaml(path: str, loader: Any, node: Any, key: str, depth: int) -> DocumentNode:
    import yaml

    line, column = node.start_mark.line + 1, node.start_mark.column
    if depth > 50:
        return DocumentNode(path, line, column, ..., key)
    if isinstance(node, yaml.MappingNode):
        loader.flatten_mapping(node)
        made: Any = {}
        for key_node, value_node in node.value:
            name = loader.construct_object(key_node) if isinstance(key_node, yaml.ScalarNode) else None
            made[name] = _from_yaml(path, loader, value_node, str(name), depth + 1)
    elif isinstance(node, yaml.SequenceNode):
        made = [_from_yaml(path, loader, item, key, depth + 1) for item in node.value]
    else:
        try:
            made = loader.construct_object(node)
        except yaml.YAMLError:
            made = ...
    return DocumentNode(path, line, column, made, key)


def load(semantics: Semantics, names: ValueSet, importer: str) -> ValueSet:
    """The document that a path means; open where the path is not constant."""
    found = ValueSet()
    for value in names.values:
        if not isinstance(value, Known) or not isinstance(value.value, str):
            return UNKNOWN
        document = find(semantics, value.value, importer)
        if document is None:
            return UNKNOWN
        found = found | document.value()
    return found.opened() if names.open or not names.values else found


def find(semantics: Semantics, path: str, importer: str) -> DocumentNode | None:
    """The configuration file at a path: absolute, beside the script, or from the project's root."""
    folders = [posixpath.dirname(importer), semantics.project.root]
    for folder in folders:
        full = posixpath.normpath(posixpath.join(folder, path))
        if not full.startswith(semantics.project.root):
            continue  # nothing outside of the project is read
        key = ("document", full)
        if key not in semantics.cache:
            data = semantics.project.bytes_of(full)
            semantics.cache[key] = None if data is None else parse(full, data)
        if semantics.cache[key] is not None:
            return semantics.cache[key]  # type: ignore[no-any-return]
    return None


def hydra_configuration(semantics: Semantics, decorator: ir.Call) -> ValueSet:
    """What `@hydra.main(config_path=..., config_name=...)` hands over: the file with its defaults list merged in."""
    folder = semantics.evaluate(decorator.argument("config_path", 0)).single
    name = semantics.evaluate(decorator.argument("config_name", 1)).single
    if not isinstance(name, Known) or not isinstance(name.value, str):
        return UNKNOWN
    where = folder.value if isinstance(folder, Known) and isinstance(folder.value, str) else "."
    merged = _hydra_file(semantics, where, name.value, decorator.module.path, 0)
    return merged.value() if merged is not None else UNKNOWN


def _hydra_file(semantics: Semantics, folder: str, name: str, importer: str, depth: int) -> DocumentNode | None:
    file = name if name.endswith((".yaml", ".yml")) else name + ".yaml"
    document = find(semantics, posixpath.join(folder, file), importer)
    if document is None or not isinstance(document.content, dict) or depth > 5:
        return document
    defaults = document.content.get("defaults")
    own = {k: v for k, v in document.content.items() if k != "defaults"}
    if defaults is None or not isinstance(defaults.content, list):
        return document
    merged: dict[Any, DocumentNode] = {}
    placed = False
    for entry in defaults.content:
        content = entry.content
        if content == "_self_":
            merged, placed = _merge(merged, own), True
        elif isinstance(content, str):
            base = _hydra_file(semantics, folder, content, importer, depth + 1)
            if base is not None and isinstance(base.content, dict):
                merged = _merge(merged, base.content)
        elif isinstance(content, dict):
            for group, chosen in content.items():
                group_name = str(group).removeprefix("override ").removeprefix("optional ").partition("@")[0].strip("/")
                if not isinstance(chosen.content, str):
                    continue
                part = _hydra_file(semantics, posixpath.join(folder, group_name), chosen.content, importer, depth + 1)
                if part is None or not isinstance(part.content, dict):
                    continue
                nested = part
                for step in reversed(group_name.split("/")):
                    nested = DocumentNode(part.path, part.line, part.column, {step: nested}, step)
                merged = _merge(merged, nested.content)
    if not placed:
        merged = _merge(merged, own)
    return DocumentNode(document.path, 1, 0, merged)


def _merge(below: dict[Any, DocumentNode], above: dict[Any, DocumentNode]) -> dict[Any, DocumentNode]:
    merged = dict(below)
    for key, node in above.items():
        old = merged.get(key)
        if old is not None and isinstance(old.content, dict) and isinstance(node.content, dict):
            node = DocumentNode(node.path, node.line, node.column, _merge(old.content, node.content), node.key)
        merged[key] = node
    return merged
