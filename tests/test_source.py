"""Bytes to text and back."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feedlint.places import Span
from feedlint.source import SIZE_LIMIT, NotFaithful, Source, SourceProblem, read_source, source_from_bytes

BOM = b"\xef\xbb\xbf"


def source(data: bytes) -> Source:
    result = source_from_bytes("train.py", data)
    assert isinstance(result, Source), result
    return result


def problem(data: bytes) -> SourceProblem:
    result = source_from_bytes("train.py", data)
    assert isinstance(result, SourceProblem), result
    return result


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"x = 1\n",
        b"x = 1",
        b"x = 1\r\ny = 2\r\n",
        b"x = 1\ny = 2\r\nz = 3\r",
        BOM + "x = 'é'\n".encode(),
        BOM + b"# coding: utf-8\r\nx = 1\r\n",
        b"# -*- coding: latin-1 -*-\nx = '\xe9'\n",
        b"#!/usr/bin/env python\n# vim: set fileencoding=cp1252 :\nx = '\x80'\n",
        "# coding: shift_jis\nx = '日本'\n".encode("shift_jis"),
        b"\tif x:\x0c\n\tpass\n",
    ],
)
def test_encoding_the_text_gives_back_the_bytes(data: bytes) -> None:
    assert source(data).encode(source(data).text) == data


def test_a_byte_order_mark_is_no_part_of_the_text() -> None:
    assert source(BOM + b"x = 1\n").text == "x = 1\n"


def test_the_encoding_comment_may_stand_on_the_second_line_below_a_comment() -> None:
    assert source(b"#!/bin/python\n# coding: latin-1\nx = '\xe9'\n").text.endswith("x = 'é'\n")


def test_an_encoding_comment_below_code_is_none() -> None:
    assert source("x = 1\n# coding: latin-1\ny = 'é'\n".encode()).encoding == "utf-8"


@pytest.mark.parametrize("name", ["utf-8-unix", "UTF_8", "utf8", "latin-1-dos", "iso-8859-15"])
def test_the_names_that_python_accepts_are_accepted(name: str) -> None:
    data = f"# coding: {name}\nx = 1\n".encode()
    compile(data, "train.py", "exec")
    assert source(data).encode("# coding") == b"# coding"


def test_bytes_that_are_not_utf_8_are_named_with_their_place() -> None:
    found = problem("# é\nname = 'é".encode() + b"\xff'\n")
    assert (found.line, found.column) == (2, 9)
    assert "0xff" in found.reason


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\x00\x01\x02", "binary"),
        (b"# coding: klingon\n", "unknown encoding 'klingon'"),
        (b"# coding: rot13\n", "no text encoding"),
        (BOM + b"# coding: latin-1\n", "byte order mark"),
        (b"# coding: ascii\nx = '\xe9'\n", "ascii"),
        (b"#" * (SIZE_LIMIT + 1), "too large"),
    ],
)
def test_what_python_would_not_read_is_a_problem_in_words(data: bytes, said: str) -> None:
    assert said in problem(data).reason


def test_an_encoding_that_does_not_give_back_the_bytes_is_not_written() -> None:
    # UTF-7 can spell one text in several ways.
    read = source(b"# coding: utf-7\nx = '+AGE-'\n")
    with pytest.raises(NotFaithful):
        read.encode(read.text + "y = 1\n")


def test_only_the_line_breaks_that_ast_counts_break_lines() -> None:
    text = "a = '\x0b\x0c\x1c\u2028\x85'\nb = 1\r\nc = 2\rd = 3"
    read = source(text.encode())
    assert [line[0] for line in read.lines] == ["a", "b", "c", "d"]
    assert [node.lineno for node in ast.parse(text).body] == [1, 2, 3, 4]


def test_a_line_break_at_the_end_opens_no_line_but_a_position() -> None:
    read = source(b"a = 1\nb = 2\n")
    assert read.lines == ("a = 1", "b = 2")
    assert read.offset(3, 0) == len(read.text)


@pytest.mark.parametrize(("line", "column"), [(0, 0), (4, 0), (1, 99), (1, -1)])
def test_a_position_outside_of_the_text_is_an_error(line: int, column: int) -> None:
    with pytest.raises(IndexError):
        source(b"a = 1\nb = 2\n").offset(line, column)


def test_span_text_counts_characters() -> None:
    read = source("näme = 'é😀' + f(1)\n".encode())
    assert read.span_text(Span(1, 7, 1, 11)) == "'é😀'"


@given(st.text(alphabet="aé😀 \n\r\x0c\u2028", max_size=40), st.data())
def test_position_is_the_inverse_of_offset(text: str, data: st.DataObject) -> None:
    read = source(text.encode())
    offset = data.draw(st.integers(0, len(text)))
    assert read.offset(*read.position(offset)) == offset


@given(st.text(alphabet="aé😀", min_size=1, max_size=12), st.text(alphabet="é😀b", max_size=6))
def test_character_column_is_where_ast_says(name: str, before: str) -> None:
    text = f"x = {before!r}, {name!r}\n"
    node = ast.parse(text).body[0]
    assert isinstance(node, ast.Assign)
    assert isinstance(node.value, ast.Tuple)
    column = source(text.encode()).character_column(1, node.value.elts[1].col_offset)
    assert text[column:].startswith(repr(name))


def test_the_newline_for_new_lines_is_the_first_of_the_file() -> None:
    assert [source(data).newline for data in (b"", b"a\r\nb\n", b"a\rb\n")] == ["\n", "\r\n", "\r"]


def test_paths_are_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "train.py").write_bytes(b"")
    monkeypatch.chdir(tmp_path)
    assert read_source("train.py").path == str(tmp_path / "train.py")


def test_an_empty_file_is_a_source(tmp_path: Path) -> None:
    (tmp_path / "empty.py").touch()
    assert read_source(tmp_path / "empty.py") == Source(str(tmp_path / "empty.py"), b"", "", "utf-8", False)


def test_what_is_no_file_is_a_problem_in_words(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    said = [read_source(tmp_path / name) for name in ("absent.py", ".", "pipe.py")]
    assert [item.reason for item in said if isinstance(item, SourceProblem)] == [
        "there is no such file",
        "it is a folder, not a file",
        "it is not a regular file",
    ]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_a_problem_in_words(tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_bytes(b"x = 1\n")
    (tmp_path / "secret.py").chmod(0)
    result = read_source(tmp_path / "secret.py")
    assert isinstance(result, SourceProblem)
    assert "cannot be read" in result.reason


def test_a_large_file_is_not_read(tmp_path: Path) -> None:
    with open(tmp_path / "huge.py", "wb") as file:
        file.truncate(SIZE_LIMIT + 1)
    result = read_source(tmp_path / "huge.py")
    assert isinstance(result, SourceProblem)
    assert "too large" in result.reason
