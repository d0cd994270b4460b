"""Whether samples stay the same and in the same order."""

from __future__ import annotations

from typing import Any

from ...findings import PROVEN, REFUTED, UNKNOWN, Evidence
from ...ir import nodes as ir
from ...knowledge import item_calls
from ...semantics.callers import callers
from ...semantics.evaluation import Semantics
from ...semantics.loops import StepLoop
from ...semantics.values import (
    CONFIGURED,
    CUDA,
    CUDA_OR_CPU,
    ENVIRONMENT,
    FUNCTION_DEFAULT,
    OPTION_DEFAULT,
    ClassValue,
    External,
    Instance,
    Items,
    Known,
)
from ...semantics.values import (
    Iterator as IteratorValue,
)
from ..loaders import Loader
from ..program import seeding
from .answers import YES, Answer, no, text
from .state import calls


def known_dataset(loader: Loader) -> Answer:
    code = loader.item_code
    if code.unknown:
        return Answer(UNKNOWN, (code.unknown[0],))
    if not code.leaves:
        return no(UNKNOWN, "it is not known which dataset this is")
    return Answer(PROVEN, tuple(Evidence(f"the dataset is {leaf.name}") for leaf in code.leaves if leaf.name))


def no_stream(loader: Loader) -> Answer:
    seed = seeding(loader.semantics, loader.call.module)
    if seed is None:
        return Answer(PROVEN, (Evidence("nothing in the program seeds a random stream"),))
    stated = {name.rpartition(".")[2] for name in loader.semantics.project.facts.datasets_free_of_randomness}
    if loader.item_code.leaves and all(leaf.name.rpartition(".")[2] in stated for leaf in loader.item_code.leaves):
        return Answer(PROVEN, (Evidence("the configuration says that the dataset is free of randomness"),))
    drawn = next((call for name, call in loader.item_code.externals.items() if item_calls.draws_randomness(name)), None)
    if drawn is not None:
        return Answer(UNKNOWN, (
            Evidence(f"{text(drawn)} draws from a global random stream for each sample", drawn.place),
            Evidence("and the run is seeded here", seed.place),
        ))
    different = next((call for name, call in loader.item_code.externals.items() if name in item_calls.PROCESS_VALUES), None)
    if different is not None:
        return no(UNKNOWN, f"{text(different)} gives another value in each worker", different)
    foreign = next((n for n in loader.item_code.externals if not n.startswith(item_calls.DETERMINISTIC_PREFIXES)), None)
    if foreign is not None:
        return no(UNKNOWN, f"whether {foreign} draws random numbers is not known")
    if loader.item_code.unknown:
        return Answer(UNKNOWN, (loader.item_code.unknown[0],))
    return Answer(PROVEN, (Evidence("item code draws no random numbers"),))


def sharded(loader: Loader) -> Answer:
    for leaf in loader.item_code.leaves:
        if not leaf.iterable:
            continue
        if leaf.kind != "project":
            return no(UNKNOWN, f"{leaf.name} mixes its shards differently with workers", risk="shuffle-order")
        splits = any(
            call.method == "get_worker_info" for function in loader.item_code.functions for call in calls(function)
        )
        if not splits:
            return no(REFUTED, f"{leaf.name} does not split its samples by worker: each worker would repeat all of them")
        return no(UNKNOWN, f"{leaf.name} splits by worker: samples come in another order", risk="shuffle-order")
    return YES


def sampler_independent(loader: Loader) -> Answer:
    for name in (loader.api.sampler, loader.api.batch_sampler):
        given = loader.given(name)
        if name is None or not given.given or given.values.are_all(None):
            continue
        for value in given.values.values:
            if isinstance(value, Instance) and isinstance(value.maker, External) and value.maker.name.startswith("torch.utils.data."):
                inner = value.call.positional[0] if value.call is not None and value.call.positional else None
                if inner is not None and value.maker.name.endswith("BatchSampler"):
                    if any(isinstance(v.maker, ClassValue) for v in loader.semantics.evaluate(inner).of(Instance)):
                        return no(UNKNOWN, "a sampler of this project is asked ahead of the steps", inner)
                continue
            if isinstance(value, Known) and value.value is None:
                continue
            if isinstance(value, (Items, IteratorValue)):
                continue
            return no(UNKNOWN, "this sampler is asked for samples ahead of the steps", given.node)
        if given.values.open:
            return no(UNKNOWN, "it is not known which sampler this is", given.node)
    return YES


def value_is_ours(loader: Loader) -> Answer:
    given = loader.workers
    if given.is_default:
        return YES
    kinds = {origin.kind for origin in given.values.origins}
    place = given.node
    if kinds & {OPTION_DEFAULT, ENVIRONMENT, FUNCTION_DEFAULT, CONFIGURED}:
        return no(UNKNOWN, "users who rely on the default would get workers", place, "option-default")
    return no(UNKNOWN, "somebody wrote this 0", place, "explicit-zero")


def order_kept(loader: Loader) -> Answer:
    seed = seeding(loader.semantics, loader.call.module)
    if seed is None:
        return Answer(PROVEN, (Evidence("nothing in the program seeds a random stream"),))
    return no(UNKNOWN, "the run is seeded: workers that stay draw no new seed, so the order changes from the second epoch on", seed)


def one_iterator(loader: Loader) -> Answer:
    """Two iterations over one loader with workers that stay reset each other."""
    for loop in loader.use.loops:
        for other in [*loader.use.loops, *(StepLoop(node, "", ()) for node in loader.use.other_loops)]:
            if other.node is loop.node:
                continue
            if _runs_inside(loader.semantics, other.node, loop.node, 3):
                return no(REFUTED, "another loop over the same loader runs inside of this one", other.node)
        if isinstance(loop.node, ir.For) and isinstance(loop.node.iterable, ir.Call) and loop.node.iterable.method == "zip":
            drawn = [v for a in loop.node.iterable.positional for v in loader.semantics.evaluate(a).of(Instance)]
            if sum(v.call is loader.call for v in drawn) > 1:
                return no(REFUTED, "it is zipped with itself", loop.node)
    return YES


def _runs_inside(semantics: Semantics, inner: Any, outer: Any, depth: int) -> bool:
    child: Any = inner
    for ancestor in inner.ancestors():
        if ancestor is outer and not isinstance(outer, ir.Comprehension):
            return not (isinstance(child, ir.Statement) and child.block is not outer.body)
        if isinstance(ancestor, ir.Function) and ancestor.encloses(child):
            if depth <= 0:
                return False
            return any(_runs_inside(semantics, site.call, outer, depth - 1) for site in callers(semantics, ancestor).sites)
        child = ancestor
    return False


def cuda_or_cpu(loader: Loader) -> Answer:
    kind = loader.device
    if kind in (CUDA, CUDA_OR_CPU) or (kind == "unknown" and loader.targets == {"framework"} and not loader.is_prepared):
        return YES
    if kind == "other":
        return no(UNKNOWN, "the device may be one that can't use pinned memory, such as MPS")
    return no(UNKNOWN, "it is not known on which device the program runs")
