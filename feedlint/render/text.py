"""What people read: one card for each loader or step loop, with its causes, the evidence, the worth and the one plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from ..findings import OBSERVED, UNKNOWN, Evidence, Finding, Fix, Obligation, Severity, Unjudged
from ..fixes.operations import Edit
from ..knowledge.families import family
from ..links import rule_url
from ..records import record
from ..report import FileReport
from ..source import Source
from .characters import visible, width
from .frame import Label, frame, last_row, rail
from .plans import edits_by_key, offered_fixes, words_of_plan
from .positions import shown_path, shown_place, sources_by_path, start_of
from .style import BOLD, Style
from .summary import counted, summary
from .view import View, shown_findings

_LABEL_WIDTH = 10
_HARD_SPACE = "\N{NO-BREAK SPACE}"


@record(frozen=True, slots=True)
class _Desk:
    """What lies on the desk while the cards are written."""

    view: View
    style: Style
    sources: Mapping[str, Source]
    fixes: Mapping[str, Fix]
    edits: Mapping[str, tuple[Edit, ...]]
    applied: frozenset[str]
    """The keys of the fixes that `--fix` would apply."""


def render(reports: Sequence[FileReport], view: View) -> str:
    """The cards, then what was not judged if that was asked for, then the summary."""
    desk = _Desk(
        view,
        Style(view.colour, view.links),
        sources_by_path(reports),
        offered_fixes(reports),
        edits_by_key(reports),
        frozenset(fix.key for fix in view.plan_for(reports).applied),
    )
    blocks = [_card(findings, desk) for findings in _cards(shown_findings(reports, view.lowest_for_people))]
    if view.show_unjudged:
        unjudged = [_unjudged(case, desk) for report in reports for case in report.unjudged]
        blocks += [unjudged] if unjudged else []
    if view.verbosity >= 0:
        blocks.append(summary(reports, view))
    return "".join("\n".join(block) + "\n" + "\n" * (number < len(blocks)) for number, block in enumerate(blocks, 1))


def _cards(findings: Iterable[Finding]) -> list[list[Finding]]:
    """The findings by card, in the order in which the cards first come up; a finding without a card has its own."""
    cards: dict[object, list[Finding]] = {}
    for finding in findings:
        cards.setdefault(finding.card or finding.place, []).append(finding)
    return list(cards.values())


def _card(findings: list[Finding], desk: _Desk) -> list[str]:
    groups = _frames(findings, desk)
    gutter = max([1, *(len(str(last_row(source, labels))) for _, source, labels in groups)])
    notes = _notes(findings, {id(f) for f in findings if f.place.path not in desk.sources}, desk)
    lines = [_header(findings, desk)]
    if groups:
        lines.append(rail(gutter, desk.style))
    for number, (title, source, labels) in enumerate(groups):
        if number:
            lines += [rail(gutter, desk.style), desk.style.paint(f"{'':{gutter}} ::: {title}", BOLD)]
        lines += frame(source, labels, gutter, desk.view.width - gutter - 3, desk.style)
    if notes:
        lines.append(rail(gutter, desk.style))
    for label, texts in notes:
        for number, text in enumerate(texts):
            lines += _note(label if number == 0 else "", text, gutter, desk)
    return lines


def _header(findings: list[Finding], desk: _Desk) -> str:
    """Place and symptom on the left, the codes on the right."""
    style, first = desk.style, findings[0]
    place = shown_place(first.place, desk.sources, desk.view.base)
    symptom = family(first.code).symptom
    highest: dict[str, Severity] = {}
    for finding in findings:
        highest[finding.code] = max(finding.severity, highest.get(finding.code, finding.severity))
    plain = [code if severity == Severity.WARNING else f"{code} ({severity})" for code, severity in highest.items()]
    gap = max(2, desk.view.width - width(place) - 2 - width(symptom) - len(" ".join(plain)))
    codes = " ".join(
        style.link(style.of_severity(text, severity), rule_url(code))
        for text, (code, severity) in zip(plain, highest.items(), strict=True)
    )
    return f"{style.file_link(style.paint(place, BOLD), first.place.path)}  {symptom}{' ' * gap}{codes}"


def _frames(findings: list[Finding], desk: _Desk) -> list[tuple[str, Source, list[Label]]]:
    """The labels by file and, in a notebook, by cell; with the title that is shown above all but the first."""
    several = len({finding.code for finding in findings}) > 1
    found: dict[tuple[str, int | None], list[Label]] = {}
    for finding in findings:
        if finding.place.path in desk.sources:
            message = f"{finding.message} ({finding.code})" if several else finding.message
            label = Label(finding.place.span, message, finding.severity)
            found.setdefault((finding.place.path, start_of(finding.place, desk.sources).cell), []).append(label)
    return [
        (
            shown_path(path, desk.view.base) if cell is None else f"{shown_path(path, desk.view.base)}:cell {cell}",
            desk.sources[path],
            labels,
        )
        for (path, cell), labels in found.items()
    ]


def _notes(findings: list[Finding], frameless: set[int], desk: _Desk) -> list[tuple[str, list[str]]]:
    """The labelled lines below the frame; labels without a text are left out."""
    fixes = {f.fix.key: f.fix for f in findings if f.fix is not None and f.fix.key in desk.fixes}
    several = len({finding.code for finding in findings}) > 1
    causes = [f"{f.message} ({f.code})" if several else f.message for f in findings if id(f) in frameless]
    notes = [
        ("cause", causes),
        ("because", _because(findings, desk)),
        ("worth", ["; ".join(dict.fromkeys(finding.worth for finding in findings if finding.worth))]),
        ("plan", _plans(findings[0].place.path, list(fixes.values()), desk)),
        ("not safe", _open_risks(fixes.values(), desk)),
        ("waits for", _awaited(fixes.values(), desk)),
        ("no edit", [_obligation(o.name, o, desk) for finding in findings for o in finding.why_not]),
        ("advice", [finding.advice for finding in findings]),
    ]
    return [(label, kept) for label, texts in notes if (kept := [text for text in dict.fromkeys(texts) if text])]


def _because(findings: list[Finding], desk: _Desk) -> list[str]:
    """The evidence in one line if it fits, else one line for each link of the chain."""
    links = list(dict.fromkeys(_link(link, desk) for finding in findings for link in finding.evidence))
    together = "; ".join(links)
    return [together] if width(together) <= desk.view.width - _LABEL_WIDTH - 6 else links


def _plans(path: str, fixes: list[Fix], desk: _Desk) -> list[str]:
    """What `--fix` would do now, then what it would do if more were accepted."""
    lines = []
    for applied, chosen in groupby(
        sorted(fixes, key=lambda fix: fix.key not in desk.applied), lambda fix: fix.key in desk.applied
    ):
        plan = list(chosen)
        edits = {edit for fix in plan for edit in desk.edits[fix.key]}
        files = sorted({edit.place.path for edit in edits})
        if len(files) == 1:
            where = "this file" if files[0] == path else shown_path(files[0], desk.view.base)
        else:
            where = counted(len(files), "file")
        accepted = any(fix.risks for fix in plan)
        state = (", accepted" if accepted else ", safe") if applied else ""
        size = f"({counted(len(edits), 'edit')}, {where}{state})"
        lines.append(f"{words_of_plan(plan)}   {size.replace(' ', _HARD_SPACE)}")
    return lines


def _open_risks(fixes: Iterable[Fix], desk: _Desk) -> list[str]:
    """What is unproven, by risk: several obligations may leave the same one."""
    reasons: dict[str, list[str]] = {}
    for fix in fixes:
        for obligation in fix.obligations:
            if obligation.state in (UNKNOWN, OBSERVED):
                reasons.setdefault(obligation.risk, []).append(_reason(obligation, desk))
    return [f"{risk}: {'; '.join(dict.fromkeys(texts))}" for risk, texts in reasons.items()]


def _awaited(fixes: Iterable[Fix], desk: _Desk) -> list[str]:
    """What keeps the proven fixes of this card from being applied: others that they require, on other cards."""
    own = {fix.key for fix in fixes}
    missing: dict[str, None] = {}
    todo = [fix for fix in fixes if not fix.risks and fix.key not in desk.applied]
    while todo:
        for key in todo.pop().requires:
            if key not in desk.applied and key not in missing:
                missing[key] = None
                todo += [desk.fixes[key]] if key in desk.fixes else []
    lines = []
    for key in missing:
        code, _, place = key.partition("@")
        path, line, _ = place.rsplit(":", 2)
        if key not in own:
            state = "" if key in desk.fixes else ", for which no edit is offered"
            lines.append(f"{code} at {shown_path(path, desk.view.base)}:{line}{state}")
    return lines


def _obligation(name: str, obligation: Obligation, desk: _Desk) -> str:
    return f"{name}: {_reason(obligation, desk)}"


def _reason(obligation: Obligation, desk: _Desk) -> str:
    text = "; ".join(_link(link, desk) for link in obligation.evidence) or f"{obligation.name} is not proven"
    return f"{text} (observed in a run, not proven)" if obligation.state == OBSERVED else text


def _link(link: Evidence, desk: _Desk) -> str:
    if link.place is None:
        return link.message
    return f"{link.message} ({shown_place(link.place, desk.sources, desk.view.base, column=False)})"


def _unjudged(case: Unjudged, desk: _Desk) -> str:
    codes = f" ({' '.join(case.codes)})" if case.codes else ""
    return f"{shown_place(case.place, desk.sources, desk.view.base)}: not judged: {visible(case.reason)}{codes}"


def _note(label: str, text: str, gutter: int, desk: _Desk) -> list[str]:
    mark = f"{'=' if label else ' '} {label:{_LABEL_WIDTH}}"
    pad = " " * (gutter + 1)
    lines = _wrapped(visible(text), desk.view.width - len(pad) - len(mark))
    first = f"{pad}{desk.style.paint(mark, BOLD)}{lines[0]}"
    return [first, *(f"{pad}{'':{len(mark)}}{line}" for line in lines[1:])]


def _wrapped(text: str, room: int) -> list[str]:
    """Break a text at its spaces, but not at hard ones; runs of spaces inside a line stay."""
    lines, current = [], ""
    for word in text.split(" "):
        longer = f"{current} {word}" if current else word
        if current.strip() and width(longer) > room:
            lines.append(current.strip())
            longer = word
        current = longer
    return [line.replace(_HARD_SPACE, " ") for line in [*lines, current.strip()]]
