"""The tables of feedlint.knowledge against the libraries that are installed."""

from __future__ import annotations

import builtins
import csv
import glob
import importlib
import inspect
import io
import itertools
import logging
import math
import operator
import os
import pickle
import random
import re
from pathlib import Path
from typing import Any

import pytest

from feedlint.knowledge import host_reads, item_calls, iteration, loader_apis, program_calls, torch_functions

torch = pytest.importorskip("torch")
numpy = pytest.importorskip("numpy")
pytestmark = pytest.mark.torch

USES = {"number", "choice", "text", "array"}


def resolved(name: str) -> Any:
    """What a qualified name stands for."""
    parts = name.split(".")
    for count in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:count]))
        except ImportError:
            continue
        for part in parts[count:]:
            found = getattr(found, part)
        return found
    raise ImportError(name)


def public(module: Any) -> list[str]:
    return [n for n in dir(module) if not n.startswith("_") and callable(getattr(module, n))]


def first_that_works(function: Any, *attempts: tuple[Any, ...]) -> Any:
    """What a function gives for the first arguments that it takes."""
    for arguments in attempts:
        try:
            return function(*arguments)
        except (TypeError, RuntimeError, IndexError, ValueError, NotImplementedError):
            continue
    pytest.fail(f"{function} takes none of the arguments")


def matrix() -> Any:
    return torch.tensor([[2.0, 0.5], [0.5, 1.0]])


# --- loaders


def test_no_loader_has_the_name_of_another() -> None:
    names = [name for api in loader_apis.APIS for name in api.names]
    assert sorted(names) == sorted(set(names))


def test_torch_takes_its_parameters_in_the_order_of_the_table() -> None:
    parameters = inspect.signature(torch.utils.data.DataLoader.__init__).parameters.values()
    positional = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD][1:]
    assert tuple(positional) == loader_apis.TORCH.positional


def test_torch_has_the_defaults_of_the_table() -> None:
    api = loader_apis.TORCH
    parameters = inspect.signature(torch.utils.data.DataLoader.__init__).parameters
    stated = {
        api.workers: api.workers_default,
        api.pin: api.pin_default,
        api.persistent: api.persistent_default,
        api.batch_size: api.batch_size_default,
    }
    assert {name: parameters[name].default for name in stated if name is not None} == stated


def test_every_keyword_of_torch_in_the_table_exists() -> None:
    api = loader_apis.TORCH
    named = {api.dataset, api.shuffle, api.sampler, api.batch_sampler, api.collate, api.drop_last, api.timeout}
    named |= {api.worker_init, api.context, api.generator, api.prefetch}
    assert named <= inspect.signature(torch.utils.data.DataLoader.__init__).parameters.keys()


@pytest.mark.parametrize("api", loader_apis.APIS, ids=lambda api: api.names[0])
def test_an_api_that_takes_its_dataset_by_position_takes_it_first(api: loader_apis.LoaderApi) -> None:
    if api.positional and api.kind == "loader":
        assert api.positional[0] == api.dataset


def test_what_wraps_a_loader_is_no_loader_itself() -> None:
    assert not iteration.ITERATES.keys() & loader_apis.BY_NAME.keys()


# --- functions of torch


@pytest.mark.parametrize(
    "name",
    sorted(
        torch_functions.FACTORIES
        | torch_functions.LEGACY_CONSTRUCTORS
        | torch_functions.AVAILABILITY
        | torch_functions.PLAIN_RESULTS.keys()
        | torch_functions.OPAQUE
        | torch_functions.LOSSES
        | torch_functions.LOSS_CLASSES
    ),
)
def test_a_name_of_torch_exists(name: str) -> None:
    # torch.accelerator came with 2.6.
    if name.startswith("torch.accelerator.") and not hasattr(torch, "accelerator"):
        pytest.skip("this torch is older")
    assert resolved(name) is not None


@pytest.mark.parametrize("name", sorted(torch_functions.NUMPY_OBJECTS))
def test_an_object_of_numpy_exists(name: str) -> None:
    assert callable(resolved(name))


