"""Loaders as rules see them: what they were given, who iterates over them, and where their batches go."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..config import Settings
from ..findings import Evidence, Unjudged
from ..ir import nodes as ir
from ..knowledge import item_calls, iteration, loader_apis
from ..knowledge.loader_apis import LoaderApi
from ..places import Place
from ..semantics import devices
from ..semantics.callers import callers
from ..semantics.classes import lineage, lookup
from ..semantics.evaluation import Semantics
from ..semantics.loops import TRAINING, StepLoop
from ..semantics.values import (
    CPU,
    CUDA,
    CUDA_OR_CPU,
    OTHER,
    ClassValue,
    External,
    FunctionValue,
    Instance,
    Known,
    Partial,
    ValueSet,
)
from ..semantics.wrappers import loader_calls
from . import arguments, batches, configuration_dicts, consumers, items
from .arguments import Given
from .scope import card_key, is_left_alone
from .transfers import Transfer, transfer


def api_of(semantics: Semantics, loader: Instance) -> LoaderApi | None:
    """The API that makes a loader, through subclasses of the project."""
    if isinstance(loader.maker, External):
        if loader.maker.name in loader_apis.MMENGINE.names:
            return loader_apis.MMENGINE
        return loader_apis.BY_NAME.get(loader.maker.name)
    for name in lineage(semantics, loader.maker.node).externals:
        if name in loader_apis.BY_NAME:
            return loader_apis.BY_NAME[name]
    return None


def argument(semantics: Semantics, loader: Instance, name: str) -> Given:
    """A parameter of a loader by its name in the API, without the API's default."""
    api = api_of(semantics, loader)
    assert api is not None
    assert loader.call is not None
    key = ("argument", loader, name)
    if key not in semantics.cache:
        semantics.cache[key] = Given(ValueSet((), True), None, None, False)
        if api is loader_apis.MMENGINE:
            semantics.cache[key] = configuration_dicts.resolve(semantics, _call_of(loader), name, _default(api, name))
        else:
            semantics.cache[key] = arguments.resolve(
                semantics, loader.maker, _call_of(loader), name, api.positional, _default(api, name)
            )
    return semantics.cache[key]  # type: ignore[no-any-return]


def _call_of(loader: Instance) -> ir.Call:
    assert loader.call is not None
    return loader.call


def _default(api: LoaderApi, name: str) -> ValueSet:
    defaults: dict[str | None, Any] = {
        api.workers: api.workers_default,
        api.pin: api.pin_default,
        api.persistent: api.persistent_default,
        api.batch_size: api.batch_size_default,
    }
    return arguments.constant(defaults.get(name))


