"""Every example of every rule is a program: the rule must find, fix and leave alone exactly what its file promises."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from feedlint.cli import main
from feedlint.config import Settings
from feedlint.engine import judge
from feedlint.examples import Bad, Good
from feedlint.findings import Finding
from feedlint.project import Project
from feedlint.registry import all_rules
from feedlint.rule import Rule

Files = Mapping[str, str]
BAD = [pytest.param(rule, bad, id=f"{rule.code}-{n}") for rule in all_rules() for n, bad in enumerate(rule.bad, 1)]
# A file that can't be parsed has no comments, and is what it is in every layout.
PARSED = [case for case in BAD if case.values[0].code != "FDL000"]
FIXED = [case for case in BAD if case.values[1].fixed is not None]
GOOD = [pytest.param(rule, good, id=f"{rule.code}-{n}") for rule in all_rules() for n, good in enumerate(rule.good, 1)]


def findings(root: Path, files: Files, code: str = "ALL", *, gates: bool = True) -> list[Finding]:
    """What is found in a program that is only in memory, in all its files."""
    overlays = {str(root / path): text.encode() for path, text in files.items()}
    project = Project(str(root), Settings(select=(code,)), overlays, gates=gates)
    return [finding for path in overlays for finding in judge(project, path).findings]


def places(root: Path, files: Files, code: str, *, gates: bool = True) -> set[tuple[str, int]]:
    found = findings(root, files, code, gates=gates)
    return {(Path(f.place.path).relative_to(root).as_posix(), f.place.span.line) for f in found}


def fixed(root: Path, files: Files, rule: Rule, accept: tuple[str, ...]) -> dict[str, str]:
    """The program after `feedlint check --fix` with this rule and those that its fixes require."""
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())
    fixes = {finding.fix.key: finding.fix for finding in findings(root, files) if finding.fix}
    codes = {rule.code}
    waiting = [key for key in fixes if key.startswith(rule.code)]
    while waiting:
        key = waiting.pop()
        codes.add(key.partition("@")[0])
        waiting += fixes[key].requires if key in fixes else ()
    arguments = ["check", "--fix", "--isolated", "--no-cache", "-q", "--select", ",".join(sorted(codes))]
    assert main([*arguments, *(["--accept", ",".join(accept)] if accept else []), str(root)]) in (0, 1)
    return {path: (root / path).read_bytes().decode() for path in files}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "program"
    folder.mkdir()
    # The project ends here, whatever lies above the folder for temporary files.
    (folder / "feedlint.toml").touch()
    return folder


@pytest.mark.parametrize(("rule", "bad"), BAD)
def test_exactly_the_marked_lines_are_found(rule: Rule, bad: Bad, root: Path) -> None:
    assert places(root, bad.files, rule.code) == set(bad.marked)


@pytest.mark.parametrize(("rule", "good"), GOOD)
def test_a_near_miss_is_left_alone(rule: Rule, good: Good, root: Path) -> None:
    assert places(root, good.files, rule.code) == set(), good.why


@pytest.mark.parametrize(("rule", "example"), BAD + GOOD)
def test_the_gates_hide_nothing(rule: Rule, example: Bad | Good, root: Path) -> None:
    assert findings(root, example.files) == findings(root, example.files, gates=False)


@pytest.mark.parametrize(("rule", "bad"), PARSED)
def test_a_comment_on_the_marked_line_silences_it(rule: Rule, bad: Bad, root: Path) -> None:
    assert places(root, _with_comment(bad, f"# feedlint: ignore[{rule.code}]"), rule.code) == set()


@pytest.mark.parametrize(("rule", "bad"), BAD)
def test_the_fix_writes_exactly_the_promised_text(rule: Rule, bad: Bad, root: Path) -> None:
    assert fixed(root, bad.files, rule, bad.accept) == (bad.fixed_files or bad.files)


@pytest.mark.parametrize(("rule", "bad"), FIXED)
def test_nothing_is_found_after_the_fix(rule: Rule, bad: Bad, root: Path) -> None:
    assert places(root, bad.fixed_files or {}, rule.code) == set()


@pytest.mark.parametrize(("rule", "bad"), FIXED)
def test_a_second_fix_changes_nothing(rule: Rule, bad: Bad, root: Path) -> None:
    once = bad.fixed_files or {}
    assert fixed(root, once, rule, bad.accept) == once


def _with_carriage_returns(text: str) -> str:
    return text.replace("\n", "\r\n")


def _with_tabs(text: str) -> str:
    return re.sub(r"^(?: {4})+", lambda spaces: "\t" * (len(spaces[0]) // 4), text, flags=re.MULTILINE)


@pytest.mark.parametrize("change", [_with_carriage_returns, _with_tabs])
@pytest.mark.parametrize(("rule", "bad"), BAD)
def test_line_breaks_and_indentation_stay_as_they_are(
    rule: Rule, bad: Bad, change: Callable[[str], str], root: Path
) -> None:
    before = {path: change(text) for path, text in bad.files.items()}
    assert places(root, before, rule.code) == set(bad.marked)
    after = {path: change(text) for path, text in (bad.fixed_files or bad.files).items()}
    assert fixed(root, before, rule, bad.accept) == after


@pytest.mark.parametrize(("rule", "bad"), BAD)
def test_a_comment_beside_the_code_stays(rule: Rule, bad: Bad, root: Path) -> None:
    # One without words: it explains nothing that a rule could respect.
    comment = "# ---"
    before = _with_comment(bad, comment)
    after = fixed(root, before, rule, bad.accept)
    assert {path: text.replace(f"  {comment}", "") for path, text in after.items()} == (bad.fixed_files or bad.files)
    assert {path: text.count(comment) for path, text in after.items()} == {
        path: text.count(comment) for path, text in before.items()
    }


@pytest.mark.parametrize(("rule", "bad"), PARSED)
def test_calls_with_one_argument_on_each_line_are_found_and_fixed_alike(rule: Rule, bad: Bad, root: Path) -> None:
    before = {
        p: _one_argument_per_line(t, {line for path, line in bad.marked if path == p}) for p, t in bad.files.items()
    }
    found = Counter(finding.place.path for finding in findings(root, before, rule.code))
    assert found == Counter(finding.place.path for finding in findings(root, bad.files, rule.code))
    after = fixed(root, before, rule, bad.accept)
    assert _meaning(after) == _meaning(bad.fixed_files or bad.files)


def _with_comment(bad: Bad, comment: str) -> dict[str, str]:
    return {
        path: "\n".join(
            f"{line}  {comment}" if (path, number) in bad.marked else line
            for number, line in enumerate(text.split("\n"), start=1)
        )
        for path, text in bad.files.items()
    }


def _meaning(files: Files) -> dict[str, str]:
    return {path: ast.dump(ast.parse(text)) if path.endswith(".py") else text for path, text in files.items()}


def _one_argument_per_line(text: str, numbers: set[int]) -> str:
    """Spread the outermost calls of these lines, where they stand on one line, over several."""
    for number in sorted(numbers, reverse=True):
        lines = text.split("\n")
        for call in sorted(_calls(ast.parse(text), number), key=lambda call: call.col_offset, reverse=True):
            lines[number - 1] = _spread(lines[number - 1], call)
        changed = "\n".join(lines)
        try:
            same = ast.dump(ast.parse(changed)) == ast.dump(ast.parse(text))
        except SyntaxError:
            # A lone generator takes no comma; an argument in brackets begins before its place.
            same = False
        text = changed if same else text
    return text


def _calls(node: ast.AST, number: int) -> Iterator[ast.Call]:
    """The outermost calls that stand on this line alone."""
    if isinstance(node, ast.Call) and node.lineno == node.end_lineno == number and (node.args or node.keywords):
        yield node
    elif not isinstance(node, ast.JoinedStr):
        for child in ast.iter_child_nodes(node):
            yield from _calls(child, number)


def _spread(line: str, call: ast.Call) -> str:
    # `ast` counts bytes.
    data = line.encode()
    starts = sorted(argument.col_offset for argument in [*call.args, *call.keywords])
    ends = [*starts[1:], (call.end_col_offset or 0) - 1]
    indent = b" " * (len(data) - len(data.lstrip()))
    rows = [data[start:end].strip().removesuffix(b",") for start, end in zip(starts, ends, strict=True)]
    arguments = b"".join(b"\n%s    %s," % (indent, row) for row in rows)
    bracket = data.index(b"(", call.func.end_col_offset or 0)
    return (data[: bracket + 1] + arguments + b"\n" + indent + b")" + data[call.end_col_offset :]).decode()