_FACTORY_ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "full": ((2,), 1.0),
    "linspace": (0, 1, 3),
    "logspace": (0, 1, 3),
    "tensor": ([1.0],),
    "as_tensor": ([1.0],),
    "asarray": ([1.0],),
    "randint": (3, (2,)),
    "full_like": (torch.ones(2), 1.0),
    "randint_like": (torch.ones(2), 3),
    "tril_indices": (2, 2),
    "triu_indices": (2, 2),
    "normal": (0.0, 1.0, (2,)),
    "empty_strided": ((2,), (1,)),
    "scalar_tensor": (1.0,),
    "sparse_coo_tensor": ((2, 2),),
}


@pytest.mark.parametrize("name", sorted(torch_functions.FACTORIES))
def test_a_factory_takes_a_device(name: str) -> None:
    short = name.rpartition(".")[2]
    default = (torch.ones(2),) if short.endswith("_like") else (2,)
    made = resolved(name)(*_FACTORY_ARGUMENTS.get(short, default), device="meta")
    assert made.device.type == "meta"


@pytest.mark.parametrize("name", sorted(torch_functions.REDUCTIONS))
@pytest.mark.parametrize("owner", [torch, torch.Tensor], ids=["function", "method"])
def test_a_reduction_without_a_dimension_gives_a_single_number(name: str, owner: Any) -> None:
    function = getattr(owner, name, None)
    if function is None:
        pytest.skip("there is none")
    assert first_that_works(function, (matrix(),), (torch.ones(2), torch.ones(2))).dim() == 0


@pytest.mark.parametrize("name", sorted(torch_functions.TUPLE_RESULTS))
@pytest.mark.parametrize("owner", [torch, torch.Tensor, torch.linalg], ids=["function", "method", "linalg"])
def test_what_gives_several_results_gives_a_tuple(name: str, owner: Any) -> None:
    function = getattr(owner, name, None)
    if function is None:
        pytest.skip("there is none")
    try:
        found = first_that_works(function, (matrix(),), (matrix(), 1), (matrix(), matrix()))
    except BaseException as problem:  # what is left of an old function only says what to use
        if "deprecated" in str(problem) or "removed" in str(problem) or isinstance(problem, pytest.fail.Exception):
            pytest.skip("it was removed")
        raise
    assert isinstance(found, tuple)


@pytest.mark.parametrize("name", sorted(torch_functions.TUPLE_WITH_DIMENSION))
def test_a_reduction_along_a_dimension_gives_values_and_indices(name: str) -> None:
    assert isinstance(getattr(torch, name)(matrix(), 0), tuple)


@pytest.mark.parametrize("name", sorted(torch_functions.ELEMENTWISE))
def test_an_elementwise_function_keeps_a_single_number_single(name: str) -> None:
    function = getattr(torch, name, None) or getattr(torch.Tensor, name, None) or getattr(torch.nn.functional, name)
    one = torch.tensor(1.0)
    assert first_that_works(function, (one,), (one, one), (one, 0.0), (one, one, 0.5)).dim() == 0


@pytest.mark.parametrize("name", sorted(torch_functions.RESHAPES | torch_functions.SAME_METHODS | torch_functions.HOST_METHODS))
def test_a_method_of_tensors_exists(name: str) -> None:
    assert callable(getattr(torch.Tensor, name))


@pytest.mark.parametrize("name", sorted(torch_functions.HOST_METHODS))
def test_a_method_about_the_host_gives_no_tensor(name: str) -> None:
    found = first_that_works(getattr(torch.Tensor, name), (matrix(),), (matrix(), matrix()))
    assert not isinstance(found, torch.Tensor)


@pytest.mark.parametrize("name", sorted(torch_functions.HOST_METHODS))
def test_a_method_about_the_host_waits_for_nothing(name: str) -> None:
    assert reads(lambda: first_that_works(getattr(torch.Tensor, name), (matrix(),), (matrix(), matrix()))) == 0


