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
    Instance,
    Items,
    Known,
)
from ..loaders import Loader
from ..program import program, seeding
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
    unordered = _through_a_set(loader)
    if unordered is not None:
        return no(UNKNOWN, "the order of a set may be another one in each worker", unordered)
    early = _drawn_at_another_moment(loader)
    if early is not None:
        return no(UNKNOWN, "with workers the order is drawn when the iterator is made, not when its first batch is taken", early, "shuffle-order")
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


def _through_a_set(loader: Loader) -> ir.Node | None:
    """Where item code, or a name of its module that it reads, goes through a set of anything but numbers."""
    semantics = loader.semantics
    nodes: list[ir.Node] = []
    for function in loader.item_code.functions:
        for node in ir.walk_block(function.body):
            nodes.append(node)
            if isinstance(node, ir.Name) and node.id not in node.scope.bindings:
                for binding in function.module.inner_scope.bindings.get(node.id, ()):
                    if binding.value is not None:
                        nodes += ir.walk(binding.value)
    for node in nodes:
        through: list[ir.Expression] = []
        if isinstance(node, ir.Call) and semantics.names_of(node.function_expression) & _GOES_THROUGH:
            through = node.positional
        elif isinstance(node, ir.For):
            through = [node.iterable]
        elif isinstance(node, ir.Comprehension):
            through = [generator.iterable for generator in node.generators]
        for each in through:
            if _is_set(semantics, each):
                return each
    return None


_GOES_THROUGH = frozenset(f"builtins.{n}" for n in "list tuple enumerate iter zip map filter next".split())


def _is_set(semantics: Semantics, expression: ir.Expression) -> bool:
    if isinstance(expression, ir.Comprehension) and expression.kind == "set":
        return True
    if isinstance(expression, ir.Call) and semantics.names_of(expression.function_expression) & {"builtins.set", "builtins.frozenset"}:
        return True
    for value in semantics.evaluate(expression).of(Items):
        if value.kind == "set" and not all(isinstance(v, Known) and isinstance(v.value, int) for item in value.items for v in item.values):
            return True
    return False


def _drawn_at_another_moment(loader: Loader) -> ir.Node | None:
    """An iterator of the loader that is made before its first batch is taken: by `iter`, or by a `zip` of several."""
    semantics = loader.semantics

    def is_ours(expression: ir.Expression) -> bool:
        return any(v.call is loader.call for v in semantics.evaluate(expression).of(Instance))

    for module in program(semantics, loader.call.module):
        for name in _ITERATES_AT_ONCE:
            for call in module.calls.get(name, ()):
                if not any(is_ours(given) for given in call.positional):
                    continue
                if len(call.positional) > 1 and name in ("zip", "zip_longest"):
                    return call
                if not _is_taken_at_once(call):
                    return call
    return None


_ITERATES_AT_ONCE = ("iter", "enumerate", "zip", "zip_longest", "map", "filter", "cycle", "islice", "starmap", "tee")


def _is_taken_at_once(call: ir.Call) -> bool:
    """Whether a loop, or a `next`, goes on with the iterator in the same statement."""
    node: ir.Node = call
    while isinstance(node.parent, ir.Call) and node.parent.function_expression is not node:
        node = node.parent
        if node.method == "next":
            return True
        if len(node.positional) > 1 and node.method in ("zip", "zip_longest"):
            return False
    return isinstance(node.parent, (ir.For, ir.Comprehension))


def value_is_ours(loader: Loader) -> Answer:
    given = loader.workers
    for module in program(loader.semantics, loader.call.module):
        for use in module.attributes.get("num_workers", ()):
            if any(v.call is loader.call for v in loader.semantics.evaluate(use.value).of(Instance)):
                return no(UNKNOWN, "the program asks how many workers there are", use)
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
