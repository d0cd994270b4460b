"""What a first run over a tree costs, against parsing it. Usage: python benchmarks/cold_run.py [FOLDER] [--runs N]

Without a folder a tree is made of copies of the examples and of modules of the standard library. Compared are, each in a
process of its own and by CPU time, the least of several runs:

* feedlint over the tree: one process, no cache, everything from its first import on;
* `ast.parse` of the files that pass feedlint's gates;
* LibCST's parse of the files in which something is found, and of all files that mention torch.

Exits with 1 where a budget is not kept.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
COPIES_OF_EXAMPLES = 12


def make_tree(folder: Path) -> None:
    """Write projects that train, and as many modules of other kinds as a checkout has besides."""
    for number in range(COPIES_OF_EXAMPLES):
        shutil.copytree(ROOT / "examples", folder / f"project_{number}", ignore=shutil.ignore_patterns("__pycache__"))
    target = folder / "library"
    target.mkdir()
    for path in sorted(Path(json.__file__).parent.parent.glob("*.py")):
        shutil.copy(path, target)


def groups(folder: Path) -> dict[str, list[str]]:
    """The files that pass the gates, those in which something is found, and those that mention torch."""
    from feedlint.config import Overrides
    from feedlint.engine import may_matter
    from feedlint.runner import Workspace, judge_files

    workspace = Workspace(Overrides(isolated=True))
    files = workspace.find([str(folder)]).files
    data = {path: Path(path).read_bytes() for path in files}
    outcome = judge_files(workspace, files)
    if outcome.errors:
        raise SystemExit(f"{outcome.errors[0].path}: {outcome.errors[0].details}")
    return {
        "all": list(files),
        "surviving": [path for path in files if may_matter(workspace.project_of(path), path, data[path])],
        "found": [report.path for report in outcome.reports if report.findings],
        "torch": [path for path in files if b"torch" in data[path]],
    }


def parse(parser: str, files: Iterable[str]) -> None:
    """Parse the files that can be parsed; notebooks are left out, because neither parser reads them."""
    import ast

    if parser == "libcst":
        import libcst
    for path in files:
        if path.endswith(".ipynb"):
            continue
        data = Path(path).read_bytes()
        try:
            tree = ast.parse(data) if parser == "ast" else libcst.parse_module(data)
        except Exception:
            continue
        del tree


def measure(what: str, files: list[str], folder: str) -> float:
    """CPU seconds of one task, in this process."""
    if what == "feedlint":
        begin = time.process_time()
        from feedlint.cli import main

        status = main(["check", "--isolated", "--no-cache", "--output-format", "json", "-o", "/dev/null", folder])
        if status not in (0, 1):
            raise SystemExit(f"feedlint exited with {status}")
        return time.process_time() - begin
    parse(what, files[:1])  # the parser's own import is not its work
    begin = time.process_time()
    parse(what, files)
    return time.process_time() - begin


def in_own_process(what: str, files: list[str], folder: Path) -> float:
    task = json.dumps({"what": what, "files": files, "folder": str(folder)})
    done = subprocess.run([sys.executable, __file__, "--task"], input=task, capture_output=True, text=True, cwd=ROOT)
    if done.returncode != 0:
        raise SystemExit(done.stderr)
    return float(done.stdout.splitlines()[-1])


def compare(folder: Path, runs: int) -> bool:
    files = groups(folder)
    tasks = {
        "feedlint": ("feedlint", []),
        "ast.parse of the surviving files": ("ast", files["surviving"]),
        "LibCST parse of the files with findings": ("libcst", files["found"]),
        "LibCST parse of all files that mention torch": ("libcst", files["torch"]),
    }
    seconds: dict[str, list[float]] = {name: [] for name in tasks}
    for _ in range(runs):
        for name, (what, members) in tasks.items():
            seconds[name].append(in_own_process(what, members, folder))
    feedlint, syntax, found, torch = (min(times) for times in seconds.values())
    print(f"{len(files['all'])} files below {folder}\n")
    print(f"{'':46}{'files':>7}{'CPU':>10}{'feedlint takes':>18}")
    counts = [len(files[group]) for group in ("all", "surviving", "found", "torch")]
    for name, count, own in zip(tasks, counts, (feedlint, syntax, found, torch), strict=True):
        ratio = "" if name == "feedlint" else f"{feedlint / own:15.2f} x" if own else ""
        print(f"{name:46}{count:7}{own:8.3f} s{ratio:>18}")
    budgets = (
        ("3 x ast.parse of the surviving files + 1.6 x LibCST of those with findings", 3 * syntax + 1.6 * found),
        ("LibCST parse of all files that mention torch", torch),
    )
    print()
    for name, budget in budgets:
        print(f"{'kept' if feedlint <= budget else 'NOT KEPT':10}{feedlint:.3f} s of {budget:.3f} s: {name}")
    return all(feedlint <= budget for _, budget in budgets)


def main() -> int:
    if "--task" in sys.argv:
        sys.path.insert(0, str(ROOT))
        task = json.load(sys.stdin)
        print(measure(task["what"], task["files"], task["folder"]))
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, nargs="?")
    parser.add_argument("--runs", type=int, default=3)
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    if options.folder is not None:
        return 0 if compare(options.folder.resolve(), options.runs) else 1
    with tempfile.TemporaryDirectory() as temporary:
        make_tree(Path(temporary))
        return 0 if compare(Path(temporary), options.runs) else 1


if __name__ == "__main__":
    sys.exit(main())