@pytest.mark.parametrize("name", sorted(torch_functions.HOST_ATTRIBUTES))
def test_an_attribute_about_the_host_is_no_tensor(name: str) -> None:
    assert not isinstance(getattr(matrix(), name), torch.Tensor)


def is_of_kind(made: Any, kind: str) -> bool:
    return {
        "bool": made.dtype == torch.bool,
        "int": not made.is_floating_point() and made.dtype != torch.bool,
        "float": made.is_floating_point(),
        "double": made.dtype == torch.float64,
    }[kind]


@pytest.mark.parametrize(("name", "kind"), sorted(torch_functions.RESULT_DTYPES.items()))
def test_a_result_has_the_kind_of_number_of_the_table(name: str, kind: str) -> None:
    method = getattr(torch.Tensor, name)
    ones = torch.ones(2)
    assert is_of_kind(first_that_works(method, (ones,), (ones, ones), (ones, 0)), kind)


# --- reads of the device


class Watching(torch.utils._python_dispatch.TorchDispatchMode):
    """Counts how often one number is fetched from a tensor."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        self.count += function is torch.ops.aten._local_scalar_dense.default
        return function(*args, **(kwargs or {}))


def reads(call: Any) -> int:
    with Watching() as watching:
        call()
    return watching.count


def test_every_use_of_a_read_is_one_of_the_four() -> None:
    assert {*host_reads.METHODS.values(), *host_reads.FUNCTIONS.values(), *host_reads.PREFIXES.values()} == USES


# On the host `equal` and `allclose` compare without the operation that is counted here.
@pytest.mark.parametrize(
    "name",
    sorted(n for n, use in host_reads.METHODS.items() if use in ("number", "choice") and n not in ("equal", "allclose")),
)
def test_a_reading_method_fetches_a_number(name: str) -> None:
    method = getattr(torch.Tensor, name)
    values = torch.ones(2, dtype=torch.long)
    assert reads(lambda: first_that_works(method, (values[0],), (values, 1))) >= 1


@pytest.mark.parametrize(
    "name",
    sorted(
        n.rpartition(".")[2]
        for n, use in host_reads.FUNCTIONS.items()
        if n.startswith("builtins.") and (use in ("number", "choice") or n == "builtins.format")
    ),
)
def test_a_reading_builtin_fetches_a_number(name: str) -> None:
    numbers = torch.arange(1, 3)
    function = getattr(builtins, name)
    assert reads(lambda: first_that_works(function, (numbers[0],), (numbers,))) >= 1


@pytest.mark.parametrize(
    "name", ["abs", "callable", "enumerate", "hash", "id", "iter", "len", "list", "reversed", "set", "slice", "sum", "tuple", "type", "zip"]
)
def test_a_builtin_that_does_not_read_fetches_nothing(name: str) -> None:
    assert f"builtins.{name}" in host_reads.NOT_READING
    assert reads(lambda: getattr(builtins, name)(torch.ones(2))) == 0


def test_every_builtin_function_is_known_to_read_or_not() -> None:
    other = "aiter anext breakpoint bytearray classmethod compile copyright credits delattr dir eval exec exit globals help "
    other += "input issubclass license locals memoryview object open ord property quit round staticmethod vars frozenset"
    functions = {
        name
        for name in public(builtins)
        if not (isinstance(getattr(builtins, name), type) and issubclass(getattr(builtins, name), BaseException))
    }
    known = {n.rpartition(".")[2] for n in (*host_reads.FUNCTIONS, *host_reads.NOT_READING)} | set(other.split())
    assert functions - {"BaseExceptionGroup", "_"} <= known


@pytest.mark.parametrize("name", ["sqrt", "isnan", "isfinite", "exp", "log", "floor", "ceil", "fabs"])
def test_functions_of_math_fetch_a_number(name: str) -> None:
    assert reads(lambda: getattr(math, name)(torch.tensor(1.0))) == 1


@pytest.mark.parametrize(
    "form",
    [
        lambda t: f"{t}",
        lambda t: f"{t:.3f}",
        lambda t: "{}".format(t),  # noqa: UP032
        lambda t: bool(t > 1),
        lambda t: t in [1, 2],
        lambda t: min(t, 3),
    ],
)
def test_a_form_that_needs_the_value_fetches_it(form: Any) -> None:
    assert reads(lambda: form(torch.tensor(2.0))) >= 1


# --- random streams


def test_the_random_functions_of_python_are_all_known() -> None:
    states = {"random.Random", "random.SystemRandom", "random.seed", "random.getstate", "random.setstate"}
    assert [n for n in public(random) if f"random.{n}" not in item_calls.RANDOM_CALLS | states] == []


def test_the_random_functions_of_numpy_are_all_known() -> None:
    other = "seed get_state set_state get_bit_generator set_bit_generator test default_rng Generator RandomState "
    other += "BitGenerator SeedSequence MT19937 PCG64 PCG64DXSM Philox SFC64"
    assert [n for n in public(numpy.random) if not item_calls.draws_randomness(f"numpy.random.{n}") and n not in other.split()] == []


def test_the_random_functions_of_torch_are_all_known() -> None:
    recurrent = {"gru", "lstm", "rnn_relu", "rnn_tanh", "miopen_rnn"}  # of models, and only with dropout
    names = {
        name
        for name in dir(torch.ops.aten)
        if not name.startswith("_")
        for packet in [getattr(torch.ops.aten, name)]
        if hasattr(packet, "overloads")
        and any(torch.Tag.nondeterministic_seeded in getattr(packet, o).tags for o in packet.overloads())
    } - recurrent
    owners = {"torch": torch, "torch.Tensor": torch.Tensor, "torch.nn.functional": torch.nn.functional}
    missing = [
        f"{prefix}.{name}"
        for name in sorted(names)
        for prefix, owner in owners.items()
        if hasattr(owner, name) and not item_calls.draws_randomness(f"{prefix}.{name}")
    ]
    assert missing == []


@pytest.mark.parametrize(
    "name", sorted(n for n in item_calls.RANDOM_CALLS if n.split(".")[0] in ("random", "torch") and n != "random.binomialvariate")
)
def test_a_random_call_of_the_table_exists(name: str) -> None:
    assert callable(resolved(name))


_MODULE_ARGUMENTS: tuple[tuple[Any, ...], ...] = ((), (1,), (2, 2), (2, 2, 1), ((2, 2),), (1, (1, 2)))


@pytest.mark.parametrize("name", sorted(item_calls.QUIET_MODULES - {"Module", "PackedSequence", "DistributedDataParallel", "Buffer"}))
def test_a_quiet_module_draws_nothing(name: str) -> None:
    made = getattr(torch.nn, name, None) or getattr(torch.nn.modules.loss, name)
    before = torch.get_rng_state()
    if name == "DataParallel":
        module = made(torch.nn.Identity())
    elif name == "TripletMarginWithDistanceLoss":
        module = made()
    else:
        module = first_that_works(made, *_MODULE_ARGUMENTS)
    for shape in ((2, 2, 4, 4), (2, 2, 4), (2, 2)):
        for count in (1, 2, 3):
            try:
                module(*[torch.ones(shape)] * count)
            except Exception:  # not its shape: only those that run are watched
                continue
    assert torch.equal(before, torch.get_rng_state())


@pytest.mark.parametrize(
    "name",
    [
        "numpy.random.standard_t",
        "numpy.random.seed",
        "torch.manual_seed",
        "torchvision.transforms.RandomCrop",
        "torchvision.transforms.RandomCrop.get_params",
        "torchvision.transforms.v2.RandomResizedCrop.make_params",
        "torchvision.transforms.v2.GaussianNoise",
        "torchaudio.transforms.TimeMasking",
        "albumentations.Compose",
        "pandas.read_csv.sample",
        "scipy.stats.norm.rvs",
        "torch.distributions.Beta.sample",
        "torch.nn.Dropout",
        "torch.nn.Linear",
        "transformers.DataCollatorForLanguageModeling",
    ],
)
def test_what_draws_is_known_to_draw(name: str) -> None:
    assert item_calls.draws_randomness(name)


@pytest.mark.parametrize(
    "name",
    [
        "torchvision.transforms.Compose",
        "torchvision.transforms.Resize",
        "torchvision.transforms.functional.hflip",
        "torchvision.transforms.v2.functional.crop",
        "torchvision.transforms.InterpolationMode",
        "torchaudio.transforms.MelSpectrogram",
        "numpy.random.default_rng.normal",
        "numpy.random.default_rng.shuffle",
        "random.Random.sample",
        "torch.nn.Module",
        "torch.nn.functional.interpolate",
        "torch.nn.utils.rnn.pad_sequence",
        "torch.stack",
        "numpy.load",
        "transformers.DataCollatorWithPadding",
        "transformers.AutoTokenizer.from_pretrained",
    ],
)
def test_what_does_not_draw_is_not_taken_for_random(name: str) -> None:
    assert not item_calls.draws_randomness(name)


def test_the_transforms_of_torchvision_are_sorted_as_they_are_written() -> None:
    transforms = pytest.importorskip("torchvision.transforms")
    drawing = {n for n in public(transforms) if n[0].isupper() and "torch.rand" in inspect.getsource(getattr(transforms, n))}
    assert [n for n in sorted(drawing) if not item_calls.draws_randomness(f"torchvision.transforms.{n}")] == []


# --- what can be sent to workers


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("csv.reader", csv.reader(io.StringIO("a"))),
        ("csv.DictReader", csv.DictReader(io.StringIO("a"))),
        ("glob.iglob", glob.iglob("*")),
        ("os.scandir", os.scandir(".")),
        ("os.walk", os.walk(".")),
        ("re.match", re.match("a", "a")),
        ("re.finditer", re.finditer("a", "a")),
        ("builtins.memoryview", memoryview(b"a")),
        ("torch.jit.load", torch.jit.script(torch.nn.Identity())),
    ],
)
def test_what_does_not_pickle_is_not_called_picklable(name: str, value: Any) -> None:
    with pytest.raises((TypeError, RuntimeError)):
        pickle.dumps(value)
    assert name in item_calls.HANDLES or not name.startswith(program_calls.PICKLABLE_PREFIXES)


def test_iterators_of_itertools_are_not_called_picklable() -> None:
    # From Python 3.14 on they do not pickle.
    names = [f"itertools.{n}" for n in public(itertools)]
    assert [n for n in names if n.startswith(program_calls.PICKLABLE_PREFIXES)] == []


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("pathlib.Path", Path("a")),
        ("re.compile", re.compile("a")),
        ("torch.device", torch.device("cpu")),
        ("torch.Size", torch.Size([1])),
        ("numpy.array", numpy.ones(2)),
        ("logging.getLogger", logging.getLogger("a")),
        ("operator.itemgetter", operator.itemgetter(1)),
        ("torch.distributions.Normal", torch.distributions.Normal(0.0, 1.0)),
    ],
)
def test_what_is_called_picklable_pickles(name: str, value: Any) -> None:
    assert name.startswith(program_calls.PICKLABLE_PREFIXES)
    assert pickle.dumps(value)


def test_handles_of_the_standard_library_exist() -> None:
    library = {"builtins", "io", "codecs", "gzip", "bz2", "lzma", "os", "mmap", "tempfile", "csv", "glob", "re", "zipfile", "tarfile"}
    library |= {"wave", "shelve", "sqlite3", "socket", "threading", "queue", "concurrent", "multiprocessing", "subprocess", "ftplib"}
    missing = []
    for name in sorted(item_calls.HANDLES):
        if name.split(".")[0] in library:
            try:
                resolved(name)
            except (ImportError, AttributeError):
                missing.append(name)
    assert missing == []
