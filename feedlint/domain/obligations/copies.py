"""Whether a copy to the device may be made asynchronously."""

from __future__ import annotations

from ...findings import REFUTED, UNKNOWN, Obligation
from ...semantics.evaluation import Semantics
from ...semantics.values import (
    CUDA,
    CUDA_OR_CPU,
    Batch,
    Instance,
    Tensor,
)
from ..batches import of_loader
from ..loaders import loader_at
from ..transfers import Transfer
from .answers import YES, Answer, no, obligation
from .batch_content import library_samples
from .sources import written_after


def prove_copy(copy: Transfer) -> tuple[Obligation, ...]:
    """What must hold for a copy to be made asynchronously."""
    semantics = copy.semantics
    return (
        obligation("tensor-receiver", "unknown-receiver", _tensor_receiver(semantics, copy)),
        obligation("cuda-or-cpu", "device-unknown", _copy_target(copy)),
        obligation("source-kept", "source-reused", source_kept(semantics, copy)),
    )


def _tensor_receiver(semantics: Semantics, copy: Transfer) -> Answer:
    if copy.call.method.startswith("create_supervised"):
        return YES  # the framework copies tensors only
    if copy.is_batch_object:
        return no(UNKNOWN, "what is copied may be an object whose .to() takes no non_blocking", copy.receiver)
    values = semantics.evaluate(copy.receiver)
    for value in values.values:
        if isinstance(value, Tensor) and value.certain:
            continue
        source = value if isinstance(value, Batch) else getattr(value, "batch", None)
        if not isinstance(source, Batch) or not isinstance(source.loader, Instance):
            return no(UNKNOWN, "it is not known that this is a tensor", copy.receiver)
        shape = of_loader(semantics, source.loader).at(source.path)
        if shape.kind in ("tensor",):
            continue
        if shape.kind == "unknown" and _torchvision_batch(semantics, source):
            continue
        return no(UNKNOWN, "it is not known that this is a tensor", copy.receiver)
    if values.open:
        return no(UNKNOWN, "something else may be copied here too", copy.receiver)
    return YES


def _torchvision_batch(semantics: Semantics, source: Batch) -> bool:
    call = source.loader.call
    loader = loader_at(semantics, call) if call is not None else None
    return loader is not None and library_samples(loader) and bool(source.path)


def _copy_target(copy: Transfer) -> Answer:
    if copy.target in (CUDA, CUDA_OR_CPU):
        return YES
    if copy.target == "other":
        return no(UNKNOWN, "the device may be MPS, where an asynchronous copy reads freed memory", copy.device_argument)
    return no(UNKNOWN, "it is not known which device this is", copy.device_argument)


def source_kept(semantics: Semantics, copy: Transfer) -> Answer:
    """The host tensor is not written after the copy in the same step."""
    if copy.call.receiver is None or copy.receiver is None:
        return YES
    written = written_after(semantics, copy.receiver, copy.call)
    if written is not None:
        return no(REFUTED, "what is copied is changed in place after the copy was started", written)
    return YES
