"""Whatever lies in a folder: a clear line each, nothing lost, nothing hung, and the files beside it are judged."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
STARVED = """\
import torch
from torch.utils.data import DataLoader, Dataset


class Waves(Dataset):
    def __len__(self):
        return 64

    def __getitem__(self, index):
        return torch.sin(torch.linspace(0, 1 + index, 400)), index % 4


def main():
    model = torch.nn.Linear(400, 4).cuda()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for wave, kind in DataLoader(Waves(), batch_size=64):
        loss = torch.nn.functional.cross_entropy(model(wave.cuda()), kind.cuda())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
"""
UNREADABLE = {
    "binary": (b"\x00\x01\x02import torch\x00\xff", "NUL bytes"),
    "utf-16": ("import torch\n".encode("utf-16"), "NUL bytes"),
    "not utf-8": (b"import torch\nname = '\xe9'\n", "utf-8"),
    "unknown encoding": (b"# -*- coding: klingon -*-\nimport torch\n", "klingon"),
    "syntax error": (b"import torch\ndef f(:\n", "invalid syntax"),
    "python 2": (b"import torch\nprint 'loss', 3\n", "print"),
    "python 2 without a word of training": (b"print 'loss', 3\n", "print"),
    "unclosed bracket": (b"import torch\nx = (1,\n", "never closed"),
    "tabs and spaces": (b"import torch\nif 1:\n\tx = 1\n        y = 2\n", "inconsistent use of tabs"),
}
READABLE = {
    "empty": b"",
    "only a byte order mark": b"\xef\xbb\xbf",
    "only comments": b"# import torch\n",
    "fifty thousand lines": b"import torch\n" + b"x = torch.zeros(3)\n" * 50_000,
    "a line of a million characters": b"import torch\nx = '" + b"a" * 1_000_000 + b"'\n",
    "nested brackets": b"import torch\nx = " + b"[" * 90 + b"]" * 90 + b"\n",
    "nested blocks": b"import torch\n" + b"".join(b" " * depth + b"if x:\n" for depth in range(90)) + b" " * 90 + b"y = 1\n",
    "a long elif chain": b"import torch\nif x == 0:\n    y = 0\n" + b"".join(b"elif x == %d:\n    y = %d\n" % (n, n) for n in range(1, 2_000)),
    "a long sum": b"import torch\nx = " + b" + ".join([b"1"] * 2_000) + b"\n",
    "a long chain of calls": b"import torch\nx = torch" + b".cpu()" * 100 + b"\n",
    "a function that calls itself": b"import torch\ndef f(x):\n    return f(f(x)).item()\nwhile True:\n    f(f)\n",
    "a class that derives from itself": b"import torch\nclass A(A):\n    pass\nclass B(C):\n    pass\nclass C(B):\n    x = C().x\n",
    "a name that is made of itself": b"import torch\nx = x\ny, z = z, y\nfor y in y:\n    y = [y, *y]\n",
}


def check(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "feedlint", "check", "--isolated", "--output-format", "concise", *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("what", UNREADABLE)
def test_what_cannot_be_read_is_reported_and_the_file_beside_it_judged(what: str, tmp_path: Path) -> None:
    content, words = UNREADABLE[what]
    (tmp_path / "odd.py").write_bytes(content)
    (tmp_path / "train.py").write_text(STARVED)
    done = check(tmp_path, ".")
    line = next(line for line in done.stdout.splitlines() if line.startswith("odd.py:"))
    assert "FDL000" in line
    assert words.lower() in line.lower()
    assert "train.py:18" not in line
    assert any(line.startswith("train.py:16") and "FDL101" in line for line in done.stdout.splitlines())
    assert "Traceback" not in done.stdout + done.stderr
    assert (tmp_path / "odd.py").read_bytes() == content


@pytest.mark.parametrize("what", READABLE)
def test_what_is_odd_but_python_is_judged_in_silence(what: str, tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_bytes(READABLE[what])
    done = check(tmp_path, "odd.py")
    assert (done.returncode, done.stdout) == (0, "")
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("nested", [b"(" * 5_000 + b")" * 5_000, b"torch" + b".cpu()" * 5_000])
def test_nesting_beyond_all_measure_is_one_finding(nested: bytes, tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_bytes(b"import torch\nx = " + nested + b"\n")
    done = check(tmp_path, "odd.py")
    assert done.stdout.count("FDL000") == 1
    assert "Traceback" not in done.stderr


def test_a_broken_notebook_is_reported(tmp_path: Path) -> None:
    (tmp_path / "odd.ipynb").write_text('{"cells": [}')
    done = check(tmp_path, "odd.ipynb")
    assert "FDL000" in done.stdout
    assert "JSON" in done.stdout


def test_a_folder_without_python_has_no_findings(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("import torch\n")
    done = check(tmp_path, ".")
    assert (done.returncode, done.stdout) == (0, "")


def test_links_that_lead_round_end(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(STARVED)
    (tmp_path / "again").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "self.py").symlink_to(tmp_path / "self.py")
    done = check(tmp_path, ".")
    assert done.stdout.count("FDL101") == 1
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="everybody, or this user, may read every file")
def test_a_file_that_may_not_be_read_is_reported(tmp_path: Path) -> None:
    (tmp_path / "odd.py").write_text(STARVED)
    (tmp_path / "odd.py").chmod(0)
    assert "FDL000" in check(tmp_path, "odd.py").stdout


def test_a_path_that_does_not_exist_is_named_and_fails(tmp_path: Path) -> None:
    done = check(tmp_path, "nowhere.py")
    assert done.returncode == 2
    assert "nowhere.py" in done.stderr


def test_an_unknown_option_is_named_with_the_nearest_one(tmp_path: Path) -> None:
    done = check(tmp_path, "--unsafe-fix", ".")
    assert done.returncode == 2
    assert "--unsafe-fixes" in done.stderr


def test_an_unknown_key_of_the_configuration_is_named_with_the_nearest_one(tmp_path: Path) -> None:
    (tmp_path / "feedlint.toml").write_text("selct = ['ALL']\n")
    done = subprocess.run(
        [sys.executable, "-m", "feedlint", "check", "."],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "selct" in done.stderr
    assert "select" in done.stderr.replace("selct", "")
