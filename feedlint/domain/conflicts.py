"""Arguments of a loader that contradict each other, by the checks of torch's own constructor (torch 2.13)."""

from __future__ import annotations

from collections.abc import Iterator

from ..findings import Evidence
from ..records import record
from ..semantics.values import OPTION_DEFAULT, Known
from .loader_fixes import Change, drop, follow_workers
from .loaders import Loader


@record(frozen=True, slots=True)
class Conflict:
    """What contradicts what, and the edit that makes them agree."""

    message: str
    because: tuple[Evidence, ...]
    change: Change | None


def conflicts(loader: Loader) -> Iterator[Conflict]:
    """The conflicts of one loader; none where a value is not known."""
    yield from _without_workers(loader)
    if loader.is_settings:
        return
    yield from _samplers(loader)


def _is_given(loader: Loader, name: str | None) -> bool:
    if name is None:
        return False
    given = loader.given(name)
    return given.given and given.call is loader.call and bool(given.values.values) and not given.values.are_all(None)


def _without_workers(loader: Loader) -> Iterator[Conflict]:
    """What needs workers where there are none, an option's default counting as the value of a run without it."""
    if not loader.workers.values.are_all(0):
        return
    because = loader.because(loader.workers, loader.api.workers or "the worker count")
    persistent = loader.api.persistent
    if persistent is not None and loader.given(persistent).call is loader.call and loader.persistent.values.are_all(True):
        yield Conflict("persistent_workers needs workers: making the loader raises ValueError", because, follow_workers(loader, persistent, "True"))
    prefetch = loader.api.prefetch
    if prefetch is not None and _is_given(loader, prefetch):
        constants = loader.given(prefetch).values.constants
        if constants and all(isinstance(c, int) for c in constants):
            text = str(constants[0])
            yield Conflict("prefetch_factor needs workers: making the loader raises ValueError", because, follow_workers(loader, prefetch, text, "None"))
    context = loader.api.context
    if context is not None and _is_given(loader, context) and not _is_option(loader, context):
        yield Conflict("multiprocessing_context needs workers: making the loader raises ValueError", because, None)


def _is_option(loader: Loader, name: str) -> bool:
    return any(o.kind == OPTION_DEFAULT for o in loader.given(name).values.origins)


def _samplers(loader: Loader) -> Iterator[Conflict]:
    api = loader.api
    if not api.plain_torch:
        return
    if api.sampler and _surely_given(loader, api.sampler) and api.shuffle and loader.given(api.shuffle).values.are_all(True):
        yield Conflict(
            "a sampler decides the order, so shuffle=True raises ValueError",
            (Evidence("both are given", loader.given(api.sampler).node.place if loader.given(api.sampler).node else None),),  # type: ignore[union-attr]
            drop(loader, api.shuffle) if loader.call.keyword(api.shuffle) is not None else None,
        )
    if api.batch_sampler and _surely_given(loader, api.batch_sampler):
        for name, harmless in ((api.batch_size, 1), (api.shuffle, False), (api.drop_last, False)):
            if name is None:
                continue
            given = loader.given(name)
            constants = given.values.constants
            if given.given and constants and all(c != harmless and c is not None for c in constants):
                change = drop(loader, name) if loader.call.keyword(name) is not None else None
                yield Conflict(f"a batch sampler decides the batches, so {name} raises ValueError", (), change)


def _surely_given(loader: Loader, name: str) -> bool:
    given = loader.given(name)
    values = given.values
    return (
        given.given
        and given.call is loader.call
        and not values.open
        and bool(values.values)
        and not any(isinstance(v, Known) and v.value is None for v in values.values)
    )
