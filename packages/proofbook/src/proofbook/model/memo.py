"""Remembers results together with what they read, so that an edit costs only what it touched.

A result is kept for a function and its arguments. It is valid as long as everything that was read
to compute it is the same: the texts of files, lists of files, other results. This is the idea of
incremental build systems: a build rule with its recorded dependencies.
"""

from __future__ import annotations

import contextlib
import os
import pickle
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from proofbook.model.temporary import TemporaryFolder

Key = tuple[Callable[..., Any], tuple[Hashable, ...]]
"""What a result is kept under: a function of a module, and its arguments."""

Reads = dict[Hashable, Any]
"""What was read: the path of a file with the hash of its text, or a query with its answer."""


@dataclass(slots=True)
class Remembered:
    """A result, and what was read to compute it."""

    value: Any
    reads: Reads


@dataclass
class Memo:
    """Results by function and arguments; one entry for each, however often a file changes."""

    entries: dict[Key, Remembered] = field(default_factory=dict)

    def save(self, file: Path, version: str) -> None:
        """Write the results that can be written to `file`; a file that cannot be written is left.

        `version` says by which code they were computed: only that code may read them again.
        """
        with contextlib.suppress(OSError, pickle.PicklingError, AttributeError, TypeError):
            file.parent.mkdir(parents=True, exist_ok=True)
            data = pickle.dumps((version, self.entries), protocol=pickle.HIGHEST_PROTOCOL)
            with TemporaryFolder(f"{file.name}-", file.parent) as folder:
                (folder / file.name).write_bytes(data)
                os.replace(folder / file.name, file)

    @classmethod
    def load(cls, file: Path, version: str) -> Memo:
        """The results in `file`, or none: it is damaged, missing, or of another version."""
        try:
            known, entries = pickle.loads(file.read_bytes())
        except Exception:  # a pickle can fail in any way; everything in it can be computed again
            return cls()
        return cls(entries) if known == version else cls()
