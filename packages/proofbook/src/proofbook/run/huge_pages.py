"""The memory of this process in huge pages, so that a fork of it costs little.

A fork copies one entry for each page, and its end takes each away again: of 200 MB in pages of 4 kB
that is most of what a short script costs. A huge page (2 MB) has one entry, until somebody writes
to it.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
from pathlib import Path

_HUGE = 1 << 21
_MADV_COLLAPSE = 25


def collapse_memory() -> None:
    """Move what this process has written so far to huge pages; nothing where the system has none.

    For Linux from 6.1 on; it does not matter whether huge pages are enabled for all processes.
    """
    if sys.platform != "linux":
        return
    madvise = ctypes.CDLL(None).madvise
    madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    with contextlib.suppress(OSError):
        for start, end in _written_memory():
            for page in range(-(-start // _HUGE) * _HUGE, end - _HUGE + 1, _HUGE):
                madvise(page, _HUGE, _MADV_COLLAPSE)  # where it cannot, all stays as it is


def _written_memory() -> list[tuple[int, int]]:
    """The private ranges of memory that belong to no file, as the system lists them."""
    found = []
    for line in Path(f"/proc/{os.getpid()}/maps").read_text().splitlines():
        addresses, rights, _, _, _, *name = line.split(maxsplit=5)
        if rights == "rw-p" and name in ([], ["[heap]"]):
            start, end = (int(address, 16) for address in addresses.split("-"))
            found.append((start, end))
    return found
