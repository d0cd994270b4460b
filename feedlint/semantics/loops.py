"""Step loops: where a program fetches a batch and works on it, and what runs once per step.

A loop is a step loop if it iterates over a loader and its own body steps an optimizer or runs a module, or if its own body
steps an optimizer whatever it iterates over. Hooks of frameworks that run once per step count as one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ..ir import nodes as ir
from ..knowledge import hooks, iteration
from ..records import record
from . import tensors
from .callers import callers
from .classes import lineage
from .devices import target_of
from .entry import engines_of, fed_to_engines, framework_of
from .stepping import may_step
from .values import (
    Batch,
    ClassValue,
    External,
    FunctionValue,
    Instance,
    Items,
    Known,
    Scalar,
    Tensor,
    ValueSet,
)
from .values import Iterator as IteratorValue

if TYPE_CHECKING:
    from .evaluation import Semantics

TRAINING, EVALUATION = "training", "evaluation"
_DEPTH = 3  # project calls followed from the body of a loop


@record(frozen=True, slots=True)
class StepLoop:
    """`node` is the loop, or the function of a hook. `loaders` are the objects that it draws batches from."""

    node: ir.Loop | ir.Function
    kind: str  # TRAINING | EVALUATION
    loaders: tuple[Instance, ...]
    hook: str = ""  # the kind of framework that calls it

    @property
    def body(self) -> Iterator[ir.Node]:
        if isinstance(self.node, ir.Comprehension):
            return ir.walk(self.node)
        return ir.walk_block(self.node.body)


def drawn_from(semantics: Semantics, values: Iterable[Any], depth: int = 0) -> tuple[Instance, ...]:
    """The loaders that iterating over these values draws from, through enumerate, tqdm, zip, iter and generators."""
    found: dict[Instance, None] = {}
    for value in values:
        if isinstance(value, ValueSet):
            found.update(dict.fromkeys(drawn_from(semantics, value.values, depth)))
        elif isinstance(value, Instance) and is_loader(semantics, value):
            found[value] = None
        elif isinstance(value, Instance) and depth < 5:
            found.update(dict.fromkeys(_inside(semantics, value, depth)))
        elif isinstance(value, IteratorValue):
            source = value.source
            if source is not None and depth < 8:
                found.update(dict.fromkeys(drawn_from(semantics, source if isinstance(source, tuple) else (source,), depth + 1)))
            for element in value.elements.values:
                found.update(dict.fromkeys(_of_element(element)))
        elif isinstance(value, Batch) and isinstance(value.loader, Instance) and depth and not value.path:
            found[value.loader] = None
    return tuple(found)


def _of_element(element: Any) -> Iterator[Instance]:
    if isinstance(element, Batch) and isinstance(element.loader, Instance):
        if "*" not in element.path:  # else it is one of the parts of a batch, not a batch
            yield element.loader
    elif isinstance(element, Items):
        for item in element.items:
            for value in item.values:
                yield from _of_element(value)
    elif isinstance(element, Tensor) and isinstance(element.batch, Batch):
        yield from _of_element(element.batch)


def _inside(semantics: Semantics, value: Instance, depth: int) -> Iterator[Instance]:
    """The loader behind an object that wraps one: a prefetcher of the project."""
    if isinstance(value.maker, ClassValue):
        for element in semantics.element_of(value).values:
            yield from _of_element(element)


def is_loader(semantics: Semantics, value: Any) -> bool:
    if not isinstance(value, Instance):
        return False
    if isinstance(value.maker, External):
        return value.maker.name in iteration.LOADER_NAMES or iteration.is_stated(value.maker.name, semantics.project.facts.wrappers)
    return bool(set(lineage(semantics, value.maker.node).externals) & iteration.LOADER_NAMES)


# --- what a body does


def _own_body(loop: Any) -> Iterator[ir.Node]:
    """The nodes of a loop's body that run once per iteration of this loop, nested loops included."""
    if isinstance(loop, ir.Comprehension):
        yield from ir.walk(loop)
        return
    yield from ir.walk_block(loop.body, into_functions=False)


def steps_optimizer(semantics: Semantics, node: ir.Call) -> bool:
    """Whether a call is part of an optimisation step: a backward pass or the step of an optimizer or scaler."""
    name = node.method
    if name == "backward":
        return node.receiver is not None
    if name in ("training_step", "train_step") or name != "step" or node.receiver is None:
        return False
    text = ir.dotted(node.receiver).lower()
    last = text.rpartition(".")[2]
    if "sched" in last or "env" in last or "writer" in last or "prof" in last:
        return False
    if "optim" in text or last.startswith("opt") or "scaler" in last:
        return True
    return any(tensors.is_optimizer(semantics, v) for v in semantics.evaluate(node.receiver).values)


