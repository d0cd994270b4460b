"""Records behave as the frozen dataclasses that a type checker takes them for."""

from __future__ import annotations

import copy
import pickle
from dataclasses import dataclass, field, fields, replace

import pytest

from feedlint.records import record


@record(frozen=True, slots=True)
class Point:
    """Two numbers and a name."""

    x: int
    y: int = 0
    name: str = "origin"

    @property
    def sum(self) -> int:
        return self.x + self.y


@dataclass(frozen=True)
class Ordinary:
    x: int
    y: int = 0
    name: str = "origin"


@record(frozen=True, slots=True)
class Bag:
    items: list[int] = field(default_factory=list)
    label: str = ""


@record(frozen=True, slots=True, eq=False)
class Identity:
    x: int


@record(frozen=True, slots=True)
class Nothing:
    pass


def test_fields_may_be_given_by_position_by_name_or_left_to_their_defaults() -> None:
    assert Point(1, name="a").name == Point(1, 0, "a").name == "a"


def test_a_missing_field_is_a_type_error_that_names_it() -> None:
    with pytest.raises(TypeError, match=r"Point.__init__.*'x'"):
        Point()  # type: ignore[call-arg]


def test_equal_fields_make_equal_records_with_one_hash() -> None:
    assert Point(1, 2) == Point(1, 2)
    assert hash(Point(1, 2)) == hash(Point(1, 2))
    assert Point(1, 2) != Point(1, 3)


def test_records_of_different_classes_are_never_equal() -> None:
    assert Point(1, 2) != Ordinary(1, 2)
    assert Nothing() != Bag()
    assert Nothing() == Nothing()


def test_a_record_without_equality_is_equal_to_itself_only() -> None:
    one = Identity(1)
    assert one == one
    assert one != Identity(1)
    assert len({one, Identity(1)}) == 2


def test_the_representation_is_that_of_a_dataclass() -> None:
    assert repr(Point(1)) == repr(Ordinary(1)).replace("Ordinary", "Point")


def test_replace_and_fields_work_as_on_a_dataclass() -> None:
    assert replace(Point(1), y=5) == Point(1, 5)
    assert [(f.name, f.default) for f in fields(Point)] == [(f.name, f.default) for f in fields(Ordinary)]


def test_a_default_factory_makes_a_new_value_for_each_record() -> None:
    one, other = Bag(), Bag()
    one.items.append(1)
    assert other.items == []


def test_a_record_survives_pickle_and_copy() -> None:
    point = Point(1, 2, "a")
    assert pickle.loads(pickle.dumps(point)) == copy.deepcopy(point) == point


def test_a_record_takes_no_other_attribute() -> None:
    with pytest.raises(AttributeError):
        object.__setattr__(Point(1), "z", 1)


def test_properties_and_the_docstring_stay() -> None:
    assert Point(1, 2).sum == 3
    assert Point.__doc__ == "Two numbers and a name."
