"""The generated pages: what they show, and that they are up to date in this checkout."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from feedlint import documentation
from feedlint.api import Bad, Finding, Good, Rule, Severity
from feedlint.config import Settings
from feedlint.knowledge.risks import RISKS


class Endless(Rule):
    """A loop has no end.

    ## What it does
    Finds `while True`.

    ## Why it starves the GPU
    It never gets there.

    ## What it is worth
    2-3x.

    ## When it is right
    In a server.

    ## Fix safety
    Safe.

    ## References
    None.
    """

    code, name, since = "FDL901", "endless-loop", "0.1"
    severity = Severity.ERROR
    sees, needs, worth = object, ("while",), "2-3x in our own runs"
    options = {"limit": 3, "names": ["a"], "strict": True}
    bad = [
        Bad("a = 1\nwhile True:  #! FDL901\n    pass\n", fixed="a = 1\nwhile a < 3:\n    pass\n", accept=("memory",)),
        Bad({"train.py": "import loop\n", "loop.py": "while 1: pass  #! FDL901\n"}, note="In another file."),
    ]
    good = [Good("while x:\n    pass\n", "x may become false.")]

    def judge(self, fact: object, settings: Settings) -> Iterator[Finding]:
        yield from ()


RULE = Endless()

PAGE = """\
# FDL901: endless-loop

A loop has no end.

Error, preview: off unless asked for (`--preview`, or selected by code). Fix: unsafe (memory). Since 0.1.

## What it does

Finds `while True`.

## Why it starves the GPU

It never gets there.

## What it is worth

2-3x.

## When it is right

In a server.

## Fix safety

Safe.

## Examples

```python
a = 1
while True:  # <- FDL901
    pass
```

`feedlint check --fix --accept memory` makes of it:

```diff
 a = 1
-while True:
+while a < 3:
     pass
```

In another file.

`train.py`:

```python
import loop
```

`loop.py`:

```python
while 1: pass  # <- FDL901
```

## Near misses

No finding: x may become false.

```python
while x:
    pass
```

## Options

In `[tool.feedlint.rules.endless-loop]` of pyproject.toml, with their defaults:

* `limit = 3`
* `names = ["a"]`
* `strict = true`

## References

None.
"""

ROW = "| [FDL901]({}FDL901.md) | `endless-loop` | A loop has no end | error | unsafe (memory) | preview |"


def test_the_page_of_a_rule_holds_its_text_its_examples_and_what_the_fix_makes_of_them() -> None:
    assert documentation.rule_text(RULE) == PAGE


def test_the_index_links_every_rule() -> None:
    assert ROW.format("") in documentation.index_text([RULE]).splitlines()


def test_every_risk_is_explained() -> None:
    text = documentation.risks_text()
    assert [risk.name for risk in RISKS if f"## {risk.name}\n\nNot proven: " not in text] == []


def test_pages_are_stale_until_they_are_written(tmp_path: Path) -> None:
    wanted = documentation.pages(tmp_path, [RULE])
    names = {str(path.relative_to(tmp_path).as_posix()) for path in wanted}
    assert names == {"docs/rules/FDL901.md", "docs/rules/FDL000.md", "docs/rules/index.md", "docs/risks.md"}
    assert documentation.stale(tmp_path, wanted) == sorted(wanted)


def test_the_table_in_the_readme_is_replaced_between_its_markers(tmp_path: Path) -> None:
    readme = tmp_path / "README.md"
    readme.write_text("above\n<!-- rules: begin -->\nold\n<!-- rules: end -->\nbelow\n", encoding="utf-8")
    text = documentation.pages(tmp_path, [RULE])[readme]
    assert text.startswith("above\n<!-- rules: begin -->\n\n###")
    assert text.endswith("\n<!-- rules: end -->\nbelow\n")
    assert "old" not in text
    assert ROW.format("docs/rules/") in text.splitlines()


def test_a_readme_without_markers_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# feedlint\n", encoding="utf-8")
    assert documentation.pages(tmp_path, [RULE])[tmp_path / "README.md"] == "# feedlint\n"


def test_writing_makes_the_check_pass_and_removes_pages_of_rules_that_are_gone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    gone = tmp_path / "docs" / "rules" / "FDL999.md"
    gone.parent.mkdir(parents=True)
    gone.write_text(documentation.NOTICE, encoding="utf-8")
    by_hand = gone.with_name("writing.md")
    by_hand.write_text("# By hand\n", encoding="utf-8")
    assert documentation.main(["--check"], tmp_path) == 1
    assert "stale: docs/rules/FDL999.md" in capsys.readouterr().out
    assert gone.exists()
    assert documentation.main([], tmp_path) == 0
    assert documentation.main(["--check"], tmp_path) == 0
    assert (gone.exists(), by_hand.exists()) == (False, True)


def test_the_pages_of_this_checkout_are_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    assert documentation.main(["--check"]) == 0, capsys.readouterr().out