def runs_module(semantics: Semantics, node: ir.Call) -> bool:
    for value in semantics.evaluate(node.function_expression).values:
        if isinstance(value, Instance) and tensors.is_module(semantics, value):
            return True
    return any(isinstance(v, Tensor) and v.source in ("model", "loss") for v in semantics.evaluate(node).values)


def _work(semantics: Semantics, nodes: Iterable[ir.Node], loop: Any, depth: int) -> str:
    """TRAINING, EVALUATION or "" for what these nodes do, leaving out loops inside that are step loops themselves."""
    result = ""
    for node in nodes:
        if not isinstance(node, ir.Call):
            continue
        if _in_inner_step_loop(semantics, node, loop):
            continue
        if steps_optimizer(semantics, node):
            return TRAINING
        if depth > 0:
            for function in semantics.functions_of(node):
                inner = function_work(semantics, function, depth - 1)
                if inner == TRAINING:
                    return TRAINING
                result = result or inner
        if not result and (runs_module(semantics, node) or _moves_batch(semantics, node)):
            result = EVALUATION
    return result


def _moves_batch(semantics: Semantics, node: ir.Call) -> bool:
    """Whether a call copies a batch to a device: somebody is going to work on it there."""
    if node.method not in ("to", "cuda") or node.receiver is None:
        return False
    if not any(isinstance(v, Batch) for v in semantics.evaluate(node.receiver).values):
        return False
    return target_of(semantics, node) not in (None, "cpu")


def function_work(semantics: Semantics, function: ir.Function, depth: int = _DEPTH) -> str:
    """What one call of a function does outside of step loops of its own."""
    key = ("work", function, depth)
    if key not in semantics.cache:
        semantics.cache[key] = ""
        semantics.cache[key] = _work(semantics, ir.walk_block(function.body, into_functions=False), function, depth)
    return semantics.cache[key]  # type: ignore[no-any-return]


def _in_inner_step_loop(semantics: Semantics, node: ir.Node, outer: Any) -> bool:
    child: Any = node
    for ancestor in node.ancestors():
        if ancestor is outer:
            return False
        if isinstance(ancestor, (ir.For, ir.While)) and _is_in_body(child, ancestor):
            if step_loop(semantics, ancestor) is not None:
                return True
        elif isinstance(ancestor, ir.Comprehension) and step_loop(semantics, ancestor) is not None:
            return True
        child = ancestor
    return False


def _is_in_body(child: Any, loop: Any) -> bool:
    return isinstance(child, ir.Statement) and child.block is loop.body


def step_loop(semantics: Semantics, loop: ir.Loop) -> StepLoop | None:
    """The loop as a step loop, None if it is none."""
    key = ("step loop", loop)
    if key not in semantics.cache:
        semantics.cache[key] = None
        semantics.cache[key] = _step_loop(semantics, loop)
    return semantics.cache[key]  # type: ignore[no-any-return]


def _step_loop(semantics: Semantics, loop: Any) -> StepLoop | None:
    loaders: tuple[Instance, ...] = ()
    if isinstance(loop, ir.For):
        loaders = drawn_from(semantics, (semantics.evaluate(loop.iterable),))
    elif isinstance(loop, ir.Comprehension):
        loaders = drawn_from(semantics, (semantics.evaluate(g.iterable) for g in loop.generators))
        if not loaders:
            return None
    if not loaders and not isinstance(loop, ir.Comprehension):
        loaders = _fetched_in(semantics, loop)
        if not loaders and not any(may_step(semantics, n) for n in _own_body(loop) if isinstance(n, ir.Call)):
            return None
    if isinstance(loop, ir.For) and _ends_at_once(loop):
        return None
    work = _work(semantics, _own_body(loop), loop, _DEPTH)
    if loaders and not work and isinstance(loop, ir.For) and _computes_on_batches(semantics, loop):
        work = EVALUATION
    if work == TRAINING or (work and loaders):
        return StepLoop(loop, work, loaders)
    return None


def _ends_at_once(loop: ir.For) -> bool:
    """Whether the first round is the last: the body runs to a `break` or `return` at its end."""
    last = loop.body.statements[-1] if loop.body.statements else None
    if any(isinstance(n, ir.Jump) and n.kind == "continue" for n in ir.walk_block(loop.body, into_functions=False)):
        return False
    return isinstance(last, ir.Return) or (isinstance(last, ir.Jump) and last.kind == "break")


