"""What must hold for an edit to change nothing that a run computes.

One function per obligation of the catalogue, each from a loader (or a copy) to an answer with its evidence. A fix names
the obligations that it needs; it is safe only if all are proven. An unknown one leaves its risk for the user to accept;
a refuted one forbids the edit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from ..findings import PROVEN, REFUTED, UNKNOWN, Evidence, Obligation
from ..ir import nodes as ir
from ..knowledge import item_calls, program_calls
from ..semantics.callers import callers
from ..semantics.classes import attribute, foreign_stores, lineage, lookup, self_name, stores
from ..semantics.evaluation import Semantics
from ..semantics.loops import StepLoop
from ..semantics.tensors import is_module
from ..semantics.values import (
    CONFIGURED,
    CUDA,
    CUDA_OR_CPU,
    ENVIRONMENT,
    FUNCTION_DEFAULT,
    OPTION_DEFAULT,
    Batch,
    ClassValue,
    External,
    FunctionValue,
    Instance,
    Items,
    Known,
    Mapping,
    Partial,
    Scalar,
    Tensor,
    ValueSet,
)
from ..semantics.values import (
    Iterator as IteratorValue,
)
from . import items
from .batches import Shape, of_loader
from .loaders import Loader, loader_at
from .program import is_main_guard, program, runs_only_when_started, seeding
from .transfers import Transfer


class Answer(NamedTuple):
    """PROVEN, UNKNOWN or REFUTED with the evidence; `risk` where an unknown one leaves another risk than it usually does."""

    state: str
    evidence: tuple[Evidence, ...] = ()
    risk: str = ""


_YES = Answer(PROVEN)


def _no(state: str, message: str, node: ir.Node | None = None, risk: str = "") -> Answer:
    return Answer(state, (Evidence(message, node.place if node is not None else None),), risk)


def prove(loader: Loader, names: Iterable[str]) -> tuple[Obligation, ...]:
    """The answers for a loader, in the order of the names."""
    return tuple(_answer(loader, name) for name in names)


def _answer(loader: Loader, name: str) -> Obligation:
    key = ("obligation", name, loader.call)
    cache = loader.semantics.cache
    if key not in cache:
        risk, judge = LOADER_OBLIGATIONS[name]
        cache[key] = _obligation(name, risk, judge(loader))
    return cache[key]  # type: ignore[no-any-return]


def _obligation(name: str, risk: str, answer: Answer) -> Obligation:
    return Obligation(name, answer.state, answer.risk or risk, answer.evidence)


def refuted(obligations: Iterable[Obligation]) -> tuple[Obligation, ...]:
    return tuple(o for o in obligations if o.state == REFUTED)


# --- the dataset and its item code


def known_dataset(loader: Loader) -> Answer:
    code = loader.item_code
    if code.unknown:
        return Answer(UNKNOWN, (code.unknown[0],))
    if not code.leaves:
        return _no(UNKNOWN, "it is not known which dataset this is")
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
            Evidence(f"{_text(drawn)} draws from a global random stream for each sample", drawn.place),
            Evidence("and the run is seeded here", seed.place),
        ))
    foreign = next((n for n in loader.item_code.externals if not n.startswith(item_calls.DETERMINISTIC_PREFIXES)), None)
    if foreign is not None:
        return _no(UNKNOWN, f"whether {foreign} draws random numbers is not known")
    if loader.item_code.unknown:
        return Answer(UNKNOWN, (loader.item_code.unknown[0],))
    return Answer(PROVEN, (Evidence("item code draws no random numbers"),))


def no_own_generator(loader: Loader) -> Answer:
    for instance in _objects(loader):
        assert isinstance(instance.maker, ClassValue)
        for name in items.stored_names(loader.semantics, instance.maker.node):
            for value in attribute(loader.semantics, instance, name).of(Instance):
                if isinstance(value.maker, External) and value.maker.name in item_calls.OWN_GENERATORS:
                    if _read_in_items(loader, name):
                        return _no(REFUTED, f"every worker would repeat the numbers of self.{name}", value.call)
    return _YES


def stateless_items(loader: Loader) -> Answer:
    semantics = loader.semantics
    for function in loader.item_code.functions:
        owner = self_name(function)
        for statement in _statements(function):
            written = _written_target(semantics, statement, owner, function)
            if written is not None:
                return _no(UNKNOWN, f"item code changes {written}, in each worker for itself", statement)
        for decorator in function.decorators:
            called = decorator.function_expression if isinstance(decorator, ir.Call) else decorator
            if ir.dotted(called).rpartition(".")[2] in ("lru_cache", "cache", "memoize"):
                return _no(UNKNOWN, f"{function.name} remembers its results, in each worker for itself", function)
    changed = _changed_by_main(loader)
    if changed is not None:
        return _no(UNKNOWN, "the main process changes the dataset after it was made", changed)
    return _YES


_CONTAINER_CHANGES = frozenset("append extend update add insert pop remove clear setdefault discard popitem put sort write".split())


def _written_target(semantics: Semantics, statement: ir.Statement, owner: str, function: ir.Function) -> str | None:
    """What a statement of item code changes that lives longer than the sample."""
    if isinstance(statement, (ir.Assign, ir.AugmentedAssign)):
        targets = statement.targets if isinstance(statement, ir.Assign) else [statement.target]
        for target in targets:
            root = target
            while isinstance(root, (ir.Attribute, ir.Index)):
                root = root.value
            if root is target:
                if isinstance(target, ir.Name) and target.id in target.scope.globals:
                    return target.id
                continue
            if isinstance(root, ir.Name) and function.name != "__init__" and (root.id == owner or _is_global(root)):
                return ir.dotted(target.value if isinstance(target, ir.Index) else target) or root.id
    if isinstance(statement, ir.ExpressionStatement) and isinstance(statement.value, ir.Call):
        call = statement.value
        if call.method in _CONTAINER_CHANGES and call.receiver is not None:
            root = call.receiver
            while isinstance(root, (ir.Attribute, ir.Index)):
                root = root.value
            if isinstance(root, ir.Name) and ((root.id == owner and root is not call.receiver) or _is_global(root)):
                values = semantics.evaluate(call.receiver)
                if not any(isinstance(v, External) for v in values.values):
                    return ir.dotted(call.receiver) or root.id
    return None


def _is_global(name: ir.Name) -> bool:
    scope: Any = name.scope
    while scope is not None:
        if name.id in scope.bindings and name.id not in scope.globals:
            found = scope.bindings[name.id]
            return scope.kind == "module" and all(b.kind == "assign" for b in found)
        scope = scope.parent
    return False


def _statements(function: ir.Function) -> Iterator[ir.Statement]:
    for node in ir.walk_block(function.body):
        if isinstance(node, ir.Statement):
            yield node


def _changed_by_main(loader: Loader) -> ir.Node | None:
    """A place in the main process that changes an attribute of the dataset after the constructor."""
    semantics = loader.semantics
    for instance in _objects(loader):
        assert isinstance(instance.maker, ClassValue)
        node = instance.maker.node
        in_items = set(loader.item_code.functions)
        for name in items.stored_names(semantics, node):
            for store in foreign_stores(semantics, node, name):
                return store.statement
        for each in lineage(semantics, node).classes:
            for method in each.methods:
                if method.name.startswith("__") or method in in_items:
                    continue
                changes = [s for s in _statements(method) if _written_target(semantics, s, self_name(method), method)]
                if changes:
                    for site in callers(semantics, method).sites:
                        if not _inside_class(site.call, each) and _runs_with(site.call, loader):
                            return site.call
    return None


def _inside_class(node: ir.Node, owner: ir.Class) -> bool:
    return any(a is owner for a in node.ancestors())


def _runs_with(call: ir.Call, loader: Loader) -> bool:
    """Whether a call may run after the loader was made: anything but code that builds the dataset before it."""
    if call.module is loader.call.module and call.function is loader.call.function:
        return call.line > loader.call.line or any(isinstance(a, (ir.For, ir.While)) for a in call.ancestors())
    return True


def no_local_handles(loader: Loader) -> Answer:
    semantics = loader.semantics
    for name, call in loader.item_code.externals.items():
        if name in item_calls.DEBUGGERS:
            return _no(REFUTED, "item code stops in a debugger, which a worker has no terminal for", call)
    for instance in _objects(loader):
        assert isinstance(instance.maker, ClassValue)
        node = instance.maker.node
        early = _reached_early(semantics, instance.maker)
        for name in items.stored_names(semantics, node):
            for store in stores(semantics, node, name):
                if store.value is None:
                    continue
                for value in semantics.evaluate(store.value).of(Instance):
                    if _is_handle(semantics, value) and (store.statement.function in early or store.statement.function is None):
                        return _no(REFUTED, f"self.{name} is open in the main process: workers would share it or could not get it", store.statement)
                if isinstance(store.value, ir.Comprehension) and store.value.kind == "generator":
                    return _no(REFUTED, f"self.{name} is a generator, which can't be sent to a worker", store.statement)
    for value in loader.dataset.values.of(Instance):
        if value.call is None:
            continue
        for argument in value.call.arguments:
            for given in semantics.evaluate(argument.value).of(Instance):
                if _is_handle(semantics, given):
                    return _no(REFUTED, f"the dataset holds {_text(given.call)}, which lives in one process", given.call)
    return _YES


def _is_handle(semantics: Semantics, value: Instance) -> bool:
    if isinstance(value.maker, External):
        if value.maker.name == "numpy.load":
            return True  # only what holds its file is seen as an object
        return value.maker.name in item_calls.HANDLES
    return bool(set(lineage(semantics, value.maker.node).externals) & item_calls.HANDLES)


def _reached_early(semantics: Semantics, maker: ClassValue) -> set[ir.Function]:
    """The methods that run in the main process before workers start: the constructor, `len`, and what they call."""
    found: set[ir.Function] = set()
    todo = [m for name in ("__init__", "__len__", "setup", "__post_init__") for m in [lookup(semantics, maker, name)] if m is not None]
    while todo:
        function = todo.pop()
        if function in found:
            continue
        found.add(function)
        for node in ir.walk_block(function.body):
            if isinstance(node, ir.Call):
                todo += semantics.functions_of(node)
            elif isinstance(node, ir.Attribute) and isinstance(node.value, ir.Name) and node.value.id == self_name(function):
                method = lookup(semantics, maker, node.name)
                if method is not None and any("property" in ir.dotted(d) for d in method.decorators):
                    todo.append(method)
    return found


def no_cuda_in_items(loader: Loader) -> Answer:
    moved = loader.moves_in_items
    if moved is not None:
        return _no(REFUTED, "item code works on an accelerator", moved)
    if loader.holds_device_data:
        return _no(REFUTED, "the dataset holds tensors on an accelerator", loader.dataset.node)
    if _default_device(loader) is not None:
        return _no(REFUTED, "new tensors are made on an accelerator by default", _default_device(loader))
    return _YES


def _default_device(loader: Loader) -> ir.Call | None:
    for module in program(loader.semantics, loader.call.module):
        for word in ("set_default_device", "set_default_tensor_type"):
            for call in module.calls.get(word, ()):
                return call
    return None


def sharded(loader: Loader) -> Answer:
    for leaf in loader.item_code.leaves:
        if not leaf.iterable:
            continue
        if leaf.kind != "project":
            return _no(UNKNOWN, f"{leaf.name} mixes its shards differently with workers", risk="shuffle-order")
        splits = any(
            call.method == "get_worker_info" for function in loader.item_code.functions for call in _calls(function)
        )
        if not splits:
            return _no(REFUTED, f"{leaf.name} does not split its samples by worker: each worker would repeat all of them")
        return _no(UNKNOWN, f"{leaf.name} splits by worker: samples come in another order", risk="shuffle-order")
    return _YES


def _calls(function: ir.Function) -> Iterator[ir.Call]:
    for node in ir.walk_block(function.body):
        if isinstance(node, ir.Call):
            yield node


def _objects(loader: Loader) -> list[Instance]:
    """The objects of project classes that workers get: datasets, transforms, collate objects."""
    found = [v for v in loader.item_code.values if isinstance(v, Instance) and isinstance(v.maker, ClassValue)]
    for value in list(found):
        assert isinstance(value.maker, ClassValue)
        for name in items.stored_names(loader.semantics, value.maker.node):
            for inner in attribute(loader.semantics, value, name).of(Instance):
                if isinstance(inner.maker, ClassValue) and all(inner.maker != f.maker for f in found):
                    found.append(inner)
    return found


def _read_in_items(loader: Loader, name: str) -> bool:
    return any(
        isinstance(node, ir.Attribute) and node.name == name
        for function in loader.item_code.functions
        for node in ir.walk_block(function.body)
    )


# --- sending things to workers


def picklable(loader: Loader) -> Answer:
    semantics = loader.semantics
    seen: set[Any] = set()
    for value in loader.item_code.values:
        problem = _unpicklable(semantics, value, seen, 0)
        if problem is not None:
            return Answer(UNKNOWN, (problem,))
    for given in (loader.collate, loader.given(loader.api.worker_init)):
        if given.given:
            for value in given.values.values:
                problem = _unpicklable(semantics, value, seen, 0)
                if problem is not None:
                    return Answer(UNKNOWN, (problem,))
            if given.values.open:
                return _no(UNKNOWN, "not all that workers need is known")
    init = loader.given(loader.api.worker_init)
    if init.given and not init.values.are_all(None):
        return _no(UNKNOWN, "worker_init_fn would start to run", init.node)
    return _YES


def _unpicklable(semantics: Semantics, value: Any, seen: set[Any], depth: int) -> Evidence | None:
    if depth > 6 or isinstance(value, (Known, Scalar)):
        return None
    if isinstance(value, (Items, Mapping, IteratorValue)):
        parts = value.items if isinstance(value, Items) else (value.entries.values() if isinstance(value, Mapping) else (value.elements,))
        for part in parts:
            problem = _unpicklable_set(semantics, part, seen, depth + 1)
            if problem is not None:
                return problem
        return None
    if isinstance(value, FunctionValue):
        if not value.node.name:
            return Evidence("a lambda can't be sent to a worker that is not forked", value.node.place)
        if value.node.function is not None:
            return Evidence(f"{value.node.name} is local to a function: it can't be sent to a worker that is not forked", value.node.place)
        if value.receiver is not None:
            return _unpicklable(semantics, value.receiver, seen, depth + 1)
        return None
    if isinstance(value, Partial):
        return _unpicklable(semantics, value.target, seen, depth + 1)
    if isinstance(value, ClassValue):
        return _local_class(value.node)
    if isinstance(value, Instance):
        if value in seen:
            return None
        seen.add(value)
        if isinstance(value.maker, ClassValue):
            return _unpicklable_object(semantics, value, seen, depth)
        name = value.maker.name
        if name.startswith(program_calls.PICKLABLE_PREFIXES) and name not in item_calls.HANDLES:
            for argument in value.call.arguments if value.call is not None and depth < 5 else ():
                problem = _unpicklable_set(semantics, semantics.evaluate(argument.value), seen, depth + 1)
                if problem is not None:
                    return problem
            return None
        return Evidence(f"whether {name} can be sent to a worker is not known", value.call.place if value.call is not None else None)
    if isinstance(value, (Tensor, External)):
        return None
    if isinstance(value, Batch):
        return None
    return Evidence("whether everything in the dataset can be sent to a worker is not known")


def _unpicklable_set(semantics: Semantics, values: ValueSet, seen: set[Any], depth: int) -> Evidence | None:
    for value in values.values:
        problem = _unpicklable(semantics, value, seen, depth)
        if problem is not None:
            return problem
    return None


def _local_class(node: ir.Class) -> Evidence | None:
    if node.function is not None:
        return Evidence(f"{node.name} is local to a function: it can't be sent to a worker that is not forked", node.place)
    if any(isinstance(a, ir.If) and is_main_guard(a.test) for a in node.ancestors()):
        return Evidence(f"{node.name} is made below the main guard: a worker that is not forked does not have it", node.place)
    return None


def _unpicklable_object(semantics: Semantics, value: Instance, seen: set[Any], depth: int) -> Evidence | None:
    assert isinstance(value.maker, ClassValue)
    problem = _local_class(value.maker.node)
    if problem is not None:
        return problem
    if is_module(semantics, value):
        return Evidence(f"{value.maker.node.name} is a module: workers would get copies of it", value.call.place if value.call else None)
    if value.maker.node.method("__getstate__") is not None or value.maker.node.method("__reduce__") is not None:
        return None
    for name in items.stored_names(semantics, value.maker.node):
        held = attribute(semantics, value, name)
        problem = _unpicklable_set(semantics, held, seen, depth + 1)
        if problem is not None:
            return problem
        if held.open and not held.values:
            return Evidence(f"what self.{name} of {value.maker.node.name} holds is not known")
    return None


def batch_picklable(loader: Loader) -> Answer:
    if loader.item_code.modules_run:
        return _no(UNKNOWN, "item code runs a module: what it returns may carry gradients", loader.item_code.modules_run[0])
    odd = _odd_leaves(loader)
    if not odd:
        return _YES
    if all(leaf.kind == "unknown" for leaf in odd) and loader.batch.kind == "unknown" and _library_samples(loader):
        return _YES
    note = _note(odd)
    return _no(UNKNOWN, f"a batch may hold {note}" if note else "what a batch holds is not known")


def _odd_leaves(loader: Loader) -> list[Shape]:
    """The parts of a batch that are not proven to be dense tensors or what collating makes plain values of."""
    plain = ("tensor", "number", "string", "array", "none", "mixed")
    return [leaf for leaf in loader.batch.leaves if leaf.kind not in plain]


def _note(leaves: list[Shape]) -> str:
    """What is known of the first of them, "" if nothing is."""
    return next((leaf.note for leaf in leaves if leaf.note), "")


def _library_samples(loader: Loader) -> bool:
    """A torchvision dataset with the default collation: it either gives tensors or fails with 0 workers too."""
    return not loader.collate.given and all(leaf.kind == "known" for leaf in loader.item_code.leaves)


def small_state(loader: Loader) -> Answer:
    semantics = loader.semantics
    for instance in _objects(loader):
        assert isinstance(instance.maker, ClassValue)
        for name in items.stored_names(semantics, instance.maker.node):
            for _value in attribute(semantics, instance, name).of(Tensor):
                for store in stores(semantics, instance.maker.node, name):
                    if not _is_small(semantics, store.value):
                        return Answer(UNKNOWN, (Evidence(f"the tensor self.{name} would be copied to shared memory as a whole", store.statement.place),))
    for leaf in loader.item_code.leaves:
        if leaf.kind == "tensors":
            return _no(UNKNOWN, "its tensors would be copied to shared memory as a whole")
    kept = _kept_batch(loader)
    if kept is not None:
        return _no(UNKNOWN, "batches are kept beyond their step", kept)
    size = _batch_bytes(loader)
    if size is not None and size > 8_000_000:
        return _no(UNKNOWN, f"a batch takes about {size // 1_000_000} MB of shared memory for each one under way")
    return _YES


def _is_small(semantics: Semantics, expression: ir.Expression | None) -> bool:
    size = _tensor_bytes(semantics, expression)
    return size is not None and size <= 1_000_000


def _tensor_bytes(semantics: Semantics, expression: ir.Expression | None) -> int | None:
    """The size of a new tensor whose shape is written out, None if it is not."""
    if isinstance(expression, ir.Binary):
        return _tensor_bytes(semantics, expression.left) or _tensor_bytes(semantics, expression.right)
    if not isinstance(expression, ir.Call):
        return None
    if expression.receiver is not None and expression.method in ("float", "long", "double", "abs", "sqrt", "sin", "cos", "exp"):
        return _tensor_bytes(semantics, expression.receiver)
    names = semantics.names_of(expression.function_expression)
    shorts = {n.rpartition(".")[2] for n in names if n.startswith("torch.")}
    if not shorts & {"zeros", "ones", "rand", "randn", "empty", "full", "arange", "randint", "randperm", "linspace", "eye"}:
        return None
    sizes = expression.positional
    if shorts & {"full"} and sizes:
        sizes = sizes[:1]
    if shorts & {"randint"}:
        sizes = sizes[-1:]
    if shorts & {"linspace"}:
        sizes = sizes[2:3]
    if sizes and isinstance(sizes[0], ir.Display):
        sizes = sizes[0].items
    dimensions = []
    for size in sizes:
        constants = semantics.evaluate(size).constants
        if not constants or not all(isinstance(c, (int, float)) for c in constants):
            return None
        dimensions.append(max(int(c) for c in constants))
    return 8 * math.prod(dimensions) if dimensions else None


def _batch_bytes(loader: Loader) -> int | None:
    sizes = loader.batch_size.values.constants
    if not sizes or not all(isinstance(s, int) for s in sizes):
        return None
    total = 0
    for function in loader.item_code.functions:
        for call in _calls(function):
            size = _tensor_bytes(loader.semantics, call)
            if size is not None:
                total = max(total, size // 2)
    return total * max(sizes) if total else None


def _kept_batch(loader: Loader) -> ir.Node | None:
    """A place that stores what the loader gave: `list(loader)`, `seen.append(batch)`."""
    for loop in loader.use.loops:
        for node in loop.body:
            if isinstance(node, ir.Call) and node.method in ("append", "add", "put", "extend"):
                for argument in node.positional:
                    if any(isinstance(v, Batch) and isinstance(v.loader, Instance) and v.loader.call is loader.call for v in loader.semantics.evaluate(argument).values):
                        return node
    return None


# --- how the program starts and runs


def main_guard(loader: Loader) -> Answer:
    if loader.semantics.project.facts.start_method == "fork":
        return Answer(PROVEN, (Evidence("the configuration says that processes are forked"),))
    for node in _starting_points(loader):
        if not runs_only_when_started(loader.semantics, node):
            return _no(UNKNOWN, "workers that are not forked import this file again, and no `if __name__ == \"__main__\"` stops them here", node)
    return _YES


def _starting_points(loader: Loader) -> list[ir.Node]:
    """Where iteration over the loader starts."""
    found: list[ir.Node] = [loop.node for loop in loader.use.loops]
    found += loader.use.handed_over
    found += loader.use.peeks
    return found or [loader.call]


def quiet_import(loader: Loader) -> Answer:
    semantics = loader.semantics
    for module in program(semantics, loader.call.module):
        loud = _loud_statement(semantics, module)
        if loud is not None:
            return _no(UNKNOWN, "workers that are not forked run this again when they import the file", loud)
    return _YES


def _loud_statement(semantics: Semantics, module: ir.Module) -> ir.Node | None:
    """A statement that does more than define things when the module is imported."""
    key = ("loud", module)
    if key not in semantics.cache:
        semantics.cache[key] = None
        semantics.cache[key] = _first_loud(semantics, module.body)
    return semantics.cache[key]  # type: ignore[no-any-return]


def _first_loud(semantics: Semantics, block: ir.Block) -> ir.Node | None:
    for statement in block.statements:
        if isinstance(statement, (ir.Function, ir.Class, ir.Import, ir.ImportFrom)):
            continue
        if isinstance(statement, ir.If):
            if is_main_guard(statement.test):
                continue
            found = _first_loud(semantics, statement.body) or _first_loud(semantics, statement.orelse)
            if found is not None:
                return found
            continue
        if isinstance(statement, (ir.For, ir.While)):
            return statement
        for node in ir.walk(statement, into_functions=False):
            if isinstance(node, ir.Call) and not _is_quiet(semantics, node, 3) and node.function is None:
                return node
    return None


def _is_quiet(semantics: Semantics, call: ir.Call, depth: int) -> bool:
    values = semantics.evaluate(call.function_expression)
    if values.open or not values.values:
        return call.method in program_calls.QUIET_METHODS
    for value in values.values:
        if isinstance(value, External):
            if value.name == "builtins.open":
                mode = call.argument("mode", 1)
                if mode is not None and not semantics.evaluate(mode).are_all("r", "rb", "rt"):
                    return False
                continue
            if not value.name.startswith(program_calls.QUIET_PREFIXES) and value.name not in program_calls.QUIET_CALLS:
                return False
        elif isinstance(value, FunctionValue):
            if depth <= 0 or any(not _is_quiet(semantics, c, depth - 1) for c in _calls(value.node)):
                return False
        elif isinstance(value, ClassValue):
            constructor = lookup(semantics, value, "__init__")
            if depth <= 0 or (constructor is not None and any(not _is_quiet(semantics, c, depth - 1) for c in _calls(constructor))):
                return False
        elif isinstance(value, (Instance,)) or call.method not in program_calls.QUIET_METHODS:
            return False
    return True


def inherited_globals(loader: Loader) -> Answer:
    semantics = loader.semantics
    for function in loader.item_code.functions:
        for node in ir.walk_block(function.body):
            if not isinstance(node, ir.Name):
                continue
            bindings = function.module.inner_scope.bindings.get(node.id)
            if not bindings or node.scope.bindings.get(node.id):
                continue
            late = next((b for b in bindings if b.node.function is not None or _below_guard(b.node)), None)
            if late is not None and late.kind != "import":
                return _no(UNKNOWN, f"{node.id} gets its value only when the program runs", late.node)
    for module in program(semantics, loader.call.module):
        for word in program_calls.PROCESS_WIDE:
            for call in module.calls.get(word, ()):
                if call.function is not None or _below_guard(call):
                    return _no(UNKNOWN, f"{_text(call)} holds for this process only", call)
    return _YES


def _below_guard(node: ir.Node) -> bool:
    return any(isinstance(a, ir.If) and is_main_guard(a.test) for a in node.ancestors())


def plain_process(loader: Loader) -> Answer:
    semantics = loader.semantics
    for module in program(semantics, loader.call.module):
        for word in program_calls.PROCESS_GROUPS:
            for call in module.calls.get(word, ()):
                return _no(UNKNOWN, "a process group is started: its threads do not survive a fork, and every rank starts workers", call)
        for bindings in module.inner_scope.bindings.values():
            for binding in bindings:
                if binding.imported is not None and binding.imported[0].partition(".")[0] in program_calls.NESTING_PACKAGES:
                    return _no(UNKNOWN, f"{binding.imported[0]} may run this in a process that can't have children", binding.node)
    for name, call in loader.item_code.externals.items():
        if name.startswith(program_calls.THREADED_PREFIXES) and ("okenizer" in name or name.startswith("tokenizers.")):
            return _no(UNKNOWN, "the threads of a tokenizer do not survive a fork", call)
    for node in _starting_points(loader):
        function = node.function
        for _ in range(4):
            if function is None:
                break
            handed = _handed_to_pool(semantics, function)
            if handed is not None:
                return _no(REFUTED, "it runs in a process of a pool, which can't have children", handed)
            if any(ir.dotted(d.function_expression if isinstance(d, ir.Call) else d).rpartition(".")[2] in program_calls.HANDLER_DECORATORS for d in function.decorators):
                return _no(UNKNOWN, "it runs in a request or a task", function)
            sites = callers(semantics, function).sites
            function = sites[0].call.function if sites else None
    return _YES


def _handed_to_pool(semantics: Semantics, function: ir.Function) -> ir.Node | None:
    for module in semantics.project.modules_mentioning(function.name) if function.name else ():
        for use in module.names.get(function.name, ()) if module else ():
            parent = use.parent
            if isinstance(parent, ir.Call) and parent.function_expression is not use and parent.method in program_calls.POOL_METHODS:
                if any(isinstance(v, FunctionValue) and v.node is function for v in semantics.evaluate(use).values):
                    return parent
    return None


def same_exceptions(loader: Loader) -> Answer:
    semantics = loader.semantics
    places: list[ir.Node] = [*(loop.node for loop in loader.use.loops), *loader.use.peeks]
    places += [n for loop in loader.use.loops for n in loop.body if isinstance(n, ir.Call) and n.method == "next"]
    for place in places:
        child: Any = place
        for ancestor in place.ancestors():
            if isinstance(ancestor, ir.Function) and ancestor.encloses(child):
                break
            if isinstance(ancestor, ir.Try) and isinstance(child, ir.Statement) and child.block is ancestor.body:
                for handler in ancestor.handlers:
                    types = handler.type.items if isinstance(handler.type, ir.Display) else [handler.type]
                    for caught in types:
                        if caught is not None and semantics.evaluate(caught).of(ClassValue):
                            return _no(UNKNOWN, f"{ir.dotted(caught)} comes back from a worker as another error", handler.type)
            child = ancestor
    return _YES


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
                        return _no(UNKNOWN, "a sampler of this project is asked ahead of the steps", inner)
                continue
            if isinstance(value, Known) and value.value is None:
                continue
            if isinstance(value, (Items, IteratorValue)):
                continue
            return _no(UNKNOWN, "this sampler is asked for samples ahead of the steps", given.node)
        if given.values.open:
            return _no(UNKNOWN, "it is not known which sampler this is", given.node)
    return _YES


# --- values, persistence, pinning


def value_is_ours(loader: Loader) -> Answer:
    given = loader.workers
    if given.is_default:
        return _YES
    kinds = {origin.kind for origin in given.values.origins}
    place = given.node
    if kinds & {OPTION_DEFAULT, ENVIRONMENT, FUNCTION_DEFAULT, CONFIGURED}:
        return _no(UNKNOWN, "users who rely on the default would get workers", place, "option-default")
    return _no(UNKNOWN, "somebody wrote this 0", place, "explicit-zero")


def order_kept(loader: Loader) -> Answer:
    seed = seeding(loader.semantics, loader.call.module)
    if seed is None:
        return Answer(PROVEN, (Evidence("nothing in the program seeds a random stream"),))
    return _no(UNKNOWN, "the run is seeded: workers that stay draw no new seed, so the order changes from the second epoch on", seed)


def frozen_dataset(loader: Loader) -> Answer:
    changed = _changed_by_main(loader)
    if changed is not None:
        return _no(REFUTED, "the dataset is changed after the loader was made: workers that stay would not see it", changed)
    semantics = loader.semantics
    for module in program(semantics, loader.call.module):
        for stores_ in module.attribute_stores.values():
            for store in stores_:
                holder = store.target.value
                if isinstance(holder, ir.Attribute) and holder.name == "dataset" and store.statement.function is not None:
                    return _no(REFUTED, "the dataset is changed through the loader", store.statement)
        for call in module.calls.get("set_epoch", ()):
            receiver = call.receiver
            if receiver is not None and "sampler" not in ir.dotted(receiver).lower() and not ir.dotted(receiver).lower().endswith("loader"):
                return _no(UNKNOWN, "set_epoch may change the dataset of workers that stay", call)
    if loader.item_code.unknown:
        return Answer(UNKNOWN, (loader.item_code.unknown[0],))
    return _YES


def one_iterator(loader: Loader) -> Answer:
    """Two iterations over one loader with workers that stay reset each other."""
    for loop in loader.use.loops:
        for other in [*loader.use.loops, *(StepLoop(node, "", ()) for node in loader.use.other_loops)]:
            if other.node is loop.node:
                continue
            if _runs_inside(loader.semantics, other.node, loop.node, 3):
                return _no(REFUTED, "another loop over the same loader runs inside of this one", other.node)
        if isinstance(loop.node, ir.For) and isinstance(loop.node.iterable, ir.Call) and loop.node.iterable.method == "zip":
            drawn = [v for a in loop.node.iterable.positional for v in loader.semantics.evaluate(a).of(Instance)]
            if sum(v.call is loader.call for v in drawn) > 1:
                return _no(REFUTED, "it is zipped with itself", loop.node)
    return _YES


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


def not_retained(loader: Loader) -> Answer:
    """Loaders kept in a collection keep their workers alive."""
    answer = small_state(loader)
    if answer.state != PROVEN:
        return answer
    if loader.builder_loop is not None:
        return _no(UNKNOWN, "a loader is made in each iteration, and each would keep its workers", loader.call)
    for ancestor in loader.call.ancestors():
        if isinstance(ancestor, (ir.Comprehension,)):
            return _no(UNKNOWN, "several loaders are kept, each with its workers", ancestor)
        if isinstance(ancestor, ir.Call) and ancestor.method in ("append", "extend"):
            return _no(UNKNOWN, "loaders are kept in a list, each with its workers", ancestor)
        if isinstance(ancestor, ir.Statement):
            break
    return _YES


def unchanged_dataset(loader: Loader) -> Answer:
    """For a loader that is made once instead of in each iteration: what it was made from stays as it is."""
    changed = _changed_by_main(loader)
    if changed is not None:
        return _no(REFUTED, "the dataset changes between the iterations", changed)
    return _no(UNKNOWN, "one loader would be iterated over again and again: what its dataset keeps is kept too")


def dense_cpu_batch(loader: Loader) -> Answer:
    odd = _odd_leaves(loader)
    if not odd or _library_samples(loader):
        return _YES
    note = _note(odd)
    return _no(UNKNOWN, f"a batch may hold {note}, which is not pinned" if note else "what a batch holds is not known")


def cuda_or_cpu(loader: Loader) -> Answer:
    kind = loader.device
    if kind in (CUDA, CUDA_OR_CPU) or (kind == "unknown" and loader.targets == {"framework"} and not loader.is_prepared):
        return _YES
    if kind == "other":
        return _no(UNKNOWN, "the device may be one that can't use pinned memory, such as MPS")
    return _no(UNKNOWN, "it is not known on which device the program runs")


def no_cuda_children(loader: Loader) -> Answer:
    semantics = loader.semantics
    asks = None
    for module in program(semantics, loader.call.module):
        for call in module.calls.get("is_available", ()):
            if "torch.cuda.is_available" in semantics.names_of(call.function_expression):
                asks = call
    if asks is not None:
        return Answer(PROVEN, (Evidence("the program asks torch.cuda.is_available() already", asks.place),))
    for module in program(semantics, loader.call.module):
        for word in ("Process", "Pool", "fork", "ProcessPoolExecutor", "spawn", "start_processes"):
            for call in module.calls.get(word, ()):
                return _no(UNKNOWN, "a process that is forked here may use CUDA", call)
    return _YES


def no_alias(loader: Loader) -> Answer:
    if loader.batch_size.given and any(isinstance(v, Known) and v.value is None for v in loader.batch_size.values.values):
        return _no(UNKNOWN, "without collation a batch is the dataset's own memory; pinning makes a copy of it")
    return _YES


LOADER_OBLIGATIONS: dict[str, tuple[str, Callable[[Loader], Answer]]] = {
    "known-dataset": ("unknown-dataset", known_dataset),
    "no-stream": ("random-stream", no_stream),
    "no-own-generator": ("repeated-random", no_own_generator),
    "main-guard": ("missing-main-guard", main_guard),
    "picklable": ("unpicklable", picklable),
    "batch-picklable": ("batch-type", batch_picklable),
    "no-local-handles": ("process-local-state", no_local_handles),
    "stateless-items": ("stateful-dataset", stateless_items),
    "no-cuda-in-items": ("cuda-in-workers", no_cuda_in_items),
    "sharded": ("shuffle-order", sharded),
    "sampler-independent": ("sampler-runs-ahead", sampler_independent),
    "inherited-globals": ("process-wide-setting", inherited_globals),
    "quiet-import": ("import-side-effects", quiet_import),
    "plain-process": ("nested-processes", plain_process),
    "same-exceptions": ("exception-type", same_exceptions),
    "small-state": ("memory", small_state),
    "value-is-ours": ("explicit-zero", value_is_ours),
    "order-kept": ("shuffle-order", order_kept),
    "frozen-dataset": ("stateful-dataset", frozen_dataset),
    "one-iterator": ("shared-iterator", one_iterator),
    "unchanged-dataset": ("stateful-dataset", unchanged_dataset),
    "not-retained": ("memory", not_retained),
    "dense-cpu-batch": ("batch-type", dense_cpu_batch),
    "cuda-or-cpu": ("device-unknown", cuda_or_cpu),
    "no-cuda-children": ("fork-after-cuda", no_cuda_children),
    "no-alias": ("batch-type", no_alias),
}

WORKERS = (
    "known-dataset",
    "no-stream",
    "no-own-generator",
    "main-guard",
    "picklable",
    "batch-picklable",
    "no-local-handles",
    "stateless-items",
    "no-cuda-in-items",
    "sharded",
    "sampler-independent",
    "inherited-globals",
    "quiet-import",
    "plain-process",
    "same-exceptions",
    "small-state",
    "no-alias",
    "value-is-ours",
)
PINNING = ("dense-cpu-batch", "cuda-or-cpu", "no-cuda-children", "no-cuda-in-items", "no-alias")
PERSISTENCE = ("order-kept", "frozen-dataset", "one-iterator", "not-retained")


# --- copies


def prove_copy(copy: Transfer) -> tuple[Obligation, ...]:
    """What must hold for a copy to be made asynchronously."""
    semantics = copy.semantics
    return (
        _obligation("tensor-receiver", "unknown-receiver", _tensor_receiver(semantics, copy)),
        _obligation("cuda-or-cpu", "device-unknown", _copy_target(copy)),
        _obligation("source-kept", "source-reused", source_kept(semantics, copy)),
    )


def _tensor_receiver(semantics: Semantics, copy: Transfer) -> Answer:
    if copy.call.method.startswith("create_supervised"):
        return _YES  # the framework copies tensors only
    if copy.is_batch_object:
        return _no(UNKNOWN, "what is copied may be an object whose .to() takes no non_blocking", copy.receiver)
    values = semantics.evaluate(copy.receiver)
    for value in values.values:
        if isinstance(value, Tensor) and value.certain:
            continue
        source = value if isinstance(value, Batch) else getattr(value, "batch", None)
        if not isinstance(source, Batch) or not isinstance(source.loader, Instance):
            return _no(UNKNOWN, "it is not known that this is a tensor", copy.receiver)
        shape = of_loader(semantics, source.loader).at(source.path)
        if shape.kind in ("tensor",):
            continue
        if shape.kind == "unknown" and _torchvision_batch(semantics, source):
            continue
        return _no(UNKNOWN, "it is not known that this is a tensor", copy.receiver)
    if values.open:
        return _no(UNKNOWN, "something else may be copied here too", copy.receiver)
    return _YES


def _torchvision_batch(semantics: Semantics, source: Batch) -> bool:
    call = source.loader.call
    loader = loader_at(semantics, call) if call is not None else None
    return loader is not None and _library_samples(loader) and bool(source.path)


def _copy_target(copy: Transfer) -> Answer:
    if copy.target in (CUDA, CUDA_OR_CPU):
        return _YES
    if copy.target == "other":
        return _no(UNKNOWN, "the device may be MPS, where an asynchronous copy reads freed memory", copy.device_argument)
    return _no(UNKNOWN, "it is not known which device this is", copy.device_argument)


def source_kept(semantics: Semantics, copy: Transfer) -> Answer:
    """The host tensor is not written after the copy in the same step."""
    if copy.call.receiver is None:
        return _YES
    root: Any = copy.receiver
    while isinstance(root, (ir.Attribute, ir.Index)) or (isinstance(root, ir.Call) and root.receiver is not None):
        root = root.value if not isinstance(root, ir.Call) else root.receiver
    if not isinstance(root, ir.Name):
        return _YES
    written = written_after(semantics, root.id, copy.call)
    if written is not None:
        return _no(REFUTED, f"{root.id} is changed in place after the copy", written)
    return _YES


def written_after(semantics: Semantics, name: str, copy: ir.Call) -> ir.Node | None:
    """A place in the same function that changes the tensor behind a name in place while it still means the host tensor."""
    statement = copy.statement
    if isinstance(statement, ir.Assign):
        for target in statement.targets:
            names = target.items if isinstance(target, ir.Display) else [target]
            if any(isinstance(n, ir.Name) and n.id == name for n in names):
                return None  # from here on the name means the copy
    for use in copy.module.names.get(name, ()):
        if use.function is not copy.function or use.statement.order <= statement.order:
            continue
        parent = use.parent
        if isinstance(parent, ir.Index) and parent.value is use and _is_target(parent):
            return parent
        if isinstance(parent, ir.AugmentedAssign) and parent.target is use:
            return parent
        if isinstance(parent, ir.Attribute) and isinstance(parent.parent, ir.Call) and parent.parent.function_expression is parent:
            method = parent.name
            if method.endswith("_") and not method.endswith("__") and method != "requires_grad_":
                return parent.parent
    return None


def _is_target(node: ir.Expression) -> bool:
    statement = node.statement
    if isinstance(statement, ir.Assign):
        return any(n is node for t in statement.targets for n in ir.walk(t))
    return isinstance(statement, ir.AugmentedAssign) and statement.target is node


def _text(node: ir.Node | None) -> str:
    if isinstance(node, ir.Call):
        return (ir.dotted(node.function_expression) or node.method or "a call") + "(...)"
    return "it"
