"""A part of many cases of one kind, the same part each time."""

from __future__ import annotations

import zlib
from collections.abc import Iterable


def in_sample(name: str, one_in: int) -> bool:
    """Whether a case is one of the sample; its name alone decides, not what else there is."""
    return zlib.crc32(name.encode()) % one_in == 0


def sample(names: Iterable[str], one_in: int) -> list[str]:
    """One in so many of the names."""
    return [name for name in names if in_sample(name, one_in)]
