"""Whether torch computes the same numbers in a worker as in the main process."""

from __future__ import annotations

from ...findings import UNKNOWN
from ...ir import nodes as ir
from ...knowledge import item_calls
from ...semantics.callers import callers
from ...semantics.evaluation import Semantics
from ...semantics.values import Tensor
from ..loaders import Loader
from ..program import seeding
from .answers import YES, Answer, no
from .memory import tensor_bytes


def same_arithmetic(loader: Loader) -> Answer:
    """Whether torch computes the same in a worker: it has one thread there, and none of the contexts around the loop."""
    semantics = loader.semantics
    called = (call for name, call in loader.item_code.externals.items() if name in item_calls.REDUCTIONS)
    reduced: ir.Node | None = next(called, None) or _product(loader)
    if reduced is None:
        return YES
    around = _context_around(loader)
    if around is not None:
        return no(UNKNOWN, "item code computes in a worker, without the context around the loop", around)
    if seeding(semantics, loader.call.module) is not None and not _is_small(semantics, reduced):
        return no(UNKNOWN, "a worker has one thread: sums over many numbers may be rounded differently", reduced)
    return YES


def _product(loader: Loader) -> ir.Node | None:
    for function in loader.item_code.functions:
        for node in ir.walk_block(function.body):
            if isinstance(node, ir.Binary) and node.operator == "@" and loader.semantics.evaluate(node).of(Tensor):
                return node
    return None


def _is_small(semantics: Semantics, node: ir.Node) -> bool:
    """Whether what is added up is written out, and shorter than what torch gives to one thread anyway."""
    reduced = node.receiver or (node.positional[0] if node.positional else None) if isinstance(node, ir.Call) else None
    if isinstance(reduced, ir.Name):
        bindings = reduced.scope.bindings.get(reduced.id, ())
        reduced = bindings[0].value if len(bindings) == 1 and not bindings[0].path else None
    size = tensor_bytes(semantics, reduced)
    return size is not None and size <= 8 * 32_768


def _context_around(loader: Loader) -> ir.Node | None:
    """An autocast or the like around a loop over the loader, also around a call of its function."""
    places: list[ir.Node] = [loop.node for loop in loader.use.loops]
    for _ in range(3):
        following: list[ir.Node] = []
        for place in places:
            for ancestor in place.ancestors():
                if isinstance(ancestor, ir.With):
                    for item, _target in ancestor.items:
                        if isinstance(item, ir.Call) and item.method in ("autocast", "set_default_dtype", "device", "use_deterministic"):
                            return ancestor
                if isinstance(ancestor, ir.Function):
                    following += [site.call for site in callers(loader.semantics, ancestor).sites]
                    break
        places = following
    return None
