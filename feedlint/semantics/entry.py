"""Where values enter a program without a visible call: frameworks that call hooks, starters of processes, annotations."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..ir import nodes as ir
from ..knowledge import hooks
from .classes import lineage, lookup
from .values import (
    UNKNOWN,
    UNKNOWN_DEVICE,
    ClassValue,
    Device,
    FunctionValue,
    Instance,
    Scalar,
    Tensor,
    ValueSet,
    one,
    union,
)
from .values import (
    Iterator as IteratorValue,
)

if TYPE_CHECKING:
    from .evaluation import Semantics


def is_partial(semantics: Semantics, call: ir.Call) -> bool:
    return "functools.partial" in semantics.names_of(call.function_expression)


def started_with(semantics: Semantics, call: ir.Call, function: ir.Expression) -> ir.Call | None:
    """For a call that starts `function` in another process or thread: a call that hands over the same arguments.

    `mp.spawn(work, nprocs=n, args=(a, b))` runs `work(rank, a, b)`.
    """
    for rank_first, items in _starts(semantics, call):
        made = ir.Call()
        made.parent = call.parent
        made.line, made.column, made.end_line, made.end_column = call.span
        made.function_expression = function
        rank: list[ir.Expression] = []
        if rank_first:
            unknown = ir.Constant()
            unknown.parent = made
            unknown.line, unknown.column, unknown.end_line, unknown.end_column = call.span
            unknown.value = ...
            rank = [unknown]
        made.arguments = [ir.Argument(None, "", item) for item in (*rank, *items)]
        return made
    return None


def _starts(semantics: Semantics, call: ir.Call) -> Iterator[tuple[bool, list[ir.Expression]]]:
    """Whether the rank comes first, and the arguments that are handed over."""
    for name in semantics.names_of(call.function_expression):
        rank_first = hooks.STARTERS.get(name)
        given = call.argument("args", 1)
        if rank_first is not None and (given is None or isinstance(given, ir.Display)):
            yield rank_first, given.items if isinstance(given, ir.Display) else []
    receiver = call.receiver
    if receiver is not None and call.method == "run":
        for maker in semantics.evaluate(receiver).of(Instance):
            rank_first = hooks.STARTING_METHODS.get((getattr(maker.maker, "name", ""), call.method))
            if rank_first is not None:
                yield rank_first, call.positional[1:]


def engines_of(semantics: Semantics, function: ir.Function) -> list[ir.Call]:
    """The engines that call a function once per step."""
    key = ("engines", function)
    if key not in semantics.cache:
        semantics.cache[key] = []
        found = []
        for use in function.module.names.get(function.name, ()) if function.name else ():
            parent = use.parent
            if isinstance(parent, ir.Call) and parent.function_expression is not use:
                if semantics.names_of(parent.function_expression) & hooks.ENGINES:
                    found.append(parent)
        semantics.cache[key] = found
    return semantics.cache[key]  # type: ignore[no-any-return]


def fed_to_engines(semantics: Semantics, function: ir.Function) -> ValueSet:
    """The loaders with which the engines of a process function are run."""
    found = ValueSet()
    for engine in engines_of(semantics, function):
        for module in semantics.project.modules_mentioning("run"):
            for call in module.calls.get("run", ()) if module else ():
                if call.receiver is None or not (call.positional or call.keyword("data")):
                    continue
                if any(v.call is engine for v in semantics.evaluate(call.receiver).of(Instance)):
                    given = call.argument("data", 0)
                    found = found | semantics.evaluate(given)
    return found


def is_command_line(semantics: Semantics, function: ir.Function) -> bool:
    """Whether a library makes a command line out of the function."""
    for use in function.module.names.get(function.name, ()) if function.name else ():
        for ancestor in use.ancestors():
            if isinstance(ancestor, ir.Call) and ancestor.function_expression is not use:
                if semantics.names_of(ancestor.function_expression) & hooks.COMMAND_LINES:
                    return True
            if isinstance(ancestor, ir.Statement):
                break
    return False


def framework_of(semantics: Semantics, node: ir.Class) -> str:
    """ "module-trainer" for a LightningModule and its like, "trainer" for a Hugging Face Trainer, "module" for nn.Module."""
    key = ("framework", node)
    if key not in semantics.cache:
        externals = lineage(semantics, node).externals
        kind = ""
        for name in externals:
            kind = kind or hooks.CLASS_KINDS.get(name, "")
        semantics.cache[key] = kind
    return semantics.cache[key]  # type: ignore[no-any-return]


def parameter(semantics: Semantics, function: ir.Function, parameter: ir.Parameter) -> ValueSet | None:
    """What a framework gives to a parameter of one of its hooks, None if no framework is known to call the function."""
    for decorator in function.decorators:
        called = decorator.function_expression if isinstance(decorator, ir.Call) else decorator
        if isinstance(decorator, ir.Call) and "hydra.main" in semantics.names_of(called):
            from . import documents

            if parameter.position == 0:
                return documents.hydra_configuration(semantics, decorator)
    owner = function.owner_class
    if owner is None:
        if parameter.position == 1 and engines_of(semantics, function):
            loaders = fed_to_engines(semantics, function)
            return union(semantics.element_of(v) for v in loaders.values) if loaders.values else None
        if parameter.position == 0:
            return _samples(semantics, function)
        return None
    kind = framework_of(semantics, owner)
    if kind:
        batch = hooks.BATCH_PARAMETERS.get((kind, function.name))
        if batch is not None:
            if parameter.position == batch:
                # The framework has moved the batch; where to, only the run knows.
                return one(Tensor(UNKNOWN_DEVICE, None, "batch", certain=False))
            return UNKNOWN
        if function.name == "__getitem__" and kind == "dataset" and parameter.position == 1:
            return one(Scalar("int"))
        if function.name == "forward" and kind in ("module", "module-trainer"):
            if parameter.kind == "plain":
                annotated = from_annotation(semantics, parameter.annotation)
                return annotated if annotated.values else ValueSet((Tensor(UNKNOWN_DEVICE, None, "input", certain=False),), True)
    return None


def _samples(semantics: Semantics, function: ir.Function) -> ValueSet | None:
    """The list of samples that a loader gives to its collate function, where its dataset is one of the project."""
    if not function.name:
        return None
    found = ValueSet()
    for module in semantics.project.modules_mentioning("collate_fn"):
        for use in module.names.get(function.name, ()):
            call = use.parent
            if not isinstance(call, ir.Call) or call.keyword("collate_fn") is not use:
                continue
            if not any(isinstance(v, FunctionValue) and v.node is function for v in semantics.evaluate(use).values):
                continue
            for dataset in semantics.evaluate(call.argument("dataset", 0)).of(Instance):
                method = lookup(semantics, dataset.maker, "__getitem__") if isinstance(dataset.maker, ClassValue) else None
                if method is None:
                    return None
                found = found | semantics.results(method)
    return one(IteratorValue(found, held=True)) if found.values and not found.open else None


def from_annotation(semantics: Semantics, annotation: ir.Expression | None) -> ValueSet:
    """The light type that an annotation names, nothing if it says nothing here."""
    if annotation is None:
        return ValueSet()
    text = annotation
    if isinstance(text, ir.Binary) and text.operator == "|":
        left = from_annotation(semantics, text.left)
        return left if left.values else from_annotation(semantics, text.right)
    if isinstance(text, ir.Index):
        base = ir.dotted(text.value).rpartition(".")[2]
        if base == "Optional":
            return from_annotation(semantics, text.index)
        return ValueSet()
    for name in semantics.names_of(text):
        if name in ("torch.Tensor", "torch.FloatTensor", "torch.LongTensor"):
            return ValueSet((Tensor(UNKNOWN_DEVICE, None, "input"),), True)
        if name == "torch.device":
            return ValueSet((Device(UNKNOWN_DEVICE),), True)
        if name in ("builtins.int", "builtins.float", "builtins.bool", "builtins.str"):
            return ValueSet((Scalar(name.rpartition(".")[2]),), True)
        if name in ("numpy.ndarray",):
            return ValueSet((Scalar("ndarray"),), True)
    for value in semantics.evaluate(text).of(ClassValue):
        return ValueSet((Instance(value),), True)
    return ValueSet()
