"""What a rule file must hold, and what its examples mean."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from feedlint.api import Bad, Evidence, Finding, Good, Place, Rule, RuleError, SetArgument, Severity, Span, fix_key
from feedlint.config import Settings
from feedlint.rule import HEADINGS, sections, validate

DOCSTRING = "A loop without end.\n\n" + "".join(f"    ## {heading}\n\n    Text.\n\n" for heading in HEADINGS)


@dataclass(frozen=True, slots=True)
class Loop:
    place: Place
    statement: Place
    card: str


def judge(self: Rule, fact: Loop, settings: Settings) -> Iterator[Finding]:
    yield self.finding(fact, "it never ends")


def rule_class(**changes: object) -> type[Rule]:
    """A rule that is right in everything but the changes; a change to None takes the attribute away."""
    attributes = {
        "__doc__": DOCSTRING,
        "code": "FDL901",
        "name": "endless-loop",
        "since": "0.1",
        "sees": Loop,
        "needs": ("while",),
        "worth": "2-3x in our own runs",
        "options": {"limit": 3},
        "bad": [Bad("while True: pass  #! FDL901\n")],
        "good": [Good("while x: pass\n", "it may end")],
        "judge": judge,
        **changes,
    }
    return type("EndlessLoop", (Rule,), {name: value for name, value in attributes.items() if value is not None})


def test_a_complete_rule_is_accepted() -> None:
    validate(rule_class())


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"code": None}, "no code"),
        ({"worth": None}, "no worth"),
        ({"code": "fdl901"}, "'fdl901' is not some capital letters"),
        ({"code": "FDL9010"}, "'FDL9010' is not some capital letters"),
        ({"name": "Endless"}, "'Endless' is not several small words"),
        ({"status": "beta"}, "'beta' is neither"),
        ({"severity": "error"}, "'error' is no Severity"),
        ({"sees": "Loop"}, "`sees` is not the class"),
        ({"judge": None}, "no judge"),
        ({"worth": "2x\n3x"}, "more than one line"),
        ({"needs": ()}, "`needs` names no word"),
        ({"needs": ("",)}, "`needs` names no word"),
        ({"needs": "while"}, "`needs` names no word"),
        ({"options": {"Limit": 3}}, "'Limit' is not small words"),
        ({"__doc__": None}, "does not begin with a summary"),
        ({"__doc__": DOCSTRING.replace("## Fix safety", "Fix safety")}, "no text under '## Fix safety'"),
        ({"__doc__": DOCSTRING.replace("Text.", "", 1)}, "no text under '## What it does'"),
        ({"__doc__": DOCSTRING.replace("## References", "## Links")}, "'## Links' is none of"),
        ({"bad": []}, "no bad example"),
        ({"good": []}, "no near miss"),
        ({"good": [Good("x\n", " ")]}, "does not say why"),
        ({"bad": [Bad("while True: pass\n")]}, "has no line that ends with '#! FDL901'"),
        ({"bad": [Bad("x  #! FDL901\ny  #! FDL902\n")]}, "marks lines for FDL902"),
        ({"bad": [Bad("x  #! FDL901\n", fixed="x\n")]}, "changes nothing"),
        ({"bad": [Bad("x  #! FDL901\n", accept=("luck",))]}, "accepts 'luck', which is no risk"),
    ],
)
def test_an_incomplete_rule_is_refused_with_its_fault(changes: dict[str, object], said: str) -> None:
    with pytest.raises(RuleError, match=said):
        validate(rule_class(**changes))


def test_headings_in_another_order_are_refused() -> None:
    swapped = DOCSTRING.replace("Fix safety", "X").replace("References", "Fix safety").replace("## X", "## References")
    with pytest.raises(RuleError, match="not in the order"):
        validate(rule_class(__doc__=swapped))


def test_the_refusal_names_file_and_class() -> None:
    with pytest.raises(RuleError, match=r"test_rule_format\.py: rule EndlessLoop: "):
        validate(rule_class(needs=()))


def test_sections_are_the_summary_and_the_texts_by_heading() -> None:
    assert sections(rule_class()) == ("A loop without end.", dict.fromkeys(HEADINGS, "Text."))


def test_markers_are_taken_out_with_the_space_before_them() -> None:
    bad = Bad("a = 1\nb = 2  #! FDL901\nc = 3\t#! FDL901 FDL902\n")
    assert bad.files == {"train.py": "a = 1\nb = 2\nc = 3\n"}


def test_markers_name_the_expected_codes_by_path_and_line() -> None:
    bad = Bad({"train.py": "a\nb  #! FDL901 FDL902\n", "data/frames.py": "c  #! FDL901\n"})
    assert bad.marked == {("train.py", 2): ("FDL901", "FDL902"), ("data/frames.py", 1): ("FDL901",)}


def test_files_that_the_fixed_text_does_not_name_stay_as_they_are() -> None:
    bad = Bad({"train.py": "a  #! FDL901\n", "options.py": "b\n"}, fixed={"options.py": "c\n"})
    assert bad.fixed_files == {"train.py": "a\n", "options.py": "c\n"}


def place(line: int, column: int, end_line: int, end_column: int, path: str = "/p/train.py") -> Place:
    return Place(path, Span(line, column, end_line, end_column))


LOOP = Loop(place(3, 4, 3, 9), place(3, 0, 5, 1), "card")


def test_a_finding_stands_at_the_fact_with_the_weight_of_the_rule() -> None:
    found = rule_class(severity=Severity.ERROR)().finding(LOOP, "it never ends", because=[Evidence("no break")])
    assert found == Finding(
        code="FDL901",
        name="endless-loop",
        severity=Severity.ERROR,
        message="it never ends",
        place=LOOP.place,
        evidence=(Evidence("no break"),),
        worth="2-3x in our own runs",
        card="card",
        statement=LOOP.statement,
    )


def test_a_finding_elsewhere_in_the_statement_keeps_the_statement() -> None:
    inside = place(4, 2, 4, 8)
    found = rule_class()().finding(LOOP, "here", at=inside)
    assert (found.place, found.statement) == (inside, LOOP.statement)


@pytest.mark.parametrize("elsewhere", [place(9, 0, 9, 4), place(3, 4, 3, 9, "/p/other.py")])
def test_a_finding_outside_the_statement_is_its_own_statement(elsewhere: Place) -> None:
    assert rule_class()().finding(LOOP, "there", at=elsewhere).statement == elsewhere


def test_a_fix_is_named_after_its_rule_and_the_place_of_its_fact() -> None:
    fix = rule_class()().fix(
        LOOP, "End it", SetArgument(LOOP.place, "limit", "3"), requires=[fix_key("FDL902", LOOP.place)]
    )
    assert (fix.key, fix.group, fix.requires) == ("FDL901@/p/train.py:3:4", "card", ("FDL902@/p/train.py:3:4",))


def test_an_option_is_the_users_value_or_the_default() -> None:
    rule = rule_class()()
    assert rule.option(Settings(rules={"FDL901": {"limit": 9}}), "limit") == 9
    assert rule.option(Settings(), "limit") == 3
