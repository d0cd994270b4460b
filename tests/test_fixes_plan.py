"""Which fixes are applied: those that are proven or accepted, together with all that they require."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedlint.findings import PROVEN, REFUTED, UNKNOWN, Fix, Obligation
from feedlint.fixes.operations import Edit, EnsureImport, ReplaceExpression, SetArgument
from feedlint.fixes.plan import ELSEWHERE, INCOMPLETE, NOT_SAFE_AT_ALL, NOT_WRITABLE, Plan, complete, count, make_plan
from feedlint.places import Place, Span

TRAIN, OPTIONS = "/project/train.py", "/project/options.py"
AT = Place(OPTIONS, Span(1, 0, 1, 1))


def offered(key: str, *risks: str, requires: Sequence[str] = (), state: str = UNKNOWN) -> Fix:
    obligations = [Obligation(f"{risk}-shown", state, risk) for risk in risks]
    return Fix(key, f"do {key}", (), (Obligation("shown", PROVEN, "none"), *obligations), requires=tuple(requires))


def planned(
    *fixes: Fix,
    accepted: Collection[str] = (),
    elsewhere: Collection[str] = (),
    unwritable: Collection[str] = (),
    refused: Collection[str] = (),
) -> Plan:
    edits = {
        fix.key: (Edit(Place(OPTIONS if fix.key in elsewhere else TRAIN, Span(1, 0, 1, 0)), "x"),)
        for fix in fixes
        if fix.key not in unwritable
    }
    return make_plan(fixes, edits, accepted, {TRAIN}, refused)


def keys(fixes: Collection[Fix]) -> list[str]:
    return [fix.key for fix in fixes]


def reasons(plan: Plan) -> dict[str, str]:
    return {fix.key: reason for fix, reason in plan.held_back}


def risks(plan: Plan) -> dict[str, set[str]]:
    return {fix.key: set(missing) for fix, missing in plan.risky}


def test_a_proven_fix_is_applied() -> None:
    assert keys(planned(offered("pin")).applied) == ["pin"]


def test_an_unproven_fix_waits_for_its_risk_to_be_accepted() -> None:
    plan = planned(offered("workers", "random-stream", "unpicklable"), accepted=["unpicklable"])
    assert not plan.applied
    assert risks(plan) == {"workers": {"random-stream"}}


def test_a_fix_is_applied_when_all_its_risks_are_accepted() -> None:
    plan = planned(offered("workers", "random-stream", "unpicklable"), accepted=["unpicklable", "random-stream"])
    assert keys(plan.applied) == ["workers"]


def test_a_proven_fix_waits_for_the_risks_of_what_it_requires_indirectly() -> None:
    plan = planned(
        offered("copy", requires=["pin"]), offered("pin", requires=["workers"]), offered("workers", "random-stream")
    )
    assert not plan.applied
    assert risks(plan) == {key: {"random-stream"} for key in ("copy", "pin", "workers")}


def test_what_a_fix_requires_is_applied_without_it() -> None:
    plan = planned(offered("copy", "source-reused", requires=["pin"]), offered("pin"))
    assert keys(plan.applied) == ["pin"]


def test_fixes_that_require_each_other_are_applied_together() -> None:
    plan = planned(offered("count", requires=["total"]), offered("total", requires=["count"]))
    assert keys(plan.applied) == ["count", "total"]


def test_fixes_of_one_group_stand_alone_unless_they_require_each_other() -> None:
    safe = Fix("pin", "", (), group="loader")
    risky = Fix("workers", "", (), (Obligation("o", UNKNOWN, "random-stream"),), group="loader")
    assert keys(planned(safe, risky).applied) == ["pin"]


def test_a_fix_whose_requirement_nobody_offers_is_held_back() -> None:
    assert reasons(planned(offered("copy", requires=["pin"]))) == {"copy": INCOMPLETE}


def test_an_edit_in_a_file_that_was_not_named_holds_back_what_requires_it_too() -> None:
    plan = planned(offered("pin", requires=["workers"]), offered("workers"), elsewhere=["workers"])
    assert reasons(plan) == {"pin": ELSEWHERE, "workers": ELSEWHERE}


def test_a_fix_that_was_tried_in_vain_is_not_spoken_of_again() -> None:
    plan = planned(offered("pin"), offered("copy", requires=["pin"]), refused=["pin"])
    assert (keys(plan.applied), reasons(plan)) == ([], {"copy": INCOMPLETE})


def test_a_fix_without_a_place_for_its_edit_is_held_back() -> None:
    assert reasons(planned(offered("workers"), unwritable=["workers"])) == {"workers": NOT_WRITABLE}


def test_no_consent_applies_what_is_known_to_be_wrong() -> None:
    plan = planned(offered("workers", "random-stream", state=REFUTED), accepted=["random-stream"])
    assert reasons(plan) == {"workers": NOT_SAFE_AT_ALL}


@pytest.mark.parametrize(
    ("accepting", "more"),
    [
        (["random-stream"], 1),
        (["unpicklable"], 0),
        (["random-stream", "unpicklable"], 2),
        (["random-stream", "unpicklable", "device-unknown"], 3),
    ],
)
def test_a_plan_says_how_many_more_fixes_some_risks_would_unlock(accepting: list[str], more: int) -> None:
    plan = planned(
        offered("workers", "random-stream"),
        offered("other", "random-stream", "unpicklable"),
        offered("copy", "device-unknown"),
        offered("pin"),
    )
    assert plan.unlocked_by(accepting) == more


def test_only_fixes_with_all_that_they_require_are_complete() -> None:
    copy, pin, other = offered("copy", requires=["pin"]), offered("pin", requires=["workers"]), offered("other")
    assert keys(complete([copy, pin, other])) == ["other"]


def default_of_an_option(key: str, *risks: str, state: str = UNKNOWN) -> Fix:
    """A fix that gives an option another default, as every other loader that takes its worker count from there asks."""
    return replace(offered(key, *risks, state=state), operations=(ReplaceExpression(AT, "4"),))


def test_an_edit_that_two_ask_for_waits_for_the_risks_of_both() -> None:
    first, second = default_of_an_option("first"), default_of_an_option("second", "random-stream")
    assert risks(planned(first, second)) == {"first": {"random-stream"}, "second": {"random-stream"}}


def test_an_edit_that_would_be_wrong_for_one_who_asks_is_made_for_none() -> None:
    wrong = default_of_an_option("wrong", "random-stream", state=REFUTED)
    plan = planned(default_of_an_option("right"), wrong, accepted=["random-stream"])
    assert reasons(plan) == {"right": NOT_SAFE_AT_ALL, "wrong": NOT_SAFE_AT_ALL}


def test_an_import_that_two_ask_for_joins_them_in_nothing() -> None:
    first, second = (
        replace(offered(key, *risk), operations=(EnsureImport(TRAIN, "torch"), SetArgument(AT, key, "1")))
        for key, risk in (("first", ()), ("second", ("random-stream",)))
    )
    assert keys(planned(first, second).applied) == ["first"]


def test_an_edit_that_two_ask_for_counts_once() -> None:
    fixes = default_of_an_option("first", "memory"), default_of_an_option("second", "memory")
    assert planned(*fixes).unlocked_by(["memory"]) == 1
    assert count(fixes) == 1


def test_the_choices_are_the_smallest_sets_of_risks_with_what_each_brings() -> None:
    plan = planned(
        offered("workers", "random-stream"), offered("other", "random-stream", "memory"), offered("copy", "unpicklable")
    )
    assert plan.choices == [
        (frozenset({"random-stream"}), 1),
        (frozenset({"unpicklable"}), 1),
        (frozenset({"random-stream", "memory"}), 2),
    ]


NAMES, RISKS = st.sampled_from("abcdef"), st.sampled_from(["random-stream", "unpicklable", "memory"])
FIXES = st.lists(
    st.builds(
        lambda key, risks, requires: offered(key, *risks, requires=requires), NAMES, st.sets(RISKS), st.sets(NAMES)
    ),
    unique_by=lambda fix: fix.key,
)


@given(FIXES, st.sets(RISKS))
def test_what_is_applied_is_accepted_and_complete(fixes: list[Fix], accepted: set[str]) -> None:
    applied = planned(*fixes, accepted=accepted).applied
    assert all(accepted.issuperset(fix.risks) for fix in applied)
    assert all(set(keys(applied)).issuperset(fix.requires) for fix in applied)


@given(FIXES, st.sets(RISKS))
def test_accepting_the_risks_of_a_fix_and_no_fewer_applies_it(fixes: list[Fix], accepted: set[str]) -> None:
    for fix, missing in planned(*fixes, accepted=accepted).risky:
        assert fix in planned(*fixes, accepted=accepted | missing).applied
        assert all(fix not in planned(*fixes, accepted=accepted | missing - {risk}).applied for risk in missing)


@given(FIXES, st.sets(RISKS), st.sets(RISKS))
def test_the_promised_number_is_what_accepting_brings(fixes: list[Fix], accepted: set[str], more: set[str]) -> None:
    before, after = (planned(*fixes, accepted=risks) for risks in (accepted, accepted | more))
    assert before.unlocked_by(more) == len(after.applied) - len(before.applied)


@given(FIXES, st.sets(RISKS))
def test_every_offered_fix_is_accounted_for_once(fixes: list[Fix], accepted: set[str]) -> None:
    plan = planned(*fixes, accepted=accepted)
    found = [*plan.applied, *(fix for fix, _ in plan.held_back), *(fix for fix, _ in plan.risky)]
    assert sorted(keys(found)) == sorted(keys(fixes))