@dataclass(frozen=True, eq=False)
class Loader:
    """One place where a loader is made."""

    semantics: Semantics
    call: ir.Call
    instance: Instance
    api: LoaderApi

    # --- where it stands

    @cached_property
    def stands_at(self) -> ir.Call:
        """The call at which it is reported: its own, or `super().__init__` where a subclass of the project decides."""
        workers = self.workers
        if isinstance(self.instance.maker, ClassValue) and workers.is_default and workers.call is not None:
            return workers.call
        return self.call

    @property
    def place(self) -> Place:
        return self.stands_at.place

    @property
    def statement(self) -> Place:
        return self.stands_at.statement.place

    @property
    def card(self) -> str:
        return card_key(self.call)

    @property
    def is_settings(self) -> bool:
        """Whether it is not a loader itself but the settings of a trainer that makes its own."""
        return self.api.kind == "arguments"

    # --- what it was given

    def given(self, name: str | None) -> Given:
        """A parameter by its name in the API; unknown where the API has none."""
        if name is None:
            return Given(ValueSet((), True), None, None, True)
        return argument(self.semantics, self.instance, name)

    @cached_property
    def workers(self) -> Given:
        return self.given(self.api.workers)

    @cached_property
    def pinned(self) -> Given:
        return self.given(self.api.pin)

    @cached_property
    def persistent(self) -> Given:
        return self.given(self.api.persistent)

    @cached_property
    def batch_size(self) -> Given:
        return self.given(self.api.batch_size)

    @cached_property
    def dataset(self) -> Given:
        return self.given(self.api.dataset)

    @cached_property
    def collate(self) -> Given:
        return self.given(self.api.collate)

    @property
    def has_no_workers(self) -> bool:
        """Whether its worker count is 0 on every path."""
        return self.workers.values.are_all(0)

    @property
    def has_workers(self) -> bool:
        """Whether its worker count is above 0 on every path, an option's default counting as its value.

        A number that is worked out, as where ranks share the workers, counts beside one that is known.
        """
        counts = self.workers.values
        if counts.open or not counts.values:
            return False
        known = [v.value for v in counts.values if isinstance(v, Known)]
        if not all(isinstance(value, int) and value > 0 for value in known):
            return False
        worked_out = ("cpu-count", "usable-cpus", *(("int", "number") if known else ()))
        return all(isinstance(v, Known) or getattr(v, "kind", "") in worked_out for v in counts.values)

    @property
    def decides_its_batches(self) -> bool:
        """Whether a batch sampler or a dataset of ready batches decides the batch size."""
        sampler = self.given(self.api.batch_sampler) if self.api.batch_sampler else None
        if sampler is not None and sampler.given and not sampler.values.are_all(None):
            return True
        return self.batch_size.given and any(isinstance(v, Known) and v.value is None for v in self.batch_size.values.values)

    # --- who iterates over it

    @cached_property
    def use(self) -> consumers.Use:
        if self.is_settings or self.api.kind == "data-module":
            return consumers.Use(framework=[TRAINING])
        return consumers.uses(self.semantics).get(self.call, consumers.Use())

    @property
    def feeds_steps(self) -> bool:
        return self.use.feeds_steps

    @property
    def trains(self) -> bool:
        return self.use.trains

    @cached_property
    def iterated_again(self) -> bool:
        return consumers.iterated_again(self.semantics, self.use, self.call)

    @cached_property
    def builder_loop(self) -> ir.For | ir.While | None:
        """The loop that makes it anew in each iteration."""
        return consumers.loop_that_builds(self.semantics, self.call)

    # --- where its batches go

    @cached_property
    def transfers(self) -> tuple[Transfer, ...]:
        """The copies of its batches to a device, in its loops and what they call."""
        found: dict[ir.Call, Transfer] = {}
        for loop in self.use.loops:
            for module in self._modules_of(loop):
                for name in ("to", "cuda"):
                    for call in module.calls.get(name, ()):
                        made = transfer(self.semantics, call)
                        if made is not None and any(loader.call is self.call for loader in made.loaders):
                            found[call] = made
        return tuple(found.values())

    def _modules_of(self, loop: StepLoop) -> list[ir.Module]:
        """The modules in which the body of a loop runs: its own, and those of the functions that it calls."""
        modules = {loop.node.module: None}
        seen: set[ir.Function] = set()
        todo = [n for n in loop.body if isinstance(n, ir.Call)]
        depth = 0
        while todo and depth < 3:
            following = []
            for call in todo:
                for function in self.semantics.functions_of(call):
                    if function not in seen:
                        seen.add(function)
                        modules[function.module] = None
                        following += [n for n in ir.walk_block(function.body) if isinstance(n, ir.Call)]
            todo, depth = following, depth + 1
        return list(modules)

    @cached_property
    def targets(self) -> frozenset[str]:
        """The kinds of device to which the program copies its batches; "framework" where a framework does it."""
        found = {t.target for t in self.transfers}
        if self.api.moves_batches or self.use.framework or self.is_prepared:
            found.add("framework")
        return frozenset(found)

    @cached_property
    def is_prepared(self) -> bool:
        """Whether Accelerate, Fabric or the like wraps it, and so moves its batches."""
        names = ("prepare", "setup_dataloaders", "prepare_data_loader", "setup")
        for module in {self.call.module, *(loop.node.module for loop in self.use.loops)}:
            for name in names:
                for call in module.calls.get(name, ()):
                    receiver = call.receiver
                    makers = self.semantics.evaluate(receiver).of(Instance) if receiver is not None else ()
                    known = any(isinstance(m.maker, External) and m.maker.name in iteration.PREPARERS for m in makers)
                    if not known and not (self.semantics.names_of(call.function_expression) & iteration.SAME):
                        continue
                    for given in call.positional:
                        if any(v.call is self.call for v in self.semantics.evaluate(given).of(Instance)):
                            return True
        return False

    @cached_property
    def prefetcher(self) -> bool:
        """Whether something wraps it that pins and copies asynchronously by itself."""
        for wrapper in loader_apis.PREFETCHERS:
            last = wrapper.rpartition(".")[2]
            for module in self.semantics.project.modules_mentioning(last):
                for call in module.calls.get(last, ()) if module else ():
                    if any(v.call is self.call for a in call.positional for v in self.semantics.evaluate(a).of(Instance)):
                        return True
        return False

    @property
    def device(self) -> str:
        """Where its batches end: one of the device kinds, CPU if nothing moves them."""
        kinds = {t for t in self.targets if t != "framework"}
        if OTHER in kinds:
            return OTHER
        if kinds <= {CUDA} and kinds:
            return CUDA
        if kinds and kinds <= {CUDA, CUDA_OR_CPU, CPU}:
            return CUDA_OR_CPU
        if kinds or "framework" in self.targets:
            return "unknown"
        return CPU

    # --- what is in it

    @cached_property
    def item_code(self) -> items.ItemCode:
        collate = self.collate.values if self.collate.given and not self.collate.values.are_all(None) else None
        return items.item_code(self.semantics, self.dataset.values, collate)

    @cached_property
    def batch(self) -> batches.Shape:
        return batches.of_loader(self.semantics, self.instance)

    @cached_property
    def holds_device_data(self) -> bool:
        return items.accelerator_data(self.semantics, self.dataset.values)

    @cached_property
    def moves_in_items(self) -> ir.Call | None:
        """A call in item code that works on an accelerator."""
        for call in self.item_code.calls:
            if call.method in ("to", "cuda"):
                receiver = self.semantics.evaluate(call.receiver) if call.receiver is not None else ValueSet()
                target = devices.target_of(self.semantics, call)
                if target not in (None, CPU) and not any(isinstance(v, Instance) for v in receiver.values):
                    return call
            device = call.keyword("device")
            if device is not None and devices.kind_of(self.semantics, device) != CPU:
                return call
        return None

    @cached_property
    def better_without_workers(self) -> str:
        """Why workers would not help or could not be, "" if nothing speaks against them."""
        if self.api.workers_impossible:
            return self.api.workers_impossible
        if items.only_indexes_memory(self.semantics, self.dataset.values):
            return "item code only looks samples up in memory: sending them between processes costs more"
        if self.holds_device_data:
            return "the data lie on the device already"
        for value in self.dataset.values.values:
            if isinstance(value, Instance) and isinstance(value.maker, External) and value.maker.name in loader_apis.FEEDS_ITSELF:
                return f"{value.maker.name} brings its own workers"
        if self._restarts_for_each_batch():
            return "a new iteration is started for each batch: its workers would start for each"
        if self._serves_requests():
            return "it is made for one request"
        if self._fetched_once_per_loader():
            return "only one batch is taken from it"
        return ""

    def _restarts_for_each_batch(self) -> bool:
        """Whether `next(iter(loader))` is how the loop gets its batches."""
        return any(
            isinstance(inner, ir.Call) and inner.method in ("iter", "enumerate") and consumers.is_repeated(self.semantics, peek, self.call)
            for peek in self.use.peeks
            for inner in peek.positional[:1]
        )

    def _serves_requests(self) -> bool:
        """Whether a function that nobody calls plainly makes it, evaluates once and throws it away: a request handler."""
        function = self.call.function
        if function is None or self.use.framework or not self.use.loops or self.trains:
            return False
        if any(loop.node.function is not function for loop in self.use.loops):
            return False
        sites = [site.call for site in callers(self.semantics, function).sites]
        plain = [call for call in sites if call.function is None or call.function.name]
        return not plain and bool(function.parameters)

    def _fetched_once_per_loader(self) -> bool:
        return not self.use.loops and not self.use.framework and bool(self.use.peeks)

    @cached_property
    def is_explained(self) -> bool:
        """Whether a comment stands at the call: the author gives a reason for what is there."""
        project = self.semantics.project
        path = self.call.module.path
        statement = self.call.statement
        above = project.line_of(path, statement.line - 1).strip()
        lines = [project.line_of(path, number) for number in range(statement.line, statement.end_line + 1)]
        comments = [above if above.startswith("#") else "", *(line.partition("#")[2] for line in lines)]
        return any(character.isalpha() for comment in comments for character in comment)

    @property
    def uses_accelerator(self) -> bool:
        """Whether its batches end on something else than the CPU."""
        return bool(self.targets - {CPU})

    @cached_property
    def could_be_pinned(self) -> bool:
        """Whether pinning its batches would do anything: they go to an accelerator from dense memory of the host."""
        if self.api.pins_itself or self.prefetcher or not self.uses_accelerator:
            return False
        if self.moves_in_items is not None or self.holds_device_data or self._arrives_on_device:
            return False
        kinds = {leaf.kind for leaf in self.batch.leaves}
        return not kinds or bool(kinds & {"tensor", "mixed", "unknown"})

    @property
    def _arrives_on_device(self) -> bool:
        return any(leaf.kind == "device" for leaf in self.batch.leaves)

    @property
    def starts_slowly(self) -> bool:
        """Whether its workers are spawned: by its own context, or by what the configuration says."""
        context = self.given(self.api.context)
        spawned = context.given and any(isinstance(v, Known) and v.value in ("spawn", "forkserver") for v in context.values.values)
        return spawned or self.semantics.project.facts.start_method in ("spawn", "forkserver")

    @cached_property
    def needs_small_batches(self) -> bool:
        """Whether the program works on volumes, detection or graphs, where a few samples fill the device."""
        if self.api.names and self.api.names[0].startswith(("torch_geometric.", "dgl.")):
            return True
        words = ("Conv3d", "fasterrcnn_resnet50_fpn", "maskrcnn_resnet50_fpn", "ConvTranspose3d", "MaxPool3d")
        from .program import program

        for module in program(self.semantics, self.call.module):
            if any(word in module.calls for word in words):
                return True
        return self._takes_the_first()

    def _takes_the_first(self) -> bool:
        """A collate function that gives the first sample as the batch: the dataset makes the batches."""
        for value in self.collate.values.of(FunctionValue):
            for statement in self.semantics.returns(value.node):
                if isinstance(statement.value, ir.Index) and isinstance(statement.value.index, ir.Constant):
                    return True
        return False

    @cached_property
    def is_the_same_each_time(self) -> bool:
        """Whether nothing that it is made from changes in the loop that makes it."""
        loop = self.builder_loop
        assert loop is not None
        return _is_invariant(self.semantics, self.call, loop, 2)

    def because(self, given: Given, what: str) -> tuple[Evidence, ...]:
        """The chain of places that led to the values of a parameter."""
        if given.is_default:
            return (Evidence(f"{what} is never given, so {_default_text(given)}"),)
        found = []
        text = describe(given.node)
        for origin in given.values.origins:
            if origin.note:
                prefix = f"{what} is {text}: " if text and origin.place is not None and given.node is not None else ""
                found.append(Evidence(prefix + origin.note, origin.place))
        if not found and given.node is not None:
            found.append(Evidence(f"{what} is {text}" if text else f"{what} is given here", given.node.place))
        return tuple(found)


