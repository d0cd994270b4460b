"""How the program starts, and what a worker that is not forked does again or does not have."""

from __future__ import annotations

from ...findings import PROVEN, REFUTED, UNKNOWN, Evidence
from ...ir import nodes as ir
from ...knowledge import item_calls, program_calls
from ...semantics.callers import callers
from ...semantics.classes import lineage, lookup
from ...semantics.evaluation import Semantics
from ...semantics.values import (
    ClassValue,
    External,
    FunctionValue,
    Instance,
)
from ..loaders import Loader
from ..program import is_main_guard, program, programs_of, runs_only_when_started
from .answers import YES, Answer, no, text
from .arithmetic import same_arithmetic
from .main_process import below_guard, changed_class, changed_global, changed_module
from .state import calls


def main_guard(loader: Loader) -> Answer:
    if loader.semantics.project.facts.start_method == "fork":
        return Answer(PROVEN, (Evidence("the configuration says that processes are forked"),))
    for node in _starting_points(loader):
        if not runs_only_when_started(loader.semantics, node):
            return no(UNKNOWN, "workers that are not forked import this file again, and no `if __name__ == \"__main__\"` stops them here", node)
    return YES


def _starting_points(loader: Loader) -> list[ir.Node]:
    """Where iteration over the loader starts."""
    found: list[ir.Node] = [loop.node for loop in loader.use.loops]
    found += loader.use.handed_over
    found += loader.use.peeks
    return found or [loader.call]


def quiet_import(loader: Loader) -> Answer:
    semantics = loader.semantics
    for module in programs_of(semantics, _starting_points(loader), loader.call.module):
        loud = _loud_statement(semantics, module)
        if loud is not None:
            return no(UNKNOWN, "workers that are not forked run this again when they import the file", loud)
    return YES


def _loud_statement(semantics: Semantics, module: ir.Module) -> ir.Node | None:
    """A statement that does more than define things when the module is imported."""
    key = ("loud", module)
    if key not in semantics.cache:
        semantics.cache[key] = None
        semantics.cache[key] = _first_loud(semantics, module.body)
    return semantics.cache[key]  # type: ignore[no-any-return]


def _first_loud(semantics: Semantics, block: ir.Block) -> ir.Node | None:
    for statement in block.statements:
        if isinstance(statement, (ir.Import, ir.ImportFrom)):
            continue
        if isinstance(statement, ir.Function):
            found = _loud_definition(semantics, statement)
            if found is not None:
                return found
            continue
        if isinstance(statement, ir.Class):
            found = _first_loud(semantics, statement.body)
            if found is not None:
                return found
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


def _loud_definition(semantics: Semantics, function: ir.Function) -> ir.Node | None:
    """A decorator or a default of a parameter that does more than define."""
    for decorator in function.decorators:
        names = semantics.names_of(decorator.function_expression if isinstance(decorator, ir.Call) else decorator)
        if any(name.startswith(program_calls.REGISTERING) for name in names):
            return decorator
    for parameter in function.parameters:
        for node in ir.walk(parameter.default) if parameter.default is not None else ():
            if isinstance(node, ir.Call) and not _is_quiet(semantics, node, 3):
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
            if depth <= 0 or any(not _is_quiet(semantics, c, depth - 1) for c in calls(value.node)):
                return False
        elif isinstance(value, ClassValue):
            constructor = lookup(semantics, value, "__init__")
            if depth <= 0 or (constructor is not None and any(not _is_quiet(semantics, c, depth - 1) for c in calls(constructor))):
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
            late = next((b for b in bindings if b.node.function is not None or below_guard(b.node)), None)
            if late is not None and (late.kind != "import" or all(below_guard(b.node) or b.node.function is not None for b in bindings)):
                return no(UNKNOWN, f"{node.id} gets its value only when the program runs", late.node)
    changed = changed_global(loader) or changed_module(loader) or changed_class(loader)
    if changed is not None:
        return no(UNKNOWN, "the program changes a global or a class that item code reads", changed)
    different = _different_in_workers(loader)
    if different is not None:
        return no(UNKNOWN, f"{text(different)} gives another value when a worker imports the file", different)
    for module in program(semantics, loader.call.module):
        for word in program_calls.PROCESS_WIDE:
            for call in module.calls.get(word, ()):
                if call.function is not None or below_guard(call):
                    return no(UNKNOWN, f"{text(call)} holds for this process only", call)
        for word in ("simplefilter", "filterwarnings"):
            for call in module.calls.get(word, ()):
                if call.positional and semantics.evaluate(call.positional[0]).are_all("error"):
                    return no(UNKNOWN, "warnings are errors here, and a loader with workers may warn", call)
        setting = _setting_outside(semantics, module)
        if setting is not None:
            return no(UNKNOWN, f"{ir.dotted(setting.target)} is set for this process only", setting.statement)
    return same_arithmetic(loader)


