"""A process that is forked often has its memory in huge pages."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROBE = """\
from pathlib import Path
from proofbook.run.huge_pages import collapse_memory

written = bytes(range(256)) * (16 << 12)


def huge():
    rows = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return next(int(row.split()[1]) for row in rows if row.startswith("AnonHugePages"))


print(huge())
collapse_memory()
print(huge(), written == bytes(range(256)) * (16 << 12))
"""


def _collapses() -> bool:
    """Whether this system can move written memory to huge pages: Linux 6.1."""
    if sys.platform != "linux" or not Path("/sys/kernel/mm/transparent_hugepage").exists():
        return False
    major, minor = Path("/proc/sys/kernel/osrelease").read_text().split(".")[:2]
    return (int(major), int(minor.split("-")[0])) >= (6, 1)


@pytest.mark.skipif(not _collapses(), reason="this system cannot collapse memory")
def test_what_was_written_moves_to_huge_pages_and_stays_the_same():
    done = subprocess.run([sys.executable, "-c", PROBE], capture_output=True, text=True, check=True)
    before, after, same = done.stdout.split()
    assert int(after) - int(before) >= 12 << 10  # kB: all of it but for two ends
    assert same == "True"
