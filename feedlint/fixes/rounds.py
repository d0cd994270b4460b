"""Applies plans round by round until nothing changes, and takes back at any doubt. Pure: bytes in, bytes out.

A round makes all fixes that fit together, has the result judged, and keeps it only if it is what was promised. If not,
half of the suspects wait while the others are tried, until one that breaks the promise stands alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..findings import Fix
from ..records import record
from ..report import FileReport
from ..source import NotFaithful, Source, SourceProblem, source_from_bytes
from ..syntax import NotRewritable, Tree, parse
from .operations import Edit
from .plan import Plan, complete, plan_of
from .promises import Doubt, Identity, broken_promise, identities, unreadable
from .rendering import render
from .targets import by_path

ROUNDS = 10

Judge = Callable[[Mapping[str, bytes]], Sequence[FileReport]]
"""Judges all files again, some of them with other bytes than before."""

Read = Callable[[str], bytes]
"""The bytes of a file before any fix. Raises OSError."""


@dataclass(slots=True)
class Fixed:
    """What came of fixing.

    `before` and `texts` are the old and the new bytes of the changed files. `applied` is what was fixed and `taken_back`
    what was tried in vain, with the reason. `reports` and `last`, the plan for what is left, are of the files as they are
    now; where it still applies some, the rounds were over.
    """

    reports: Sequence[FileReport]
    before: dict[str, bytes] = field(default_factory=dict)
    texts: dict[str, bytes] = field(default_factory=dict)
    applied: list[Fix] = field(default_factory=list)
    taken_back: list[tuple[Fix, str]] = field(default_factory=list)
    last: Plan = field(default_factory=Plan)

    @property
    def stable(self) -> bool:
        return not self.last.applied

    @property
    def changed(self) -> list[str]:
        """The paths of the files whose bytes are others now, sorted."""
        return sorted(path for path, data in self.texts.items() if data != self.before[path])

    @property
    def parts(self) -> list[list[str]]:
        """The changed files, those together that one fix, or one and what it requires, have changed."""
        keys = {fix.key for fix in self.applied}
        groups: list[tuple[set[str], set[str]]] = []
        for fix in self.applied:
            group = ({fix.key, *keys.intersection(fix.requires)}, set(by_path(fix.operations)))
            for other in [known for known in groups if not (known[0].isdisjoint(group[0]) and known[1].isdisjoint(group[1]))]:
                groups.remove(other)
                group = (group[0] | other[0], group[1] | other[1])
            groups.append(group)
        changed = self.changed
        return sorted(part for _, paths in groups if (part := [path for path in changed if path in paths]))


def fix(
    reports: Sequence[FileReport], judge: Judge, accepted: Collection[str], editable: Collection[str], read: Read
) -> Fixed:
    """Apply what may be applied. `reports` are of the files as they are, `editable` the paths that may change."""
    run = _Run(judge, accepted, editable, read, Fixed(reports))
    for _ in range(ROUNDS):
        if not run.round():
            break
    run.outcome.last = run.plan()
    return run.outcome


@dataclass(slots=True)
class _Run:
    judge: Judge
    accepted: Collection[str]
    editable: Collection[str]
    read: Read
    outcome: Fixed
    in_vain: set[Identity] = field(default_factory=set)

    def plan(self) -> Plan:
        reports = self.outcome.reports
        refused = {key for key, cured in identities(reports).items() if not self.in_vain.isdisjoint(cured)}
        return plan_of(reports, self.accepted, self.editable, refused)

    def round(self) -> bool:
        """Apply what fits together. False where nothing is left that can be applied."""
        files = _Files(self.outcome, self.read)
        waiting: set[str] = set()
        while (planned := self.plan()).applied:
            draft = _draft(complete(fix for fix in planned.applied if fix.key not in waiting), files)
            if not draft.made:
                self.give_up(draft.left or dict.fromkeys(waiting, "it cannot be tried apart from what requires it"))
                waiting.clear()
                continue
            doubt = self.attempt(draft, files)
            if doubt is None:
                return True
            # What others require is tried before them, and nothing is guilty that was not tried by itself.
            suspects = sorted((fix.key for fix in doubt.suspects), key=lambda key: len(planned.together(key)))
            others = {fix.key for fix in draft.made}.difference(planned.together(suspects[0]))
            if others:
                waiting.update(suspects[(len(suspects) + 1) // 2 :] or others)
            else:
                self.give_up(dict.fromkeys(suspects, doubt.reason))
                waiting.clear()
        return False

    def attempt(self, draft: _Draft, files: _Files) -> Doubt | None:
        """Keep a draft if nothing speaks against it."""
        doubt = unreadable(draft.texts, draft.made)
        if doubt is not None:
            return doubt
        outcome = self.outcome
        reports = self.judge({**outcome.texts, **draft.texts})
        doubt = broken_promise(outcome.reports, reports, draft.made)
        if doubt is None:
            outcome.before |= {path: files.data(path) for path in draft.texts if path not in outcome.before}
            outcome.texts |= draft.texts
            outcome.applied += draft.made
            outcome.reports = reports
        return doubt

    def give_up(self, reasons: Mapping[str, str]) -> None:
        """Never again try these fixes, given by their keys."""
        offered = {fix.key: fix for fix in self.plan().applied}
        self.outcome.taken_back += [(offered[key], reason) for key, reason in reasons.items()]
        cures = identities(self.outcome.reports)
        self.in_vain.update(identity for key in reasons for identity in cures[key])


@record(frozen=True, slots=True)
class _Draft:
    """New bytes, the fixes that they contain, and those that did not fit in, by key with the reason."""

    texts: dict[str, bytes]
    made: list[Fix]
    left: dict[str, str]


def _draft(chosen: list[Fix], files: _Files) -> _Draft:
    """Write as many fixes as fit together, each as a whole; of two that touch the same text the first."""
    left: dict[str, str] = {}
    while True:
        texts: dict[str, bytes] = {}
        problems: dict[object, str] = {}
        for path, operations in by_path(o for each in chosen for o in each.operations).items():
            tree = files.tree(path)
            if isinstance(tree, NotRewritable):
                problems.update(dict.fromkeys(operations, tree.reason))
                continue
            made = render(tree, operations)
            problems.update(made.refused)
            try:
                new = tree.source.encode(edited(tree.source, made.edits))
            except (NotFaithful, UnicodeEncodeError) as error:
                problems.update(dict.fromkeys(operations, str(error)))
                continue
            if new != tree.source.data:
                texts[path] = new
        failed = {each.key: problems[o] for each in chosen for o in each.operations if o in problems}
        if not failed:
            return _Draft(texts, chosen, left)
        left |= failed
        chosen = complete(each for each in chosen if each.key not in failed)


def edited(source: Source, edits: Iterable[Edit]) -> str:
    """The text after edits that do not overlap."""
    pieces = []
    end = len(source.text)
    for edit in sorted(edits, key=lambda edit: edit.place.span, reverse=True):
        span = edit.place.span
        pieces += [source.text[source.offset(span.end_line, span.end_column) : end], edit.content]
        end = source.offset(span.line, span.column)
    return source.text[:end] + "".join(reversed(pieces))


class _Files:
    """The files as they are at the start of a round, each parsed once."""

    def __init__(self, outcome: Fixed, read: Read) -> None:
        self._sources = {report.path: report.source for report in outcome.reports if report.source is not None}
        self._texts = outcome.texts
        self._read = read
        self._trees: dict[str, Tree | NotRewritable] = {}

    def data(self, path: str) -> bytes:
        tree = self._trees[path]
        assert isinstance(tree, Tree), "only files that were written are asked for"
        return tree.source.data

    def tree(self, path: str) -> Tree | NotRewritable:
        if path not in self._trees:
            source = self._source(path)
            self._trees[path] = parse(source) if isinstance(source, Source) else source
        return self._trees[path]

    def _source(self, path: str) -> Source | NotRewritable:
        if path in self._sources:
            return self._sources[path]
        try:
            data = self._texts[path] if path in self._texts else self._read(path)
        except OSError as error:
            return NotRewritable(f"it cannot be read: {error.strerror or error}")
        source = source_from_bytes(path, data)
        return NotRewritable(source.reason) if isinstance(source, SourceProblem) else source
