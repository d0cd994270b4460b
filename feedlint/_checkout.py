"""Let `python -m feedlint` run from a plain checkout.

There `rules/` lies beside `feedlint/`; in an installed copy it is the package `feedlint.rules`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

_PACKAGE = Path(__file__).resolve().parent
_RULES = _PACKAGE.parent / "rules" / "__init__.py"


class _RulesFinder:
    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != "feedlint.rules":
            return None
        return spec_from_file_location(name, _RULES, submodule_search_locations=[str(_RULES.parent)])


def install() -> None:
    """Register the finder where the rules are not installed inside the package; last, so that an installed copy wins."""
    if not (_PACKAGE / "rules").exists() and _RULES.is_file() and (_PACKAGE.parent / "pyproject.toml").is_file():
        sys.meta_path.append(_RulesFinder)
