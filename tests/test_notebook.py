"""Notebooks: joined, masked, and changed without a byte too much."""

from __future__ import annotations

import ast
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedlint.notebook import mask
from feedlint.source import NotFaithful, Source, SourceProblem, source_from_bytes


def cell(source: Any, kind: str = "code") -> dict[str, Any]:
    if kind != "code":
        return {"cell_type": kind, "metadata": {}, "source": source}
    return {"cell_type": kind, "execution_count": 1, "metadata": {}, "outputs": [{"text": ["é <b>"]}], "source": source}


def notebook(*cells: dict[str, Any], language: str = "python", **style: Any) -> bytes:
    value = {
        "cells": list(cells),
        "metadata": {"kernelspec": {"language": language, "name": "kernel"}, "zoo": "é", "able": 1.0e-5},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(value, **style).encode()


def read(data: bytes) -> Source:
    result = source_from_bytes("train.ipynb", data)
    assert isinstance(result, Source), result
    return result


def sources(data: bytes) -> list[str]:
    return ["".join(cell["source"]) for cell in json.loads(data)["cells"]]


STYLES: list[dict[str, Any]] = [
    {"indent": indent, "ensure_ascii": ascii, **separators}
    for indent in (None, 1, 2)
    for ascii in (True, False)
    for separators in ({}, {"separators": (",", ":")})
]
PYTHON_LINES = ["import torch", "name = 'é😀'", "for i in range(3):\n    pass", "%matplotlib inline", "!ls", "", "# é"]
CELL_TEXTS = st.lists(st.sampled_from(PYTHON_LINES), max_size=4).map("\n".join)
CELL_VALUES = st.one_of(
    CELL_TEXTS,
    CELL_TEXTS.map(lambda text: text + "\n"),
    CELL_TEXTS.map(lambda text: text.splitlines(keepends=True)),
    CELL_TEXTS.map(lambda text: [text]),
)
CELLS = st.lists(st.builds(cell, CELL_VALUES, st.sampled_from(["code", "code", "markdown", "raw"])), max_size=5)


@given(CELLS, st.sampled_from(STYLES))
def test_unchanged_text_gives_back_every_byte(cells: list[dict[str, Any]], style: dict[str, Any]) -> None:
    data = notebook(*cells, **style)
    source = read(data)
    # Without the shortcut for equal texts, too.
    changed = source.encode(source.text + "\n") if source.cells else data
    assert source.encode(source.text) == data
    assert len(changed) >= len(data)


@given(CELLS, st.sampled_from(STYLES), st.data())
def test_a_changed_cell_changes_and_changes_back(cells: list[dict[str, Any]], style: dict[str, Any], data: Any) -> None:
    original = notebook(*cells, **style)
    source = read(original)
    lines = source.text.splitlines(keepends=True)
    places = [i for i, line in enumerate(lines) if line.startswith(("import torch", "name"))]
    if not places:
        return
    place = data.draw(st.sampled_from(places))
    changed_text = "".join([*lines[:place], "import 数学\n", *lines[place:]])
    changed = source.encode(changed_text)
    assert read(changed).text == changed_text
    assert sum(a != b for a, b in zip(sources(original), sources(changed), strict=True)) == 1
    if all(isinstance(cell["source"], str) or len(cell["source"]) != 1 for cell in cells):
        assert read(changed).encode(source.text) == original


@pytest.mark.parametrize("style", STYLES)
def test_only_the_changed_line_changes_in_the_file(style: dict[str, Any]) -> None:
    data = notebook(cell("# Titel é\n", "markdown"), cell(["a = 'é'\n", "b = 2\n", "c = 3"]), cell("d = 'é'"), **style)
    source = read(data)
    changed = source.encode(source.text.replace("b = 2", "b = 22"))
    assert changed == data.replace(b"b = 2", b"b = 22")


def test_a_new_line_is_written_in_the_style_of_the_list() -> None:
    data = notebook(cell(["a = 1\n", "b = 2"]), indent=1)
    changed = read(data).encode(read(data).text.replace("b = 2", "# before\nb = 2"))
    assert changed == data.replace(b'    "b = 2"', b'    "# before\\n",\n    "b = 2"')


def test_a_byte_order_mark_stays() -> None:
    data = b"\xef\xbb\xbf" + notebook(cell("a = 1"))
    assert read(data).encode("a = 2\n") == data.replace(b"a = 1", b"a = 2")


def test_names_cross_cells_in_one_module() -> None:
    source = read(notebook(cell("x = 1"), cell("Text", "markdown"), cell("y = x\n")))
    assert [type(node).__name__ for node in ast.parse(source.text).body] == ["Assign", "Assign"]


def test_lines_lead_to_the_cell_counted_over_all_cells_and_the_row_in_it() -> None:
    source = read(notebook(cell("Text", "markdown"), cell("a = 1\nb = 2"), cell("Text", "raw"), cell("\nc = 3")))
    places = {
        name: source.cell_position(source.text[: source.text.index(name + " =")].count("\n") + 1) for name in "abc"
    }
    assert places == {"a": (2, 1), "b": (2, 2), "c": (4, 2)}


def test_a_python_file_has_no_cells() -> None:
    source = source_from_bytes("train.py", b"a = 1\n")
    assert isinstance(source, Source)
    assert source.cell_position(1) is None


@pytest.mark.parametrize(
    "line",
    [
        "%matplotlib inline",
        "  %time model.fit()",
        "!pip install torch",
        "!ls",
        "?print",
        "print?",
        "torch.nn??",
        "files = !ls *.pt",
        "a, b = %sql select 'x'",
        "x['k'] = !echo (",
        "%%time",
        "!echo \"it's (",
    ],
)
def test_magics_become_python_of_the_same_width(line: str) -> None:
    masked = mask(line + "\nx = 1\n")
    assert masked is not None
    first, second, *_ = masked[0].split("\n")
    ast.parse(first.strip())
    assert (len(first), second) == (len(line), "x = 1")


def test_what_a_magic_assigns_is_unknown() -> None:
    masked = mask("workers = !nproc\n")
    assert masked is not None
    assert masked[0] == "workers = __    \n"


def test_a_command_over_several_lines_is_masked_whole() -> None:
    masked = mask("if True:\n    !docker run \\\n  --rm x\n    y = 1\n")
    assert masked is not None
    assert [line.rstrip() for line in masked[0].splitlines()] == ["if True:", "    0", "#", "    y = 1"]


@pytest.mark.parametrize(
    "text",
    [
        "x = (a\n% b)\n",
        "s = '''\n%time\n!ls\n'''\n",
        "x = a \\\n% b\n",
        "x = [\n  # what?\n  1]\n",
        "x = a != b\n",
        "x = 7 % 2  # really?\n",
        'f"{a!r}"\n',
        "print('why?')\n",
        "x: int = 3\n",
        "s = 'a\\'\\\n% b'\n",
    ],
)
def test_python_that_looks_like_a_magic_stays(text: str) -> None:
    ast.parse(text)
    assert mask(text) == (text, ())


@pytest.mark.parametrize(
    "text", ["%%bash\nls\n", "%%writefile a.py\nx = 1\n", "%%html\n<b>", "\n%%sql\nx", "%md\n# Hi"]
)
def test_a_cell_of_another_language_is_no_code(text: str) -> None:
    assert read(notebook(cell(text), cell("x = 1"))).text == "x = 1\n"


def test_the_body_of_a_timed_cell_is_code() -> None:
    assert read(notebook(cell("%%time\nx = 1"))).text == "0     \nx = 1\n"


@pytest.mark.parametrize("language", ["julia", "R", "sos"])
def test_a_notebook_of_another_language_has_no_code(language: str) -> None:
    assert read(notebook(cell("x = 1"), language=language)).text == ""


def test_a_cell_of_another_language_in_a_polyglot_notebook_is_no_code() -> None:
    other = cell("SELECT 1") | {"metadata": {"vscode": {"languageId": "sql"}}}
    assert read(notebook(other, cell("x = 1"))).text == "x = 1\n"


def test_format_3_is_read_and_written() -> None:
    cells = [{"cell_type": "code", "input": ["x = 1\n", "%time\n"], "language": "python", "outputs": []}]
    data = json.dumps({"metadata": {}, "nbformat": 3, "worksheets": [{"cells": cells}]}).encode()
    assert read(data).encode("x = 2\n0    \n") == data.replace(b"x = 1", b"x = 2")


def test_masked_lines_come_back_when_their_cell_changes() -> None:
    data = notebook(cell(["%cd a\n", "x = !ls\n", "%cd b\n", "y = 2"]))
    source = read(data)
    changed = source.encode(source.text.replace("y = 2", "z = 0\ny = 2"))
    assert sources(changed) == ["%cd a\nx = !ls\n%cd b\nz = 0\ny = 2"]


@pytest.mark.parametrize(
    ("old", "new"),
    [("0    \n", ""), ("x = __ ", "x = 3"), ("# --- cell 2 ---\n", ""), ("# --- cell 2 ---\n\n", "\n"), ("\n\ny", "y")],
)
def test_a_change_that_cannot_be_placed_is_refused(old: str, new: str) -> None:
    source = read(notebook(cell("%cd a\nx = !ls"), cell("y = 2")))
    assert old in source.text
    with pytest.raises(NotFaithful):
        source.encode(source.text.replace(old, new))


def test_a_border_that_was_moved_is_refused() -> None:
    source = read(notebook(cell("x = 1"), cell("y = 2"), cell("z = 3")))
    moved = "x = 1\n# --- cell 3 ---\n\ny = 2\n# --- cell 2 ---\n\nz = 3\n"
    with pytest.raises(NotFaithful):
        source.encode(moved)


def test_a_comment_of_the_user_is_never_taken_for_a_border() -> None:
    data = notebook(cell("x = 1\n# --- cell 2 ---\n\ny = 1"), cell("z = 3"))
    source = read(data)
    assert sources(source.encode(source.text.replace("z = 3", "z = 4"))) == [
        "x = 1\n# --- cell 2 ---\n\ny = 1",
        "z = 4",
    ]


def test_an_empty_file_is_an_empty_notebook() -> None:
    assert (read(b"").text, read(b"").cells) == ("", ())


@pytest.mark.parametrize(
    ("data", "line", "column"),
    [
        (b"[]", 1, 0),
        (b'{"cells": [}', 1, 11),
        (b'{"cells": []\n "metadata": {}}', 2, 1),
        (b'{"cells": []}\n}', 2, 0),
        (b"<<<<<<< HEAD\n", 1, 0),
        (b'{"cells": [{"cell_type": "code", "source": "\\ud800"}]}', 1, 0),
        (b'{"a": ' + b"[" * 200_000, 1, 0),
        (b'{"a": "\xff"}', 1, 0),
        (b"\x00\x01", 1, 0),
    ],
)
def test_what_is_no_notebook_is_a_problem_with_its_place(data: bytes, line: int, column: int) -> None:
    result = source_from_bytes("train.ipynb", data)
    assert isinstance(result, SourceProblem)
    assert (result.line, result.column) == (line, column)