def _computes_on_batches(semantics: Semantics, loop: ir.For) -> bool:
    """Whether the body works on what the loader gives: reduces or compares it, not only counts or prints."""
    for node in ir.walk_block(loop.body, into_functions=False):
        if isinstance(node, ir.Call) and node.receiver is not None and node.method in ("sum", "mean", "any", "all", "max", "min", "std", "norm"):
            if any(isinstance(v, (Batch, Tensor)) for v in semantics.evaluate(node.receiver).values):
                return True
    return False


def _fetched_in(semantics: Semantics, loop: Any) -> tuple[Instance, ...]:
    """Loaders of which the body takes the next batch itself."""
    found: dict[Instance, None] = {}
    for node in ir.walk_block(loop.body, into_functions=False):
        if isinstance(node, ir.Call) and node.method in ("next", "__next__"):
            if _in_inner_loop(node, loop):
                continue
            given = node.positional[0] if node.positional else node.receiver
            if given is not None:
                found.update(dict.fromkeys(drawn_from(semantics, (semantics.evaluate(given),))))
    return tuple(found)


def _in_inner_loop(node: ir.Node, outer: Any) -> bool:
    for ancestor in node.ancestors():
        if ancestor is outer:
            return False
        if isinstance(ancestor, (ir.For, ir.While)):
            return True
    return False


def hook(semantics: Semantics, function: ir.Function) -> StepLoop | None:
    """A function that a framework calls once per step."""
    owner = function.owner_class
    if owner is None:
        if engines_of(semantics, function):
            loaders = drawn_from(semantics, (fed_to_engines(semantics, function),))
            return StepLoop(function, function_work(semantics, function) or EVALUATION, loaders, "engine")
        return None
    kind = framework_of(semantics, owner)
    if (kind, function.name) in hooks.BATCH_PARAMETERS:
        return StepLoop(function, TRAINING if function.name in hooks.TRAINING_HOOKS else EVALUATION, (), kind)
    return None


# --- once per step?


@record(frozen=True, slots=True)
class PerStep:
    """That a node runs once per step: in which loop, and through which calls from it."""

    loop: StepLoop
    through: tuple[ir.Call, ...] = ()


def per_step(semantics: Semantics, node: ir.Node, depth: int = _DEPTH) -> tuple[PerStep, ...]:
    """The step loops in whose every step (not throttled, not in an error path) a node runs."""
    key = ("per step", node, depth)
    if key not in semantics.cache:
        semantics.cache[key] = ()
        semantics.cache[key] = _per_step(semantics, node, depth)
    return semantics.cache[key]  # type: ignore[no-any-return]


def _per_step(semantics: Semantics, node: ir.Node, depth: int) -> tuple[PerStep, ...]:
    child: Any = node
    for ancestor in node.ancestors():
        if isinstance(ancestor, ir.If):
            if isinstance(child, ir.Statement) and (is_throttle(semantics, ancestor.test) or _runs_once(ancestor, child)):
                return ()
        elif isinstance(ancestor, ir.Conditional):
            if child is not ancestor.test and is_throttle(semantics, ancestor.test):
                return ()
        elif isinstance(ancestor, ir.Boolean) and ancestor.operator == "and":
            before = ancestor.values[: ancestor.values.index(child)] if child in ancestor.values else []
            if any(is_throttle(semantics, part) for part in before):
                return ()
        elif isinstance(ancestor, ir.Try):
            if any(isinstance(child, ir.Statement) and child.block is h.block for h in ancestor.handlers):
                return ()
        elif isinstance(ancestor, (ir.For, ir.While)):
            if _is_in_body(child, ancestor) or (isinstance(ancestor, ir.While) and child is ancestor.test):
                found = step_loop(semantics, ancestor)
                if found is not None:
                    if _skipped_before(semantics, child, ancestor.body):
                        return ()
                    return (PerStep(found),)
        elif isinstance(ancestor, ir.Comprehension):
            found = step_loop(semantics, ancestor)
            if found is not None and child is not ancestor.generators[0].iterable:
                return (PerStep(found),)
        elif isinstance(ancestor, ir.Function):
            if not ancestor.encloses(child):
                child = ancestor
                continue
            if isinstance(child, ir.Statement) and _skipped_before(semantics, child, ancestor.body):
                return ()
            called = hook(semantics, ancestor)
            if called is not None:
                return (PerStep(called),)
            return _through_callers(semantics, ancestor, depth)
        elif isinstance(ancestor, ir.Class):
            return ()
        child = ancestor
    return ()


