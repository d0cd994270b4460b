"""Since which version of torch there is what a fix writes."""

from __future__ import annotations

# From the release notes of PyTorch.
SINCE: dict[str, tuple[int, int]] = {
    "persistent_workers": (1, 7),
    "device": (0, 4),
}


def is_there(name: str, version: str | None) -> bool:
    """Whether a version ("2.4", None if it is not stated) has an argument; what is not listed is older than any in use."""
    if version is None or name not in SINCE:
        return True
    return tuple(int(part) for part in version.split(".")[:2]) >= SINCE[name]
