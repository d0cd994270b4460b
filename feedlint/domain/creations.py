from __future__ import annotations


class Creation:
    pass


def creations(semantics, module, settings):
    return ()
