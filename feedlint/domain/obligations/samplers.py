"""Whether asking for samples ahead of the steps changes which ones come."""

from __future__ import annotations

from ...findings import UNKNOWN
from ...ir import nodes as ir
from ...semantics.values import (
    External,
    Instance,
    Items,
    Known,
    Scalar,
    Tensor,
)
from ...semantics.values import (
    Iterator as IteratorValue,
)
from ..loaders import Loader
from .answers import YES, Answer, no
from .changes import changed_from_outside
from .main_process import runs_with


def sampler_independent(loader: Loader) -> Answer:
    """Whether asking for samples ahead of the steps changes which ones come."""
    for name in (loader.api.sampler, loader.api.batch_sampler):
        given = loader.given(name)
        if name is None or not given.given or given.values.are_all(None):
            continue
        if given.values.open:
            return no(UNKNOWN, "it is not known which sampler this is", given.node)
        if given.node is not None and _may_change(loader, given.node):
            return no(UNKNOWN, "this sampler is asked for samples ahead of the steps", given.node)
    generator = loader.given("generator") if loader.api.generator else None
    if generator is not None and generator.given and not generator.values.are_all(None) and generator.node is not None:
        if _is_used_elsewhere(generator.node) or _is_left_early(loader):
            return no(UNKNOWN, "with workers its generator is drawn from ahead of the steps", generator.node)
    return YES


def _may_change(loader: Loader, sampler: ir.Expression, depth: int = 4) -> bool:
    """Whether a sampler, or something that it was made from, may give other indices later than now."""
    semantics = loader.semantics
    values = semantics.evaluate(sampler)
    if values.open or depth <= 0:
        return True
    if isinstance(sampler, ir.Name):
        for use in sampler.module.names.get(sampler.id, ()):
            if use.scope is sampler.scope and changed_from_outside(semantics, use) and runs_with(use, loader):
                return True
    for value in values.values:
        if isinstance(value, (Known, Items, Scalar)) or (isinstance(value, IteratorValue) and value.held):
            continue
        if isinstance(value, Tensor):
            continue
        if not (isinstance(value, Instance) and isinstance(value.maker, External)):
            return True
        if not value.maker.name.startswith(("torch.utils.data.", "torchvision.datasets.", "numpy.")):
            return True
        for argument in value.call.arguments if value.call is not None else ():
            if argument.keyword == "generator":
                if _is_used_elsewhere(argument.value) or _is_left_early(loader):
                    return True
            elif not _is_dataset(loader, argument.value) and _may_change(loader, argument.value, depth - 1):
                return True
    return False


def _is_dataset(loader: Loader, expression: ir.Expression) -> bool:
    """Whether it is something that the dataset is too: a sampler only asks it for its length."""
    given = set(loader.semantics.evaluate(expression).of(Instance))
    return bool(given) and given <= set(loader.dataset.values.of(Instance))


def _is_used_elsewhere(generator: ir.Expression) -> bool:
    """Whether anything but this one loader may draw from a generator: it has a name, or comes from elsewhere."""
    made = generator
    while isinstance(made, ir.Call) and made.method == "manual_seed" and made.receiver is not None:
        made = made.receiver
    return not (isinstance(made, ir.Call) and made.method == "Generator")


def _is_left_early(loader: Loader) -> bool:
    """Whether a loop over the loader may end before its last batch."""
    for loop in loader.use.loops:
        for node in loop.body:
            if isinstance(node, ir.Return) or (isinstance(node, ir.Jump) and node.kind == "break"):
                return True
    return False
