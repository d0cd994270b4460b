"""Many files: which project each belongs to, with which settings, and what the engine says about it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from .config import NO_OVERRIDES, Overrides, Settings, Vocabulary, load_settings
from .discovery import Found, find_files, is_excluded, is_marked, project_root
from .records import record

if TYPE_CHECKING:
    from .project import Project
    from .report import FileReport


@record(frozen=True, slots=True)
class InternalError:
    """feedlint failed on a file, through no fault of the user; `details` is the traceback."""

    path: str
    message: str
    details: str


@record(frozen=True, slots=True)
class Outcome:
    """What came of judging some files, in the order of the files."""

    reports: tuple[FileReport, ...] = ()
    errors: tuple[InternalError, ...] = ()


class Workspace:
    """The projects that the user's paths lie in, each with its settings; every one is made once, when it is needed.

    `overlays` are the bytes of files (by absolute path) that stand for those on the disk, such as standard input.
    """

    def __init__(
        self,
        overrides: Overrides = NO_OVERRIDES,
        vocabulary: Callable[[], Vocabulary] | None = None,
        overlays: Mapping[str, bytes] | None = None,
    ) -> None:
        self.overrides = overrides
        self.vocabulary = vocabulary
        self._overlays = dict(overlays or {})
        self._named: list[str] = []
        self._roots: dict[str, str] = {}
        self._settings: dict[str, Settings] = {}
        self._projects: dict[str, Project] = {}

    def root_of(self, path: str) -> str:
        """The root of the project that a file or folder belongs to."""
        folder = path if os.path.isdir(path) else os.path.dirname(path)
        if folder not in self._roots:
            self._roots[folder] = project_root(folder, self._named)
        return self._roots[folder]

    def settings_of(self, path: str) -> Settings:
        """The settings for a file or folder. Raises ConfigError."""
        root = self.root_of(path)
        if root not in self._settings:
            self._settings[root] = load_settings(root, self.overrides, self.vocabulary)
        return self._settings[root]

    def project_of(self, path: str) -> Project:
        """The project of a file."""
        root = self.root_of(path)
        if root not in self._projects:
            from .project import Project

            loose = root not in self._named and not is_marked(root)
            self._projects[root] = Project(root, self.settings_of(path), self._overlays, loose=loose)
        return self._projects[root]

    def forget(self) -> None:
        """Make the projects anew at the next question: files have changed."""
        self._projects.clear()

    def find(self, paths: Sequence[str], force_exclude: bool = False) -> Found:
        """The files below some paths, by the excludes of the projects that they lie in. Raises ConfigError."""
        by_root: dict[str, list[str]] = {}
        self._named += [os.path.abspath(path) for path in paths if os.path.isdir(path)]
        for path in paths:
            by_root.setdefault(self.root_of(os.path.abspath(path)), []).append(path)
        parts = []
        for root, members in by_root.items():
            settings = self.settings_of(root)
            part = find_files(members, settings.exclude, settings.extend_exclude, settings.root, force_exclude)
            # A project within this one may exclude more.
            kept = tuple(path for path in part.files if path in part.named or not self._excluded_inside(path, root))
            parts.append(replace(part, files=kept))
        return Found.joined(parts)

    def _excluded_inside(self, path: str, root: str) -> bool:
        inner = self.root_of(path)
        if inner == root:
            return False
        settings = self.settings_of(path)
        return is_excluded(path, settings.exclude, settings.extend_exclude, inner)


def judge_files(workspace: Workspace, paths: Iterable[str], progress: Callable[[int], None] | None = None) -> Outcome:
    """Judge files one by one. `progress` is told after each how many are done.

    A failure of feedlint itself costs the one file; the others go on.
    """
    reports: list[FileReport] = []
    errors: list[InternalError] = []
    for number, path in enumerate(paths, start=1):
        from . import engine
        from .rule import RuleError

        project = workspace.project_of(path)
        try:
            report = engine.judge(project, path)
        except RuleError:
            # A rule that cannot be loaded is none in any file.
            raise
        except Exception as error:
            errors.append(_internal_error(path, error))
        else:
            # Nobody will ask for the text of a file without findings.
            empty = not report.findings and not report.unjudged
            reports.append(replace(report, source=None) if empty else report)
        if progress is not None:
            progress(number)
    return Outcome(tuple(reports), tuple(errors))


def _internal_error(path: str, error: Exception) -> InternalError:
    import traceback

    frame = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{os.path.basename(frame.filename)}:{frame.lineno}"
    details = "".join(traceback.format_exception(error))
    return InternalError(path, f"{type(error).__name__}: {error} (at {where})", details)