def _through_callers(semantics: Semantics, function: ir.Function, depth: int) -> tuple[PerStep, ...]:
    if depth <= 0:
        return ()
    found: dict[StepLoop, PerStep] = {}
    for call in calls_of(semantics, function):
        for each in per_step(semantics, call, depth - 1):
            found.setdefault(each.loop, PerStep(each.loop, (*each.through, call)))
    return tuple(found.values())


def calls_of(semantics: Semantics, function: ir.Function) -> list[ir.Call]:
    """The visible calls that run a function; for the forward of a module, the calls of its instances."""
    owner = function.owner_class
    if owner is not None and function.name in ("forward", "__call__"):
        return _instance_calls(semantics, owner)
    return [site.call for site in callers(semantics, function).sites if site.call.module is not None]


def _instance_calls(semantics: Semantics, owner: ir.Class) -> list[ir.Call]:
    """Calls whose callee is an instance of the class."""
    key = ("instance calls", semantics)
    if key not in semantics.cache:
        index: dict[ir.Class, list[ir.Call]] = {}
        semantics.cache[key] = index
        for module in semantics.project.modules_mentioning("torch"):
            for name, calls in module.calls.items():
                for call in calls:
                    callee = call.function_expression
                    if not isinstance(callee, (ir.Name, ir.Attribute)) or name[:1].isupper():
                        continue
                    for value in semantics.evaluate(callee).values:
                        if isinstance(value, Instance) and isinstance(value.maker, ClassValue):
                            for node in lineage(semantics, value.maker.node).classes:
                                index.setdefault(node, []).append(call)
                        elif isinstance(value, FunctionValue) and value.node.name == "forward" and value.node.owner_class:
                            index.setdefault(value.node.owner_class, []).append(call)
    return semantics.cache[key].get(owner, [])  # type: ignore[no-any-return]


def in_forward(semantics: Semantics, node: ir.Node) -> bool:
    """Whether a node stands in the forward of a module of the project, or in a method that its forward calls."""
    function = node.function
    while function is not None and not function.name:
        function = function.function
    if function is None or function.owner_class is None or function.name == "__init__":
        return False
    if framework_of(semantics, function.owner_class) not in ("module", "module-trainer"):
        return False
    if function.name == "forward":
        return True
    callers_ = [site.call.function for site in callers(semantics, function).sites]
    return any(c is not None and c.name == "forward" and c.owner_class is function.owner_class for c in callers_)


# --- throttles


def _runs_once(branch: ir.If, child: ir.Statement) -> bool:
    """`if key not in cache: cache[key] = ...`, or `if shown < 3: shown += 1`: the branch itself ends what lets it run."""
    test = branch.test
    if not isinstance(test, ir.Compare) or len(test.others) != 1 or child.block is not branch.body:
        return False
    operator, other = test.operators[0], test.others[0]
    for node in ir.walk_block(branch.body, into_functions=False):
        if operator == "not in" and isinstance(node, ir.Assign):
            kept = ir.dotted(other)
            if kept and any(isinstance(t, ir.Index) and ir.dotted(t.value) == kept for t in node.targets):
                return True
        if operator in ("<", "<=") and isinstance(node, ir.AugmentedAssign) and node.operator == "+":
            counted = ir.dotted(test.left)
            if counted and ir.dotted(node.target) == counted and _is_raised_only_in(branch, test.left):
                return True
    return False


def _is_raised_only_in(branch: ir.If, counter: ir.Expression) -> bool:
    uses = branch.module.names.get(counter.id, ()) if isinstance(counter, ir.Name) else branch.module.attributes.get(getattr(counter, "name", ""), ())
    raised = [use for use in uses if isinstance(use.parent, ir.AugmentedAssign) and use.parent.target is use]
    return all(any(a is branch for a in use.ancestors()) for use in raised)


def _skipped_before(semantics: Semantics, child: Any, block: ir.Block) -> bool:
    """Whether `if step % n: return` (or continue) stands in the same block before the statement."""
    for statement in block.statements:
        if statement is child:
            return False
        if isinstance(statement, ir.If) and not statement.orelse.statements and statement.body.statements:
            last = statement.body.statements[-1]
            leaves = isinstance(last, ir.Return) or (isinstance(last, ir.Jump) and last.kind in ("continue", "break"))
            if leaves and is_throttle(semantics, statement.test):
                return True
    return False


_TIME = frozenset({"time.time", "time.perf_counter", "time.monotonic", "time.process_time"})


def is_throttle(semantics: Semantics, test: ir.Expression) -> bool:
    """Whether a condition lets only some steps through: a modulo, a time since, a step in a set, a debug flag."""
    key = ("throttle", test)
    if key not in semantics.cache:
        semantics.cache[key] = _is_throttle(semantics, test, 0)
    return semantics.cache[key]  # type: ignore[no-any-return]