def _default_text(given: Given) -> str:
    constants = given.values.constants
    return repr(constants[0]) if constants else "its default"


def describe(node: ir.Expression | None) -> str:
    """A short text for a name or constant."""
    if isinstance(node, ir.Constant):
        return repr(node.value)
    return ir.dotted(node) if node is not None else ""


def loaders(semantics: Semantics, module: ir.Module, settings: Settings) -> Iterator[Loader]:
    """The loaders that a module makes, outside of tests, and those that its subclasses of a loader decide about."""
    found = [loader_at(semantics, call) for call in _candidates(semantics, module)]
    found += [loader_at(semantics, call) for node in module.classes for call in _made_elsewhere(semantics, node)]
    found += _in_configuration(semantics, module)
    for loader in found:
        if loader is not None and loader.stands_at.module is module and not is_left_alone(semantics, loader.call):
            yield loader


def _made_elsewhere(semantics: Semantics, node: ir.Class) -> list[ir.Call]:
    """The calls of the project that make loaders through a class of this module."""
    if not set(lineage(semantics, node).externals) & loader_apis.BY_NAME.keys() or node.method("__init__") is None:
        return []
    found = []
    for other in semantics.project.modules_mentioning(node.name):
        if other is not node.module:
            found += other.calls.get(node.name, [])
    return found


