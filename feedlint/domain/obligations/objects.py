"""The objects of the project that workers get."""

from __future__ import annotations

from ...semantics.classes import attribute
from ...semantics.values import ClassValue, Instance
from ..items import stored_names
from ..loaders import Loader


def objects(loader: Loader) -> list[Instance]:
    """Datasets, transforms and collate objects of project classes, with the objects that they hold."""
    found = [v for v in loader.item_code.values if isinstance(v, Instance) and isinstance(v.maker, ClassValue)]
    for value in found:  # grows on the way
        assert isinstance(value.maker, ClassValue)
        for name in stored_names(loader.semantics, value.maker.node):
            for inner in attribute(loader.semantics, value, name).of(Instance):
                if isinstance(inner.maker, ClassValue) and all(inner.maker != f.maker for f in found):
                    found.append(inner)
    return found
