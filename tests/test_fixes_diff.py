"""A diff shows the bytes as they are, so that it can be applied."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from feedlint.fixes.diff import encoded, unified

BOM = b"\xef\xbb\xbf"


def diff(before: bytes, after: bytes) -> list[str]:
    return unified("/project/train.py", "train.py", before, after).split("\n")


def test_a_changed_line_is_shown_with_its_file() -> None:
    assert diff(b"a = 1\nb = 2\n", b"a = 1\nb = 3\n") == [
        *("--- train.py", "+++ train.py", "@@ -1,2 +1,2 @@", " a = 1", "-b = 2", "+b = 3", "")
    ]


def test_no_change_is_no_diff() -> None:
    assert diff(b"a = 1\n", b"a = 1\n") == [""]


def test_a_missing_line_break_at_the_end_is_told() -> None:
    assert diff(b"a = 1", b"a = 2")[3:] == [
        *("-a = 1", "\\ No newline at end of file", "+a = 2", "\\ No newline at end of file", "")
    ]


@pytest.mark.skipif(shutil.which("patch") is None, reason="there is no patch here")
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"a = 1\nb = 2\n", b"a = 1\nb = 3\n"),
        (b"a = 1\r\nb = 2\r\n", b"a = 1\r\nb = 3\r\n"),
        (b"a = 1\nb = 2", b"a = 1\nb = 3"),
        (b"a = 1\n\x0cb = 2\n", b"a = 1\n\x0cb = 3\n"),
        (b"a = '\xc3\xa9'\nb = 2\n", b"a = '\xc3\xa9'\nb = 3\n"),
        (b"a = '\xe2\x80\xa8'\nb = 2\n", b"a = '\xe2\x80\xa8'\nb = 3\n"),
        (BOM + b"a = 1\n", BOM + b"a = 2\n"),
        (b"# coding: latin-1\na = '\xe9'\nb = 2\n", b"# coding: latin-1\na = '\xe9'\nb = 3\n"),
    ],
    ids=["lf", "crlf", "no break at the end", "form feed", "not ascii", "line separator", "byte order mark", "latin-1"],
)
def test_the_diff_turns_the_old_bytes_into_the_new_ones(before: bytes, after: bytes, tmp_path: Path) -> None:
    program = tmp_path / "train.py"
    program.write_bytes(before)
    text = encoded(unified(str(program), "train.py", before, after), str(program), before)
    command = ["patch", "--binary", "-p0", "--quiet"]
    subprocess.run(command, input=text, cwd=tmp_path, check=True, timeout=60)
    assert program.read_bytes() == after


def notebook(*cells: tuple[str, str]) -> bytes:
    written = [{"cell_type": kind, "metadata": {}, "source": text.splitlines(keepends=True)} for kind, text in cells]
    return json.dumps({"cells": written, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}).encode()


def test_a_notebook_is_compared_cell_by_cell_as_it_was_written() -> None:
    before = notebook(("markdown", "# Training"), ("code", "%pip install torch\nb = 2"), ("code", "c = 3"))
    after = notebook(("markdown", "# Training"), ("code", "%pip install torch\nb = 4"), ("code", "c = 3"))
    assert unified("/project/train.ipynb", "train.ipynb", before, after).split("\n") == [
        *("--- train.ipynb:cell 2", "+++ train.ipynb:cell 2", "@@ -1,2 +1,2 @@", " %pip install torch"),
        *("-b = 2", "\\ No newline at end of file", "+b = 4", "\\ No newline at end of file", ""),
    ]
