"""What no rule speaks about: tests, benchmarks, error paths; and what belongs to one card."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence

from ..ir import nodes as ir
from ..semantics.classes import derives_from
from ..semantics.evaluation import Semantics
from ..semantics.loops import PerStep

_TEST_FILE = re.compile(r"^(test_.*|.*_test|conftest)\.py$")
_TEST_CASES = frozenset({"unittest.TestCase", "unittest.case.TestCase", "absl.testing.absltest.TestCase", "torch.testing._internal.common_utils.TestCase"})


def is_test_file(path: str, root: str) -> bool:
    """A file that a test runner collects, or one in a folder of tests below the project's root."""
    if _TEST_FILE.match(posixpath.basename(path)):
        return True
    below = path[len(root) :].split("/")[:-1]
    return "tests" in below or "testing" in below


def is_left_alone(semantics: Semantics, node: ir.Node) -> bool:
    """Whether a node stands in a test: nobody trains there."""
    module = node.module
    key = ("test file", module)
    if key not in semantics.cache:
        semantics.cache[key] = _is_test_module(semantics, module)
    if semantics.cache[key]:
        return True
    for ancestor in node.ancestors():
        if isinstance(ancestor, ir.Class) and derives_from(semantics, ancestor, _TEST_CASES):
            return True
        if isinstance(ancestor, ir.Function) and ancestor.name.startswith("test_") and _asserts(ancestor):
            return True
    return False


def _is_test_module(semantics: Semantics, module: ir.Module) -> bool:
    """By its place, and by what it holds: `test_net.py` of a project evaluates a model as often as it tests code."""
    if not is_test_file(module.path, semantics.project.root):
        return False
    if not any(part in ("tests", "testing") for part in module.path.split("/")):
        return _holds_tests(semantics, module)
    return True


def _holds_tests(semantics: Semantics, module: ir.Module) -> bool:
    if "pytest" in module.names or "unittest" in module.names or posixpath.basename(module.path) == "conftest.py":
        return True
    if any(function.name.startswith("test") and (_asserts(function) or function.parameters == []) for function in module.functions):
        return True
    return any(derives_from(semantics, node, _TEST_CASES) for node in module.classes)


def _asserts(function: ir.Function) -> bool:
    return any(isinstance(n, ir.Assert) for n in ir.walk_block(function.body))


def card_of(steps: Sequence[PerStep]) -> str:
    """The key of the card on which things of these loops stand: the loader that feeds them, else the loop."""
    for step in steps:
        for loader in step.loop.loaders:
            if loader.call is not None:
                return card_key(loader.call)
    return card_key(steps[0].loop.node) if steps else ""


def card_key(node: ir.Node) -> str:
    return f"{node.module.path}:{node.line}:{node.column}"