def _different_in_workers(loader: Loader) -> ir.Call | None:
    """A global that item code reads, made from the clock, the folder or an environment that the program changes itself."""
    semantics = loader.semantics
    modules = program(semantics, loader.call.module)
    sets_environment = any(
        "os.environ" in semantics.names_of(target.value) and (statement.function is not None or below_guard(statement))
        for module in modules
        for target, statement in module.index_stores
    )
    if sets_environment:
        for name in ("os.environ.get", "os.getenv"):
            if name in loader.item_code.externals:
                return loader.item_code.externals[name]
    for module in modules:
        for bindings in module.inner_scope.bindings.values():
            for binding in bindings:
                if binding.value is None or binding.node.function is not None or below_guard(binding.node):
                    continue
                for node in ir.walk(binding.value, into_functions=False):
                    if not isinstance(node, ir.Call):
                        continue
                    names = semantics.names_of(node.function_expression)
                    if names & item_calls.PROCESS_VALUES or any(item_calls.draws_randomness(name) for name in names):
                        return node
                    if sets_environment and names & {"os.environ.get", "os.getenv"}:
                        return node
    return None


def _setting_outside(semantics: Semantics, module: ir.Module) -> ir.AttributeStore | None:
    """`torch.load = mine`, in code that workers which are not forked do not run."""
    for stores in module.attribute_stores.values():
        for store in stores:
            if store.statement.function is None and not below_guard(store.statement):
                continue
            for name in semantics.names_of(store.target.value):
                if not f"{name}.".startswith(program_calls.SILENT_SETTINGS):
                    return store
    return None


def plain_process(loader: Loader) -> Answer:
    semantics = loader.semantics
    for module in program(semantics, loader.call.module):
        for word in program_calls.PROCESS_GROUPS:
            for call in module.calls.get(word, ()):
                return no(UNKNOWN, "a process group is started: its threads do not survive a fork, and every rank starts workers", call)
        for bindings in module.inner_scope.bindings.values():
            for binding in bindings:
                if binding.imported is not None and binding.imported[0].partition(".")[0] in program_calls.NESTING_PACKAGES:
                    return no(UNKNOWN, f"{binding.imported[0]} may run this in a process that can't have children", binding.node)
    for name, call in loader.item_code.externals.items():
        if name.startswith(program_calls.THREADED_PREFIXES) and ("okenizer" in name or name.startswith("tokenizers.")):
            return no(UNKNOWN, "the threads of a tokenizer do not survive a fork", call)
    for name, call in loader.item_code.externals.items():
        if name.startswith(program_calls.STARTS_PROCESSES):
            return no(UNKNOWN, f"{text(call)} may start a process, which a worker can't", call)
    late = _late_start_method(loader)
    if late is not None:
        return no(UNKNOWN, "the start method can't be set any more after workers were started", late)
    started = _started_elsewhere(loader)
    if started is not None:
        return no(UNKNOWN, "it may run in a process of its own, which can't have children", started)
    for node in _starting_points(loader):
        function = node.function
        for _ in range(4):
            if function is None:
                break
            handed = _handed_to_pool(semantics, function)
            if handed is not None:
                return no(REFUTED, "it runs in a process of a pool, which can't have children", handed)
            if any(ir.dotted(d.function_expression if isinstance(d, ir.Call) else d).rpartition(".")[2] in program_calls.HANDLER_DECORATORS for d in function.decorators):
                return no(UNKNOWN, "it runs in a request or a task", function)
            sites = callers(semantics, function).sites
            function = sites[0].call.function if sites else None
    return YES


def _started_elsewhere(loader: Loader) -> ir.Node | None:
    """A process that is started with a function in which the loader is iterated over, or counted or reaped by the program."""
    semantics = loader.semantics
    chain: set[ir.Function] = set()
    todo = [start.function for start in _starting_points(loader)]
    while todo and len(chain) < 20:
        function = todo.pop()
        if function is not None and function not in chain:
            chain.add(function)
            todo += [site.call.function for site in callers(semantics, function).sites]
            if function.owner_class is not None and any(n.endswith("Process") for n in lineage(semantics, function.owner_class).externals):
                return function
    for module in program(semantics, loader.call.module):
        for word in ("Process", "spawn", "start_processes"):
            for call in module.calls.get(word, ()):
                given = [v for a in call.arguments for v in semantics.evaluate(a.value).of(FunctionValue)]
                if any(v.node in chain for v in given):
                    return call
        for call in module.calls.get("active_children", ()):
            return call
        for call in module.calls.get("signal", ()):
            if call.positional and "signal.SIGCHLD" in semantics.names_of(call.positional[0]):
                return call
    return None


def _late_start_method(loader: Loader) -> ir.Call | None:
    """A `set_start_method` that is not certain to come before the first worker."""
    semantics = loader.semantics
    starts = _starting_points(loader)
    for module in program(semantics, loader.call.module):
        for call in module.calls.get("set_start_method", ()):
            if semantics.evaluate(call.keyword("force")).are_all(True):
                continue
            if call.function is None:
                before = [s for s in call.statement.block.statements if s.order < call.statement.order]
                if not any(semantics.functions_of(n) for s in before for n in ir.walk(s, into_functions=False) if isinstance(n, ir.Call)):
                    continue
            elif all(start.function is call.function and start.line > call.line for start in starts):
                continue
            return call
    return None


def _handed_to_pool(semantics: Semantics, function: ir.Function) -> ir.Node | None:
    for module in semantics.project.modules_mentioning(function.name) if function.name else ():
        for use in module.names.get(function.name, ()):
            parent = use.parent
            if not isinstance(parent, ir.Call) or parent.function_expression is use:
                continue
            if parent.method in program_calls.POOL_METHODS or parent.method == "Process":
                if any(isinstance(v, FunctionValue) and v.node is function for v in semantics.evaluate(use).values):
                    return parent
    return None


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
                return no(UNKNOWN, "a process that is forked here may use CUDA", call)
    return YES
