"""The JSON record, key by key: other programs rely on it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from feedlint.findings import PROVEN, UNKNOWN, Evidence, Finding, Fix, Obligation, Severity
from feedlint.fixes.operations import Edit, ReplaceExpression
from feedlint.places import Place, Span
from feedlint.render import View
from feedlint.render.json import render
from feedlint.report import FileReport
from feedlint.source import Source, source_from_bytes

PATH, OPTIONS = "/p/train.py", "/p/options.py"
CALL = Place(PATH, Span(2, 9, 2, 21))
DEFAULT = Place(OPTIONS, Span(7, 51, 7, 52))
FIX = Fix(
    "FDL101@/p/train.py:2:9",
    "Let --workers default to 4",
    (ReplaceExpression(DEFAULT, "4"),),
    (
        Obligation("main-guard", PROVEN, "missing-main-guard", (Evidence("the loop starts in main()", CALL),)),
        Obligation("value-is-ours", UNKNOWN, "option-default", (Evidence("0 is the default of an option"),)),
    ),
    group="/p/train.py:2",
)
FINDING = Finding(
    "FDL101",
    "loader-no-workers",
    Severity.WARNING,
    "one process loads every batch",
    CALL,
    (Evidence("--workers defaults to 0", DEFAULT), Evidence("no configuration sets it")),
    "2-10x in user reports",
    fix=FIX,
    card="/p/train.py:2",
    statement=Place(PATH, Span(2, 0, 2, 21)),
)


def source(code: str, path: str = PATH) -> Source:
    found = source_from_bytes(path, code.encode())
    assert isinstance(found, Source)
    return found


CODE = source("import x\nloader = DataLoader()\n")


def rendered(*findings: Finding, view: View | None = None, **more: Any) -> Any:
    edits = {FIX.key: (Edit(DEFAULT, "4"),)}
    report = replace(FileReport(PATH, findings, (), CODE, edits), **more)
    return json.loads(render([report], view or View(base="/p")))


def test_a_record_has_every_key_of_the_contract() -> None:
    assert rendered(FINDING) == [
        {
            "code": "FDL101",
            "name": "loader-no-workers",
            "severity": "warning",
            "message": "one process loads every batch",
            "filename": PATH,
            "cell": None,
            "location": {"row": 2, "column": 10},
            "end_location": {"row": 2, "column": 22},
            "evidence": [
                {"filename": OPTIONS, "location": {"row": 7, "column": 52}, "message": "--workers defaults to 0"},
                {"filename": None, "location": None, "message": "no configuration sets it"},
            ],
            "worth": "2-10x in user reports",
            "advice": "",
            "why_not": [],
            "fix": {
                "applicability": "unsafe",
                "risks": ["option-default"],
                "obligations": [
                    {
                        "name": "main-guard",
                        "state": "proven",
                        "risk": "missing-main-guard",
                        "evidence": [
                            {
                                "filename": PATH,
                                "location": {"row": 2, "column": 10},
                                "message": "the loop starts in main()",
                            }
                        ],
                    },
                    {
                        "name": "value-is-ours",
                        "state": "unknown",
                        "risk": "option-default",
                        "evidence": [{"filename": None, "location": None, "message": "0 is the default of an option"}],
                    },
                ],
                "key": "FDL101@/p/train.py:2:9",
                "group": "g1",
                "requires": [],
                "message": "Let --workers default to 4",
                "edits": [
                    {
                        "filename": OPTIONS,
                        "content": "4",
                        "location": {"row": 7, "column": 52},
                        "end_location": {"row": 7, "column": 53},
                    }
                ],
            },
            "noqa_row": 2,
            "url": "https://github.com/feedlint/feedlint/blob/main/docs/rules/FDL101.md",
        }
    ]


def test_nothing_found_is_an_empty_array() -> None:
    assert rendered() == []


def test_a_finding_whose_fix_has_no_edit_has_no_fix() -> None:
    assert rendered(FINDING, edits={})[0]["fix"] is None


def test_fixes_of_one_loader_share_their_group() -> None:
    other = replace(FIX, key="other", group="/p/train.py:9")
    alike = replace(FIX, key="alike")
    edits = {key: (Edit(DEFAULT, "4"),) for key in (FIX.key, "other", "alike")}
    records = rendered(*(replace(FINDING, fix=fix) for fix in (FIX, other, alike)), edits=edits)
    assert [record["fix"]["group"] for record in records] == ["g1", "g2", "g1"]


def test_every_severity_is_there_unless_the_view_narrows_it() -> None:
    info = replace(FINDING, severity=Severity.INFO)
    assert [record["severity"] for record in rendered(info, FINDING)] == ["info", "warning"]
    narrow = View(base="/p", min_severity=Severity.WARNING)
    assert [record["severity"] for record in rendered(info, FINDING, view=narrow)] == ["warning"]


def test_a_rule_of_a_pack_has_no_page_of_ours() -> None:
    assert rendered(replace(FINDING, code="ACME101"))[0]["url"] is None


def test_the_row_for_a_suppression_is_where_a_comment_can_stand() -> None:
    code = source("loader = \\\n    DataLoader()\n")
    found = replace(FINDING, place=Place(PATH, Span(1, 0, 1, 6)), statement=Place(PATH, Span(1, 0, 2, 16)))
    assert rendered(found, source=code)[0]["noqa_row"] == 2


def test_characters_beyond_ascii_count_as_one_and_are_kept() -> None:
    found = replace(FINDING, message="数据", place=Place(PATH, Span(1, 5, 1, 6)))
    record = rendered(found, source=source("'数据', x\n"))[0]
    assert (record["message"], record["location"]["column"]) == ("数据", 6)


def test_places_in_a_notebook_count_inside_their_cell() -> None:
    path = "/p/train.ipynb"
    sources = (["# text"], "markdown"), (["import torch\n"], "code"), (["x = 1\n", "load()\n"], "code")
    cells = [{"cell_type": kind, "source": s, "metadata": {}, "outputs": []} for s, kind in sources]
    data = json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})
    notebook = source_from_bytes(path, data.encode())
    assert isinstance(notebook, Source)
    line, column = notebook.position(notebook.text.index("load()"))
    place = Place(path, Span(line, column, line, column + 6))
    found = replace(FINDING, place=place, statement=place, evidence=(Evidence("here", place),))
    report = FileReport(path, (found,), (), notebook, {FIX.key: (Edit(place, "x"),)})
    record = json.loads(render([report], View(base="/p")))[0]
    assert (record["cell"], record["location"], record["noqa_row"]) == (3, {"row": 2, "column": 1}, 2)
    assert record["evidence"] == [{"filename": path, "cell": 3, "location": {"row": 2, "column": 1}, "message": "here"}]
    assert record["fix"]["edits"][0]["cell"] == 3
