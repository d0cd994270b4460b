"""The families of rules: the first digit of a code says which part of the program lets the GPU starve."""

from __future__ import annotations

from ..records import record


@record(frozen=True, slots=True)
class Family:
    """`heading` names the family in tables; `symptom` says in a few words what the user would see."""

    prefix: str
    heading: str
    symptom: str


FAMILIES = (
    Family("FDL0", "Files", "this file was not judged"),
    Family("FDL1", "Loaders", "the loop waits for its data"),
    Family("FDL2", "Copies between host and device", "the loop waits for its copies"),
    Family("FDL3", "Reads of the device", "the program waits for the GPU, and then the GPU for the program"),
    Family("FDL4", "Item code", "every sample takes longer than it must"),
    Family("FDL5", "The rest of the step", "the GPU waits while the program does something else"),
)

OTHER = Family("", "Rules of packs", "the GPU waits here")


def family(code: str) -> Family:
    """The family of a code."""
    return next((known for known in FAMILIES if code.startswith(known.prefix)), OTHER)
