"""Jupyter notebooks: the code cells as one module, and a changed module back into the notebook's own bytes.

Names cross cells, so the code cells are judged joined, in their order. Between two cells stands a comment line and an
empty line, by which a changed module is taken apart again. What only IPython understands is masked: lines and columns
stay where they are. The JSON is never written anew; only the text of changed cells is replaced in it.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator, Sequence
from difflib import SequenceMatcher

from .records import record
from .source import Cell, NotFaithful, Source, SourceProblem

# Cell magics that run their body as Python in the notebook's own namespace. The body of any other is another language,
# another process or a file.
_PYTHON_CELL_MAGICS = frozenset(
    ["capture", "debug", "heat", "ipytest", "lprun", "memit", "mprun", "notify", "prun", "pyinstrument", "scalene"]
    + ["snakeviz", "time", "timeit", "wandb"]
)

_CELL_MAGIC = re.compile(r"\s*%%(\w*)")
# Databricks marks a whole cell of another language with one percent sign.
_OTHER_LANGUAGE = re.compile(r"\s*%(?:bash|fs|html|javascript|md|r|scala|sh|sql)[ \t]*[\r\n]")
_LINE_MAGIC = re.compile(r"[ \t]*[%!?]")
_ASSIGNED_MAGIC = re.compile(r"[ \t]*[\w.][\w.,*\[\]\"' \t-]*(?<=[\w\]\s])=[ \t]*(?=[%!])")
_HELP = re.compile(r"[ \t]*%{0,2}[\w.*\[\]]+\?\??[ \t]*$")

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")
_TOKEN = re.compile(
    r"""
      (?P<skip> \#[^\r\n]*
        | \"\"\" (?:\\.|[^\\])*? (?:\"\"\"|\Z) | ''' (?:\\.|[^\\])*? (?:'''|\Z)
        | " (?:\\.|[^"\\\r\n])* "? | ' (?:\\.|[^'\\\r\n])* '?
        | \\(?:\r\n|\n|\r) )
    | (?P<open> [(\[{] ) | (?P<close> [)\]}] ) | (?P<end> \r\n|\n|\r )
    """,
    re.VERBOSE | re.DOTALL,
)

_SPACE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


@record(frozen=True, slots=True)
class _CodeCell:
    """A code cell: its number over all cells from 1, its text, and where the text's value stands in the JSON."""

    number: int
    text: str
    start: int
    end: int
    is_list: bool


@record(frozen=True, slots=True)
class _Part:
    """A code cell in the joined module: the separator before it, its masked text, the original of every masked line."""

    cell: _CodeCell
    separator: str
    masked: str
    originals: tuple[tuple[str, str], ...]
    closed: bool  # a line break was added at its end


class _NotJson(ValueError):
    def __init__(self, position: int, expected: str) -> None:
        super().__init__(expected)
        self.position = position


def notebook_source(path: str, data: bytes) -> Source | SourceProblem:
    """The joined module of a notebook. One that is not written in Python has no code, like an empty file."""
    has_bom = data.startswith(codecs.BOM_UTF8)
    try:
        raw = _decode(data)
        parts = _parts(_code_cells(raw))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return SourceProblem(path, f"it is no notebook: byte 0x{data[error.start]:02x} is not UTF-8", line)
    except _NotJson as error:
        line = raw.count("\n", 0, error.position) + 1
        column = error.position - (raw.rfind("\n", 0, error.position) + 1)
        return SourceProblem(path, f"it is no notebook: {error}", line, column)
    except RecursionError:
        return SourceProblem(path, "it is no notebook: its JSON is nested too deeply")

    cells = []
    line = 1
    for part in parts:
        line += part.separator.count("\n")
        end = line + sum(1 for _ in _LINE.finditer(part.masked))
        cells.append(Cell(part.cell.number, line, end))
        line = end
    text = _joined(parts)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return SourceProblem(path, "a code cell holds half of a surrogate pair, which is no text")
    return Source(path, data, text, "utf-8", has_bom, tuple(cells))


