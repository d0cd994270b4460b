"""FDL000: a file could not be read or parsed."""

from __future__ import annotations

from collections.abc import Iterator

from feedlint.api import STABLE, Bad, Finding, Good, Rule, Settings, Severity, Unreadable


class UnreadableFile(Rule):
    """A file could not be read or parsed, so nothing in it was judged.

    ## What it does

    Reports files that are binary, wrongly encoded, too large, not valid Python, or nested too deeply.

    ## Why it starves the GPU

    It does not; but what stands in the file may, and nobody looked.

    ## What it is worth

    Knowing what was not judged.

    ## When it is right

    Code for another version of Python, or templates: exclude them.

    ## Fix safety

    No edit.

    ## References

    PEP 263 for encodings.
    """

    code, name, since = "FDL000", "unreadable-file", "0.1"
    status = STABLE
    severity = Severity.ERROR
    sees = Unreadable
    needs = ("torch",)
    worth = "knowing what was not judged"
    bad = (Bad("import torch\n\n\ndef broken(:  #! FDL000\n    pass\n"),)
    good = (Good("import torch\n\n\ndef whole():\n    pass\n", "It parses."),)

    def judge(self, file: Unreadable, settings: Settings) -> Iterator[Finding]:
        yield self.finding(file, file.reason)
