"""Whether anybody looks at what goes wrong in item code: a worker sends errors on with another text, or type."""

from __future__ import annotations

from typing import Any

from ...findings import UNKNOWN
from ...ir import nodes as ir
from ...knowledge import program_calls
from ...semantics.callers import callers
from ...semantics.classes import lookup
from ...semantics.evaluation import Semantics
from ...semantics.values import (
    ClassValue,
    External,
    FunctionValue,
    Instance,
)
from ..loaders import Loader
from .answers import YES, Answer, no


def same_exceptions(loader: Loader) -> Answer:
    """Whether nobody looks at what goes wrong in item code: a worker sends its errors on with another text, or type."""
    places: list[ir.Node] = [*(loop.node for loop in loader.use.loops), *loader.use.peeks]
    places += [n for loop in loader.use.loops for n in loop.body if isinstance(n, ir.Call) and n.method == "next"]
    seen: set[ir.Node] = set()
    for _ in range(4):
        following: list[ir.Node] = []
        for place in places:
            kept_back = _kept_back_around(loader.semantics, place)
            if kept_back is not None:
                return no(UNKNOWN, "errors are held back here, and a worker sends them on as others", kept_back)
            caught = _caught_around(place)
            if caught is not None:
                what = ir.dotted(caught.type) or "what is caught here"
                return no(UNKNOWN, f"{what} comes back from a worker as another error", caught.type or place)
            function = place.function
            if function is not None and function not in seen:
                seen.add(function)
                following += [site.call for site in callers(loader.semantics, function).sites]
        places = following
    return YES


def _kept_back_around(semantics: Semantics, place: ir.Node) -> ir.Node | None:
    """A context manager that may swallow errors, or a decorator of the function that catches them."""
    for ancestor in place.ancestors():
        if isinstance(ancestor, ir.With):
            for item, _target in ancestor.items:
                for value in semantics.evaluate(item).of(Instance):
                    if isinstance(value.maker, ClassValue) and lookup(semantics, value.maker, "__exit__") is not None:
                        return ancestor
                    if isinstance(value.maker, External) and value.maker.name.rpartition(".")[2] in ("suppress", "raises", "assertRaises"):
                        return ancestor
        if isinstance(ancestor, ir.Function):
            for decorator in ancestor.decorators:
                called = decorator.function_expression if isinstance(decorator, ir.Call) else decorator
                for function in semantics.evaluate(called).of(FunctionValue):
                    if any(isinstance(n, ir.Try) for n in ir.walk_block(function.node.body)):
                        return decorator
            break
    return None


def _caught_around(place: ir.Node) -> ir.Handler | None:
    """A handler around a place, in its function, that errors of item code may reach."""
    child: Any = place
    for ancestor in place.ancestors():
        if isinstance(ancestor, ir.Function) and ancestor.encloses(child):
            break
        if isinstance(ancestor, ir.Try) and isinstance(child, ir.Statement) and child.block is ancestor.body:
            for handler in ancestor.handlers:
                types = handler.type.items if isinstance(handler.type, ir.Display) else [handler.type]
                if any(ir.dotted(each).rpartition(".")[2] not in program_calls.OWN_ERRORS for each in types):
                    return handler
        child = ancestor
    return None
