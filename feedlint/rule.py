"""The base class of rules, and what a rule file must hold before the engine accepts it."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

from .examples import Bad, Good
from .findings import Evidence, Finding, Fix, Obligation, Severity, fix_key
from .fixes.operations import Operation
from .knowledge.risks import BY_NAME as KNOWN_RISKS
from .places import Place

if TYPE_CHECKING:
    from .config import Settings

HEADINGS = (
    "What it does",
    "Why it starves the GPU",
    "What it is worth",
    "When it is right",
    "Fix safety",
    "References",
)
"""The headings that a rule's docstring must have, in this order, each with a text below it."""

STABLE, PREVIEW = "stable", "preview"

_CODE = re.compile(r"[A-Z]{2,8}[0-9]{3}")
_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+")
_OPTION = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_HEADING = re.compile(r"^## (.+?)[ \t]*$", re.MULTILINE)


class Fact(Protocol):
    """What a rule judges: a loader, a step loop, a copy ... of `feedlint.domain`."""

    @property
    def place(self) -> Place:
        """Where a finding about it stands."""

    @property
    def statement(self) -> Place:
        """The whole statement that holds the place."""

    @property
    def card(self) -> str:
        """The key of the loader or step loop that it belongs to."""


class RuleError(Exception):
    """A rule that cannot be used. The message names its file and its class."""


class Rule:
    """One starvation pattern: what it is, how it is explained, how it is tested, how it is judged.

    A rule file derives one class from this, fills in the attributes, writes the headings of `HEADINGS` as `## heading`
    into the docstring (after a one-line summary) and defines `judge`. Rules keep no state.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    since: ClassVar[str]
    """The version of feedlint (or of the pack) that brought the rule."""
    status: ClassVar[str] = PREVIEW
    """`stable` only after its precision was measured on real code."""
    severity: ClassVar[Severity] = Severity.WARNING
    sees: ClassVar[type]
    """The class of the facts that it judges."""
    needs: ClassVar[Sequence[str]] = ()
    """Words of which at least one stands in every file in which the rule can speak."""
    options: ClassVar[Mapping[str, object]] = {}
    """Names and defaults of the settings under `[tool.feedlint.rules.<name>]`."""
    worth: ClassVar[str]
    """One line: a range, and what kind of source it comes from."""
    bad: ClassVar[Sequence[Bad]] = ()
    good: ClassVar[Sequence[Good]] = ()

    def judge(self, fact: Any, settings: Settings) -> Iterator[Finding]:
        """Yield what is wrong with the fact; nothing where that is not certain."""
        raise NotImplementedError

    def option(self, settings: Settings, name: str) -> Any:
        """The value of one of this rule's options; its default where the user gave none."""
        return settings.option(self.code, name, self.options[name])

    def finding(
        self,
        fact: Fact,
        message: str,
        *,
        at: Place | None = None,
        because: Iterable[Evidence] = (),
        severity: Severity | None = None,
        advice: str = "",
        fix: Fix | None = None,
        worth: str | None = None,
        why_not: Iterable[Obligation] = (),
    ) -> Finding:
        """Make a finding of this rule about the fact.

        It stands at the fact's own place unless `at` names another; `severity` and `worth` default to the rule's.
        """
        place = fact.place if at is None else at
        return Finding(
            code=self.code,
            name=self.name,
            severity=self.severity if severity is None else severity,
            message=message,
            place=place,
            evidence=tuple(because),
            worth=self.worth if worth is None else worth,
            advice=advice,
            fix=fix,
            why_not=tuple(why_not),
            card=fact.card,
            statement=fact.statement if _holds(fact.statement, place) else place,
        )

    def fix(
        self,
        fact: Fact,
        message: str,
        *operations: Operation,
        obligations: Iterable[Obligation] = (),
        requires: Iterable[str] = (),
    ) -> Fix:
        """Make the fix of this rule for the fact, in the group of its card; `requires` takes keys from `fix_key`."""
        key = fix_key(self.code, fact.place)
        return Fix(key, message, operations, tuple(obligations), group=fact.card, requires=tuple(requires))


