"""The structure of a batch: what item code returns, and what collating makes of it."""

from __future__ import annotations

from typing import Any

from ..records import record
from ..semantics.classes import derives_from, lookup
from ..semantics.evaluation import Semantics
from ..semantics.values import (
    Batch,
    ClassValue,
    External,
    FunctionValue,
    Instance,
    Items,
    Iterator,
    Known,
    Mapping,
    Scalar,
    Tensor,
    ValueSet,
)

# Kinds of a shape. "tensor": a dense tensor on the host; "device": a tensor on a device; "array": NumPy; "number";
# "string"; "fields": a tuple, list, dict or named tuple with known parts; "list": a list of the one part; "object";
# "unknown".


@record(frozen=True, slots=True)
class Shape:
    kind: str
    fields: tuple[tuple[int | str, Shape], ...] = ()
    note: str = ""
    made_by: Any = None  # for an object: the project class that it is of

    def at(self, path: tuple[int | str, ...]) -> Shape:
        """The part of a batch that a path leads to."""
        shape = self
        for step in path:
            shape = shape._step(step)
        return shape

    def _step(self, step: int | str) -> Shape:
        if self.kind == "fields":
            for name, part in self.fields:
                if name == step:
                    return part
            if isinstance(step, int) and step < 0 and all(isinstance(n, int) for n, _ in self.fields):
                index = len(self.fields) + step
                return self.fields[index][1] if 0 <= index < len(self.fields) else UNKNOWN
            if step == "*":
                return join([part for _, part in self.fields])
            if isinstance(step, int) and step < len(self.fields):
                return self.fields[step][1]
            return UNKNOWN
        if self.kind == "list":
            return self.fields[0][1] if self.fields else UNKNOWN
        if self.kind in ("tensor", "device"):
            return self
        return UNKNOWN

    @property
    def leaves(self) -> tuple[Shape, ...]:
        if self.kind in ("fields", "list"):
            return tuple(leaf for _, part in self.fields for leaf in part.leaves)
        return (self,)


TENSOR = Shape("tensor")
NUMBER = Shape("number")
STRING = Shape("string")
ARRAY = Shape("array")
UNKNOWN = Shape("unknown")


def join(shapes: list[Shape]) -> Shape:
    """One shape for alternatives: the same, or unknown."""
    kinds = set(shapes)
    if len(kinds) == 1:
        return shapes[0]
    simple = {s.kind for s in shapes}
    if simple <= {"tensor"}:
        return TENSOR
    if simple <= {"number", "tensor", "array"} and simple:
        return Shape("number") if simple == {"number"} else Shape("mixed")
    return UNKNOWN


def of_values(semantics: Semantics, values: ValueSet, depth: int = 0) -> Shape:
    """The shape of what an expression gives."""
    if not values.values or depth > 6:
        return UNKNOWN
    shapes = [s for v in values.values if (s := _of_value(semantics, v, depth)) is not None]
    if not shapes or values.open:
        return UNKNOWN
    return join(shapes)


def _of_value(semantics: Semantics, value: Any, depth: int) -> Shape | None:
    if isinstance(value, Tensor):
        if not value.certain:
            return UNKNOWN
        return TENSOR if value.place == "cpu" else Shape("device")
    if isinstance(value, Batch):
        if isinstance(value.loader, Instance):
            return of_loader(semantics, value.loader).at(value.path)
        return UNKNOWN
    if isinstance(value, Known):
        if value.value is None:
            return Shape("none")
        return STRING if isinstance(value.value, (str, bytes)) else NUMBER
    if isinstance(value, Scalar):
        if value.kind == "ndarray":
            return ARRAY
        if value.kind in ("int", "float", "number", "bool"):
            return NUMBER
        if value.kind in ("str", "path"):
            return STRING
        return UNKNOWN
    if isinstance(value, Items):
        return Shape("fields", tuple((i, of_values(semantics, item, depth + 1)) for i, item in enumerate(value.items)))
    if isinstance(value, Mapping):
        if value.open:
            return UNKNOWN
        return Shape("fields", tuple((k, of_values(semantics, v, depth + 1)) for k, v in value.entries.items()))
    if isinstance(value, Iterator):
        return Shape("list", ((0, of_values(semantics, value.elements, depth + 1)),))
    if isinstance(value, Instance):
        return _of_instance(semantics, value, depth)
    return UNKNOWN


def _of_instance(semantics: Semantics, value: Instance, depth: int) -> Shape:
    if isinstance(value.maker, ClassValue):
        node = value.maker.node
        if derives_from(semantics, node, {"typing.NamedTuple"}):
            from ..semantics.classes import attribute, fields

            names = list(fields(semantics, node))
            by_name = tuple((n, of_values(semantics, attribute(semantics, value, n), depth + 1)) for n in names)
            return Shape("fields", by_name, "named tuple")
        return Shape("object", note=node.name, made_by=value.maker)
    name = value.maker.name
    if name.startswith(("PIL.", "datetime.")):
        return Shape("object", note=name)
    if name in ("torchvision.transforms.functional.to_tensor", "torchvision.transforms.functional.pil_to_tensor"):
        return TENSOR
    return UNKNOWN


def of_loader(semantics: Semantics, loader: Instance) -> Shape:
    """The shape of the batches of a loader."""
    key = ("batch shape", loader)
    if key not in semantics.cache:
        semantics.cache[key] = UNKNOWN
        semantics.cache[key] = _of_loader(semantics, loader)
    return semantics.cache[key]  # type: ignore[no-any-return]


def _of_loader(semantics: Semantics, loader: Instance) -> Shape:
    from . import items
    from .loaders import api_of, argument

    api = api_of(semantics, loader)
    if api is None or loader.call is None:
        return UNKNOWN
    collate = argument(semantics, loader, api.collate) if api.collate else None
    batch_size = argument(semantics, loader, api.batch_size) if api.batch_size else None
    dataset = argument(semantics, loader, api.dataset) if api.dataset else None
    if dataset is None:
        return UNKNOWN
    if collate is not None and collate.given and not collate.values.are_all(None):
        if collate.values.open:
            return UNKNOWN
        shapes = []
        for value in collate.values.values:
            if isinstance(value, FunctionValue):
                shapes.append(of_values(semantics, semantics.results(value.node)))
            elif isinstance(value, External) and value.name.endswith(("default_collate",)):
                shapes.append(collated(items.sample_shape(semantics, dataset.values)))
            elif isinstance(value, Instance) and isinstance(value.maker, ClassValue):
                method = lookup(semantics, value.maker, "__call__")
                shapes.append(of_values(semantics, semantics.results(method)) if method else UNKNOWN)
            else:
                shapes.append(UNKNOWN)
        return join(shapes) if shapes else UNKNOWN
    sample = items.sample_shape(semantics, dataset.values)
    if batch_size is not None and batch_size.given and batch_size.values.are_all(None):
        return sample
    return collated(sample)


def collated(sample: Shape) -> Shape:
    """What torch's default collation makes of samples of this shape."""
    if sample.kind in ("tensor", "number", "array", "mixed"):
        return TENSOR
    if sample.kind == "string":
        return Shape("list", ((0, STRING),))
    if sample.kind == "fields":
        return Shape("fields", tuple((name, collated(part)) for name, part in sample.fields), sample.note)
    if sample.kind == "list":
        return Shape("list", tuple((name, collated(part)) for name, part in sample.fields))
    return sample
