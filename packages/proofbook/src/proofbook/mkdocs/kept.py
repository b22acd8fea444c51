"""Keeps what was made at a place of the site, to be used again while it would be made the same."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Kept:
    """The last result for each place, with a digest of all that it was made from."""

    _results: dict[Hashable, tuple[str, Any]] = field(default_factory=dict)
    _used: set[Hashable] = field(default_factory=set)

    def get(self, place: Hashable, made_from: str) -> Any:
        """The result for a place; None where it would be made from something else now."""
        known = self._results.get(place)
        if known is None or known[0] != made_from:
            return None
        self._used.add(place)
        return known[1]

    def put(self, place: Hashable, made_from: str, result: Any) -> None:
        """Keep the result for a place instead of the last one."""
        self._results[place] = made_from, result
        self._used.add(place)

    def used(self) -> dict[Hashable, tuple[str, Any]]:
        """What was asked for, or put here, in this process: what the next one may need."""
        return {place: self._results[place] for place in self._used}


def digest(*parts: str) -> str:
    """A short name for texts that is never that of other texts."""
    found = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        found.update(f"{len(data)} ".encode() + data)
    return found.hexdigest()
