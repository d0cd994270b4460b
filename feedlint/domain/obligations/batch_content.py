"""What a batch holds: whether it can be sent to the main process, and pinned."""

from __future__ import annotations

from ...findings import UNKNOWN
from ...ir import nodes as ir
from ...semantics.classes import lineage
from ...semantics.evaluation import Semantics
from ...semantics.values import (
    CPU,
    Batch,
    ClassValue,
    FunctionValue,
    Instance,
    Items,
    Known,
    Mapping,
    Tensor,
    ValueSet,
)
from ...semantics.values import (
    Iterator as IteratorValue,
)
from ..batches import Shape
from ..loaders import Loader
from .answers import YES, Answer, no
from .changes import changed_by
from .objects import objects
from .pickling import parts


def batch_picklable(loader: Loader) -> Answer:
    semantics = loader.semantics
    marked = _marked_tensor(loader)
    if marked is not None:
        return no(UNKNOWN, "what is set on a tensor, and its gradient, does not come along from a worker", marked)
    for value in loader.collate.values.of(FunctionValue) if loader.collate.given else ():
        if _has_iterator(semantics, semantics.results(value.node), 3):
            return no(UNKNOWN, "a batch may hold an iterator or a view of a dictionary, which can't be sent", value.node)
    if loader.item_code.modules_run:
        return no(UNKNOWN, "item code runs a module: what it returns may carry gradients", loader.item_code.modules_run[0])
    odd = _odd_leaves(loader)
    if not odd:
        return YES
    if all(leaf.kind == "unknown" for leaf in odd) and loader.batch.kind == "unknown" and library_samples(loader):
        return YES
    note = _note(odd)
    return no(UNKNOWN, f"a batch may hold {note}" if note else "what a batch holds is not known")


def _marked_tensor(loader: Loader) -> ir.Node | None:
    """Where item code, or the class of the dataset, gives a tensor an attribute or a gradient."""
    semantics = loader.semantics
    functions = dict(loader.item_code.functions)
    for instance in objects(loader):
        assert isinstance(instance.maker, ClassValue)
        for each in lineage(semantics, instance.maker.node).classes:
            functions.update(dict.fromkeys(each.methods))
    for function in functions:
        for node in ir.walk_block(function.body):
            if isinstance(node, ir.Assign):
                for target in node.targets:
                    if isinstance(target, ir.Attribute) and target.name not in ("data", "grad") and semantics.evaluate(target.value).of(Tensor):
                        return node
            elif isinstance(node, ir.Call):
                flag = node.keyword("requires_grad")
                if flag is not None and not semantics.evaluate(flag).are_all(False):
                    return node
                if node.method == "requires_grad_" or "torch.nn.Parameter" in semantics.names_of(node.function_expression):
                    return node
    return None


def _has_iterator(semantics: Semantics, values: ValueSet, depth: int) -> bool:
    for value in values.values:
        if isinstance(value, IteratorValue) and not value.held:
            return True
        if isinstance(value, (Items, Mapping)) and depth > 0:
            if any(_has_iterator(semantics, part, depth - 1) for part in parts(semantics, value)):
                return True
    return False


def _odd_leaves(loader: Loader) -> list[Shape]:
    """The parts of a batch that are not proven to be dense tensors or what collating makes plain values of."""
    plain = ("tensor", "number", "string", "array", "none", "mixed")
    return [leaf for leaf in loader.batch.leaves if leaf.kind not in plain]


def _note(leaves: list[Shape]) -> str:
    """What is known of the first of them, "" if nothing is."""
    return next((leaf.note for leaf in leaves if leaf.note), "")


def library_samples(loader: Loader) -> bool:
    """A torchvision dataset with the default collation: it either gives tensors or fails with 0 workers too."""
    return not loader.collate.given and all(leaf.kind == "known" for leaf in loader.item_code.leaves)


def _changes_batch(loader: Loader) -> ir.Node | None:
    """A place in a loop over the loader that changes a batch in place."""
    semantics = loader.semantics
    for loop in loader.use.loops:
        for node in loop.body:
            for changed in changed_by(semantics, node):
                for value in semantics.evaluate(changed).values:
                    source = value if isinstance(value, Batch) else getattr(value, "batch", None)
                    if isinstance(source, Batch) and isinstance(source.loader, Instance) and source.loader.call is loader.call:
                        if not (isinstance(value, Tensor) and value.place != CPU):
                            return node
    return None


def dense_cpu_batch(loader: Loader) -> Answer:
    odd = _odd_leaves(loader)
    if not odd or library_samples(loader):
        return YES
    note = _note(odd)
    return no(UNKNOWN, f"a batch may hold {note}, which is not pinned" if note else "what a batch holds is not known")


def no_alias(loader: Loader) -> Answer:
    changed = _changes_batch(loader)
    if changed is not None and loader.collate.given and not loader.collate.values.are_all(None):
        return no(UNKNOWN, "the loop changes batches in place, and what the collate function gives may be used elsewhere too", changed)
    if loader.batch_size.given and any(isinstance(v, Known) and v.value is None for v in loader.batch_size.values.values):
        return no(UNKNOWN, "without collation a batch is the dataset's own memory; pinning makes a copy of it")
    return YES
