"""Where the pages of the rules can be read."""

from __future__ import annotations

RULE_PAGES = "https://github.com/feedlint/feedlint/blob/main/docs/rules/"


def rule_url(code: str) -> str | None:
    """The page of a rule; None for the rules of third-party packs, which have their pages elsewhere."""
    return f"{RULE_PAGES}{code}.md" if code.startswith("FDL") else None
