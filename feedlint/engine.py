"""Judges one file of a project: facts, rules, suppression. Pure: what it knows comes from the project.

The gates come first: a file of a project that does not train, or whose bytes hold none of the words that some selected
rule needs, is done at once. Rules and meanings are imported behind them, since that costs more than all the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from .config import Settings, is_ignored_in, is_selected
from .findings import Finding, Unjudged
from .fixes.operations import Edit, Operation
from .gates import TRAINING, words
from .places import Place, Span
from .project import Project
from .report import FileReport
from .source import Source, SourceProblem

if TYPE_CHECKING:
    from .ir import Module
    from .rule import Rule


def judge(project: Project, path: str) -> FileReport:
    """All findings of one file, in the order of their places, suppressed ones left out."""
    parsed = project.source(path)
    settings = project.settings
    if isinstance(parsed, SourceProblem):
        place = Place(path, Span(parsed.line, parsed.column, parsed.line, parsed.column + 1))
        return FileReport(path, tuple(_unreadable(settings, path, place, parsed.reason)))
    if project.gates and not may_matter(project, path, parsed.data):
        return FileReport(path, source=parsed)
    from .ir import Module, Unparsable

    module = project.parsed(path)
    if isinstance(module, Unparsable):
        place = Place(path, Span(module.line, module.column, module.line, module.column + 1))
        return FileReport(path, tuple(_unreadable(settings, path, place, module.reason)), source=parsed)
    assert isinstance(module, Module)
    found, unjudged = _judged(project, module, parsed)
    return FileReport(path, tuple(found), tuple(unjudged), parsed, rendered_edits(project, found))


def selected_rules(settings: Settings, path: str) -> list[Rule]:
    """The rules that may speak in a file under these settings."""
    from .registry import all_rules

    return [
        rule
        for rule in all_rules()
        if is_selected(rule.code, rule.name, rule.status, settings) and not is_ignored_in(path, rule.code, rule.name, settings)
    ]


def may_matter(project: Project, path: str, data: bytes) -> bool:
    """Whether the bytes of a file and of its project leave open that some selected rule speaks in it."""
    # A look at the file itself first: most often it answers for the whole project.
    if TRAINING.search(data) is None and not project.may_train:
        return False
    needed = frozenset(word for rule in selected_rules(project.settings, path) for word in rule.needs)
    if not needed:
        return False
    return words(needed).search(data) is not None or words(project.wrapper_names).search(data) is not None


def _judged(project: Project, module: Module, source: Source) -> tuple[list[Finding], list[Unjudged]]:
    from .domain.facts import FINDERS
    from .domain.loaders import unjudged

    settings = project.settings
    semantics = project.semantics
    rules = selected_rules(settings, module.path)
    found: list[Finding] = []
    for kind, finder in FINDERS.items():
        speaking = [rule for rule in rules if rule.sees is kind]
        if not speaking:
            continue
        for fact in finder(semantics, module, settings):
            for rule in speaking:
                found += rule.judge(fact, settings)
    left_open = list(unjudged(semantics, module, settings))
    if not found and not left_open:
        return [], []
    from .suppress import suppressions

    hidden = suppressions(source)
    if hidden.skip_file:
        return [], []
    kept = {(f.code, f.place): f for f in found if not hidden.hides(f)}
    return sorted(kept.values(), key=_order), left_open


def _order(finding: Finding) -> tuple[int, int, str]:
    return finding.place.span.line, finding.place.span.column, finding.code


def _unreadable(settings: Settings, path: str, place: Place, reason: str) -> Iterator[Finding]:
    from .domain.unreadable import Unreadable

    for rule in selected_rules(settings, path):
        if rule.sees is Unreadable:
            yield from rule.judge(Unreadable(place, reason), settings)


def rendered_edits(project: Project, findings: Sequence[Finding]) -> dict[str, tuple[Edit, ...]]:
    """The text edits of each fix, by its key. LibCST is imported only where there is one; a fix that can't be rendered
    as a whole has none."""
    fixes = [finding.fix for finding in findings if finding.fix is not None and finding.fix.operations]
    if not fixes:
        return {}
    from .fixes.rendering import render
    from .fixes.targets import path_of
    from .syntax import Tree

    found: dict[str, tuple[Edit, ...]] = {}
    for fix in fixes:
        by_path: dict[str, list[Operation]] = {}
        for operation in fix.operations:
            by_path.setdefault(path_of(operation), []).append(operation)
        edits: list[Edit] = []
        for path, operations in by_path.items():
            tree = project.tree(path)
            if not isinstance(tree, Tree):
                break
            made = render(tree, operations)
            if made.refused:
                break
            edits += made.edits
        else:
            found[fix.key] = tuple(edits)
    return found


def explain(project: Project, path: str, line: int) -> Sequence[str]:
    """Paragraphs that say what was found at a line and why, why nothing was found, what is proven and what is not."""
    from .explanation import explain as explained

    return explained(project, path, line)
