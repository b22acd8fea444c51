"""A part of many cases of one kind, the same part each time.

What holds for each page or snippet is tried on a sample by `pytest` and on the others by
`pytest -m exhaustive`, so that no case is tried twice by both and none by neither.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable

import pytest


def in_sample(name: str, one_in: int) -> bool:
    """Whether a case is one of the sample; its name alone decides, not what else there is."""
    return zlib.crc32(name.encode()) % one_in == 0


def sample(names: Iterable[str], one_in: int) -> list:
    """Parameters for `pytest.mark.parametrize`: those outside of the sample are exhaustive."""
    return [
        pytest.param(name, marks=() if in_sample(name, one_in) else pytest.mark.exhaustive)
        for name in names
    ]


def sample_and_rest(names: Iterable[str], one_in: int, parts: int = 1) -> list:
    """Parameters for a test that goes through many names: the sample, and the exhaustive rest, in
    so many parts that workers can share it."""
    chosen, rest = [], []
    for name in names:
        (chosen if in_sample(name, one_in) else rest).append(name)
    return [
        pytest.param(chosen, id="sample"),
        *(
            pytest.param(rest[n::parts], id=f"rest{n or ''}", marks=pytest.mark.exhaustive)
            for n in range(parts)
        ),
    ]
