"""Judge public repositories and try all fixes on copies of them. Usage: python benchmarks/ecosystem/run.py FOLDER

FOLDER holds a checkout of each repository of repositories.txt as owner+name. Writes counts.json and counts.md beside this
file (or into --output): findings by repository, commit and code. On a copy, once with safe fixes and once with all:

* every file that compiled still compiles, and every notebook is still JSON;
* a second run changes nothing;
* only lines change that an offered edit names, or that a later round of fixes may touch beside them;
* nothing else in the repository changes.

Exits with 1 if any of this does not hold or feedlint fails anywhere.
"""

from __future__ import annotations

import argparse
import difflib
import json
import shutil
import subprocess
import sys
import tempfile
import warnings
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
FIXES = {"safe": ["--fix"], "all": ["--fix", "--unsafe-fixes"]}


@dataclass(frozen=True)
class Repository:
    name: str
    commit: str

    @property
    def folder(self) -> str:
        return self.name.replace("/", "+")


def repositories() -> Iterator[Repository]:
    for line in (HERE / "repositories.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            yield Repository(*line.split())


def other_commit(checkout: Path, wanted: str) -> str | None:
    """The commit of a checkout, where it is known and not the wanted one."""
    if not (checkout / ".git").exists():
        return None
    done = subprocess.run(["git", "-C", str(checkout), "rev-parse", "HEAD"], capture_output=True, text=True)
    return None if done.stdout.strip() == wanted else done.stdout.strip() or "unknown"


def feedlint(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "feedlint", "check", "--isolated", "--no-cache", "--preview", *options, str(folder)]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def findings_in(folder: Path) -> list[dict[str, Any]]:
    done = feedlint(folder, "--output-format", "json")
    if done.returncode not in (0, 1):
        raise SystemExit(f"{folder}: exit {done.returncode}\n{done.stderr[-2000:]}")
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def is_well_formed(path: str, data: bytes) -> bool:
    """Whether a file compiles, or is JSON if it is a notebook; other files always are."""
    try:
        if path.endswith(".py"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compile(data, path, "exec")
        elif path.endswith(".ipynb"):
            json.loads(data)
    except (SyntaxError, ValueError):
        return False
    return True


def lines_of_edits(findings: list[dict[str, Any]], folder: Path) -> Mapping[str, set[int]]:
    """The lines (from 1) that the offered edits name, by file."""
    lines: dict[str, set[int]] = defaultdict(set)
    for finding in findings:
        for edit in (finding["fix"] or {}).get("edits", ()):
            path = Path(edit["filename"]).relative_to(folder).as_posix()
            lines[path].update(range(edit["location"]["row"], edit["end_location"]["row"] + 1))
    return lines


def strayed_lines(before: bytes, after: bytes, allowed: set[int]) -> list[int]:
    """The changed lines of `before` that no edit names."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    changed: list[int] = []
    for tag, first, last, _, _ in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag == "insert":
            # New lines, such as an import, stand before or after the line that the edit names.
            changed += [first + 1] if not {first, first + 1} & allowed else []
        elif tag != "equal":
            changed += [line for line in range(first + 1, last + 1) if line not in allowed]
    return changed


def problems_of_fixing(original: Path, options: list[str], findings: list[dict[str, Any]]) -> Iterator[str]:
    with tempfile.TemporaryDirectory() as temporary:
        copy = Path(temporary) / original.name
        shutil.copytree(original, copy, symlinks=True)
        before = contents(copy)
        named = lines_of_edits(findings, original)
        done = feedlint(copy, *options)
        if done.returncode not in (0, 1):
            yield f"exit {done.returncode}: {done.stderr.strip()[-500:]}"
            return
        after = contents(copy)
        if before.keys() != after.keys():
            yield f"files came or went: {sorted(before.keys() ^ after.keys())}"
        for path in sorted(before.keys() & after.keys()):
            if before[path] == after[path]:
                continue
            if is_well_formed(path, before[path]) and not is_well_formed(path, after[path]):
                yield f"{path} is broken"
            # The rows of a notebook count inside its cells, so its lines can't be compared.
            strayed = [] if path.endswith(".ipynb") else strayed_lines(before[path], after[path], named.get(path, set()))
            if strayed:
                yield f"{path}: lines {strayed} changed, and no edit names them"
        feedlint(copy, *options)
        again = contents(copy)
        moved = sorted(path for path in again if again[path] != after.get(path))
        if moved:
            yield f"a second run changes {moved}"


def write_results(rows: list[dict[str, Any]], output: Path) -> None:
    codes = sorted({code for row in rows for code in row["findings"]})
    lines = [
        "# Findings in public repositories",
        "",
        "All rules, with those in preview. `n (s, u)`: n findings, s of them with a safe fix, u with an unsafe one.",
        "",
        f"| repository | commit | {' | '.join(codes)} |",
        f"|---|---|{'---|' * len(codes)}",
    ]
    for row in rows:
        cells = []
        for code in codes:
            count, fixes = row["findings"].get(code, 0), row["fixes"].get(code, {})
            cells.append(f"{count} ({fixes.get('safe', 0)}, {fixes.get('unsafe', 0)})" if count else "")
        lines.append(f"| {row['repository']} | {row['commit'][:7]} | {' | '.join(cells)} |")
    output.mkdir(parents=True, exist_ok=True)
    (output / "counts.md").write_text("\n".join(lines) + "\n")
    (output / "counts.json").write_text(json.dumps(rows, indent=2) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--output", type=Path, default=HERE, help="where to write counts.json and counts.md")
    parser.add_argument("--only", action="append", default=[], metavar="OWNER/NAME", help="judge only this repository")
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    failed = False
    for repository in repositories():
        if options.only and repository.name not in options.only:
            continue
        checkout = (options.folder / repository.folder).resolve()
        if not checkout.is_dir():
            print(f"{repository.name}: {checkout} is not there", file=sys.stderr)
            failed = True
            continue
        other = other_commit(checkout, repository.commit)
        if other:
            print(f"{repository.name}: {checkout} stands at {other}, not at {repository.commit}", file=sys.stderr)
            failed = True
            continue
        findings = findings_in(checkout)
        counts = Counter(finding["code"] for finding in findings)
        fixes: dict[str, Counter[str]] = defaultdict(Counter)
        for finding in findings:
            if finding["fix"]:
                fixes[finding["code"]][finding["fix"]["applicability"]] += 1
        print(f"{repository.name} {repository.commit[:7]}: {len(findings)} findings {dict(sorted(counts.items()))}")
        for kind, arguments in FIXES.items():
            for problem in problems_of_fixing(checkout, arguments, findings):
                failed = True
                print(f"  {kind} fixes: {problem}")
        rows.append(
            {
                "repository": repository.name,
                "commit": repository.commit,
                "findings": dict(sorted(counts.items())),
                "fixes": {code: dict(sorted(kinds.items())) for code, kinds in sorted(fixes.items())},
            }
        )
    write_results(rows, options.output)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