def _is_throttle(semantics: Semantics, test: ir.Expression, depth: int) -> bool:
    if isinstance(test, ir.Boolean) and test.operator == "or":
        return all(_is_throttle(semantics, part, depth) for part in test.values)
    for node in ir.walk(test):
        if isinstance(node, ir.Binary) and node.operator == "%" and not _is_text(semantics, node.left):
            return True
        if isinstance(node, ir.Call):
            if semantics.names_of(node.function_expression) & _TIME:
                return True
            if node.method in ("divmod", "every", "should_log", "is_log_step", "should_save", "every_n_steps"):
                return True
            if depth < 2:
                for function in semantics.functions_of(node):
                    if any(r.value is not None and _is_throttle(semantics, r.value, depth + 1) for r in semantics.returns(function)):
                        return True
        if isinstance(node, ir.Attribute) and node.name in ("sync_gradients", "is_last_batch"):
            return True
        if isinstance(node, ir.Compare):
            if _compares_step(semantics, node):
                return True
        if isinstance(node, ir.Name) and depth < 2 and isinstance(node.parent, (ir.If, ir.Boolean, ir.Unary)):
            for binding in (node.scope.bindings.get(node.id) or [])[:3]:
                if binding.kind == "assign" and binding.value is not None and isinstance(binding.value, (ir.Compare, ir.Boolean, ir.Binary, ir.Unary)):
                    if _is_throttle(semantics, binding.value, depth + 1):
                        return True
    return is_switched_off(semantics, test)


def _compares_step(semantics: Semantics, node: ir.Compare) -> bool:
    """`step == 0`, `step in milestones`, `i < 3`, `step == len(loader) - 1`: a counter against something fixed."""
    counter = _is_counter(semantics, node.left)
    if node.operators[0] in ("==", "in", "<", "<=") and counter:
        return True
    if node.operators[0] in (">", ">=") and any(_is_counter(semantics, o) for o in node.others) and not counter:
        return True
    return False


def _is_counter(semantics: Semantics, node: ir.Expression) -> bool:
    """A name that counts the steps of a loop."""
    name = node
    while isinstance(name, ir.Binary):
        name = name.left
    if not isinstance(name, ir.Name):
        return isinstance(name, ir.Attribute) and name.name in ("global_step", "current_step", "iteration", "step", "n_iter")
    bindings = name.scope.bindings.get(name.id)
    if not bindings:
        return False
    for binding in bindings:
        if binding.kind == "element" and binding.value is not None:
            if _counts(binding) or (binding.path[:1] == (0,) and _is_number(semantics, name)):
                return True
    return any(b.kind == "augmented" for b in bindings) and name.id.lower().rstrip("s").endswith(("step", "iter", "it", "i", "count", "batch_idx", "n"))


def _is_number(semantics: Semantics, name: ir.Name) -> bool:
    values = semantics.evaluate(name)
    return bool(values.values) and all(isinstance(v, Scalar) and v.kind == "int" for v in values.values)


def _counts(binding: ir.Binding) -> bool:
    """The first of what enumerate gives, or an element of a range."""
    iterable = binding.value
    if isinstance(iterable, ir.Call):
        if iterable.method == "range":
            return not binding.path
        if iterable.method in ("enumerate", "tqdm", "track"):
            inner = iterable.positional[0] if iterable.positional else None
            if iterable.method == "enumerate":
                return binding.path[:1] == (0,)
            if isinstance(inner, ir.Call) and inner.method == "enumerate":
                return binding.path[:1] == (0,)
            if isinstance(inner, ir.Call) and inner.method == "range":
                return not binding.path
    return False


def _is_text(semantics: Semantics, node: ir.Expression) -> bool:
    if isinstance(node, ir.Template) or (isinstance(node, ir.Constant) and isinstance(node.value, str)):
        return True
    return any((isinstance(v, Known) and isinstance(v.value, str)) or (isinstance(v, Scalar) and v.kind == "str") for v in semantics.evaluate(node).values)


def is_switched_off(semantics: Semantics, test: ir.Expression) -> bool:
    """Whether a run without further options does not take this branch: a flag that is off by default, `if False`."""
    text = ir.dotted(test).lower()
    if any(word in text for word in ("cuda", "gpu", "device", "distributed", "fp16", "amp", "half")):
        return False  # where it runs, not whether
    constants = semantics.evaluate(test).constants
    if constants is not None and not any(constants):
        return True
    return text.rpartition(".")[2] in ("debug", "verbose_debug", "profile", "dry_run")
