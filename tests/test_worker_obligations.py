"""What a dataset may hold and do so that workers are proven safe for it, and what leaves which obligation open."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from textwrap import indent

import pytest

from feedlint.config import Settings
from feedlint.domain.obligations import LOADER_OBLIGATIONS
from feedlint.engine import judge
from feedlint.findings import PROVEN
from feedlint.project import Project

PROGRAM = """\
import collections, copy, csv, functools, heapq, io, itertools, json, logging, operator, os, random, re, sqlite3
import types, weakref
import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

{before}
class Points(Dataset):
    def __init__(self, count):
        self.count = count
{constructor}

    def __len__(self):
        return self.count

    def __getitem__(self, index):
{item}
        return torch.full((3,), float(index)), index % 2


def main():
    model = torch.nn.Linear(3, 2).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    points = Points(64)
    loader = DataLoader(points, batch_size=8)
    for x, y in loader:
{loop}
        loss = torch.nn.functional.cross_entropy(model(x.cuda()), y.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
"""

CAN_BE_SENT = [
    "self.names = list({'a': 1}.keys())",
    "self.names = sorted(name for name in ('b', 'a'))",
    "self.table = {number: number for number in range(count)}",
    "self.counter = collections.Counter([1, 2])",
    "self.squares = list(map(lambda number: number * number, range(count)))",
    "self.lines = [line.strip() for line in open(__file__)]",
    "self.lines = open(__file__).readlines()",
    "self.rows = list(csv.reader(open(__file__)))",
    "self.labels = json.load(open('labels.json'))",
    "with open('labels.json') as file:\n    self.labels = json.load(file)",
    "self.logger = logging.getLogger('points')",
    "self.pattern = re.compile('a+')",
    "self.key = operator.itemgetter(1)",
    "self.length = self.__len__",
    "self.noise = torch.nn.Dropout(0.1)",
]
CANNOT_BE_SENT = [
    "self.names = {'a': 1}.keys()",
    "table = {number: number for number in range(count)}\nself.pairs = table.items()",
    "self.counts = collections.Counter([1, 2]).values()",
    "self.squares = map(lambda number: number * number, range(count))",
    "self.kept = filter(None, [1, 2])",
    "self.pairs = zip([1], [2])",
    "self.iterator = iter([1, 2])",
    "self.endless = itertools.cycle([1])",
    "self.files = [open(__file__) for number in range(3)]",
    "self.files = {number: open(__file__) for number in range(3)}",
    "self.files = []\nfor number in range(3):\n    self.files.append(open(__file__))",
    "self.files = {}\nfor number in range(3):\n    self.files[number] = open(__file__)",
    "files = []\nfor number in range(3):\n    files.append(open(__file__))\nself.files = files",
    "self.by_name = {}\nself.by_name['a'] = lambda value: value",
    "self.steps = []\nself.steps.append(lambda value: value)",
    "self.by_name = collections.defaultdict(lambda: 0)",
    "self.scale = np.vectorize(lambda value: value + 1)",
    "self.scale = functools.partial(lambda value, factor: value * factor, factor=2)",
    "def scale(value):\n    return value\nself.scale = scale",
    "class Scale:\n    pass\nself.scale = Scale()",
    "self.numbers = np",
    "self.model = torch.jit.script(torch.nn.Linear(2, 2))",
    "self.itself = weakref.ref(self)",
    "self.view = memoryview(b'abc')",
    "self.table = types.MappingProxyType({})",
]
KEEPS_NOTHING = [
    "sample = {'index': index}\nsample['twice'] = 2 * index",
    "values = [index]\nvalues.append(index)",
    "values = self.kept.copy()\nvalues[0] = index",
    "values = np.zeros(3)\nvalues += index",
    "number = self.count\nnumber += 1",
    "values = list(self.kept)\nvalues.append(1)",
    "order = np.sort(self.array)",
    "shifted = self.tensor.add(1)",
]
KEEPS_SOMETHING = [
    "self.last = index",
    "self.kept.append(index)",
    "self.table[index] = 1",
    "del self.table[index]",
    "number = self.kept.pop()",
    "number = self.table.setdefault(index, 1)",
    "setattr(self, 'last', index)",
    "Points.last = index",
    "self.__class__.last = index",
    "type(self).last = index",
    "helper.calls = index",
    "remember(index)",
    "SEEN.append(index)",
    "SEEN[0] = index",
    "global COUNT\nCOUNT = index",
    "self.array += 1",
    "values = self.array\nvalues[0] = index",
    "values = torch.from_numpy(self.array)\nvalues.add_(1)",
    "row = self.rows[index % 2]\nrow['index'] = index",
    "for row in self.rows:\n    row['index'] = index",
    "for row in list(self.rows):\n    row['index'] = index",
    "mark(self.rows[0])",
    "self.array.fill(index)",
    "self.tensor.add_(1)",
    "np.add(self.array, 1, out=self.array)",
    "random.shuffle(self.kept)",
    "heapq.heappush(self.kept, index)",
    "np.save('cache.npy', self.array)",
    "open('log.txt', 'a').write(str(index))",
    "os.remove('log.txt')",
]
HELPERS = """\
SEEN = []
COUNT = 0


def helper(value):
    return value


def remember(value, kept=[]):
    kept.append(value)
    return len(kept)


def mark(row):
    row['marked'] = True


"""
STATE = (
    "self.kept = [1, 2]\nself.table = {1: 2}\nself.array = np.zeros(3)\nself.tensor = torch.zeros(3)\n"
    "self.rows = [{'index': 0}, {'index': 1}]"
)
CHANGED_BY_THE_LOOP = ["points.kept = []", "points.kept.append(1)", "points.table[1] = 3", "points.set_count(3)"]


def open_obligations(folder: Path, constructor: str = "self.scale = 1", item: str = "", loop: str = "", before: str = "") -> set[str]:
    """The names of what is not proven for the workers that the program lacks."""
    text = PROGRAM.format(
        before=HELPERS + before,
        constructor=indent(constructor, " " * 8) + "\n\n    def set_count(self, count):\n        self.count = count",
        item=indent(item or "pass", " " * 8),
        loop=indent(loop or "pass", " " * 8),
    )
    path = folder / "train.py"
    path.write_text(text)
    report = judge(Project(str(folder), Settings()), str(path))
    (found,) = (finding for finding in report.findings if finding.code == "FDL101")
    obligations = found.why_not if found.fix is None else found.fix.obligations
    return {each.name for each in obligations if each.state != PROVEN}


@pytest.mark.parametrize("constructor", CAN_BE_SENT)
def test_what_can_be_sent_to_a_worker_is_known(constructor: str, tmp_path: Path) -> None:
    assert open_obligations(tmp_path, constructor) == set()


@pytest.mark.parametrize("constructor", CANNOT_BE_SENT)
def test_what_may_not_be_sendable_keeps_the_fix_from_being_safe(constructor: str, tmp_path: Path) -> None:
    assert open_obligations(tmp_path, constructor) == {"picklable"}


@pytest.mark.parametrize("item", KEEPS_NOTHING)
def test_item_code_that_changes_only_the_sample_is_stateless(item: str, tmp_path: Path) -> None:
    assert open_obligations(tmp_path, STATE, item) == set()


@pytest.mark.parametrize("item", KEEPS_SOMETHING)
def test_item_code_that_changes_something_older_than_the_sample_is_not_stateless(item: str, tmp_path: Path) -> None:
    assert "stateless-items" in open_obligations(tmp_path, STATE, item)


@pytest.mark.parametrize("loop", CHANGED_BY_THE_LOOP)
def test_a_dataset_that_the_main_process_changes_is_not_stateless(loop: str, tmp_path: Path) -> None:
    assert open_obligations(tmp_path, STATE, loop=loop) == {"stateless-items"}


@pytest.mark.parametrize("item", ["noise = self.generator.random()", "noise = GENERATOR.random()"])
def test_every_worker_would_repeat_the_numbers_of_a_generator(item: str, tmp_path: Path) -> None:
    assert "no-own-generator" in open_obligations(tmp_path, "self.generator = np.random.default_rng(0)", item, before="GENERATOR = np.random.default_rng(0)\n\n\n")


@pytest.mark.parametrize("name", LOADER_OBLIGATIONS)
def test_every_obligation_has_a_function_that_answers_for_it(name: str) -> None:
    module, _, function = LOADER_OBLIGATIONS[name][1].partition(".")
    assert callable(getattr(import_module(f"feedlint.domain.obligations.{module}"), function))
