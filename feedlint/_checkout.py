"""Let `python -m feedlint` run from a plain checkout.

There `rules/` lies beside `feedlint/`; in an installed copy it is the package `feedlint.rules`.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType

# Every start pays for what is imported here; pathlib alone would cost some milliseconds.
_PACKAGE = os.path.dirname(os.path.realpath(__file__))
_CHECKOUT = os.path.dirname(_PACKAGE)
_RULES = os.path.join(_CHECKOUT, "rules", "__init__.py")


class _RulesFinder:
    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name != "feedlint.rules":
            return None
        from importlib.util import spec_from_file_location

        return spec_from_file_location(name, _RULES, submodule_search_locations=[os.path.dirname(_RULES)])


def install() -> None:
    """Register the finder where the rules are not installed inside the package; last, so that an installed copy wins."""
    installed = os.path.exists(os.path.join(_PACKAGE, "rules"))
    if not installed and os.path.isfile(_RULES) and os.path.isfile(os.path.join(_CHECKOUT, "pyproject.toml")):
        sys.meta_path.append(_RulesFinder)
