from __future__ import annotations


class HostRead:
    pass


def host_reads(semantics, module, settings):
    return ()