def splice(source: Source, new_text: str) -> bytes:
    """The notebook's bytes with its code cells as `new_text` (a changed `source.text`) has them.

    Cells that did not change keep every byte; in a changed cell the lines that did not change do, too. Raises
    NotFaithful where the change reaches over the border of a cell or into a masked line.
    """
    if new_text == source.text:
        return source.data
    raw = _decode(source.data)
    parts = _parts(_code_cells(raw))
    pieces: list[str] = []
    tail = 0
    for part, text in reversed(list(zip(parts, _taken_apart(parts, new_text), strict=True))):
        original = _unmasked(part, text)
        if original == part.cell.text:
            continue
        pieces.append(raw[part.cell.end : len(raw) - tail])
        pieces.append(_written(raw, part.cell, original))
        tail = len(raw) - part.cell.start
    pieces.append(raw[: len(raw) - tail])
    bom = codecs.BOM_UTF8 if source.has_bom else b""
    return bom + "".join(reversed(pieces)).encode("utf-8")


def _decode(data: bytes) -> str:
    return data.removeprefix(codecs.BOM_UTF8).decode("utf-8")


# The notebook's JSON


def _code_cells(raw: str) -> list[_CodeCell]:
    """The Python code cells of a notebook, with the places of their texts in its JSON."""
    if not raw.strip():
        return []
    cells: list[_CodeCell] = []
    metadata: object = None
    number = 0

    def take_cell(start: int) -> int:
        nonlocal number
        number += 1
        members: dict[str, tuple[object, int, int]] = {}

        def take_member(key: str, start: int) -> int:
            value, end = _value(raw, start)
            if key in ("cell_type", "source", "input", "metadata", "language"):
                members[key] = value, start, end
            return end

        end = _walk_object(raw, start, take_member)
        kind, _, _ = members.get("cell_type", (None, 0, 0))
        # Format 3 calls it `input`.
        value, value_start, value_end = members.get("source") or members.get("input") or (None, 0, 0)
        cell_metadata, _, _ = members.get("metadata", (None, 0, 0))
        language = _at(cell_metadata, "vscode", "languageId") or members.get("language", ("python", 0, 0))[0]
        if kind != "code" or not _is_python(language):
            return end
        if isinstance(value, str):
            cells.append(_CodeCell(number, value, value_start, value_end, is_list=False))
        elif isinstance(value, list) and all(isinstance(line, str) for line in value):
            cells.append(_CodeCell(number, "".join(value), value_start, value_end, is_list=True))
        return end

    def take_sheet(start: int) -> int:
        return _walk_object(
            raw, start, lambda key, at: _walk_array(raw, at, take_cell) if key == "cells" else _value(raw, at)[1]
        )

    def take_member(key: str, start: int) -> int:
        nonlocal metadata
        if key == "cells":
            return _walk_array(raw, start, take_cell)
        if key == "worksheets":
            return _walk_array(raw, start, take_sheet)
        value, end = _value(raw, start)
        if key == "metadata":
            metadata = value
        return end

    end = _after_space(raw, _walk_object(raw, _after_space(raw, 0), take_member))
    if end != len(raw):
        raise _NotJson(end, "something stands behind its JSON")
    language = _at(metadata, "language_info", "name") or _at(metadata, "kernelspec", "language") or "python"
    return cells if _is_python(language) else []


def _at(value: object, *keys: str) -> object:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _is_python(language: object) -> bool:
    return isinstance(language, str) and re.fullmatch(r"i?python\d*", language.lower()) is not None


def _after_space(raw: str, index: int) -> int:
    found = _SPACE.match(raw, index)
    return found.end() if found else index


def _value(raw: str, start: int) -> tuple[object, int]:
    """The JSON value at `start`, and the index behind it."""
    try:
        return _DECODER.raw_decode(raw, start)
    except json.JSONDecodeError as error:
        raise _NotJson(error.pos, f"its JSON is broken ({error.msg[0].lower()}{error.msg[1:]})") from None
    except ValueError as error:
        raise _NotJson(start, f"its JSON is broken ({error})") from None


