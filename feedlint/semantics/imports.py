"""Which file of the project an import means, as Python would resolve it when the importing file is run or imported."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, field

from .values import External, ModuleValue, Value


@dataclass
class ImportResolver:
    """`root` and the paths of `files` are absolute, with forward slashes. `source_roots` come after the own folder.

    With `extends_path` the project puts folders of its own on `sys.path`: what no other way finds is then looked for below
    every folder, and found where only one has it.
    """

    root: str
    files: frozenset[str]
    source_roots: Sequence[str] = ()
    extends_path: bool = False
    _folders: frozenset[str] = field(init=False)
    _homes: dict[str, list[str]] = field(init=False)

    def __post_init__(self) -> None:
        folders = set()
        for path in self.files:
            folder = posixpath.dirname(path)
            while folder not in folders and len(folder) >= len(self.root):
                folders.add(folder)
                folder = posixpath.dirname(folder)
        self._folders = frozenset(folders)
        self._homes = {}
        for path in self.files if self.extends_path else ():
            folder, name = posixpath.split(path)
            if name == "__init__.py":
                folder, name = posixpath.split(folder)
            self._homes.setdefault(name.removesuffix(".py"), []).append(folder)

    def search_path(self, importer: str) -> list[str]:
        """The importer's folder, those above it up to the root (nearest first), then the source roots."""
        folders = []
        folder = posixpath.dirname(importer)
        while True:
            folders.append(folder)
            if folder == self.root or len(folder) <= len(self.root):
                break
            folder = posixpath.dirname(folder)
        for extra in (*self.source_roots, posixpath.join(self.root, "src")):
            if extra in self._folders and extra not in folders:
                folders.append(extra)
        return folders

    def module(self, folder: str, dotted: str) -> ModuleValue | None:
        """The module of this dotted name below a folder."""
        base = posixpath.join(folder, *dotted.split(".")) if dotted else folder
        package = posixpath.join(base, "__init__.py")
        if package in self.files:
            return ModuleValue(package, base)
        if base + ".py" in self.files:
            return ModuleValue(base + ".py", "")
        if base in self._folders and dotted:
            return ModuleValue("", base)
        return None

    def resolve(self, importer: str, dotted: str, level: int) -> Value:
        """The module that `import dotted` or `from dotted import ...` in the importer means."""
        if level:
            folder = posixpath.dirname(importer)
            for _ in range(level - 1):
                folder = posixpath.dirname(folder)
            found = self.module(folder, dotted)
            if found is None and not dotted:
                found = ModuleValue("", folder)
            return found or External("." * level + dotted)
        folder_only: ModuleValue | None = None
        for folder in self.search_path(importer):
            found = self.module(folder, dotted)
            if found is None or found.path == importer:
                continue
            if found.path:
                if _is_framework(dotted, folder, importer):
                    return External(dotted)
                return found
            folder_only = folder_only or found
        elsewhere = self._below_any_folder(dotted)
        if elsewhere is not None:
            return elsewhere
        # A bare folder counts only where Python files of the project lie in it; installed names win otherwise.
        if folder_only is not None and dotted.partition(".")[0] not in _INSTALLED:
            return folder_only
        return External(dotted)


    def _below_any_folder(self, dotted: str) -> ModuleValue | None:
        first, _, rest = dotted.partition(".")
        if first in _INSTALLED or first in _FRAMEWORKS:
            return None
        homes = self._homes.get(first, ())
        if rest:  # a folder without `__init__.py` is a package too
            homes = [*homes, *(posixpath.dirname(f) for f in self._folders if posixpath.basename(f) == first and self.extends_path)]
        found = {m for folder in homes for m in [self.module(folder, dotted)] if m is not None and m.path}
        return found.pop() if len(found) == 1 else None


def _is_framework(dotted: str, folder: str, importer: str) -> bool:
    """Whether code outside of a framework (its examples, in its own repository) imports it: what tables know holds."""
    package = dotted.partition(".")[0]
    return package in _FRAMEWORKS and not importer.startswith(posixpath.join(folder, package) + "/")


_FRAMEWORKS = frozenset(
    "torch torchvision torchaudio lightning pytorch_lightning lightning_fabric ignite accelerate transformers timm monai "
    "torch_geometric fastai trl peft sentence_transformers datasets torchio webdataset litdata streaming composer dgl "
    "detectron2 mmengine ray deepspeed skorch".split()
)

# Names that a project's folders often carry too (docs, examples) while the import means the installed package.
_INSTALLED = frozenset({"torch", "numpy", "transformers", "datasets", "lightning", "torchvision", "wandb", "yaml"})
