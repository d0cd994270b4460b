"""Which files to judge: what git knows below the named folders, else a walk that honours .gitignore."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from .config import matches_glob
from .records import record

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

SUFFIXES = (".py", ".ipynb")

DEFAULT_EXCLUDES = (
    *(".bzr", ".direnv", ".eggs", ".git", ".hg", ".ipynb_checkpoints", ".mypy_cache", ".nox", ".pants.d", ".pytype"),
    *(".pytest_cache", ".ruff_cache", ".svn", ".tox", ".venv", ".vscode", "__pycache__", "__pypackages__", "build"),
    *("buck-out", "dist", "node_modules", "site-packages", "venv"),
)

ROOT_MARKERS = ("pyproject.toml", "setup.py", "setup.cfg", ".git", "feedlint.toml", ".feedlint.toml")


@record(frozen=True, slots=True)
class Missing:
    """A path that the user named and that does not exist, as it was named."""

    path: str


@record(frozen=True, slots=True)
class Found:
    """Absolute paths of files, each once, in a fixed order.

    `named` are those of them that the user named one by one; `unreadable` are folders that could not be entered, with
    the reason.
    """

    files: tuple[str, ...]
    named: frozenset[str] = frozenset()
    missing: tuple[Missing, ...] = ()
    unreadable: tuple[tuple[str, str], ...] = ()

    @staticmethod
    def joined(parts: Sequence[Found]) -> Found:
        """Several finds as one."""
        files = _Files()
        # Named files come first, so that they keep the name that the user gave them.
        named = frozenset(files.take(path) for part in parts for path in part.files if path in part.named)
        for part in parts:
            for path in part.files:
                files.take(path)
        return Found(
            tuple(sorted(files.paths(), key=_by_folder)),
            named,
            tuple(item for part in parts for item in part.missing),
            tuple(sorted({item for part in parts for item in part.unreadable})),
        )


def find_files(
    paths: Sequence[str],
    exclude: Sequence[str] | None = None,
    extend_exclude: Sequence[str] = (),
    root: str = "",
    force_exclude: bool = False,
) -> Found:
    """Find the Python files and notebooks below `paths`.

    A file that is named itself is taken whatever its name, with `force_exclude` only where no glob excludes it. `exclude`
    replaces the default excludes; globs are relative to `root`.
    """
    patterns = (*(DEFAULT_EXCLUDES if exclude is None else exclude), *extend_exclude)
    root = os.path.abspath(root or os.getcwd())
    excludes = _Excludes(patterns, root)
    files = _Files()
    named: list[str] = []
    missing: list[Missing] = []
    unreadable: list[tuple[str, str]] = []
    for path in paths:
        absolute = os.path.abspath(path)
        try:
            # An empty name would mean the current folder.
            mode = os.stat(absolute if path else path).st_mode
        except OSError as error:
            if isinstance(error, PermissionError):
                unreadable.append((absolute, error.strerror or "no permission"))
            else:
                missing.append(Missing(path))
            continue
        if force_exclude and excludes.cover(absolute, _above(absolute, root)):
            continue
        if not stat.S_ISDIR(mode):
            named.append(absolute)
            continue
        known = _known_to_git(absolute, unreadable)
        for candidate in _walk(absolute, excludes, unreadable) if known is None else known:
            if candidate.endswith(SUFFIXES) and not excludes.cover(candidate, absolute) and os.path.isfile(candidate):
                files.take(candidate)
    if force_exclude:
        ignored = _ignored_by_git(named)
        named = [path for path in named if path not in ignored]
    return Found.joined(
        [
            Found(tuple(named), frozenset(named), tuple(missing), tuple(unreadable)),
            Found(tuple(files.paths())),
        ]
    )


def is_excluded(path: str, exclude: Sequence[str] | None, extend_exclude: Sequence[str], root: str) -> bool:
    """Whether the excludes of a project leave out a file that lies in it."""
    patterns = (*(DEFAULT_EXCLUDES if exclude is None else exclude), *extend_exclude)
    return _Excludes(patterns, root).cover(path, root)


_DEEPEST, _MOST = 3, 2_000


def files_beside(folder: str) -> list[str]:
    """The Python files of a folder that nothing marks as a project, and of those below it that hold some themselves.

    A script may lie in somebody's home: what is far away, or behind folders without a Python file, does not belong to it.
    """
    found: list[str] = []
    level = [folder]
    for _ in range(_DEEPEST):
        below: list[str] = []
        for each in level:
            try:
                with os.scandir(each) as entries:
                    listed = sorted(entries, key=lambda entry: entry.name)
            except OSError:
                continue
            files = [e.path for e in listed if e.name.endswith((".py", ".ipynb")) and e.is_file()]
            if files or each == folder:
                found += files
                below += [e.path for e in listed if e.is_dir(follow_symlinks=False) and not e.name.startswith((".", "__"))]
            if len(found) > _MOST:
                return found[:_MOST]
        level = below
    return found


def project_root(path: str, named: Iterable[str] = ()) -> str:
    """The nearest folder upwards from a file or folder that marks a project.

    Without one it is the outermost of the folders `named` by the user that it lies in, else the file's own folder.
    """
    absolute = os.path.abspath(path)
    start = absolute if os.path.isdir(absolute) else os.path.dirname(absolute)
    folder = start
    while True:
        if is_marked(folder):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            above = [name for name in named if start == name or start.startswith(name.rstrip(os.sep) + os.sep)]
            return min(above, key=len, default=start)
        folder = parent


def is_marked(folder: str) -> bool:
    """Whether something in a folder says that a project begins there."""
    return any(os.path.exists(os.path.join(folder, marker)) for marker in ROOT_MARKERS)


def _above(path: str, root: str) -> str:
    """The folder below which excludes count for a named path: a folder above the project may be called `build`.

    What a search from the current folder would leave out is left out here, too.
    """
    above = [folder for folder in (root, os.getcwd()) if path.startswith(folder.rstrip(os.sep) + os.sep)]
    return min(above, key=len, default=os.path.dirname(path))


def _by_folder(path: str) -> tuple[str, ...]:
    return tuple(path.split(os.sep))


class _Files:
    """Files, each once: a link to a file that is there already adds nothing."""

    def __init__(self) -> None:
        self._paths: dict[str, str] = {}
        self._folders: dict[str, str] = {}

    def take(self, path: str) -> str:
        """Keep a file; returns the path under which it is kept."""
        if os.path.islink(path):
            real = os.path.realpath(path)
        else:
            folder, name = os.path.split(path)
            if folder not in self._folders:
                self._folders[folder] = os.path.realpath(folder)
            real = os.path.join(self._folders[folder], name)
        return self._paths.setdefault(real, path)

    def paths(self) -> Iterable[str]:
        return self._paths.values()


class _Excludes:
    """Globs to leave out, against every part of a path below the folder that was named."""

    def __init__(self, patterns: Sequence[str], root: str) -> None:
        # Most patterns are plain names, and looking those up is much cheaper than matching.
        self._names = frozenset(p for p in patterns if not any(c in p for c in "*?[/!"))
        self._globs = tuple(p for p in patterns if p not in self._names)
        self._root = root
        self._covered: dict[str, bool] = {}

    def cover(self, path: str, below: str) -> bool:
        """Whether a path or a folder between it and `below` is excluded."""
        while len(path) > len(below):
            known = self._covered.get(path)
            if known is None:
                known = self._covered[path] = self._fits(path)
            if known:
                return True
            path = os.path.dirname(path)
        return False

    def _fits(self, path: str) -> bool:
        return os.path.basename(path) in self._names or any(
            matches_glob(path, pattern, self._root) for pattern in self._globs
        )


# What a hook sets for the repository that it runs in; here the folder alone decides.
_HOOK_VARIABLES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY")


def _git(folder: str, *arguments: str, input: bytes = b"") -> tuple[int, bytes, bytes] | None:
    """Exit status, output and error output of git; None where it cannot be run."""
    import subprocess

    environment = {name: value for name, value in os.environ.items() if name not in _HOOK_VARIABLES}
    # Listing files must not start what an unknown repository configures as its file-system monitor.
    command = ["git", "-C", folder, "-c", "core.fsmonitor=false", *arguments]
    try:
        answer = subprocess.run(command, input=input, capture_output=True, env=environment, check=False, timeout=120)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return answer.returncode, answer.stdout, answer.stderr


def _known_to_git(folder: str, unreadable: list[tuple[str, str]]) -> list[str] | None:
    """Tracked and new, not ignored files below a folder; None outside a work tree or without git."""
    if _work_tree(folder) is None:
        return None
    answer = _git(folder, "ls-files", "-co", "--exclude-standard", "-z", "--", ".")
    if answer is None or answer[0] != 0:
        return None
    names = dict.fromkeys(os.fsdecode(name) for name in answer[1].split(b"\0") if name)
    if not names and folder in _ignored_by_git([folder]):
        # The user named a folder that git ignores: that is a wish to see it.
        return None
    unreadable += [(folder, line) for line in os.fsdecode(answer[2]).splitlines() if "could not open directory" in line]
    found = []
    for name in names:
        path = os.path.join(folder, name.replace("/", os.sep)).rstrip(os.sep)
        if not os.path.isdir(path):
            found.append(path)
        elif not os.path.islink(path) and path != folder:
            # A repository within this one (a submodule, too) is listed as its folder only.
            found += _known_to_git(path, unreadable) or []
    return found


def _ignored_by_git(paths: Sequence[str]) -> frozenset[str]:
    """Those of some absolute paths that a work tree ignores."""
    by_tree: dict[str, list[str]] = {}
    for path in paths:
        tree = _work_tree(os.path.dirname(path))
        if tree is not None:
            by_tree.setdefault(tree, []).append(path)
    ignored: set[str] = set()
    for tree, members in by_tree.items():
        answer = _git(tree, "check-ignore", "-z", "--stdin", input=b"\0".join(map(os.fsencode, members)) + b"\0")
        if answer is not None:
            ignored.update(os.fsdecode(name) for name in answer[1].split(b"\0") if name)
    return frozenset(ignored)


def _work_tree(folder: str) -> str | None:
    """The nearest folder upwards that holds `.git`: asking that costs less than asking git."""
    while True:
        if os.path.basename(folder) == ".git":
            return None
        if os.path.exists(os.path.join(folder, ".git")):
            return folder
        parent = os.path.dirname(folder)
        if parent == folder:
            return None
        folder = parent


def _walk(folder: str, excludes: _Excludes, unreadable: list[tuple[str, str]]) -> Iterator[str]:
    """Files below a folder that no .gitignore on the way leaves out. Links to folders are not followed."""
    pending: list[tuple[str, tuple[tuple[str, GitIgnoreSpec], ...]]] = [(folder, ())]
    while pending:
        current, ignores = pending.pop()
        try:
            with os.scandir(current) as entries:
                listed = sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            unreadable.append((current, error.strerror or str(error)))
            continue
        names = {entry.name for entry in listed}
        if ".git" in names and current != folder:
            known = _known_to_git(current, unreadable)
            if known is not None:
                yield from known
                continue
        if ".gitignore" in names:
            ignores = (*ignores, *_ignore_file(current))
        for entry in listed:
            try:
                is_folder = entry.is_dir(follow_symlinks=False)
            except OSError:
                continue
            if not is_folder and not entry.name.endswith(SUFFIXES):
                continue
            if excludes.cover(entry.path, folder) or _is_left_out(entry.path, is_folder, ignores):
                continue
            if is_folder:
                pending.append((entry.path, ignores))
            else:
                yield entry.path


def _ignore_file(folder: str) -> tuple[tuple[str, GitIgnoreSpec], ...]:
    import pathspec

    try:
        with open(os.path.join(folder, ".gitignore"), encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().splitlines()
    except OSError:
        return ()
    try:
        return ((folder, pathspec.GitIgnoreSpec.from_lines(lines)),)
    except ValueError:
        # git passes over a pattern that it cannot read.
        return ((folder, pathspec.GitIgnoreSpec.from_lines(line for line in lines if _is_pattern(line))),)


def _is_pattern(line: str) -> bool:
    import pathspec

    try:
        pathspec.GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True


def _is_left_out(path: str, is_folder: bool, ignores: tuple[tuple[str, GitIgnoreSpec], ...]) -> bool:
    """The nearest .gitignore that says something about a path decides."""
    for folder, spec in reversed(ignores):
        relative = os.path.relpath(path, folder).replace(os.sep, "/") + ("/" if is_folder else "")
        said: bool | None = spec.check_file(relative).include
        if said is not None:
            return said
    return False