def _walk_object(raw: str, index: int, take: Callable[[str, int], int]) -> int:
    """Walk over an object's members. `take` gets key and start of each value and returns the index behind it."""
    index = _after_space(raw, _expected(raw, index, "{"))
    if raw[index : index + 1] == "}":
        return index + 1
    while True:
        key, index = _value(raw, index)
        if not isinstance(key, str):
            raise _NotJson(index, "its JSON is broken (a key is no string)")
        index = _after_space(raw, _expected(raw, _after_space(raw, index), ":"))
        index = _after_space(raw, take(key, index))
        if raw[index : index + 1] == "}":
            return index + 1
        index = _after_space(raw, _expected(raw, index, ","))


def _walk_array(raw: str, index: int, take: Callable[[int], int]) -> int:
    """Walk over an array's items. `take` gets the start of each and returns the index behind it."""
    index = _after_space(raw, _expected(raw, index, "["))
    if raw[index : index + 1] == "]":
        return index + 1
    while True:
        index = _after_space(raw, take(index))
        if raw[index : index + 1] == "]":
            return index + 1
        index = _after_space(raw, _expected(raw, index, ","))


def _expected(raw: str, index: int, character: str) -> int:
    if raw[index : index + 1] != character:
        raise _NotJson(index, f"its JSON has no {character!r} where one should stand")
    return index + 1


# Cells to one module


def _parts(cells: Sequence[_CodeCell]) -> list[_Part]:
    text = "".join(cell.text for cell in cells)
    rule = "---"
    # The comment between two cells must not stand anywhere in them.
    while f"# {rule} cell " in text:
        rule += "-"
    parts: list[_Part] = []
    for cell in cells:
        cell_as_python = mask(cell.text)
        if cell_as_python is None:
            continue
        masked, originals = cell_as_python
        separator = f"# {rule} cell {cell.number} {rule}\n\n" if parts else ""
        closed = bool(masked) and not masked.endswith(("\n", "\r"))
        parts.append(_Part(cell, separator, masked + "\n" if closed else masked, originals, closed))
    return parts


def _joined(parts: Sequence[_Part]) -> str:
    return "".join(part.separator + part.masked for part in parts)


def mask(cell: str) -> tuple[str, tuple[tuple[str, str], ...]] | None:
    """A cell as Python, with pairs (masked line, original line) in their order; None for a cell of another language.

    A line that only IPython understands becomes `0`, and what it assigns becomes the name `__`, of which nothing is
    known; spaces fill the line up to its length. Further lines of a command become comments.
    """
    cell_magic = _CELL_MAGIC.match(cell)
    if cell_magic and cell_magic.group(1) not in _PYTHON_CELL_MAGICS:
        return None
    if _OTHER_LANGUAGE.match(cell):
        return None
    written: list[str] = []
    originals: list[tuple[str, str]] = []
    for logical in _logical_lines(cell):
        kept = _magic_starts_at(logical)
        if kept is None:
            written.append(logical)
            continue
        new = logical[:kept] + ("__" if logical[:kept].strip() else "0")
        for line in _LINE.findall(logical):
            body = line.rstrip("\r\n")
            hidden = new.ljust(len(body)) + line[len(body) :] if body else line
            if hidden != line:
                originals.append((hidden, line))
            written.append(hidden)
            # A comment may stand at any column, so the further lines of a command end no block.
            new = "#"
    return "".join(written), tuple(originals)


def _logical_lines(cell: str) -> Iterator[str]:
    """The lines of a cell, those that belong together in one piece: open brackets, long strings, backslashes."""
    position = 0
    while position < len(cell):
        first = _LINE.match(cell, position)
        assert first is not None
        if _magic_starts_at(first.group()) is not None:
            # To IPython quotes and brackets in a command mean nothing, but a backslash continues it.
            end = first.end()
            while cell[position:end].rstrip("\r\n").endswith("\\") and (following := _LINE.match(cell, end)):
                end = following.end()
        else:
            end = _end_of_statement(cell, position)
        yield cell[position:end]
        position = end


