"""The nodes of the intermediate representation.

Smaller than `ast` and with what the semantic layer asks for on every step: a parent, the statement order inside the
module, the block that a statement stands in, and the scope with all bindings of a name. Nodes hold plain values, strings
and other nodes; nothing here evaluates anything.

Spans are those of `ast`, with columns in characters. What stands inside of an f-string carries the span of the whole
string: before Python 3.12 `ast` does not know better.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ..places import Place, Span
from ..records import record


class Node:
    __slots__ = ("column", "end_column", "end_line", "line", "parent")
    line: int
    column: int
    end_line: int
    end_column: int
    parent: Any  # Node, Argument's call, or None for the module

    @property
    def span(self) -> Span:
        return Span(self.line, self.column, self.end_line, self.end_column)

    def ancestors(self) -> Iterator[Node]:
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    @property
    def statement(self) -> Statement:
        """The innermost statement that this node belongs to (itself for a statement)."""
        node: Any = self
        while not isinstance(node, Statement):
            node = node.parent
        return node

    @property
    def module(self) -> Module:
        node: Any = self
        while node.parent is not None:
            node = node.parent
        assert isinstance(node, Module)
        return node

    @property
    def scope(self) -> Scope:
        """The scope in which a name at this node is looked up."""
        child: Any = self
        node = self.parent
        while node is not None:
            scope = getattr(node, "inner_scope", None)
            if scope is not None and node.encloses(child):
                return scope  # type: ignore[no-any-return]
            child, node = node, node.parent
        assert isinstance(child, Module)
        return child.inner_scope

    @property
    def function(self) -> Function | None:
        """The innermost function or lambda around this node."""
        child: Any = self
        node = self.parent
        while node is not None:
            if isinstance(node, Function) and node.encloses(child):
                return node
            child, node = node, node.parent
        return None

    @property
    def place(self) -> Place:
        return Place(self.module.path, self.span)


class Expression(Node):
    __slots__ = ()


class Name(Expression):
    __slots__ = ("id",)
    id: str


class Attribute(Expression):
    __slots__ = ("name", "value")
    value: Expression
    name: str


class Constant(Expression):
    __slots__ = ("value",)
    value: Any


class Template(Expression):
    """An f-string; `parts` are the expressions in it, `formats` whether a part has a format specification."""

    __slots__ = ("formats", "parts")
    parts: list[Expression]
    formats: list[bool]


class Argument:
    """One argument of a call; `star` is "", "*" or "**"."""

    __slots__ = ("keyword", "star", "value")

    def __init__(self, keyword: str | None, star: str, value: Expression) -> None:
        self.keyword = keyword
        self.star = star
        self.value = value


class Call(Expression):
    __slots__ = ("arguments", "function_expression")
    function_expression: Expression
    arguments: list[Argument]

    def keyword(self, name: str) -> Expression | None:
        for argument in self.arguments:
            if argument.keyword == name:
                return argument.value
        return None

    @property
    def positional(self) -> list[Expression]:
        """The positional arguments before the first star."""
        found = []
        for argument in self.arguments:
            if argument.star == "*":
                break
            if argument.keyword is None and not argument.star:
                found.append(argument.value)
        return found

    @property
    def has_star(self) -> bool:
        return any(argument.star == "*" for argument in self.arguments)

    @property
    def spreads(self) -> list[Expression]:
        return [argument.value for argument in self.arguments if argument.star == "**"]

    def argument(self, name: str, position: int | None = None) -> Expression | None:
        """The argument given under this keyword or at this position."""
        given = self.keyword(name)
        if given is None and position is not None:
            positional = self.positional
            if 0 <= position < len(positional):
                given = positional[position]
        return given

    @property
    def method(self) -> str:
        """The last name of what is called: `c` in `a.b.c(...)`, "" where there is none."""
        called = self.function_expression
        if isinstance(called, Attribute):
            return called.name
        return called.id if isinstance(called, Name) else ""

    @property
    def receiver(self) -> Expression | None:
        called = self.function_expression
        return called.value if isinstance(called, Attribute) else None


class Display(Expression):
    """A list, tuple or set display."""

    __slots__ = ("items", "kind")
    kind: str  # "list" | "tuple" | "set"
    items: list[Expression]


class Dictionary(Expression):
    """A dict display; the key is None for `**spread`."""

    __slots__ = ("keys", "values")
    keys: list[Expression | None]
    values: list[Expression]


class Index(Expression):
    __slots__ = ("index", "value")
    value: Expression
    index: Expression


class Slice(Expression):
    __slots__ = ("parts",)
    parts: list[Expression]


class Binary(Expression):
    __slots__ = ("left", "operator", "right")
    left: Expression
    operator: str  # "+", "//", ...
    right: Expression


class Unary(Expression):
    __slots__ = ("operand", "operator")
    operator: str  # "-", "+", "~", "not"
    operand: Expression


class Boolean(Expression):
    __slots__ = ("operator", "values")
    operator: str  # "and" | "or"
    values: list[Expression]


class Compare(Expression):
    __slots__ = ("left", "operators", "others")
    left: Expression
    operators: list[str]
    others: list[Expression]


class Conditional(Expression):
    __slots__ = ("orelse", "test", "then")
    test: Expression
    then: Expression
    orelse: Expression


class Star(Expression):
    __slots__ = ("value",)
    value: Expression


class Walrus(Expression):
    __slots__ = ("target", "value")
    target: Expression
    value: Expression


class Yielding(Expression):
    """`yield`, `yield from` and `await`."""

    __slots__ = ("kind", "value")
    kind: str
    value: Expression | None


class Generator:
    """One `for ... in ... if ...` of a comprehension."""

    __slots__ = ("conditions", "iterable", "target")

    def __init__(self, target: Expression, iterable: Expression, conditions: list[Expression]) -> None:
        self.target = target
        self.iterable = iterable
        self.conditions = conditions


class Comprehension(Expression):
    __slots__ = ("element", "generators", "inner_scope", "key", "kind")
    kind: str  # "list" | "set" | "dict" | "generator"
    key: Expression | None
    element: Expression
    generators: list[Generator]
    inner_scope: Scope

    def encloses(self, child: Node) -> bool:
        # The first iterable is evaluated outside.
        return not (self.generators and child is self.generators[0].iterable)


# --- statements


class Block:
    """A list of statements that run one after the other."""

    __slots__ = ("kind", "owner", "statements")

    def __init__(self, owner: Node, kind: str) -> None:
        self.owner = owner
        self.kind = kind  # "body", "orelse", "handler", "final", "case"
        self.statements: list[Statement] = []


class Statement(Node):
    __slots__ = ("block", "order")
    block: Block
    order: int  # position in the module, counting every statement


class Assign(Statement):
    __slots__ = ("annotation", "targets", "value")
    targets: list[Expression]
    value: Expression | None
    annotation: Expression | None


class AugmentedAssign(Statement):
    __slots__ = ("operator", "target", "value")
    target: Expression
    operator: str
    value: Expression


class ExpressionStatement(Statement):
    __slots__ = ("value",)
    value: Expression


class Return(Statement):
    __slots__ = ("value",)
    value: Expression | None


class If(Statement):
    __slots__ = ("body", "orelse", "test")
    test: Expression
    body: Block
    orelse: Block


class While(Statement):
    __slots__ = ("body", "orelse", "test")
    test: Expression
    body: Block
    orelse: Block


class For(Statement):
    __slots__ = ("body", "iterable", "orelse", "target")
    target: Expression
    iterable: Expression
    body: Block
    orelse: Block


class With(Statement):
    __slots__ = ("body", "items")
    items: list[tuple[Expression, Expression | None]]
    body: Block


class Handler:
    __slots__ = ("block", "name", "type")

    def __init__(self, type: Expression | None, name: str | None, block: Block) -> None:
        self.type = type
        self.name = name
        self.block = block


class Try(Statement):
    __slots__ = ("body", "final", "handlers", "orelse")
    body: Block
    handlers: list[Handler]
    orelse: Block
    final: Block


class Raise(Statement):
    __slots__ = ("values",)
    values: list[Expression]


class Assert(Statement):
    __slots__ = ("message", "test")
    test: Expression
    message: Expression | None


class Delete(Statement):
    __slots__ = ("targets",)
    targets: list[Expression]


class Import(Statement):
    """`import a.b as c` gives ("a.b", "c"); without `as` the bound name is None."""

    __slots__ = ("names",)
    names: list[tuple[str, str | None]]


class ImportFrom(Statement):
    __slots__ = ("level", "names", "source")
    source: str
    level: int
    names: list[tuple[str, str | None]]


class Jump(Statement):
    """break, continue, pass, global, nonlocal."""

    __slots__ = ("kind",)
    kind: str


class Match(Statement):
    __slots__ = ("cases", "guards", "subject")
    subject: Expression
    cases: list[Block]
    guards: list[Expression]


@record(frozen=True, slots=True, eq=False)
class Parameter:
    name: str
    kind: str  # "plain", "keyword", "*", "**"
    default: Expression | None
    annotation: Expression | None
    position: int  # among the plain ones; -1 for others


class Function(Statement):
    """A function definition, or a lambda (`name` is "" then, `body` holds one Return)."""

    __slots__ = ("body", "decorators", "first_line", "inner_scope", "is_generator", "name", "parameters", "returns")
    name: str
    parameters: list[Parameter]
    decorators: list[Expression]
    returns: Expression | None
    body: Block
    inner_scope: Scope
    is_generator: bool
    first_line: int

    def encloses(self, child: Node) -> bool:
        # Defaults, decorators and annotations are evaluated outside.
        return isinstance(child, Statement)

    @property
    def owner_class(self) -> Class | None:
        parent = self.parent
        while isinstance(parent, (If, Try, With)):
            parent = parent.parent
        return parent if isinstance(parent, Class) else None

    def parameter(self, name: str) -> Parameter | None:
        for parameter in self.parameters:
            if parameter.name == name:
                return parameter
        return None


class LambdaExpression(Expression):
    __slots__ = ("definition",)
    definition: Function


class Class(Statement):
    __slots__ = ("bases", "body", "decorators", "inner_scope", "keywords", "name")
    name: str
    bases: list[Expression]
    keywords: list[Argument]
    decorators: list[Expression]
    body: Block
    inner_scope: Scope

    def encloses(self, child: Node) -> bool:
        return isinstance(child, Statement)

    def method(self, name: str) -> Function | None:
        """The last definition of this name directly in the class body."""
        for binding in reversed(self.inner_scope.bindings.get(name, ())):
            if isinstance(binding.node, Function):
                return binding.node
        return None

    @property
    def methods(self) -> list[Function]:
        found = []
        for bindings in self.inner_scope.bindings.values():
            found += [b.node for b in bindings if isinstance(b.node, Function)]
        return found


# --- scopes


@record(frozen=True, slots=True, eq=False)
class Binding:
    """One place that gives a name a value.

    `kind`: "assign", "element" (target of a loop over `value`), "enter" (of a with statement), "augmented", "import",
    "function", "class", "parameter", "except", "delete", "unknown". `path` leads from the value to what the name gets:
    an index for each unpacking, "*" for a starred target.
    """

    name: str
    kind: str
    node: Node
    value: Expression | None = None
    path: tuple[int | str, ...] = ()
    annotation: Expression | None = None
    imported: tuple[str, int, str | None] | None = None  # module, level, name
    parameter: Parameter | None = None


@dataclass(slots=True)
class Scope:
    kind: str  # "module", "function", "class", "comprehension"
    node: Node
    parent: Scope | None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    globals: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)
    star_imports: list[ImportFrom] = field(default_factory=list)


@record(frozen=True, slots=True, eq=False)
class AttributeStore:
    """`receiver.name = value` (or an augmented one, then `value` is None)."""

    target: Attribute
    value: Expression | None
    path: tuple[int | str, ...]
    statement: Statement
    kind: str  # "assign" | "element" | "enter" | "augmented" | "delete"


Loop: TypeAlias = "For | While | Comprehension"


class Module(Statement):
    """A file, and the lists that later stages look things up in."""

    __slots__ = (
        "attribute_stores",
        "attributes",
        "body",
        "calls",
        "classes",
        "functions",
        "index_stores",
        "inner_scope",
        "loops",
        "names",
        "path",
        "renamed",
        "templates",
        "tests",
    )
    path: str
    body: Block
    inner_scope: Scope
    calls: dict[str, list[Call]]  # by last name of the callee
    names: dict[str, list[Name]]  # every use and every binding of a name
    attributes: dict[str, list[Attribute]]
    renamed: dict[str, dict[str, None]]  # what `from x import name as other` calls a name
    loops: list[Loop]
    functions: list[Function]
    classes: list[Class]
    attribute_stores: dict[str, list[AttributeStore]]  # by attribute
    index_stores: list[tuple[Index, Statement]]
    tests: list[Expression]  # of if, while and assert statements
    templates: list[Template]

    def encloses(self, child: Node) -> bool:
        return True


def children(node: Any) -> Iterator[Node]:
    """Direct sub-expressions and sub-statements of a node, in source order."""
    for item in _CHILDREN[type(node)](node):
        if item is not None:
            yield item


def _block(block: Block) -> list[Statement]:
    return block.statements


_CHILDREN: dict[type, Any] = {
    Name: lambda n: (),
    Attribute: lambda n: (n.value,),
    Constant: lambda n: (),
    Template: lambda n: n.parts,
    Call: lambda n: (n.function_expression, *[a.value for a in n.arguments]),
    Display: lambda n: n.items,
    Dictionary: lambda n: [x for pair in zip(n.keys, n.values) for x in pair],
    Index: lambda n: (n.value, n.index),
    Slice: lambda n: n.parts,
    Binary: lambda n: (n.left, n.right),
    Unary: lambda n: (n.operand,),
    Boolean: lambda n: n.values,
    Compare: lambda n: (n.left, *n.others),
    Conditional: lambda n: (n.test, n.then, n.orelse),
    Star: lambda n: (n.value,),
    Walrus: lambda n: (n.target, n.value),
    Yielding: lambda n: (n.value,),
    Comprehension: lambda n: (
        *[x for g in n.generators for x in (g.target, g.iterable, *g.conditions)],
        n.key,
        n.element,
    ),
    LambdaExpression: lambda n: (n.definition,),
    Assign: lambda n: (*n.targets, n.annotation, n.value),
    AugmentedAssign: lambda n: (n.target, n.value),
    ExpressionStatement: lambda n: (n.value,),
    Return: lambda n: (n.value,),
    If: lambda n: (n.test, *_block(n.body), *_block(n.orelse)),
    While: lambda n: (n.test, *_block(n.body), *_block(n.orelse)),
    For: lambda n: (n.target, n.iterable, *_block(n.body), *_block(n.orelse)),
    With: lambda n: (*[x for item in n.items for x in item], *_block(n.body)),
    Try: lambda n: (
        *_block(n.body),
        *[x for h in n.handlers for x in (h.type, *_block(h.block))],
        *_block(n.orelse),
        *_block(n.final),
    ),
    Raise: lambda n: n.values,
    Assert: lambda n: (n.test, n.message),
    Delete: lambda n: n.targets,
    Import: lambda n: (),
    ImportFrom: lambda n: (),
    Jump: lambda n: (),
    Match: lambda n: (n.subject, *n.guards, *[s for b in n.cases for s in _block(b)]),
    Function: lambda n: (
        *n.decorators,
        *[x for p in n.parameters for x in (p.annotation, p.default)],
        n.returns,
        *_block(n.body),
    ),
    Class: lambda n: (*n.decorators, *n.bases, *[a.value for a in n.keywords], *_block(n.body)),
    Module: lambda n: _block(n.body),
}


def walk(node: Node, *, into_functions: bool = True) -> Iterator[Node]:
    """The node and everything below it, in source order, without recursion.

    With `into_functions=False` the bodies of functions, lambdas and classes met on the way are left out.
    """
    stack = [node]
    while stack:
        current = stack.pop()
        yield current
        if not into_functions and current is not node and isinstance(current, (Function, Class)):
            continue
        below = [child for child in _CHILDREN[type(current)](current) if child is not None]
        below.reverse()
        stack += below


def walk_block(block: Block, *, into_functions: bool = True) -> Iterator[Node]:
    for statement in block.statements:
        if not into_functions and isinstance(statement, (Function, Class)):
            continue
        yield from walk(statement, into_functions=into_functions)


def dotted(expression: Expression | None) -> str:
    """`a.b.c` as text where an expression is a chain of names, else ""."""
    names: list[str] = []
    while isinstance(expression, Attribute):
        names.append(expression.name)
        expression = expression.value
    if not isinstance(expression, Name):
        return ""
    names.append(expression.id)
    return ".".join(reversed(names))
