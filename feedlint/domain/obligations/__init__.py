"""What must hold for an edit to change nothing that a run computes.

One function per obligation of the catalogue, each from a loader (or a copy) to an answer with its evidence. A fix names
the obligations that it needs; it is safe only if all are proven. An unknown one leaves its risk for the user to accept;
a refuted one forbids the edit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ...findings import REFUTED, Obligation
from ..loaders import Loader
from .answers import Answer, obligation
from .copies import prove_copy
from .order import (
    cuda_or_cpu,
    known_dataset,
    no_stream,
    one_iterator,
    order_kept,
    sampler_independent,
    sharded,
    value_is_ours,
)
from .sending import batch_picklable, dense_cpu_batch, no_alias, not_retained, picklable, small_state
from .starting import inherited_globals, main_guard, no_cuda_children, plain_process, quiet_import, same_exceptions
from .state import (
    frozen_dataset,
    no_cuda_in_items,
    no_local_handles,
    no_own_generator,
    stateless_items,
    unchanged_dataset,
)


def prove(loader: Loader, names: Iterable[str]) -> tuple[Obligation, ...]:
    """The answers for a loader, in the order of the names."""
    return tuple(_answer(loader, name) for name in names)


def _answer(loader: Loader, name: str) -> Obligation:
    key = ("obligation", name, loader.call)
    cache = loader.semantics.cache
    if key not in cache:
        risk, judge = LOADER_OBLIGATIONS[name]
        cache[key] = obligation(name, risk, judge(loader))
    return cache[key]  # type: ignore[no-any-return]


def refuted(obligations: Iterable[Obligation]) -> tuple[Obligation, ...]:
    return tuple(o for o in obligations if o.state == REFUTED)


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

__all__ = ["LOADER_OBLIGATIONS", "PERSISTENCE", "PINNING", "WORKERS", "prove", "prove_copy", "refuted"]
