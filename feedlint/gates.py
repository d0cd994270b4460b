"""Which files can possibly matter: decided on their bytes, before any rule or any meaning is loaded.

A gate may let a file pass in vain. It must never hold back one in which something would be found.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import lru_cache

_FRAMEWORKS = (
    *("[tT]orch", "lightning", "accelerat", "fastai", "ignite", "timm", "monai", "mmengine", "speechbrain", "webdataset"),
    *("litdata", "streaming", "sentence_transformers", "transformers", "trl", "dgl", "composer", "deepspeed", "fairseq"),
)
_TRAINING = ("[lL]oader", "backward", "optim", "scaler", "cuda", "train(?:ing)?_step", r"\bopt\w*\.step")

TRAINING = re.compile("|".join((*_FRAMEWORKS, *_TRAINING)).encode())
"""Words of which at least one stands somewhere in every project that trains. A project without any has no findings."""


def speaks_of_training(contents: Iterable[bytes], wrappers: Collection[str] = ()) -> bool:
    """Whether any of these files shows that its project may train; `wrappers` are names that the user calls loaders."""
    own = words(frozenset(wrappers)) if wrappers else None
    return any(TRAINING.search(data) or (own is not None and own.search(data)) for data in contents)


@lru_cache(maxsize=16)
def words(wanted: frozenset[str]) -> re.Pattern[bytes]:
    """Finds any of some words, also inside of longer ones."""
    return re.compile(b"|".join(re.escape(word.encode()) for word in sorted(wanted)) or b"(?!)")
