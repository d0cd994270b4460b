"""The edits that rules offer for loaders and copies, and which fixes they need beside them."""

from __future__ import annotations

from ..findings import fix_key
from ..fixes.operations import EnsureImport, MoveStatement, Operation, RemoveArgument, ReplaceExpression, SetArgument
from ..ir import nodes as ir
from ..knowledge.versions import is_there
from ..records import record
from ..semantics import bindings
from ..semantics.evaluation import Semantics
from ..semantics.values import (
    CONFIGURED,
    CUDA,
    CUDA_OR_CPU,
    FUNCTION_DEFAULT,
    OPTION_DEFAULT,
    Device,
)
from .arguments import Given
from .loaders import Loader, describe, loader_at
from .transfers import Transfer


@record(frozen=True, slots=True)
class Change:
    """Operations with the words that describe them."""

    message: str
    operations: tuple[Operation, ...]


def set_workers(loader: Loader, count: int) -> Change | None:
    """Give the loader workers: at the call, or at the default that decides, None where no edit can reach."""
    return set_parameter(loader, loader.api.workers, loader.workers, str(count))


def set_parameter(loader: Loader, name: str | None, given: Given, code: str) -> Change | None:
    if name is None:
        return None
    if given.is_default:
        if given.call is None or given.call.has_star:
            return None
        return Change(f"{name}={code}", (SetArgument(given.call.place, name, code, _position(loader, name)),))
    defaults = [o for o in given.values.origins if o.kind in (OPTION_DEFAULT, FUNCTION_DEFAULT)]
    if defaults:
        changes: dict[Operation, None] = {}
        for origin in defaults:
            if not isinstance(origin.node, ir.Constant):
                return None
            changes[ReplaceExpression(origin.node.place, code)] = None
        what = defaults[0].note.partition(" defaults")[0] or name
        return Change(f"let {what} default to {code}", tuple(changes))
    if any(o.kind == CONFIGURED for o in given.values.origins):
        return None
    if given.call is not None and given.node is not None and isinstance(given.node, ir.Constant):
        return Change(f"{name}={code}", (SetArgument(given.call.place, name, code, _position(loader, name)),))
    return None


def _position(loader: Loader, name: str) -> int | None:
    return loader.api.positional.index(name) if name in loader.api.positional else None


def set_pinning(loader: Loader) -> Change | None:
    """Pin where there is CUDA, in the words of the program if it has them."""
    code, more = _cuda_condition(loader)
    change = set_parameter(loader, loader.api.pin, loader.pinned, code)
    if change is None:
        return None
    return Change(change.message, change.operations + more)


def _cuda_condition(loader: Loader) -> tuple[str, tuple[Operation, ...]]:
    semantics = loader.semantics
    for copy in loader.transfers:
        argument = copy.device_argument
        if isinstance(argument, ir.Name) and loader.pinned.call is not None and _means_the_same(semantics, argument, loader.pinned.call):
            if all(isinstance(v, Device) for v in semantics.evaluate(argument).values):
                return f'{argument.id}.type == "cuda"', ()
    if loader.device == CUDA and "framework" not in loader.targets:
        return "True", ()
    module = (loader.pinned.call or loader.call).module
    bound = module.inner_scope.bindings.get("torch")
    if bound and all(b.imported is not None and b.imported[0] == "torch" for b in bound):
        return "torch.cuda.is_available()", ()
    return "torch.cuda.is_available()", (EnsureImport(module.path, "torch"),)


def _means_the_same(semantics: Semantics, name: ir.Name, call: ir.Call) -> bool:
    """Whether the name is bound where the loader is made, before it, and to the same thing."""
    if name.module is not call.module:
        return False
    scope = call.scope
    found = scope.bindings.get(name.id)
    if not found:
        if call.function is None or name.id not in call.module.inner_scope.bindings:
            return False
        found = call.module.inner_scope.bindings[name.id]
        return len(found) == 1 and found[0].node.statement.order < call.statement.order and name.scope.bindings.get(name.id) is None
    reached, settled = bindings.reaching(found, call, scope)
    if not settled or len(reached) != 1:
        return False
    own = name.scope.bindings.get(name.id)
    if own is found:
        return True
    # The copy stands in a function that gets the device as a parameter of the same name.
    return own is not None and own[0].kind == "parameter" and all(
        isinstance(v, Device) for v in semantics.evaluate(name).values
    )


def set_persistence(loader: Loader) -> Change | None:
    """Keep the workers: literally where their number is one, else as `<workers> > 0`."""
    given = loader.workers
    name = loader.api.persistent
    if name is None or not is_there(name, loader.semantics.project.facts.torch):
        return None
    code = "True"
    if (isinstance(given.node, ir.Constant) and given.call is not None) or given.is_default:
        code = "True"
    else:
        text = describe(given.node)
        if not text:
            return None
        code = f"{text} > 0"
    return set_parameter(loader, name, loader.persistent, code)


def made_asynchronous(copy: Transfer) -> Change:
    """`non_blocking=True`, or only on CUDA where the device may be another accelerator."""
    semantics = copy.semantics
    code = "True"
    if copy.target not in (CUDA, CUDA_OR_CPU):
        argument = copy.device_argument
        text = ir.dotted(argument) if argument is not None else ""
        if text:
            values = semantics.evaluate(argument).values
            is_device = bool(values) and all(isinstance(v, Device) for v in values)
            code = f'{text}.type == "cuda"' if is_device else f'torch.device({text}).type == "cuda"'
    return Change(f"non_blocking={code}", (SetArgument(copy.call.place, "non_blocking", code, None),))


def drop(loader: Loader, name: str) -> Change:
    return Change(f"without {name}", (RemoveArgument(loader.call.place, name),))


def follow_workers(loader: Loader, name: str, value: str, otherwise: str = "") -> Change | None:
    """Make an argument that needs workers follow their number."""
    given = loader.workers
    if given.is_default or (isinstance(given.node, ir.Constant) and given.call is not None):
        return drop(loader, name)
    text = describe(given.node)
    if not text:
        return None
    code = f"{text} > 0" if not otherwise else f"{value} if {text} > 0 else {otherwise}"
    return Change(f"{name}={code}", (SetArgument(loader.call.place, name, code, _position(loader, name)),))


def pinning_keys(copy: Transfer) -> tuple[str, ...]:
    """The fixes that pin the loaders of a copy: without them an asynchronous copy gains nothing."""
    found = []
    for instance in copy.loaders:
        loader = loader_at(copy.semantics, instance.call) if instance.call is not None else None
        if loader is not None and loader.pinned.values.are_all(False) and not loader.api.pins_itself:
            found.append(fix_key("FDL102", loader.place))
    return tuple(found)


def is_slight(copy: Transfer) -> bool:
    """Whether it is one of an evaluation that loads its batches by itself: then the copies are the least of its waits."""
    loaders = [loader_at(copy.semantics, each.call) for each in copy.loaders if each.call is not None]
    return bool(loaders) and all(loader is not None and loader.has_no_workers and not loader.trains for loader in loaders)


def hoist(loader: Loader) -> Change | None:
    """Make the loader before the loop, where its statement stands directly in the loop."""
    loop = loader.builder_loop
    statement = loader.call.statement
    if loop is None or statement.block is not loop.body or not isinstance(statement, ir.Assign):
        return None
    if statement.value is not loader.call or loop.module is not loader.call.module:
        return None
    return Change("made once, before the loop", (MoveStatement(statement.place, loop.place),))
