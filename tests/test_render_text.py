"""What people read: cards, concise lines and the summary, character by character."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feedlint.findings import (
    OBSERVED,
    PROVEN,
    REFUTED,
    UNKNOWN,
    Evidence,
    Finding,
    Fix,
    Obligation,
    Severity,
    Unjudged,
    fix_key,
)
from feedlint.fixes.operations import Edit, EnsureImport, Operation, RemoveArgument, ReplaceExpression, SetArgument
from feedlint.fixes.plan import Plan
from feedlint.places import Place, Span
from feedlint.render import FORMATS, View, concise, renderer, text
from feedlint.render.characters import show_line, visible, width
from feedlint.report import FileReport
from feedlint.source import Source, source_from_bytes

PATH = "/p/train.py"
VIEW = View(base="/p")

PROGRAM = """\
import torch
from torch.utils.data import DataLoader


def main():
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    loader = DataLoader(Frames(), batch_size=8, shuffle=True)
    for x, y in loader:
        x, y = x.to(device), y.to(device)
        train(x, y)
"""


def source(code: str, path: str = PATH) -> Source:
    found = source_from_bytes(path, code.encode())
    assert isinstance(found, Source)
    return found


def place(code: str, wanted: str, path: str = PATH) -> Place:
    """Where a text first stands in the code."""
    start = code.index(wanted)
    found = source(code, path)
    return Place(path, Span(*found.position(start), *found.position(start + len(wanted))))


def finding(at: Place, message: str = "it waits", code: str = "FDL101", **more: object) -> Finding:
    return replace(Finding(code, "some-name", Severity.WARNING, message, at), **more)  # type: ignore[arg-type]


def fix(code: str, at: Place, *operations: Operation, risk: str = "", requires: tuple[str, ...] = ()) -> Fix:
    obligations = (Obligation(f"no-{risk}", UNKNOWN, risk, (Evidence(f"{risk} is possible"),)),) if risk else ()
    return Fix(fix_key(code, at), f"Cure {code}", operations, obligations, requires=requires)


def report(code: str, *findings: Finding, edits: int = 1, **more: object) -> FileReport:
    """A report in which every fix has so many edits in the file."""
    keys = [f.fix.key for f in findings if f.fix]
    made = {key: tuple(Edit(findings[0].place, f"{key} {n}") for n in range(edits)) for key in keys}
    return replace(FileReport(PATH, findings, (), source(code), made), **more)  # type: ignore[arg-type]


def card(*findings: Finding, code: str, view: View = VIEW) -> str:
    return text.render([report(code, *findings)], replace(view, verbosity=-1))


def test_the_causes_of_one_loader_are_one_card_with_one_plan() -> None:
    loader = place(PROGRAM, "DataLoader(Frames(), batch_size=8, shuffle=True)")
    x, y = place(PROGRAM, "x.to(device)"), place(PROGRAM, "y.to(device)")
    workers = replace(
        fix("FDL101", loader, SetArgument(loader, "num_workers", "4")),
        obligations=(
            Obligation("no-stream", UNKNOWN, "random-stream", (Evidence("Frames draws torch.rand", loader),)),
            Obligation("main-guard", PROVEN, "missing-main-guard"),
        ),
    )
    pinned = fix("FDL102", loader, SetArgument(loader, "pin_memory", "True"), requires=(workers.key,))
    because = Evidence("num_workers is never given, so 0"), Evidence("device is cuda", place(PROGRAM, "device = "))
    pinning = "pinning with asynchronous copies 0-15 %"
    waits = "the loop stands still until the copy is done"

    def copied(at: Place) -> Finding:
        cured = fix("FDL201", at, SetArgument(at, "non_blocking", "True"), requires=(pinned.key,))
        return finding(at, waits, "FDL201", worth=pinning, card="c", fix=cured)

    found = [
        finding(loader, "one process loads every batch", evidence=because, worth="2-10x", fix=workers, card="c"),
        finding(loader, "batches are copied from pageable memory", "FDL102", worth=pinning, fix=pinned, card="c"),
        copied(x),
        copied(y),
    ]
    judged = report(PROGRAM, *found, unjudged=(Unjudged(x, "unknown"),))
    assert text.render([judged], VIEW) == (
        "train.py:7:14  the loop waits for its data                                      FDL101 FDL102 FDL201\n"
        "  |\n"
        "7 |     loader = DataLoader(Frames(), batch_size=8, shuffle=True)\n"
        "  |              ^^^^^^^^^^ one process loads every batch (FDL101)\n"
        "  |                         batches are copied from pageable memory (FDL102)\n"
        "9 |         x, y = x.to(device), y.to(device)\n"
        "  |                ^^^^^^^^^^^^  ^^^^^^^^^^^^ the loop stands still until the copy is done (FDL201)\n"
        "  |\n"
        "  = because   num_workers is never given, so 0; device is cuda (train.py:6)\n"
        "  = worth     2-10x; pinning with asynchronous copies 0-15 %\n"
        "  = plan      num_workers=4, pin_memory=True, non_blocking=True   (4 edits, this file)\n"
        "  = not safe  random-stream: Frames draws torch.rand (train.py:7)\n"
        "\n"
        "4 findings (4 warnings) in 1 file. Fixable: 4 with `--accept random-stream`.\n"
        "1 loader or loop was not judged; `--show-unjudged` says why.\n"
    )


def test_findings_without_a_card_are_cards_of_their_own() -> None:
    code = "first()\nsecond()\n"
    shown = card(finding(place(code, "first()"), "a"), finding(place(code, "second()"), "b"), code=code)
    assert shown == (
        "train.py:1:1  the loop waits for its data                                                     FDL101\n"
        "  |\n"
        "1 | first()\n"
        "  | ^^^^^^^ a\n"
        "\n"
        "train.py:2:1  the loop waits for its data                                                     FDL101\n"
        "  |\n"
        "2 | second()\n"
        "  | ^^^^^^^^ b\n"
    )


def test_a_short_call_over_several_lines_is_shown_whole() -> None:
    code = "loader = DataLoader(\n    frames,  # all\n    shuffle=True,\n)\n"
    assert card(finding(place(code, code[9:-1])), code=code).split("\n", 2)[2] == (
        "1 | loader = DataLoader(\n"
        "  |          ^^^^^^^^^^ it waits\n"
        "2 |     frames,  # all\n"
        "3 |     shuffle=True,\n"
        "4 | )\n"
    )


def test_of_a_call_over_many_lines_the_first_is_shown() -> None:
    code = "loader = DataLoader(\n" + "    more,\n" * 9 + ")\n"
    assert card(finding(place(code, code[9:-1])), code=code).split("\n", 2)[2] == (
        "1 | loader = DataLoader(\n  |          ^^^^^^^^^^ it waits\n"
    )


def test_places_in_two_files_have_a_frame_each() -> None:
    options = "parser.add_argument('--workers', default=0)\n"
    code = "load()\n"
    other = place(options, "default=0", "/p/conf/options.py")
    found = finding(place(code, "load()"), "a", card="c"), finding(other, "b", "FDL999", card="c")
    reports = [report(code, found[0]), FileReport(other.path, (found[1],), (), source(options, other.path))]
    assert text.render(reports, replace(VIEW, verbosity=-1)).split("\n", 1)[1] == (
        "  |\n"
        "1 | load()\n"
        "  | ^^^^^^ a (FDL101)\n"
        "  |\n"
        "  ::: conf/options.py\n"
        "1 | parser.add_argument('--workers', default=0)\n"
        "  |                                  ^^^^^^^^^ b (FDL999)\n"
    )


def test_a_file_without_text_has_its_message_as_the_cause() -> None:
    found = Finding(
        "FDL000", "unreadable-file", Severity.ERROR, "byte 0xff is not UTF-8", Place(PATH, Span(1, 0, 1, 0))
    )
    assert text.render([FileReport(PATH, (found,))], replace(VIEW, verbosity=-1)) == (
        "train.py:1:1  this file was not judged                                                FDL000 (error)\n"
        "  |\n"
        "  = cause     byte 0xff is not UTF-8\n"
    )


def test_tabs_and_wide_characters_keep_the_carets_under_the_code() -> None:
    code = 'if x:\n\tnote("数据", load())\n'
    assert card(finding(place(code, "load()")), code=code).split("\n", 2)[2] == (
        '2 |     note("数据", load())\n  |                  ^^^^^^ it waits\n'
    )


def test_a_long_line_is_cut_around_the_carets() -> None:
    code = f"x = [{'1, ' * 60}load(), {'2, ' * 60}]\n"
    shown = card(finding(place(code, "load()")), code=code, view=replace(VIEW, width=60)).split("\n")
    assert shown[2].startswith("1 | …")
    assert shown[2].endswith("…")
    assert len(shown[2]) <= 60
    assert shown[3].index("^^^^^^") == shown[2].index("load()")


def test_characters_that_steer_a_terminal_are_not_sent_to_it() -> None:
    code = 'load("\x1b[31m\u202e")\n'
    shown = card(finding(place(code, "load("), "\x1b]0;title\x07\nnext line"), code=code)
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "\ufffd]0;title\ufffd next line" in shown


def test_nothing_is_coloured_or_linked_unless_asked() -> None:
    code = "load()\n"
    found = finding(place(code, "load()"))
    plain = card(found, code=code)
    rich = card(found, code=code, view=replace(VIEW, colour=True, links=True))
    assert "\x1b" not in plain
    assert "\x1b[1;33m^^^^^^ it waits\x1b[0m" in rich
    assert "\x1b]8;;https://github.com/feedlint/feedlint/blob/main/docs/rules/FDL101.md\x1b\\" in rich
    assert "\x1b]8;;file:///p/train.py\x1b\\" in rich


def test_what_fix_applies_now_stands_apart_from_what_it_would_apply() -> None:
    code = "load()\nmove()\n"
    load, move = place(code, "load()"), place(code, "move()")
    safe = finding(move, code="FDL201", fix=fix("FDL201", move, RemoveArgument(move, "slow")), card="c")
    unsafe = finding(load, fix=fix("FDL101", load, SetArgument(load, "workers", "4"), risk="memory"), card="c")
    assert card(unsafe, safe, code=code).split("  |\n")[2] == (
        "  = plan      without slow   (1 edit, this file, safe)\n"
        "              workers=4   (1 edit, this file)\n"
        "  = not safe  memory: memory is possible\n"
    )
    accepting = card(unsafe, code=code, view=replace(VIEW, accepted=frozenset({"memory"})))
    assert "workers=4   (1 edit, this file, accepted)" in accepting


def test_a_safe_fix_that_requires_an_unsafe_one_is_not_called_safe() -> None:
    code = "load()\n"
    load = place(code, "load()")
    workers = fix("FDL101", load, SetArgument(load, "workers", "4"), risk="memory")
    pin = fix("FDL102", load, SetArgument(load, "pin", "True"), requires=(workers.key,))
    assert "safe)" not in card(finding(load, fix=workers), finding(load, code="FDL102", fix=pin), code=code)


def test_a_plan_of_other_edits_says_what_the_fix_says_and_in_which_file() -> None:
    code = "load()\n"
    load, default = place(code, "load()"), Place("/p/conf/options.py", Span(7, 51, 7, 52))
    cure = replace(
        fix("FDL101", load, ReplaceExpression(default, "4"), EnsureImport(PATH, "os")),
        message="Let --workers default to 4",
    )
    judged = report(code, finding(load, fix=cure))
    shown = text.render([replace(judged, edits={cure.key: (Edit(default, "4"),)})], VIEW)
    assert "  = plan      Let --workers default to 4   (1 edit, conf/options.py, safe)\n" in shown


def test_refuted_proofs_and_advice_stand_where_no_edit_is_offered() -> None:
    code = "load()\n"
    load = place(code, "load()")
    refuted = Obligation("no-local-handles", REFUTED, "process-local-state", (Evidence("Frames opens a file", load),))
    assert card(finding(load, why_not=(refuted,), advice="open it in __getitem__"), code=code).split("  |\n")[2] == (
        "  = no edit   no-local-handles: Frames opens a file (train.py:1)\n  = advice    open it in __getitem__\n"
    )


def test_a_proven_fix_names_the_fixes_of_other_cards_that_it_waits_for() -> None:
    code = "load()\nmove()\n"
    load, move = place(code, "load()"), place(code, "move()")
    pinned = fix("FDL102", load, SetArgument(load, "pin", "True"), requires=(fix_key("FDL101", load),))
    cured = fix("FDL201", move, SetArgument(move, "non_blocking", "True"), requires=(pinned.key,))
    shown = text.render([report(code, finding(load, code="FDL102", fix=pinned, card="a"), finding(move, code="FDL201", fix=cured, card="b"))], VIEW)
    assert "  = waits for FDL102 at train.py:1\n              FDL101 at train.py:1, for which no edit is offered\n" in shown


def test_what_a_run_observed_is_not_called_proven() -> None:
    code = "load()\n"
    load = place(code, "load()")
    seen = Obligation("picklable", OBSERVED, "unpicklable", (Evidence("Frames was pickled"),))
    cure = replace(fix("FDL101", load, SetArgument(load, "workers", "4")), obligations=(seen,))
    assert "= not safe  unpicklable: Frames was pickled (observed in a run, not proven)" in card(
        finding(load, fix=cure), code=code
    )


def test_evidence_that_does_not_fit_into_a_line_is_a_list() -> None:
    code = "load()\n"
    chain = tuple(Evidence(f"link {n} of a chain that is rather long") for n in range(3))
    shown = card(finding(place(code, "load()"), evidence=chain), code=code)
    assert "  = because   link 0 of a chain that is rather long\n              link 1 of a chain" in shown


def test_a_long_note_is_wrapped_below_its_beginning() -> None:
    code = "load()\n"
    shown = card(finding(place(code, "load()"), advice="word " * 30), code=code)
    assert shown.split("= advice")[1].split("\n")[1].startswith("              word word")
    assert max(map(len, shown.split("\n"))) <= VIEW.width


def test_a_place_in_a_notebook_is_a_row_of_its_cell() -> None:
    cells = [
        {"cell_type": "code", "source": s, "metadata": {}, "outputs": []} for s in ("import torch\n", "x = 1\nload()\n")
    ]
    data = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    notebook = source_from_bytes("/p/train.ipynb", data.encode())
    assert isinstance(notebook, Source)
    at = place(notebook.text, "load()", "/p/other.py")._replace(path=notebook.path)
    judged = FileReport(notebook.path, (finding(at),), (), notebook)
    assert concise.render([judged], VIEW) == "train.ipynb:cell 2:2:1: FDL101 it waits\n"
    assert text.render([judged], VIEW).split("\n")[2] == "2 | load()"


def test_a_concise_line_is_place_code_and_message() -> None:
    code = "load()\n"
    assert concise.render([report(code, finding(place(code, "load()")))], VIEW) == "train.py:1:1: FDL101 it waits\n"


def test_a_path_outside_the_base_folder_is_shown_whole() -> None:
    code = "load()\n"
    judged = report(code, finding(place(code, "load()")))
    assert concise.render([judged], View(base="/q")).startswith("/p/train.py:1:1: ")


def summary_of(*findings: Finding, view: View = VIEW, **more: object) -> list[str]:
    shown = text.render([report("load()\n" * 9, *findings, **more)], view)
    return shown.split("\n\n")[-1].splitlines()


def at_line(line: int) -> Place:
    return Place(PATH, Span(line, 0, line, 6))


def test_no_findings_is_said() -> None:
    assert summary_of() == ["No findings."]


def test_infos_are_only_counted_unless_asked_for() -> None:
    found = finding(at_line(1), severity=Severity.INFO), finding(at_line(2), severity=Severity.ERROR)
    assert summary_of(*found) == [
        "1 finding (1 error) in 1 file. Not shown: 1 finding of less weight (`-v` shows them)."
    ]
    assert summary_of(*found, view=replace(VIEW, verbosity=1)) == ["2 findings (1 error, 1 info) in 1 file."]
    asked = replace(VIEW, min_severity=Severity.INFO)
    assert summary_of(*found, view=asked) == ["2 findings (1 error, 1 info) in 1 file."]


def test_the_summary_says_what_each_risk_would_unlock() -> None:
    first, second, third, fourth = (at_line(n) for n in range(1, 5))
    stream = fix("FDL101", first, SetArgument(first, "a", "1"), risk="random-stream")
    found = [
        finding(first, fix=stream),
        finding(second, fix=fix("FDL101", second, SetArgument(second, "a", "1"))),
        finding(third, fix=fix("FDL103", third, SetArgument(third, "b", "1"), risk="memory", requires=(stream.key,))),
        finding(fourth, fix=fix("FDL102", fourth, SetArgument(fourth, "c", "1"), requires=(stream.key,))),
    ]
    assert summary_of(*found) == [
        "4 findings (4 warnings) in 1 file. 1 fixable with `--fix`, more: 2 with `--accept random-stream`, "
        "3 with `--accept memory,random-stream`."
    ]
    accepting = replace(VIEW, accepted=frozenset({"random-stream"}))
    assert summary_of(*found, view=accepting) == [
        "4 findings (4 warnings) in 1 file. 3 fixable with `--fix`, more: 1 with `--accept memory`."
    ]


def test_the_summary_and_the_cards_say_what_the_given_plan_says() -> None:
    at = at_line(1)
    cured = fix("FDL101", at, SetArgument(at, "a", "1"))
    elsewhere = Plan(held_back=((cured, "its edit belongs in a file that was not named"),))
    shown = text.render([report("load()\n", finding(at, fix=cured))], replace(VIEW, plan=elsewhere))
    assert "safe" not in shown
    assert "fixable" not in shown.lower()


def test_a_fix_that_cannot_be_rendered_is_not_counted() -> None:
    found = finding(at_line(1), fix=fix("FDL101", at_line(1), SetArgument(at_line(1), "a", "1")))
    assert summary_of(found, edits=0) == ["1 finding (1 warning) in 1 file."]


def test_what_was_not_judged_is_listed_when_asked() -> None:
    unjudged = (Unjudged(at_line(3), "**kwargs is not known", ("FDL101", "FDL102")),)
    shown = text.render([report("load()\n" * 9, unjudged=unjudged)], replace(VIEW, show_unjudged=True))
    assert shown == "train.py:3:1: not judged: **kwargs is not known (FDL101 FDL102)\n\nNo findings.\n"


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_renders_nothing(name: str) -> None:
    assert isinstance(renderer(name)([], VIEW), str)


@pytest.mark.parametrize(("character", "columns"), [("a", 1), ("数", 2), ("é", 1), ("e\u0301", 1), ("😀", 2)])
def test_the_width_of_a_character_is_what_a_terminal_gives_it(character: str, columns: int) -> None:
    assert width(character) == columns


@pytest.mark.parametrize("room", [5, 10, 20, 40])
@pytest.mark.parametrize("start", [0, 7, 50, 95, 99])
def test_a_cut_line_fits_and_keeps_the_start_of_its_span(room: int, start: int) -> None:
    line = "".join(chr(ord("a") + n % 26) for n in range(100))
    shown = show_line(line, start, start + 8, room)
    left, right = shown.columns(start, start + 8)
    assert width(shown.text) <= room
    assert right <= room
    assert shown.text[left] == line[start]


def test_text_for_one_line_stays_on_one_line() -> None:
    assert visible("a\r\nb\u2028c") == "a  b c"


spans = st.tuples(*[st.integers(1, 12), st.integers(0, 40)] * 2).filter(lambda span: span[:2] <= span[2:])


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=200), st.lists(st.tuples(spans, st.text(max_size=30)), max_size=4), st.integers(20, 120))
def test_any_text_with_any_spans_can_be_shown(
    code: str, found: list[tuple[tuple[int, ...], str]], columns: int
) -> None:
    at = [finding(Place(PATH, Span(*span)), message, card="c") for span, message in found]
    text_source = Source(PATH, b"", code, "utf-8", False)
    shown = text.render([FileReport(PATH, tuple(at), (), text_source)], replace(VIEW, width=columns))
    assert visible(shown.replace("\n", "")) == shown.replace("\n", "")