def _in_configuration(semantics: Semantics, module: ir.Module) -> list[Loader | None]:
    """`train_dataloader = dict(...)` in a configuration file of mmengine."""
    names = module.inner_scope.bindings
    if not ({"_base_", "train_cfg", "optim_wrapper", "model"} & names.keys()) or module.functions:
        return []
    found: list[Loader | None] = []
    for name, bindings in names.items():
        value = bindings[-1].value
        if name.endswith("_dataloader") and isinstance(value, ir.Call) and ir.dotted(value.function_expression) == "dict":
            instance = Instance(External("mmengine.dataloader"), value)
            found.append(Loader(semantics, value, instance, loader_apis.MMENGINE))
    return found


def _candidates(semantics: Semantics, module: ir.Module) -> list[ir.Call]:
    named = {call: None for call in loader_calls(semantics, module)}
    for name, calls in module.calls.items():
        if name in _API_NAMES:
            named.update(dict.fromkeys(calls))
    return sorted(named, key=lambda call: (call.line, call.column))


_API_NAMES = frozenset(name.rpartition(".")[2] for name in loader_apis.BY_NAME)


def loader_at(semantics: Semantics, call: ir.Call) -> Loader | None:
    """The call as a loader, None if it makes none."""
    key = ("loader", call)
    if key not in semantics.cache:
        semantics.cache[key] = None
        for value in semantics.evaluate(call).values:
            # Not what a function returns, but what this very call makes.
            if isinstance(value, Instance) and (value.call is call or _made_by_partial(semantics, call, value)):
                if _is_super_call(call):
                    continue
                api = api_of(semantics, value)
                if api is not None:
                    semantics.cache[key] = Loader(semantics, call, Instance(value.maker, call), api)
    return semantics.cache[key]  # type: ignore[no-any-return]


