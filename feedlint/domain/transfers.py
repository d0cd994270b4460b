"""Copies of a batch from the host to a device, in every step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ..config import Settings
from ..ir import nodes as ir
from ..knowledge import hooks
from ..places import Place
from ..records import record
from ..semantics import devices
from ..semantics.classes import lookup
from ..semantics.evaluation import Semantics
from ..semantics.loops import PerStep, per_step
from ..semantics.values import CPU, Batch, ClassValue, Instance, Known, Tensor
from .scope import card_of, is_left_alone


@record(frozen=True, slots=True, eq=False)
class Transfer:
    """One `.to(device)` or `.cuda()` of batch data.

    `target` is the kind of device; `sources` are the parts of batches that are copied (empty where it is not known what
    comes in); `steps` the step loops in which it runs.
    """

    semantics: Semantics
    call: ir.Call
    receiver: ir.Expression
    target: str
    sources: tuple[Batch, ...]
    steps: tuple[PerStep, ...]
    is_batch_object: bool
    place: Place
    statement: Place
    card: str
    module: ir.Module

    @property
    def loaders(self) -> tuple[Instance, ...]:
        """The loaders whose batches are copied, as far as they are known."""
        from_sources = [s.loader for s in self.sources if isinstance(s.loader, Instance)]
        from_loops = [loader for step in self.steps for loader in step.loop.loaders]
        return tuple(dict.fromkeys(from_sources or from_loops))

    @property
    def device_argument(self) -> ir.Expression | None:
        """The expression that names the device, None for `.cuda()`."""
        if self.call.method == "cuda":
            return None
        return self.call.keyword("device") or (self.call.positional[0] if self.call.positional else None)


def transfers(semantics: Semantics, module: ir.Module, settings: Settings) -> Iterator[Transfer]:
    """The copies that a module makes in every step and that wait for their end."""
    calls = [call for name in ("to", "cuda") for call in module.calls.get(name, ())]
    for call in sorted(calls, key=lambda c: (c.line, c.column)):
        found = transfer(semantics, call)
        if found is not None and not waits_not(semantics, call) and not is_left_alone(semantics, call):
            yield found
    yield from _by_framework(semantics, module)


def _by_framework(semantics: Semantics, module: ir.Module) -> Iterator[Transfer]:
    """Engines of a framework that copy each batch, and wait unless they are told not to."""
    for word in ("create_supervised_trainer", "create_supervised_evaluator"):
        for call in module.calls.get(word, ()):
            if not semantics.names_of(call.function_expression) & hooks.COPYING_ENGINES or waits_not(semantics, call):
                continue
            given = call.keyword("device")
            if given is None or call.spreads:
                continue
            target = devices.kind_of(semantics, given)
            if target != CPU and call.keyword("non_blocking") is None:
                place = call.place
                yield Transfer(semantics, call, call.function_expression, target, (), (), False, place, call.statement.place, card_of(()), module)


def transfer(semantics: Semantics, call: ir.Call) -> Transfer | None:
    """The call as a copy of batch data to a device in every step, None if it is none."""
    key = ("transfer", call)
    if key not in semantics.cache:
        semantics.cache[key] = _transfer(semantics, call)
    return semantics.cache[key]  # type: ignore[no-any-return]


def _transfer(semantics: Semantics, call: ir.Call) -> Transfer | None:
    receiver = call.receiver
    if receiver is None or call.method not in ("to", "cuda"):
        return None
    values = semantics.evaluate(receiver)
    host = [v for v in values.values if _is_host_data(v)]
    if not host:
        return None
    target = devices.target_of(semantics, call)
    if target is None or target == CPU:
        return None
    steps = per_step(semantics, call)
    if not steps or _where_there_is_no_cuda(call):
        return None
    if any(step.loop.hook for step in steps) and not any(isinstance(v, Batch) for v in host):
        return None
    if _moves_itself(semantics, host):
        return None
    sources = tuple(b for v in host for b in (_batch_of(v),) if b is not None)
    return Transfer(
        semantics,
        call,
        receiver,
        target,
        sources,
        steps,
        any(isinstance(v, Instance) for v in values.values),
        call.place,
        call.statement.place,
        card_of(steps),
        call.module,
    )


def _where_there_is_no_cuda(call: ir.Call) -> bool:
    """Whether the copy stands in the branch for programs that do not run on CUDA: it copies nothing then."""
    child: Any = call
    for ancestor in call.ancestors():
        if isinstance(ancestor, ir.If) and isinstance(child, ir.Statement) and child.block is ancestor.orelse:
            if _asks_for_cuda(ancestor.test):
                return True
        elif isinstance(ancestor, ir.Conditional) and child is ancestor.orelse and _asks_for_cuda(ancestor.test):
            return True
        elif isinstance(ancestor, ir.Function):
            return False
        child = ancestor
    return False


def _asks_for_cuda(test: ir.Expression) -> bool:
    if isinstance(test, ir.Compare) and test.operators == ["=="]:
        return any(isinstance(side, ir.Constant) and side.value == "cuda" for side in (test.left, *test.others))
    if isinstance(test, ir.Call):
        return test.method == "is_available"
    return "cuda" in ir.dotted(test).lower()


def _moves_itself(semantics: Semantics, host: list[Any]) -> bool:
    """Whether the batch is an object of the project whose `to` takes no `non_blocking`: the copies in it are judged there."""
    from .batches import of_loader

    for value in host:
        if isinstance(value, Batch) and isinstance(value.loader, Instance):
            shape = of_loader(semantics, value.loader).at(value.path)
            if shape.kind == "object" and isinstance(shape.made_by, ClassValue):
                method = lookup(semantics, shape.made_by, "to")
                if method is not None and method.parameter("non_blocking") is None:
                    if not any(p.kind in ("*", "**") for p in method.parameters):
                        return True
    return False


def _is_host_data(value: Any) -> bool:
    if isinstance(value, Batch):
        return True
    return isinstance(value, Tensor) and value.place == CPU and value.source in ("data", "computed", "batch")


def _batch_of(value: Any) -> Batch | None:
    if isinstance(value, Batch):
        return value
    return value.batch if isinstance(value, Tensor) and isinstance(value.batch, Batch) else None


def waits_not(semantics: Semantics, call: ir.Call) -> bool:
    """Whether the call says `non_blocking` already (or may say it through a spread)."""
    given = non_blocking(semantics, call)
    if given is None:
        return bool(call.spreads) and any(
            (m := semantics.as_mapping(semantics.evaluate(s))) is None or m.open or "non_blocking" in m.entries for s in call.spreads
        )
    return not semantics.evaluate(given).are_all(False)


def non_blocking(semantics: Semantics, call: ir.Call) -> ir.Expression | None:
    """The expression that gives `non_blocking`, by keyword or by position."""
    given = call.keyword("non_blocking")
    if given is not None:
        return given
    if call.method == "cuda":
        return call.positional[1] if len(call.positional) > 1 else None
    # to(device, dtype, non_blocking), to(dtype, non_blocking), to(other, non_blocking)
    for position, argument in enumerate(call.positional):
        if position == 0:
            continue
        values = semantics.evaluate(argument)
        if values.values and all(isinstance(v, Known) and isinstance(v.value, bool) for v in values.values):
            return argument
    return None
