"""What each operation makes of the text, in each layout in which people write calls, imports and statements."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

import pytest

from feedlint.fixes.operations import (
    EnsureImport,
    MoveStatement,
    Operation,
    RemoveArgument,
    ReplaceExpression,
    ReplaceMethod,
    ReplaceStatement,
    SetArgument,
    Wrap,
)
from feedlint.fixes.rendering import Rendered, render
from feedlint.places import Place, Span
from feedlint.source import Source, source_from_bytes
from feedlint.syntax import Tree, parse

PATH = "/project/train.py"

Make = Callable[[Source], Sequence[Operation]]


def read(text: str) -> Source:
    source = source_from_bytes(PATH, text.encode())
    assert isinstance(source, Source)
    return source


def place(source: Source, node: ast.expr | ast.stmt) -> Place:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    start = node.lineno, source.character_column(node.lineno, node.col_offset)
    end = node.end_lineno, source.character_column(node.end_lineno, node.end_col_offset)
    return Place(source.path, Span(*start, *end))


def places(source: Source, kind: type[ast.AST]) -> list[Place]:
    """The places of all nodes of a class, outer ones first."""
    found = [node for node in ast.walk(ast.parse(source.text)) if isinstance(node, kind)]
    return [place(source, node) for node in found if isinstance(node, (ast.expr, ast.stmt))]


def expression(source: Source, text: str) -> Place:
    return next(found for found in places(source, ast.expr) if source.span_text(found.span) == text)


def statement(source: Source, beginning: str) -> Place:
    return next(found for found in places(source, ast.stmt) if source.span_text(found.span).startswith(beginning))


def call(source: Source) -> Place:
    return places(source, ast.Call)[0]


def rendered(text: str, make: Make) -> tuple[Source, Rendered]:
    source = read(text)
    tree = parse(source)
    assert isinstance(tree, Tree)
    return source, render(tree, make(source))


def applied(text: str, make: Make) -> str:
    """The text after the edits; nothing may be refused."""
    source, result = rendered(text, make)
    assert result.refused == ()
    return edited(source, result)


def edited(source: Source, result: Rendered) -> str:
    text = source.text
    for edit in reversed(result.edits):
        line, column, end_line, end_column = edit.place.span
        text = text[: source.offset(line, column)] + edit.content + text[source.offset(end_line, end_column) :]
    ast.parse(text)
    return text


def reason(text: str, make: Make) -> str:
    """Why the only operation is refused; nothing may be edited then."""
    _, result = rendered(text, make)
    assert result.edits == ()
    ((_, why),) = result.refused
    return why


def workers(source: Source) -> Sequence[Operation]:
    return [SetArgument(call(source), "workers", "4")]


def both(source: Source) -> Sequence[Operation]:
    return [SetArgument(call(source), "workers", "4"), SetArgument(call(source), "pin", "True")]


APPENDED = {
    "empty": ("f()\n", "f(workers=4)\n"),
    "empty over lines": ("f(\n)\n", "f(\n    workers=4,\n)\n"),
    "empty with a comment": ("f(  # nothing yet\n)\n", "f(  # nothing yet\n    workers=4,\n)\n"),
    "one line": ("f(a, b=1)\n", "f(a, b=1, workers=4)\n"),
    "one line, trailing comma": ("f(a, b=1,)\n", "f(a, b=1, workers=4,)\n"),
    "one line with a comment behind the call": ("f(a)  # loads\n", "f(a, workers=4)  # loads\n"),
    "lone generator": ("f(x for x in y)\n", "f((x for x in y), workers=4)\n"),
    "lone generator of tuples": ("f((x, 1) for x in y)\n", "f(((x, 1) for x in y), workers=4)\n"),
    "one on each line": ("f(\n    a,\n    b=1,\n)\n", "f(\n    a,\n    b=1,\n    workers=4,\n)\n"),
    "one on each line, no trailing comma": ("f(\n    a,\n    b=1\n)\n", "f(\n    a,\n    b=1,\n    workers=4\n)\n"),
    "closing parenthesis on the last line": ("f(\n    a,\n    b=1)\n", "f(\n    a,\n    b=1,\n    workers=4)\n"),
    "comment behind the last comma": (
        "f(\n    a,\n    b=8,  # note\n)\n",
        "f(\n    a,\n    b=8,  # note\n    workers=4,\n)\n",
    ),
    "comment behind the last argument": (
        "f(\n    a,\n    b=8  # note\n)\n",
        "f(\n    a,\n    b=8,  # note\n    workers=4\n)\n",
    ),
    "comment on a line of its own at the end": (
        "f(\n    a,\n    b=8,\n    # more to come\n)\n",
        "f(\n    a,\n    b=8,\n    workers=4,\n    # more to come\n)\n",
    ),
    "only argument with a comment": ("f(\n    a,  # note\n)\n", "f(\n    a,  # note\n    workers=4,\n)\n"),
    "only argument with a comment, hanging": ("f(a,  # note\n  )\n", "f(a,  # note\n  workers=4,\n  )\n"),
    "comma on the next line": ("f(a  # why\n  , b)\n", "f(a  # why\n  , b, workers=4)\n"),
    "hanging": ("x = f(a,\n      b,\n      c)\n", "x = f(a,\n      b,\n      c,\n      workers=4)\n"),
    "several on a line": ("f(\n    a, b,\n    c, d,\n)\n", "f(\n    a, b,\n    c, d, workers=4,\n)\n"),
    "multi-line value": ("f([\n    1,\n], b)\n", "f([\n    1,\n], b, workers=4)\n"),
    "tabs": ("if x:\n\tf(\n\t\ta,\n\t)\n", "if x:\n\tf(\n\t\ta,\n\t\tworkers=4,\n\t)\n"),
    "carriage returns": ("f(\r\n    a,  # é\r\n)\r\n", "f(\r\n    a,  # é\r\n    workers=4,\r\n)\r\n"),
    "no line break at the end": ("f(a)", "f(a, workers=4)"),
    "star": ("f(*a)\n", "f(*a, workers=4)\n"),
    "spread": ("f(a, **kw)\n", "f(a, workers=4, **kw)\n"),
    "spread alone": ("f(**kw)\n", "f(workers=4, **kw)\n"),
    "spread with a comment above": (
        "f(\n    a,\n    # the rest\n    **kw,\n)\n",
        "f(\n    a,\n    workers=4,\n    # the rest\n    **kw,\n)\n",
    ),
    "in an indented block with a comment behind the parenthesis": (
        "if x:\n    f(  # loader\n        a,\n    )\n",
        "if x:\n    f(  # loader\n        a,\n        workers=4,\n    )\n",
    ),
    "in parentheses": ("x = (f(a))\n", "x = (f(a, workers=4))\n"),
    "called result": ("f\\\n (a)\n", "f\\\n (a, workers=4)\n"),
    "wide characters before it": ("'é😀', f(a)\n", "'é😀', f(a, workers=4)\n"),
}


@pytest.mark.parametrize(("before", "after"), APPENDED.values(), ids=APPENDED)
def test_a_new_keyword_takes_the_style_of_the_call(before: str, after: str) -> None:
    assert applied(before, workers) == after


@pytest.mark.parametrize(("before", "after"), APPENDED.values(), ids=APPENDED)
def test_setting_an_argument_again_changes_nothing(before: str, after: str) -> None:
    _, result = rendered(after, workers)
    assert result == Rendered(())


def test_several_new_keywords_of_a_call_come_in_the_order_given() -> None:
    assert applied("f(\n    a,  # note\n)\n", both) == "f(\n    a,  # note\n    workers=4,\n    pin=True,\n)\n"


def test_a_line_that_would_grow_too_long_gets_another_one_in_a_call_over_several_lines() -> None:
    line = "    " + "a" * 55 + ", " + "b" * 55
    assert applied(f"f(\n{line}\n)\n", workers) == f"f(\n{line},\n    workers=4\n)\n"


def test_a_call_on_one_line_stays_on_it_however_long() -> None:
    line = "f(" + "a" * 120
    assert applied(f"{line})\n", workers) == f"{line}, workers=4)\n"


def test_a_keyword_that_is_there_gets_the_new_value() -> None:
    assert applied("f(a, workers = 0 , b=1)\n", workers) == "f(a, workers = 4 , b=1)\n"


def test_an_argument_at_the_position_gets_the_new_value() -> None:
    make: Make = lambda source: [SetArgument(call(source), "workers", "4", 1)]  # noqa: E731
    assert applied("f(a, (0), b)\n", make) == "f(a, 4, b)\n"


def test_an_argument_that_a_star_may_hold_is_refused() -> None:
    assert "star" in reason("f(*a)\n", lambda source: [SetArgument(call(source), "workers", "4", 1)])


def test_the_last_of_several_values_for_one_argument_counts() -> None:
    make: Make = lambda s: [SetArgument(call(s), "workers", "4"), SetArgument(call(s), "workers", "8")]  # noqa: E731
    assert applied("f(a)\n", make) == "f(a, workers=8)\n"


def test_a_value_with_a_comment_in_it_is_not_replaced() -> None:
    assert "comment" in reason("f(workers=g(  # why\n))\n", workers)


def test_nested_calls_are_both_edited() -> None:
    make: Make = lambda source: [SetArgument(found, "n", "1") for found in places(source, ast.Call)]  # noqa: E731
    assert applied("f(g(a))\n", make) == "f(g(a, n=1), n=1)\n"


REMOVED = {
    "only one": ("f(b=1)\n", "f()\n"),
    "only one, on its line": ("f(\n    b=1,  # note\n)\n", "f()\n"),
    "first": ("f(b=1, c=2)\n", "f(c=2)\n"),
    "between": ("f(a, b=1, c=2)\n", "f(a, c=2)\n"),
    "last": ("f(a, b=1)\n", "f(a)\n"),
    "last, trailing comma": ("f(a, b=1,)\n", "f(a,)\n"),
    "on its line": ("f(\n    a,\n    b=1,\n    c=2,\n)\n", "f(\n    a,\n    c=2,\n)\n"),
    "on its line with a comment beside": (
        "f(\n    a,  # first\n    b=1,  # note\n    c=2,  # last\n)\n",
        "f(\n    a,  # first\n    c=2,  # last\n)\n",
    ),
    "on its line with a comment above": (
        "f(\n    a,\n    # why\n    # not\n    b=1,\n    c=2,\n)\n",
        "f(\n    a,\n    c=2,\n)\n",
    ),
    "last on its line": ("f(\n    a,  # first\n    b=1,  # note\n)\n", "f(\n    a,  # first\n)\n"),
    "last on its line, no trailing comma": (
        "f(\n    a,  # first\n    b=1  # note\n)\n",
        "f(\n    a  # first\n)\n",
    ),
    "first on its line": ("f(\n    b=1,  # note\n    c=2,\n)\n", "f(\n    c=2,\n)\n"),
    "hanging, first": ("f(b=1,  # note\n  c=2)\n", "f(c=2)\n"),
    "hanging, between": ("f(a,\n  b=1,\n  c=2)\n", "f(a,\n  c=2)\n"),
    "hanging, last": ("f(a,\n  b=1)\n", "f(a)\n"),
    "hanging, last, behind a comment": ("f(a,  # first\n  b=1)\n", "f(a  # first\n  )\n"),
    "beside others on a line with a comment": ("f(a, b=1,  # both\n  c=2)\n", "f(a,  # both\n  c=2)\n"),
    "first on a line with others": ("f(a,  # first\n  b=1, c=2)\n", "f(a,  # first\n  c=2)\n"),
    "value over lines": ("f(\n    a,\n    b=[\n        1,\n    ],\n)\n", "f(\n    a,\n)\n"),
    "carriage returns": ("f(\r\n    a,\r\n    b=1,  # note\r\n)\r\n", "f(\r\n    a,\r\n)\r\n"),
    "tabs": ("f(\n\ta,\n\tb=1,\n)\n", "f(\n\ta,\n)\n"),
}


@pytest.mark.parametrize(("before", "after"), REMOVED.values(), ids=REMOVED)
def test_an_argument_is_removed_with_its_comma_and_its_comment(before: str, after: str) -> None:
    assert applied(before, lambda source: [RemoveArgument(call(source), "b")]) == after


def test_an_argument_that_is_not_there_is_not_removed() -> None:
    assert "no argument b" in reason("f(a)\n", lambda source: [RemoveArgument(call(source), "b")])


EXCHANGED = {
    "only one": ("f(b=1)\n", "f(workers=4)\n"),
    "last": ("f(a, b=1)\n", "f(a, workers=4)\n"),
    "last, trailing comma": ("f(a, b=1,)\n", "f(a, workers=4,)\n"),
    "on its line": ("f(\n    a,\n    b=1,  # note\n)\n", "f(\n    a,\n    workers=4,\n)\n"),
    "only one, on its line": ("f(\n    b=1,  # note\n)\n", "f(\n    workers=4,\n)\n"),
    "no trailing comma": ("f(\n    a,  # first\n    b=1  # note\n)\n", "f(\n    a,  # first\n    workers=4\n)\n"),
}


@pytest.mark.parametrize(("before", "after"), EXCHANGED.values(), ids=EXCHANGED)
def test_one_argument_can_be_removed_and_another_set(before: str, after: str) -> None:
    make: Make = lambda s: [RemoveArgument(call(s), "b"), SetArgument(call(s), "workers", "4")]  # noqa: E731
    assert applied(before, make) == after


REPLACED = {
    "operand": ("x = a * b\n", "a", "c + d", "x = (c + d) * b\n"),
    "operand that binds as tightly": ("x = a + b\n", "a", "c + d", "x = c + d + b\n"),
    "right operand": ("x = a - b\n", "b", "c - d", "x = a - (c - d)\n"),
    "receiver": ("x = a.b\n", "a", "1 if c else 2", "x = (1 if c else 2).b\n"),
    "number as receiver": ("x = a.real\n", "a", "1", "x = (1).real\n"),
    "in parentheses already": ("x = (a).b\n", "a", "c + d", "x = (c + d).b\n"),
    "value of a keyword": ("f(k=a)\n", "a", "c or d", "f(k=c or d)\n"),
    "power": ("x = -a ** 2\n", "a", "c + d", "x = -(c + d) ** 2\n"),
    "lone generator": ("x = f(i for i in y)\n", "(i for i in y)", "z", "x = f(z)\n"),
    "tuple with parentheses": ("x = (a, b)\n", "(a, b)", "z", "x = z\n"),
    "by a tuple": ("x = a\n", "a", "b, c", "x = (b, c)\n"),
    "in a comprehension": ("[i for i in a if i]\n", "a", "b if c else d", "[i for i in (b if c else d) if i]\n"),
    "in an f-string": ("f'{a.item():.3f}'\n", "a.item()", "a", "f'{a:.3f}'\n"),
    "default value": ("def f(k=a): ...\n", "a", "4", "def f(k=4): ...\n"),
    "carriage returns": ("x = [\r\n  a,\r\n]\r\n", "a", "b", "x = [\r\n  b,\r\n]\r\n"),
}


@pytest.mark.parametrize(("before", "old", "code", "after"), REPLACED.values(), ids=REPLACED)
def test_an_expression_is_replaced_with_the_parentheses_that_it_needs(
    before: str, old: str, code: str, after: str
) -> None:
    assert applied(before, lambda source: [ReplaceExpression(expression(source, old), code)]) == after


def test_an_expression_that_an_f_string_prints_is_not_replaced() -> None:
    assert "prints" in reason("f'{a=}'\n", lambda source: [ReplaceExpression(expression(source, "a"), "b")])


def test_code_that_cannot_stand_in_an_f_string_is_refused() -> None:
    make: Make = lambda source: [ReplaceExpression(expression(source, "a"), "b c")]  # noqa: E731
    assert "can't stand" in reason("f'{a}'\n", make)


METHODS = {
    "other methods": ("y = x.item()\n", ".detach().double()", "y = x.detach().double()\n"),
    "nothing": ("y = x.item() + 1\n", "", "y = x + 1\n"),
    "receiver in parentheses": ("y = (a + b).item()\n", "", "y = (a + b)\n"),
    "receiver in parentheses over lines": ("y = (\n  # c\n  a\n).item()\n", ".d()", "y = (\n  # c\n  a\n).d()\n"),
    "broken before the dot": ("y = (x\n     .a()\n     .item())\n", ".d()", "y = (x\n     .a()\n     .d())\n"),
    "broken before the dot, nothing": ("y = (x\n     .a()\n     .item())\n", "", "y = (x\n     .a())\n"),
    "arguments over lines": ("y = x.to(\n    d,\n)\n", ".d()", "y = x.d()\n"),
    "an operator": ("y = 2 * x.item()\n", " + 1", "y = 2 * (x + 1)\n"),
}


@pytest.mark.parametrize(("before", "code", "after"), METHODS.values(), ids=METHODS)
def test_a_method_call_is_replaced_from_its_dot_on(before: str, code: str, after: str) -> None:
    assert applied(before, lambda source: [ReplaceMethod(call(source), code)]) == after


def test_a_method_call_with_a_comment_in_it_is_not_replaced() -> None:
    assert "comment" in reason("x.item(  # why\n)\n", lambda source: [ReplaceMethod(call(source), "")])


WRAPPED = {
    "outside of its parentheses": ("y = (a or b)\n", "a or b", "f(", ")", "y = f((a or b))\n"),
    "by an operator": ("y = a or b\n", "a or b", "", " > 0", "y = (a or b) > 0\n"),
    "as an operand": ("y = 2 * a\n", "a", "", " + 1", "y = 2 * (a + 1)\n"),
    "lone generator": ("f(x for x in y)\n", "(x for x in y)", "list(", ")", "f(list(x for x in y))\n"),
    "tuple": ("y = a, b\n", "a, b", "f(", ")", "y = f((a, b))\n"),
    "over lines": ("y = g(\n  a  # c\n)\n", "g(\n  a  # c\n)", "f(", ")", "y = f(g(\n  a  # c\n))\n"),
}


@pytest.mark.parametrize(("before", "old", "start", "end", "after"), WRAPPED.values(), ids=WRAPPED)
def test_an_expression_is_wrapped_as_a_whole(before: str, old: str, start: str, end: str, after: str) -> None:
    assert applied(before, lambda source: [Wrap(expression(source, old), start, end)]) == after


NAMED = {
    "in an f-string": ('print(f"{s / n:.3f} {s} s", s=1)\n', 'f"{s / n:.3f} {s} s"', 'print(f"{float(s) / n:.3f} {float(s)} s", s=1)\n'),
    "in strings that follow": ('y = (f"{s}"\n     f" of {s.s(s=s)}")\n', 'f"{s}"\n     f" of {s.s(s=s)}"', 'y = (f"{float(s)}"\n     f" of {float(s).s(s=float(s))}")\n'),
}


@pytest.mark.parametrize(("before", "old", "after"), NAMED.values(), ids=NAMED)
def test_each_use_of_a_name_is_wrapped(before: str, old: str, after: str) -> None:
    assert applied(before, lambda source: [Wrap(expression(source, old), "float(", ")", "s")]) == after


def test_a_name_is_not_wrapped_where_its_source_is_printed() -> None:
    make: Make = lambda source: [Wrap(expression(source, 'f"{s=}"'), "float(", ")", "s")]  # noqa: E731
    assert "prints the source" in reason('y = f"{s=}"\n', make)


STATEMENTS = {
    "alone": ("if a:\n    s /= n  # mean\n", "s = float(s) / n", "if a:\n    s = float(s) / n  # mean\n"),
    "among others": ("a = 1; s /= n; b = 2\n", "s = float(s) / n", "a = 1; s = float(s) / n; b = 2\n"),
}


@pytest.mark.parametrize(("before", "code", "after"), STATEMENTS.values(), ids=STATEMENTS)
def test_a_statement_is_replaced_and_the_rest_of_its_line_stays(before: str, code: str, after: str) -> None:
    assert applied(before, lambda source: [ReplaceStatement(statement(source, "s /="), code)]) == after


def test_a_statement_with_a_comment_in_it_is_not_replaced() -> None:
    make: Make = lambda source: [ReplaceStatement(statement(source, "s /="), "pass")]  # noqa: E731
    assert "comment" in reason("s /= (  # why\n    n)\n", make)


IMPORTED = {
    "first statement": ("x = 1\n", "import torch\n\nx = 1\n"),
    "docstring": ('"""Doc."""\nx = 1\n', '"""Doc."""\n\nimport torch\n\nx = 1\n'),
    "docstring and imports": ('"""Doc."""\n\nimport os\n\nx = 1\n', '"""Doc."""\n\nimport os\nimport torch\n\nx = 1\n'),
    "future": (
        "from __future__ import annotations\n\nimport os\n",
        "from __future__ import annotations\n\nimport os\nimport torch\n",
    ),
    "future alone": (
        "from __future__ import annotations\nx = 1\n",
        "from __future__ import annotations\n\nimport torch\n\nx = 1\n",
    ),
    "beside its own package": (
        "import os\nfrom torch.utils import data\nimport sys\n",
        "import os\nimport torch\nfrom torch.utils import data\nimport sys\n",
    ),
    "header comments": (
        "#!/usr/bin/env python\n# licence\n\nx = 1\n",
        "#!/usr/bin/env python\n# licence\n\nimport torch\n\nx = 1\n",
    ),
    "two on a line": ("import os; import sys\n", "import os; import sys\nimport torch\n"),
    "import over lines": (
        "from os import (\n    path,\n)  # c\nx = 1\n",
        "from os import (\n    path,\n)  # c\nimport torch\nx = 1\n",
    ),
    "nothing": ("", "import torch\n"),
    "comment alone": ("# c\n", "# c\nimport torch\n"),
    "no line break at the end": ("import os", "import os\nimport torch"),
    "carriage returns": ("import os\r\nx = 1\r\n", "import os\r\nimport torch\r\nx = 1\r\n"),
    "only renamed": ("import torch as t\n", "import torch\nimport torch as t\n"),
    "only in a function": ("def f():\n    import torch\n", "import torch\n\ndef f():\n    import torch\n"),
}


@pytest.mark.parametrize(("before", "after"), IMPORTED.values(), ids=IMPORTED)
def test_an_import_is_added_at_the_top(before: str, after: str) -> None:
    assert applied(before, lambda source: [EnsureImport(source.path, "torch")]) == after


@pytest.mark.parametrize(
    "text",
    [
        "import torch\n",
        "import os, torch\n",
        "import torch.nn\n",
        "import torch as torch\n",
        "try:\n    import torch\nexcept ImportError:\n    torch = None\n",
    ],
)
def test_an_import_that_is_there_is_not_repeated(text: str) -> None:
    assert applied(text, lambda source: [EnsureImport(source.path, "torch")]) == text


def test_a_name_is_imported_from_its_module() -> None:
    make: Make = lambda source: [EnsureImport(source.path, "torch", "nn")]  # noqa: E731
    assert applied("from torch import nn as n\n", make) == "from torch import nn\nfrom torch import nn as n\n"
    assert applied("from torch import nn\n", make) == "from torch import nn\n"


def test_two_imports_at_one_place_come_in_the_order_given() -> None:
    make: Make = lambda source: [EnsureImport(source.path, "a"), EnsureImport(source.path, "b")]  # noqa: E731
    assert applied("import os\n", make) == "import os\nimport a\nimport b\n"


MOVED = {
    "with its comments": (
        "for x in y:\n    # why\n    a = f(\n        1,\n    )  # beside\n    g(x)\n",
        "# why\na = f(\n    1,\n)  # beside\nfor x in y:\n    g(x)\n",
    ),
    "below the comments of the one before": (
        "for x in y:\n    g(x)  # not mine\n    a = 1\n",
        "a = 1\nfor x in y:\n    g(x)  # not mine\n",
    ),
    "above the comments of the target": (
        "# loop\nfor x in y:\n    a = 1\n    g(x)\n",
        "a = 1\n# loop\nfor x in y:\n    g(x)\n",
    ),
    "only one of its block": ("for x in y:\n    a = 1\n", "a = 1\nfor x in y:\n    pass\n"),
    "string over lines": (
        "if z:\n    for x in y:\n        a = '''\n        b\n'''\n        g(x)\n",
        "if z:\n    a = '''\n        b\n'''\n    for x in y:\n        g(x)\n",
    ),
    "no line break at the end": ("for x in y:\n    g(x)\n    a = 1", "a = 1\nfor x in y:\n    g(x)"),
    "tabs": ("if z:\n\tfor x in y:\n\t\ta = 1\n\t\tg(x)\n", "if z:\n\ta = 1\n\tfor x in y:\n\t\tg(x)\n"),
    "carriage returns": ("for x in y:\r\n    a = 1  # c\r\n    g(x)\r\n", "a = 1  # c\r\nfor x in y:\r\n    g(x)\r\n"),
}


@pytest.mark.parametrize(("before", "after"), MOVED.values(), ids=MOVED)
def test_a_statement_is_moved_with_its_comments_and_indented_anew(before: str, after: str) -> None:
    assert applied(before, lambda source: [MoveStatement(statement(source, "a ="), statement(source, "for"))]) == after


def test_a_statement_is_put_before_the_decorators_of_a_function() -> None:
    make: Make = lambda source: [MoveStatement(statement(source, "a ="), statement(source, "def"))]  # noqa: E731
    assert applied("@d\ndef f():\n    a = 1\n    return a\n", make) == "a = 1\n@d\ndef f():\n    return a\n"


@pytest.mark.parametrize("text", ["for x in y:\n    a = 1; b = 2\n", "for x in y: a = 1\n"])
def test_a_statement_that_shares_its_line_is_not_moved(text: str) -> None:
    make: Make = lambda source: [MoveStatement(statement(source, "a ="), statement(source, "for"))]  # noqa: E731
    assert reason(text, make)


def test_nothing_is_put_before_an_elif() -> None:
    make: Make = lambda source: [MoveStatement(statement(source, "a ="), statement(source, "elif"))]  # noqa: E731
    assert reason("if x:\n    pass\nelif y:\n    a = 1\n    b = 2\n", make)


def test_operations_inside_of_each_other_compose_where_their_ranges_do_not_overlap() -> None:
    make: Make = lambda source: [  # noqa: E731
        SetArgument(expression(source, "x.to(d)"), "non_blocking", "True"),
        ReplaceMethod(expression(source, "x.to(d).item()"), ".detach()"),
        ReplaceExpression(expression(source, "x"), "a + b"),
        Wrap(expression(source, "x.to(d).item()"), "float(", ")"),
    ]
    assert applied("y = x.to(d).item()\n", make) == "y = float((a + b).to(d, non_blocking=True).detach())\n"


def test_wraps_around_each_other_nest_in_any_order() -> None:
    operations = [("f(a)", "g(", ")"), ("f(a).b", "h(", ")"), ("a", "i(", ")")]
    for order in (operations, operations[::-1]):
        make: Make = lambda source, order=order: [Wrap(expression(source, t), b, e) for t, b, e in order]  # type: ignore[misc] # noqa: E731
        assert applied("y = f(a).b\n", make) == "y = h(g(f(i(a))).b)\n"


def test_the_later_of_two_overlapping_operations_is_refused_as_a_whole() -> None:
    make: Make = lambda source: [  # noqa: E731
        ReplaceExpression(expression(source, "g(a)"), "b"),
        SetArgument(expression(source, "g(a)"), "n", "1"),
        RemoveArgument(expression(source, "f(g(a), c=2)"), "c"),
    ]
    source, result = rendered("f(g(a), c=2)\n", make)
    assert edited(source, result) == "f(b)\n"
    assert [(type(operation), why) for operation, why in result.refused] == [
        (SetArgument, "it overlaps with an earlier change")
    ]


def test_what_is_asked_twice_is_done_once() -> None:
    make: Make = lambda source: [*workers(source), *workers(source)]  # noqa: E731
    assert applied("f(a)\n", make) == "f(a, workers=4)\n"


def test_a_place_where_nothing_stands_is_refused() -> None:
    nowhere = Place(PATH, Span(7, 0, 7, 3))
    assert "not found" in reason("f(a)\n", lambda source: [SetArgument(nowhere, "n", "1")])
    assert "not found" in reason("f(a)\n", lambda source: [ReplaceExpression(nowhere, "n")])