def sections(rule: Rule | type[Rule]) -> tuple[str, dict[str, str]]:
    """The summary of a rule's docstring, and its text by heading (`## heading`), in order."""
    pieces = _HEADING.split(inspect.cleandoc((rule if isinstance(rule, type) else type(rule)).__doc__ or ""))
    return pieces[0].strip(), {heading: text.strip() for heading, text in zip(pieces[1::2], pieces[2::2], strict=True)}


def validate(rule: type[Rule]) -> None:
    """Raise a RuleError that names file and class, with everything that keeps the rule from being used."""
    problems = list(_problems(rule))
    if problems:
        raise RuleError(f"{described(rule)}: " + "; ".join(problems))


def described(rule: Rule | type[Rule]) -> str:
    """The file and the class of a rule, for messages."""
    kind = rule if isinstance(rule, type) else type(rule)
    module = sys.modules.get(kind.__module__)
    return f"{getattr(module, '__file__', None) or kind.__module__}: rule {kind.__qualname__}"


def _problems(rule: type[Rule]) -> Iterator[str]:
    missing = [name for name in ("code", "name", "since", "sees", "worth") if not getattr(rule, name, None)]
    if missing:
        yield f"no {', '.join(missing)}"
        return
    if not _CODE.fullmatch(rule.code):
        yield f"the code {rule.code!r} is not some capital letters and three digits"
    if not _NAME.fullmatch(rule.name):
        yield f"the name {rule.name!r} is not several small words joined by hyphens"
    if rule.status not in (STABLE, PREVIEW):
        yield f"the status {rule.status!r} is neither {STABLE} nor {PREVIEW}"
    if not isinstance(rule.severity, Severity):
        yield f"the severity {rule.severity!r} is no Severity"
    if not isinstance(rule.sees, type):
        yield "`sees` is not the class of a fact"
    if rule.judge is Rule.judge:
        yield "no judge"
    if "\n" in rule.worth:
        yield "`worth` is more than one line"
    if isinstance(rule.needs, str) or not rule.needs or not all(rule.needs):
        yield "`needs` names no word, so no file could be passed over"
    for option in rule.options:
        if not _OPTION.fullmatch(option):
            yield f"the option {option!r} is not small words joined by hyphens"
    # `python -OO` takes the docstrings away; that is no fault of the rule.
    if sys.flags.optimize < 2:
        yield from _problems_of_text(rule)
    yield from _problems_of_examples(rule)


def _problems_of_text(rule: type[Rule]) -> Iterator[str]:
    summary, texts = sections(rule)
    if rule.__doc__ == Rule.__doc__ or not summary or "\n" in summary:
        yield "the docstring does not begin with a summary of one line"
    for heading in HEADINGS:
        if not texts.get(heading):
            yield f"the docstring has no text under '## {heading}'"
    known = [heading for heading in texts if heading in HEADINGS]
    if known != [heading for heading in HEADINGS if heading in texts]:
        yield f"the headings are not in the order {', '.join(HEADINGS)}"
    for heading in texts:
        if heading not in HEADINGS:
            yield f"the heading '## {heading}' is none of {', '.join(HEADINGS)}"


def _problems_of_examples(rule: type[Rule]) -> Iterator[str]:
    if not rule.bad:
        yield "no bad example"
    if not rule.good:
        yield "no near miss among the good examples"
    for number, bad in enumerate(rule.bad, start=1):
        codes = {code for codes in bad.marked.values() for code in codes}
        if rule.code not in codes:
            yield f"bad example {number} has no line that ends with '#! {rule.code}'"
        if codes - {rule.code}:
            yield f"bad example {number} marks lines for {', '.join(sorted(codes - {rule.code}))}"
        for risk in bad.accept:
            if risk not in KNOWN_RISKS:
                yield f"bad example {number} accepts {risk!r}, which is no risk"
        if bad.fixed is not None and bad.fixed_files == bad.files:
            yield f"the fixed text of bad example {number} changes nothing"
    for number, good in enumerate(rule.good, start=1):
        if not good.why.strip():
            yield f"good example {number} does not say why it is right"


def _holds(outer: Place, inner: Place) -> bool:
    if outer.path != inner.path:
        return False
    start, end = (inner.span.line, inner.span.column), (inner.span.end_line, inner.span.end_column)
    return (outer.span.line, outer.span.column) <= start and end <= (outer.span.end_line, outer.span.end_column)
