"""The pages about rules and risks, made from the rule files and tables: `python -m feedlint.documentation [--check]`."""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path

from .examples import MAIN_FILE, Bad
from .knowledge.families import family
from .knowledge.risks import RISKS
from .registry import all_rules
from .rule import Rule, sections

NOTICE = "<!-- Made by `python -m feedlint.documentation` from the rule files; changes belong there. -->"
CHECKOUT = Path(__file__).resolve().parent.parent
README_BEGIN, README_END = "<!-- rules: begin -->", "<!-- rules: end -->"

_UNREADABLE = """\
# FDL000: unreadable-file

A file could not be read, decoded or parsed, so nothing in it was judged and nothing in it is changed. The message says
where and why; the other files are judged as usual.

Repair the file, or keep it out with `exclude` if it is not meant to be Python (a template, a test of a parser).
"""


def rule_text(rule: Rule) -> str:
    """The page of a rule in Markdown: what `feedlint rule CODE` prints."""
    summary, texts = sections(rule)
    blocks = [f"# {rule.code}: {rule.name}", summary, _standing(rule)]
    for heading, text in texts.items():
        if heading == "References":
            blocks += _examples(rule)
        blocks += [f"## {heading}", text]
    return "\n\n".join(blocks) + "\n"


def risks_text() -> str:
    """The page of the risks."""
    blocks = [
        "# Risks",
        "`feedlint check --fix` applies an edit only when everything it depends on was proven from the source. Where a "
        "proof is missing the edit is unsafe and names the risk. `--accept NAME,NAME` (or `accept` in the "
        "configuration) applies also the edits whose risks are all accepted; `--unsafe-fixes` accepts them all.",
    ]
    for risk in RISKS:
        blocks += [f"## {risk.name}", f"Not proven: {risk.unproven}.", f"If it is not so: {risk.failure}"]
    return "\n\n".join(blocks) + "\n"


def index_text(rules: Sequence[Rule]) -> str:
    """The page that lists the rules."""
    return f"# Rules\n\n{_table(rules, '')}\n"


def pages(root: Path, rules: Sequence[Rule]) -> dict[Path, str]:
    """Every generated file of a checkout with the text that it should have."""
    folder = root / "docs" / "rules"
    found = {folder / f"{rule.code}.md": rule_text(rule) for rule in rules}
    found |= {folder / "FDL000.md": _UNREADABLE, folder / "index.md": index_text(rules)}
    found[root / "docs" / "risks.md"] = risks_text()
    found = {path: f"{NOTICE}\n\n{text}" for path, text in found.items()}
    readme = root / "README.md"
    if readme.is_file():
        found[readme] = _with_table(readme.read_text(encoding="utf-8"), _table(rules, "docs/rules/"))
    return found


def stale(root: Path, wanted: Mapping[Path, str]) -> list[Path]:
    """The generated files that differ from what they should be, are missing, or belong to no rule."""
    differing = [
        path for path, text in wanted.items() if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]
    present = (root / "docs" / "rules").glob("*.md")
    left_over = [p for p in present if p not in wanted and p.read_text(encoding="utf-8").startswith(NOTICE)]
    return sorted(differing + left_over)


def main(arguments: Sequence[str] | None = None, root: Path = CHECKOUT) -> int:
    """Write the pages; with `--check` only say which are stale, with exit status 1 if there are any."""
    parser = argparse.ArgumentParser(prog="python -m feedlint.documentation", description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 when a page is stale")
    check = parser.parse_args(arguments).check
    wanted = pages(root, [rule for rule in all_rules() if rule.code.startswith("FDL")])
    paths = stale(root, wanted)
    for path in paths:
        print(f"{'stale' if check else 'written' if path in wanted else 'removed'}: {path.relative_to(root)}")
        if check:
            continue
        if path not in wanted:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted[path], encoding="utf-8", newline="\n")
    return 1 if check and paths else 0


def _standing(rule: Rule) -> str:
    default = "on by default" if rule.status == "stable" else "off unless asked for (`--preview`, or selected by code)"
    return f"{str(rule.severity).capitalize()}, {rule.status}: {default}. Fix: {_fix(rule)}. Since {rule.since}."


def _fix(rule: Rule) -> str:
    """The strongest fix that the examples show."""
    accepted = sorted((bad.accept for bad in rule.bad if bad.fixed is not None), key=len)
    if not accepted:
        return "none, by hand"
    return f"unsafe ({', '.join(accepted[0])})" if accepted[0] else "safe where everything is proven"


def _examples(rule: Rule) -> Iterator[str]:
    yield "## Examples"
    for bad in rule.bad:
        yield from [bad.note] if bad.note else []
        yield from _programs(bad.shown())
        if bad.fixed_files is not None:
            with_risks = f" --accept {','.join(bad.accept)}" if bad.accept else ""
            yield f"`feedlint check --fix{with_risks}` makes of it:"
            yield _fenced(_difference(bad), "diff")
    yield "## Near misses"
    for good in rule.good:
        yield f"No finding: {good.why.rstrip('.')}."
        yield from _programs(good.files)
    if rule.options:
        yield "## Options"
        yield f"In `[tool.feedlint.rules.{rule.name}]` of pyproject.toml, with their defaults:"
        yield "\n".join(f"* `{option} = {_toml(value)}`" for option, value in rule.options.items())


def _programs(files: Mapping[str, str]) -> Iterator[str]:
    for path, text in files.items():
        if len(files) > 1 or path != MAIN_FILE:
            yield f"`{path}`:"
        yield _fenced(text)


def _fenced(text: str, language: str = "python") -> str:
    return f"```{language}\n{text.strip(chr(10))}\n```"


def _difference(bad: Bad) -> str:
    """The changed lines with their surroundings."""
    before, after = bad.files, bad.fixed_files or {}
    lines: list[str] = []
    for path in after:
        old, new = before.get(path, ""), after[path]
        changes = list(difflib.unified_diff(old.splitlines(), new.splitlines(), path, path, n=2, lineterm=""))
        lines += changes[3:] if len(after) == 1 else changes
    return "\n".join("@@" if line.startswith("@@ ") else line for line in lines)


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, (tuple, list)):
        return f"[{', '.join(map(_toml, value))}]"
    return str(value)


def _table(rules: Sequence[Rule], folder: str) -> str:
    """The rules by family, each with a link to its page below `folder`."""
    blocks = []
    for heading, members in groupby(rules, key=lambda rule: family(rule.code).heading):
        rows = ["| code | name | what it finds | severity | fix | status |", "|---|---|---|---|---|---|"]
        for rule in members:
            summary = sections(rule)[0].rstrip(".").replace("|", "\\|")
            link = f"[{rule.code}]({folder}{rule.code}.md)"
            rows.append(f"| {link} | `{rule.name}` | {summary} | {rule.severity} | {_fix(rule)} | {rule.status} |")
        blocks.append(f"### {heading}\n\n" + "\n".join(rows))
    return "\n\n".join(blocks)


def _with_table(text: str, table: str) -> str:
    """The text with the table between the markers; unchanged where it has none."""
    begin, end = text.find(README_BEGIN), text.find(README_END)
    if begin < 0 or end < begin:
        return text
    body = f"\n\n{table}\n\n" if table else "\n"
    return f"{text[: begin + len(README_BEGIN)]}{body}{text[end:]}"


if __name__ == "__main__":
    sys.exit(main())
