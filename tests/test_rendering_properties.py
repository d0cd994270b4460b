"""What holds of every edit, over generated calls in generated layouts."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from feedlint.fixes.operations import Operation, RemoveArgument, ReplaceExpression, ReplaceMethod, SetArgument, Wrap
from feedlint.fixes.rendering import Rendered, render
from feedlint.places import Place, Span
from feedlint.source import Source, source_from_bytes
from feedlint.syntax import Tree, parse

VALUES = ["a", "0", "'é'", "g(x, y=1)", "[1, 2]", "[\n1,\n2,\n]", "'''q\nr'''", "a or b", "lambda: 0", "(a)", "a[1:2]"]
CODES = ["4", "c", "c or d", "c + d", "c if d else e", "c.d", "-c", "lambda: c", "(c, d)", "await_", "not c", "c, d"]
BLANKS = ["", " ", "  ", "\n    ", "\n\t", "\n", "  # gap {}\n    ", "\n    # above {}\n    ", " \\\n  "]


@st.composite
def calls(draw: st.DrawFn) -> str:
    """A call with positional and keyword arguments, and white space and comments wherever Python allows them."""
    count = iter(range(1000))

    def blank() -> str:
        return draw(st.sampled_from(BLANKS)).format(next(count))

    positional = [draw(st.sampled_from(VALUES)) for _ in range(draw(st.integers(0, 2)))]
    names = draw(st.lists(st.sampled_from(["k", "m", "n"]), unique=True, max_size=3))
    equal = draw(st.sampled_from(["=", " = "]))
    arguments = positional + [f"{name}{equal}{draw(st.sampled_from(VALUES))}" for name in names]
    if draw(st.booleans()):
        arguments.append("**spread")
    style = draw(st.sampled_from(["wild", "line", "block", "hanging"]))
    if style == "line" or not arguments:
        return "f(" + ", ".join(arguments) + ")"
    if style == "wild":
        inside = ",".join(blank() + argument + blank() for argument in arguments)
        comma = "," + blank() if draw(st.booleans()) else ""
        return f"f({inside}{comma})"
    comments = [draw(st.sampled_from(["", "", f"  # beside {i}"])) for i in range(len(arguments))]
    last_comma = draw(st.sampled_from(["", ","]))
    commas = [","] * (len(arguments) - 1) + [last_comma]
    gap = "\n    " if style == "block" else "\n  "
    lines = [argument + comma + comment for argument, comma, comment in zip(arguments, commas, comments)]
    return "f(" + (gap if style == "block" else "") + gap.join(lines) + "\n)"


@dataclass(frozen=True)
class Program:
    source: Source
    call: ast.Call
    place: Place


@st.composite
def programs(draw: st.DrawFn) -> Program:
    """A module that holds a generated call somewhere, with line breaks of either kind."""
    frame = draw(
        st.sampled_from(
            [
                "{}",
                "x = {}  # behind\ny = 2\n",
                "# é\nif z:\n\tx = [{}, 1]\n",
                "'😀'; x = h({}, 1)\n",
                "for i in {}:\n    pass",
                "x = (  # c\n  {}\n).b\n",
            ]
        )
    )
    text = frame.format(draw(calls()))
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    source = source_from_bytes("/project/train.py", text.encode())
    assert isinstance(source, Source)
    found = next(node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call) and name_of(node) == "f")
    return Program(source, found, place(source, found))


def name_of(call: ast.Call) -> str:
    return call.func.id if isinstance(call.func, ast.Name) else ""


def place(source: Source, node: ast.expr) -> Place:
    assert node.end_lineno is not None
    assert node.end_col_offset is not None
    start = node.lineno, source.character_column(node.lineno, node.col_offset)
    end = node.end_lineno, source.character_column(node.end_lineno, node.end_col_offset)
    return Place(source.path, Span(*start, *end))


def render_all(source: Source, operations: Sequence[Operation]) -> Rendered:
    tree = parse(source)
    assert isinstance(tree, Tree)
    return render(tree, operations)


def edited(source: Source, result: Rendered) -> str:
    text = source.text
    for edit in reversed(result.edits):
        line, column, end_line, end_column = edit.place.span
        text = text[: source.offset(line, column)] + edit.content + text[source.offset(end_line, end_column) :]
    return text


def again(source: Source, text: str) -> Source:
    new = source_from_bytes(source.path, text.encode())
    assert isinstance(new, Source)
    return new


def meaning(text: str) -> str:
    return ast.dump(ast.parse(text))


def comments(text: str) -> dict[str, str]:
    """Each comment with the line that it stands on, up to the comment; one behind the statement stays there anyway."""
    found = {}
    for line in text.splitlines():
        before, sign, after = line.partition("#")
        if sign and after != " behind":
            found[after] = before
    return found


def with_argument(program: Program, name: str, code: str) -> str:
    """The meaning of the program after the call got an argument, by way of `ast`."""
    tree = ast.parse(program.source.text)
    found = next(node for node in ast.walk(tree) if isinstance(node, ast.Call) and name_of(node) == "f")
    value = ast.parse(f"({code})", mode="eval").body
    given = next((keyword for keyword in found.keywords if keyword.arg == name), None)
    if given is not None:
        given.value = value
    else:
        spread = next((i for i, k in enumerate(found.keywords) if k.arg is None), len(found.keywords))
        found.keywords.insert(spread, ast.keyword(arg=name, value=value))
    return ast.dump(tree)


@given(programs(), st.sampled_from(["k", "workers"]), st.sampled_from(CODES))
def test_setting_an_argument_changes_the_meaning_of_the_call_and_nothing_else(
    program: Program, name: str, code: str
) -> None:
    result = render_all(program.source, [SetArgument(program.place, name, code)])
    if not result.refused:
        assert meaning(edited(program.source, result)) == with_argument(program, name, code)


@given(programs(), st.sampled_from(CODES))
def test_a_new_argument_leaves_every_comment_on_the_line_of_its_argument(program: Program, code: str) -> None:
    result = render_all(program.source, [SetArgument(program.place, "workers", code)])
    before, after = comments(program.source.text), comments(edited(program.source, result))
    assert before.keys() == after.keys()
    for comment, line in before.items():
        kept = after[comment].replace(f"workers={code}", "").replace(f"workers=({code})", "")
        assert "".join(kept.split()).replace(",", "") == "".join(line.split()).replace(",", "")


@given(programs(), st.sampled_from(["k", "workers"]), st.sampled_from(CODES))
def test_setting_an_argument_twice_is_the_same_as_once(program: Program, name: str, code: str) -> None:
    operation = SetArgument(program.place, name, code)
    result = render_all(program.source, [operation])
    if result.refused:
        return
    source = again(program.source, edited(program.source, result))
    call = next(n for n in ast.walk(ast.parse(source.text)) if isinstance(n, ast.Call) and name_of(n) == "f")
    assert render_all(source, [SetArgument(place(source, call), name, code)]) == Rendered(())


@given(programs())
def test_a_removed_argument_is_gone_and_nothing_else(program: Program) -> None:
    result = render_all(program.source, [RemoveArgument(program.place, "k")])
    assert bool(result.refused) == all(keyword.arg != "k" for keyword in program.call.keywords)
    tree = ast.parse(program.source.text)
    found = next(node for node in ast.walk(tree) if isinstance(node, ast.Call) and name_of(node) == "f")
    found.keywords = [keyword for keyword in found.keywords if keyword.arg != "k"]
    assert meaning(edited(program.source, result)) == ast.dump(tree)


@given(programs())
def test_removing_and_setting_in_one_go_comes_to_the_same_as_one_after_the_other(program: Program) -> None:
    operations: list[SetArgument | RemoveArgument] = [
        RemoveArgument(program.place, "k"),
        SetArgument(program.place, "workers", "4"),
        RemoveArgument(program.place, "m"),
        SetArgument(program.place, "pin", "True"),
    ]
    source = program.source
    for operation in operations:
        call = next(n for n in ast.walk(ast.parse(source.text)) if isinstance(n, ast.Call) and name_of(n) == "f")
        here = place(source, call)
        if isinstance(operation, SetArgument):
            one = render_all(source, [SetArgument(here, operation.name, operation.code)])
        else:
            one = render_all(source, [RemoveArgument(here, operation.name)])
        source = again(source, edited(source, one))
    assert meaning(edited(program.source, render_all(program.source, operations))) == meaning(source.text)


@given(programs())
def test_edits_keep_the_line_breaks_of_the_file(program: Program) -> None:
    operations: list[Operation] = [SetArgument(program.place, "workers", "4"), RemoveArgument(program.place, "k")]
    after = edited(program.source, render_all(program.source, operations))
    if "\r\n" in program.source.text:
        assert after.count("\n") == after.count("\r\n")
    else:
        assert "\r" not in after


CONTEXTS = [
    "x = {}\n",
    "{} * b\n",
    "a - {}\n",
    "{}.b\n",
    "{}[0]\n",
    "f({})\n",
    "f(k={})\n",
    "not {}\n",
    "-{} ** 2\n",
    "[i for i in {} if {}]\n",
    "a if {} else b\n",
    "lambda: {}\n",
    "{} < a < {}\n",
    "x = (  # c\n {}\n)\n",
    "f'{{{}}}'\n",
    "[*{}]\n",
    "f(*{})\n",
    "{{**{}}}\n",
    "a[{}:b]\n",
    "async def f(): await {}\n",
    "a or {}\n",
]
"""Places of an expression; the text of the one that is changed is `here`."""


def at_here(text: str) -> tuple[Source, Place]:
    source = source_from_bytes("/project/train.py", text.encode())
    assert isinstance(source, Source)
    column = source.text.index("here")
    line, column = source.position(column)
    return source, Place(source.path, Span(line, column, line, column + len("here")))


@given(st.sampled_from(CONTEXTS), st.sampled_from(CODES))
def test_a_replaced_expression_holds_together(context: str, code: str) -> None:
    source, here = at_here(
        context.replace("{}", "here", 1).replace("{}", "there").replace("{{", "{").replace("}}", "}")
    )
    result = render_all(source, [ReplaceExpression(here, code)])
    assert not result.refused
    assert meaning(edited(source, result)) == meaning(source.text.replace("here", f"({code})", 1))


@given(st.sampled_from(CONTEXTS), st.sampled_from([("g(", ")"), ("", " > 0"), ("not ", ""), ("", " or c"), ("-", "")]))
def test_a_wrapped_expression_holds_together(context: str, around: tuple[str, str]) -> None:
    source, here = at_here(
        context.replace("{}", "here", 1).replace("{}", "there").replace("{{", "{").replace("}}", "}")
    )
    before, after = around
    result = render_all(source, [Wrap(here, before, after)])
    assert not result.refused
    wanted = f"({before}here{after})"
    assert meaning(edited(source, result)) == meaning(source.text.replace("here", wanted, 1))


@given(st.lists(st.integers(0, 8), min_size=1, max_size=6))
def test_whatever_is_done_together_parses_and_is_done_wholly_or_refused(chosen: list[int]) -> None:
    text = "y = f(g(x.to(d), k=1).item(), m=2)\n"
    source = source_from_bytes("/project/train.py", text.encode())
    assert isinstance(source, Source)
    calls = {ast.unparse(node): place(source, node) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)}
    whole, method, inner, to = calls.values()
    operations: list[Operation] = [
        SetArgument(whole, "n", "1"),
        RemoveArgument(whole, "m"),
        ReplaceMethod(method, ".detach()"),
        Wrap(method, "float(", ")"),
        SetArgument(inner, "n", "3"),
        RemoveArgument(inner, "k"),
        ReplaceExpression(to, "z"),
        SetArgument(to, "non_blocking", "True"),
        Wrap(to, "w(", ")"),
    ]
    asked = list(dict.fromkeys(operations[index] for index in chosen))
    result = render_all(source, asked)
    refused = [operation for operation, _ in result.refused]
    made = [operation for operation in asked if operation not in refused]
    after = edited(source, result)
    assert meaning(after)
    assert after == edited(source, render_all(source, made))
    # Only replacing a call can stand in the way of setting its arguments.
    assert len(refused) == (operations[6] in asked and operations[7] in asked)