def _made_by_partial(semantics: Semantics, call: ir.Call, value: Instance) -> bool:
    return any(p.call is value.call for p in semantics.evaluate(call.function_expression).of(Partial))


def _is_super_call(call: ir.Call) -> bool:
    return call.method == "__init__"


def unjudged(semantics: Semantics, module: ir.Module, settings: Settings) -> Iterator[Unjudged]:
    """Loaders whose worker count or use could not be found out."""
    for loader in loaders(semantics, module, settings):
        if not loader.feeds_steps:
            yield Unjudged(loader.place, "no step loop was found that iterates over it", ("FDL101", "FDL102", "FDL103"))
        elif loader.workers.values.open:
            yield Unjudged(loader.place, "its worker count could not be found out", ("FDL101", "FDL103"))


def _is_invariant(semantics: Semantics, call: ir.Call, loop: ir.For | ir.While, depth: int) -> bool:
    for given in call.arguments:
        for node in ir.walk(given.value):
            if isinstance(node, ir.Call) and node is not call:
                if _makes_the_same(semantics, node):
                    continue
                names = semantics.names_of(node.function_expression)
                if not names or not all(n.startswith(("torch.cuda.", "builtins.len", "os.cpu_count", "builtins.int", "builtins.min")) for n in names):
                    return False
            elif (isinstance(node, ir.Name) and not _name_is_invariant(semantics, node, loop, depth)) or (isinstance(node, ir.Attribute) and _attribute_changes(node, loop)):
                return False
    return True


def _makes_the_same(semantics: Semantics, node: ir.Call) -> bool:
    """Whether a call makes an object of a project class whose constructor draws no random numbers."""
    values = semantics.evaluate(node.function_expression)
    classes = values.of(ClassValue)
    if values.open or len(classes) != len(values.values) or not classes:
        return False
    for value in classes:
        constructor = lookup(semantics, value, "__init__")
        for inner in ir.walk_block(constructor.body) if constructor is not None else ():
            if isinstance(inner, ir.Call) and any(item_calls.draws_randomness(n) for n in semantics.names_of(inner.function_expression)):
                return False
    return True


def _name_is_invariant(semantics: Semantics, name: ir.Name, loop: ir.For | ir.While, depth: int) -> bool:
    bindings = name.scope.bindings.get(name.id)
    if not bindings:
        return True
    for binding in bindings:
        if binding.kind == "parameter":
            if depth <= 0 or not isinstance(binding.node, ir.Function) or any(a is binding.node for a in loop.ancestors()):
                continue
            for site in callers(semantics, binding.node).sites:
                for given in site.call.arguments:
                    for node in ir.walk(given.value):
                        if isinstance(node, ir.Name) and not _name_is_invariant(semantics, node, loop, depth - 1):
                            return False
                        if isinstance(node, ir.Call):
                            return False
        elif binding.node is loop or any(a is loop for a in binding.node.ancestors()):
            return False
        elif binding.node.function is not None and loop.function is not binding.node.function and binding.kind == "assign":
            # Bound in the function that makes the loader: made anew in each call from something else.
            if isinstance(binding.value, ir.Call):
                return False
    return True


def _attribute_changes(node: ir.Attribute, loop: ir.For | ir.While) -> bool:
    for store in loop.module.attribute_stores.get(node.name, ()):
        if any(a is loop for a in store.statement.ancestors()):
            return True
    return False
