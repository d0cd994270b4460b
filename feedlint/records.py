"""Frozen dataclasses that cost little: to define at every start, and to make by the ten thousand in a run.

`dataclasses.dataclass(frozen=True)` compiles six methods per class, 0.25 ms each time (Python 3.11), and its instances set
each field through a function call. With a hundred such classes that alone is a third of what a whole check of one clean
file may take. Here only `__init__` is compiled; equality, hash and repr are closures over the names of the fields, and what
`dataclasses.replace` and `fields` ask for is made when they ask.

A type checker sees the real decorator and refuses assignments to a frozen field. At run time nobody does, which is the
price.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["record"]

if TYPE_CHECKING:
    from dataclasses import dataclass as record
else:
    import dataclasses
    from operator import attrgetter

    def record(*, frozen, slots, eq=True):
        """As `dataclasses.dataclass` with these arguments, for classes that derive from no other record."""
        if not (frozen and slots):
            raise TypeError("a record is frozen and has slots")

        def decorate(cls):
            names = tuple(cls.__annotations__)
            defaults = {name: vars(cls)[name] for name in names if name in vars(cls)}
            if any(isinstance(value, dataclasses.Field) for value in defaults.values()):
                made = dataclasses.dataclass(repr=False, eq=False, slots=True)(cls)
            else:
                made = _with_slots(cls, names, defaults)
                made.__init__ = _initializer(made, names, defaults)
                made.__match_args__ = names
            made.__repr__ = _representation(names)
            if eq:
                made.__eq__, made.__hash__ = _comparison(names)
            return made

        return decorate

    class _Fields:
        """Stands for `__dataclass_fields__` until the first look at it."""

        def __init__(self, annotations, defaults):
            self.fields = [
                (name, kind, dataclasses.field(default=defaults[name]) if name in defaults else dataclasses.field())
                for name, kind in annotations.items()
            ]

        def __get__(self, instance, owner):
            described = dataclasses.make_dataclass(owner.__name__, self.fields, init=False, repr=False, eq=False)
            owner.__dataclass_fields__ = described.__dataclass_fields__
            return owner.__dataclass_fields__

    def _with_slots(cls, names, defaults):
        left_out = {*defaults, "__dict__", "__weakref__"}
        space = {name: value for name, value in vars(cls).items() if name not in left_out}
        space["__slots__"] = names
        space["__dataclass_fields__"] = _Fields(cls.__annotations__, defaults)
        space["__qualname__"] = cls.__qualname__
        return type(cls)(cls.__name__, cls.__bases__, space)

    def _initializer(cls, names, defaults):
        parameters = ", ".join(f"{name}=defaults[{name!r}]" if name in defaults else name for name in names)
        body = "".join(f" self.{name} = {name}\n" for name in names) or " pass\n"
        space = {"defaults": defaults}
        exec(f"def __init__(self, {parameters}):\n{body}", space)
        made = space["__init__"]
        made.__qualname__, made.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
        return made

    def _comparison(names):
        values = attrgetter(*names) if names else (lambda instance: ())

        def __eq__(self, other):
            return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

        def __hash__(self):
            return hash(values(self))

        return __eq__, __hash__

    def _representation(names):
        def __repr__(self):
            return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in names)})"

        return __repr__