def _end_of_statement(cell: str, position: int) -> int:
    depth = 0
    for token in _TOKEN.finditer(cell, position):
        if token.lastgroup == "open":
            depth += 1
        elif token.lastgroup == "close":
            depth = max(0, depth - 1)
        elif token.lastgroup == "end" and depth == 0:
            return token.end()
    return len(cell)


def _magic_starts_at(line: str) -> int | None:
    """The column at which the part that only IPython understands starts; None for Python."""
    first = _LINE.match(line)
    body = first.group().rstrip("\r\n") if first else ""
    if _LINE_MAGIC.match(body) or _HELP.match(body):
        return len(body) - len(body.lstrip(" \t"))
    assigned = _ASSIGNED_MAGIC.match(body)
    # `x = !` alone leaves no room for a name, and is no command either.
    if assigned and len(body) - assigned.end() >= 2:
        return assigned.end()
    return None


# One module to cells


def _taken_apart(parts: Sequence[_Part], text: str) -> list[str]:
    """The text of every cell in a changed module."""
    borders = [part.separator for part in parts[1:]]
    texts: list[str] = []
    rest = text
    for border in borders:
        before, found, rest = rest.partition(border)
        if not found or (before and not before.endswith(("\n", "\r"))):
            raise NotFaithful("the change reaches over the border of a notebook cell")
        texts.append(before)
    if parts:
        texts.append(rest)
    if any(border.strip() in piece for border in borders for piece in texts) or (not parts and text):
        raise NotFaithful("the change reaches over the border of a notebook cell")
    return [
        piece.removesuffix("\n") if part.closed and not piece.endswith("\r\n") else piece
        for part, piece in zip(parts, texts, strict=True)
    ]


def _unmasked(part: _Part, text: str) -> str:
    """Put the original lines back into the changed text of a cell."""
    hidden = {masked.rstrip("\r\n") for masked, _ in part.originals}
    if not hidden:
        return text

    def positions(text: str) -> list[tuple[int, str]]:
        lines = _LINE.findall(text)
        return [(index, line) for index, line in enumerate(lines) if line.rstrip("\r\n") in hidden]

    found = positions(text)
    bodies = [masked.rstrip("\r\n") for masked, _ in part.originals]
    if [line.rstrip("\r\n") for _, line in found] != bodies or len(positions(part.masked)) != len(bodies):
        raise NotFaithful("the change touches a line of the notebook that is no Python")
    lines = _LINE.findall(text)
    for (index, line), (_, original) in zip(found, part.originals, strict=True):
        body = line.rstrip("\r\n")
        lines[index] = original.rstrip("\r\n") + line[len(body) :]
    return "".join(lines)


def _written(raw: str, cell: _CodeCell, text: str) -> str:
    """The JSON value for a changed cell, in the style of the old one."""
    old = raw[cell.start : cell.end]
    if not old.isascii():
        escape = False
    elif "\\u" in old:
        escape = True
    else:
        escape = raw.isascii()
    if not cell.is_list:
        return json.dumps(text, ensure_ascii=escape)

    spans: list[tuple[int, int]] = []

    def take(start: int) -> int:
        end = _value(raw, start)[1]
        spans.append((start, end))
        return end

    _walk_array(raw, cell.start, take)
    old_lines = [str(_value(raw, start)[0]) for start, _ in spans]
    new_lines = re.findall(r"[^\n]*\n|[^\n]+", text)
    items: list[str] = []
    for kind, old_from, old_to, new_from, new_to in SequenceMatcher(
        None, old_lines, new_lines, autojunk=False
    ).get_opcodes():
        if kind == "equal":
            items += [raw[start:end] for start, end in spans[old_from:old_to]]
        else:
            items += [json.dumps(line, ensure_ascii=escape) for line in new_lines[new_from:new_to]]
    lead = raw[cell.start + 1 : spans[0][0]] if spans else ""
    tail = raw[spans[-1][1] : cell.end - 1] if spans else ""
    if len(spans) > 1:
        between = raw[spans[0][1] : spans[1][0]]
    elif lead:
        between = "," + lead
    else:
        between = ", " if '": ' in raw else ","
    return "[" + lead + between.join(items) + tail + "]"
