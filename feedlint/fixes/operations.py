"""What a rule asks to have changed. Values only: rendering is in `feedlint.fixes.rendering`.

Every place is the span of a Python expression or statement as `ast` reports it: parentheses around an expression are
not part of its span. `code` is Python source for the new part, on one line.
"""

from __future__ import annotations

from typing import TypeAlias

from ..places import Place
from ..records import record


@record(frozen=True, slots=True)
class SetArgument:
    """Give the call the keyword `name` with the value `code`.

    An argument that is already there under that keyword, or at `position` (0-based, among the positional ones), gets the
    new value instead. Several on one call become one edit, in the order given.
    """

    call: Place
    name: str
    code: str
    position: int | None = None


@record(frozen=True, slots=True)
class RemoveArgument:
    """Take the keyword argument `name` out of the call, with its comma."""

    call: Place
    name: str


@record(frozen=True, slots=True)
class ReplaceExpression:
    """Put `code` in the place of an expression."""

    expression: Place
    code: str


@record(frozen=True, slots=True)
class ReplaceMethod:
    """In `receiver.method(args)` replace everything from the dot of `.method` to the end of the call by `code`.

    `x.item()` with code `.detach().double()` becomes `x.detach().double()`; an empty code leaves the receiver.
    """

    call: Place
    code: str


@record(frozen=True, slots=True)
class Wrap:
    """Put `before` and `after` around an expression, outside of its own parentheses.

    With a `name`, around every use of this name in the expression: before Python 3.12 `ast` does not say where in an
    f-string a name stands.
    """

    expression: Place
    before: str
    after: str
    name: str = ""


@record(frozen=True, slots=True)
class ReplaceStatement:
    """Put `code` in the place of a statement that holds no block."""

    statement: Place
    code: str


@record(frozen=True, slots=True)
class EnsureImport:
    """Make sure that `import module` (or, with `name`, `from module import name`) stands at the top of the file."""

    path: str
    module: str
    name: str | None = None


@record(frozen=True, slots=True)
class MoveStatement:
    """Move a whole simple statement, with the comments above and beside it, to directly before another statement.

    It takes the indentation of the statement that it is put before.
    """

    statement: Place
    before: Place


Operation: TypeAlias = (
    "SetArgument | RemoveArgument | ReplaceExpression | ReplaceMethod | "
    "ReplaceStatement | Wrap | EnsureImport | MoveStatement"
)


@record(frozen=True, slots=True)
class Edit:
    """Replace the text of a span by `content`. What the command line, editors and `--diff` share."""

    place: Place
    content: str
