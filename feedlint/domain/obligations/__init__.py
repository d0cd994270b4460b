"""What must hold for an edit to change nothing that a run computes.

One function per obligation of the catalogue, each from a loader (or a copy) to an answer with its evidence. A fix names
the obligations that it needs; it is safe only if all are proven. An unknown one leaves its risk for the user to accept;
a refuted one forbids the edit.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING

from ...findings import REFUTED, Obligation
from .answers import obligation

if TYPE_CHECKING:
    from ..loaders import Loader
    from ..transfers import Transfer

# Each module is imported when its first question is asked: a file without findings asks none.


def prove(loader: Loader, names: Iterable[str]) -> tuple[Obligation, ...]:
    """The answers for a loader, in the order of the names."""
    return tuple(_answer(loader, name) for name in names)


def _answer(loader: Loader, name: str) -> Obligation:
    key = ("obligation", name, loader.call)
    cache = loader.semantics.cache
    if key not in cache:
        risk, where = LOADER_OBLIGATIONS[name]
        module, _, function = where.partition(".")
        cache[key] = obligation(name, risk, getattr(import_module(f".{module}", __name__), function)(loader))
    return cache[key]  # type: ignore[no-any-return]


def prove_copy(copy: Transfer) -> tuple[Obligation, ...]:
    """What must hold for a copy to be made asynchronously."""
    from . import copies

    return copies.prove_copy(copy)


def refuted(obligations: Iterable[Obligation]) -> tuple[Obligation, ...]:
    return tuple(o for o in obligations if o.state == REFUTED)


LOADER_OBLIGATIONS: dict[str, tuple[str, str]] = {
    "known-dataset": ("unknown-dataset", "order.known_dataset"),
    "no-stream": ("random-stream", "order.no_stream"),
    "no-own-generator": ("repeated-random", "state.no_own_generator"),
    "main-guard": ("missing-main-guard", "starting.main_guard"),
    "picklable": ("unpicklable", "pickling.picklable"),
    "batch-picklable": ("batch-type", "batch_content.batch_picklable"),
    "no-local-handles": ("process-local-state", "state.no_local_handles"),
    "stateless-items": ("stateful-dataset", "state.stateless_items"),
    "no-cuda-in-items": ("cuda-in-workers", "state.no_cuda_in_items"),
    "sharded": ("shuffle-order", "order.sharded"),
    "sampler-independent": ("sampler-runs-ahead", "samplers.sampler_independent"),
    "inherited-globals": ("process-wide-setting", "starting.inherited_globals"),
    "quiet-import": ("import-side-effects", "starting.quiet_import"),
    "plain-process": ("nested-processes", "starting.plain_process"),
    "same-exceptions": ("exception-type", "errors.same_exceptions"),
    "small-state": ("memory", "memory.small_state"),
    "value-is-ours": ("explicit-zero", "order.value_is_ours"),
    "order-kept": ("shuffle-order", "order.order_kept"),
    "frozen-dataset": ("stateful-dataset", "state.frozen_dataset"),
    "one-iterator": ("shared-iterator", "order.one_iterator"),
    "unchanged-dataset": ("stateful-dataset", "state.unchanged_dataset"),
    "not-retained": ("memory", "memory.not_retained"),
    "dense-cpu-batch": ("batch-type", "batch_content.dense_cpu_batch"),
    "cuda-or-cpu": ("device-unknown", "order.cuda_or_cpu"),
    "no-cuda-children": ("fork-after-cuda", "starting.no_cuda_children"),
    "no-alias": ("batch-type", "batch_content.no_alias"),
}
"""By name: the risk that is left where it is not proven, and the module and function here that answer for a loader."""


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

__all__ = ["LOADER_OBLIGATIONS", "PERSISTENCE", "PINNING", "WORKERS", "prove", "prove_copy", "refuted"]
