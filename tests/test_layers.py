"""Who may import whom: lower layers know nothing of higher ones, rules only the api, and heavy libraries have one home."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

LAYERS = (
    # From the bottom to the top. A part may import what is on its own layer or below.
    "records places findings fixes.operations knowledge links",
    "source notebook config",
    "ir gates discovery",
    "semantics",
    "domain",
    "examples rule suppress report",
    "registry api fixes syntax project",
    "engine documentation explanation",
    "runner",
    "render",
    "verify lsp",
    "cli",
)
HEIGHT = {part: height for height, parts in enumerate(LAYERS) for part in parts.split()}

HOMES = {"libcst": ("syntax",), "click": ("cli",)}
"""The only parts that import a library."""


def modules() -> dict[str, Path]:
    """The modules of feedlint by their dotted names below the package."""
    package = ROOT / "feedlint"
    return {".".join(path.relative_to(package).with_suffix("").parts): path for path in package.rglob("*.py")}


def imports(path: Path, package: str) -> Iterator[tuple[str, int]]:
    """What a file imports, by absolute name, with the line; also what stands in functions and under TYPE_CHECKING."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            yield from ((f"{base}.{alias.name}", node.lineno) for alias in node.names)


def height(module: str) -> int | None:
    """The layer of a module, such as `fixes.operations.Edit`, by the longest known beginning of its name."""
    parts = module.split(".")
    known = (HEIGHT.get(".".join(parts[:length])) for length in range(len(parts), 0, -1))
    return next((found for found in known if found is not None), None)


def imports_of_feedlint() -> Iterator[tuple[str, str, str]]:
    """The module, what it imports of feedlint, and where."""
    for module, path in sorted(modules().items()):
        parts = ["feedlint", *module.split(".")]
        for name, line in imports(path, ".".join(parts[:-1])):
            if name.startswith("feedlint."):
                yield module, name.removeprefix("feedlint."), f"{path.relative_to(ROOT)}:{line}"


def test_every_module_has_a_layer() -> None:
    outside = {"__init__", "__main__", "_checkout"}
    assert [module for module in modules() if module not in outside and height(module) is None] == []


def test_no_module_imports_a_higher_layer() -> None:
    wrong = []
    for module, name, where in imports_of_feedlint():
        own, other = height(module), height(name)
        if own is not None and other is not None and other > own:
            wrong.append(f"{where}: {module} imports {name}")
    assert wrong == []


@pytest.mark.parametrize("library", HOMES)
def test_a_library_is_imported_only_at_home(library: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}:{line}"
        for module, path in modules().items()
        if module.split(".")[0] not in HOMES[library]
        for name, line in imports(path, "feedlint")
        if name.split(".")[0] == library
    ]
    assert wrong == []


def test_rules_import_only_the_api_their_siblings_and_the_standard_library() -> None:
    allowed = ("feedlint.api.", "feedlint.rules.")
    wrong = [
        f"{path.relative_to(ROOT)}:{line}: {name}"
        for path in sorted((ROOT / "rules").glob("*.py"))
        for name, line in imports(path, "feedlint.rules")
        if not name.startswith(allowed) and name.split(".")[0] not in sys.stdlib_module_names
    ]
    assert wrong == []
