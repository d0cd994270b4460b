"""feedlint: finds and fixes PyTorch training code that starves the GPU."""

__version__ = "0.1.0"

from ._checkout import install as _install

_install()
