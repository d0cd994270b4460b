"""Lines of a text around an offset."""

from __future__ import annotations


def line_start(text: str, offset: int) -> int:
    """The offset at which the line begins that holds an offset."""
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def line_end(text: str, offset: int) -> int:
    """The offset of the line break that ends the line, or of the end of the text."""
    while offset < len(text) and text[offset] not in "\r\n":
        offset += 1
    return offset


def next_line(text: str, offset: int) -> int:
    """The offset at which the following line begins, or the end of the text."""
    end = line_end(text, offset)
    return end + 2 if text[end : end + 2] == "\r\n" else min(end + 1, len(text))


def has_break(text: str) -> bool:
    return "\n" in text or "\r" in text


def before_on_line(text: str, offset: int) -> str:
    """What stands on the line before an offset."""
    return text[line_start(text, offset) : offset]


def column_as_blank(text: str, offset: int) -> str:
    """White space as wide as what stands on the line before an offset, its tabs kept."""
    return "".join(c if c in "\t\f" else " " for c in before_on_line(text, offset))


def indentation(text: str, offset: int) -> str:
    """The white space at the start of the line that holds an offset."""
    start = line_start(text, offset)
    end = start
    while end < len(text) and text[end] in " \t\f":
        end += 1
    return text[start:end]
