"""The abstract values that an expression may have.

A `ValueSet` is all that an expression was seen to be, plus `open`: something unseen may add others. A finding needs a
closed set in which every value is bad, an obligation a closed set in which every value is good.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, TypeAlias

from ..ir import nodes as ir
from ..places import Place
from ..records import record

# Where a constant comes from, from the most to the least explicit.
LITERAL = "literal"  # written at or behind a name in the program
CONFIGURED = "configured"  # read from a configuration file
FUNCTION_DEFAULT = "function-default"  # the default of a parameter that some visible call leaves out
OPTION_DEFAULT = "option-default"  # the default of a command line option or configuration class
COMPUTED = "computed"  # from constants by arithmetic
ENVIRONMENT = "environment"  # the default of an environment variable

_WEAKER = (LITERAL, COMPUTED, FUNCTION_DEFAULT, CONFIGURED, ENVIRONMENT, OPTION_DEFAULT)


@record(frozen=True, slots=True)
class Origin:
    kind: str
    place: Place | None = None
    note: str = ""  # for the evidence: "--workers defaults to 0"
    node: Any = None  # the expression that holds the value, where an edit could change it

    def weakest(self, other: Origin) -> Origin:
        """The origin of something computed from two values: the one that a user can change most easily."""
        return max(self, other, key=lambda o: _WEAKER.index(o.kind))


@record(frozen=True, slots=True)
class Known:
    """A Python constant."""

    value: Any
    origin: Origin


@record(frozen=True, slots=True)
class Scalar:
    """A host value whose content is not known: `kind` is int, float, bool, number, str, bytes, none, path, dtype, object.

    `ndarray` is a NumPy array. `usable-cpus` is a core count that respects affinity.
    """

    kind: str


@record(frozen=True, slots=True, eq=False)
class Items:
    """A list, tuple or set whose elements are known one by one."""

    kind: str
    items: tuple[ValueSet, ...]
    node: ir.Node | None = None


@record(frozen=True, slots=True, eq=False)
class Mapping:
    """A dictionary with known string keys; `open` if it may have others. `maker` is the class that wraps it, if any."""

    entries: dict[str, ValueSet]
    open: bool
    node: ir.Node | None = None
    maker: str = ""


@record(frozen=True, slots=True)
class FunctionValue:
    """A function of the project; `receiver` is what a method is bound to."""

    node: ir.Function
    receiver: Any = None


@record(frozen=True, slots=True)
class ClassValue:
    node: ir.Class


@record(frozen=True, slots=True)
class ModuleValue:
    """A module or package of the project; `path` is "" for a folder without `__init__.py`."""

    path: str
    folder: str


@record(frozen=True, slots=True)
class External:
    """Something outside of the project, by its qualified name."""

    name: str


@record(frozen=True, slots=True)
class Instance:
    """What a call of a class, or of something outside, made."""

    maker: ClassValue | External
    call: ir.Call | None = None
    path: tuple[int | str, ...] = ()  # where one call makes several: which of them


@record(frozen=True, slots=True)
class Partial:
    """`functools.partial(target, ...)`."""

    target: Any
    call: ir.Call


@record(frozen=True, slots=True)
class Method:
    """An attribute, about to be called, of something that is not an instance of a project class."""

    receiver: Any
    name: str


# Where a tensor lies, or which device an expression means.
CPU = "cpu"
CUDA = "cuda"
CUDA_OR_CPU = "cuda-or-cpu"  # CUDA where there is one
OTHER = "other"  # MPS, XLA, XPU, or a choice that may end there
UNKNOWN_DEVICE = "unknown"


@record(frozen=True, slots=True)
class Device:
    kind: str


@record(frozen=True, slots=True)
class Tensor:
    """A tensor, or a container of tensors that a model gave back (`certain` is False then).

    `scalar`: True where it is proven to have no dimensions, None if unknown. `source`: "batch" (moved batch), "factory",
    "model", "loss", "parameter", "data". `reference`: it may be a view of, or be, a tensor that something else changes.
    `dtype`: "", "int", "float", "bool", "double".
    """

    place: str
    scalar: bool | None = None
    source: str = "model"
    certain: bool = True
    reference: bool = False
    dtype: str = ""
    batch: Any = None  # the Batch it was moved from


@record(frozen=True, slots=True)
class Batch:
    """What a loader gave, or the part of it that `path` leads to. `loader` is None if the loader is not known."""

    loader: Any
    path: tuple[int | str, ...] = ()


@record(frozen=True, slots=True, eq=False)
class Iterator:
    """Something to iterate over that gives these elements; `source` is what it draws them from.

    `held`: it is a list or the like that has its elements, not something that makes them or leads to them as one goes.
    """

    elements: ValueSet
    source: Any = None
    held: bool = False


@record(frozen=True, slots=True)
class Options:
    """The parsed arguments of a command line parser."""

    parser: Instance


@record(frozen=True, slots=True, eq=False)
class Document:
    """A node of a configuration file; `content` is a `documents.DocumentNode`."""

    content: Any


Value: TypeAlias = (
    "Known | Scalar | Items | Mapping | FunctionValue | ClassValue | ModuleValue | External | Instance | "
    "Partial | Method | Device | Tensor | Batch | Iterator | Options | Document"
)

_LIMIT = 24  # more values than this say nothing about a program


@record(frozen=True, slots=True)
class ValueSet:
    values: tuple[Value, ...] = ()
    open: bool = False

    def __or__(self, other: ValueSet) -> ValueSet:
        if self is other or (not other.values and (self.open or not other.open)):
            return self
        if not self.values and (other.open or not self.open):
            return other
        if self.open and len(self.values) == _LIMIT:
            return self
        # Sets are small: looking each value up is faster than hashing all of them, and most often finds it at once.
        values = self.values + tuple(value for value in other.values if value not in self.values)
        if len(values) == len(self.values) and (self.open or not other.open):
            return self
        if len(values) > _LIMIT:
            return ValueSet(values[:_LIMIT], True)
        return ValueSet(values, self.open or other.open)

    def opened(self) -> ValueSet:
        return self if self.open else replace(self, open=True)

    @property
    def single(self) -> Value | None:
        """The only value of a closed set."""
        return self.values[0] if len(self.values) == 1 and not self.open else None

    def of(self, *kinds: type) -> tuple[Any, ...]:
        return tuple(value for value in self.values if isinstance(value, kinds))

    def are_all(self, *constants: Any) -> bool:
        """Closed, not empty, and every value is one of these constants (True is not 1 here)."""
        return (
            not self.open
            and bool(self.values)
            and all(
                isinstance(v, Known) and any(v.value == c and type(v.value) is type(c) for c in constants)
                for v in self.values
            )
        )

    @property
    def constants(self) -> list[Any] | None:
        """The Python values, if the set is closed and all are known."""
        if self.open or not self.values or not all(isinstance(v, Known) for v in self.values):
            return None
        return [v.value for v in self.values if isinstance(v, Known)]

    @property
    def origins(self) -> tuple[Origin, ...]:
        return tuple(dict.fromkeys(v.origin for v in self.values if isinstance(v, Known)))


NOTHING = ValueSet()
UNKNOWN = ValueSet((), True)


def one(value: Value) -> ValueSet:
    return ValueSet((value,), False)


def union(sets: Iterable[ValueSet]) -> ValueSet:
    result = NOTHING
    for each in sets:
        result = result | each
    return result
