"""Cached results, in a folder of the book, valid while their inputs are unchanged.

A result of `Book.remember` is valid while everything that was read to compute it is the same: the
texts of files, lists of files, other results. This is the idea of incremental build systems: a
build rule with its recorded dependencies. A run of a script is valid for the script's text.

The folder, `.cache/proofbook/` of the book, may be deleted at any time, and is used only by the
same software: another version of a package or of Python starts a new one.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import platform
import sys
import tempfile
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import metadata, resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proofbook.model.config import read_config
from proofbook.model.problem import Unproved

if TYPE_CHECKING:
    from proofbook.model.book import Book

FOLDER = ".cache/proofbook"
LIBRARIES = (
    *("torch", "numpy", "sympy", "latex2sympy2-extended", "matplotlib", "math-core", "nbformat"),
)
"""Software on which the results of checks and runs depend, besides proofbook's own code."""

Key = tuple[Callable[..., Any], tuple[Hashable, ...]]
"""A function of a module, and its arguments."""

Reads = dict[Hashable, Any]
"""A dependency: the path of a file with the hash of its text, or a query with its answer."""


@dataclass(slots=True)
class Remembered:
    """A result, and its dependencies."""

    value: Any
    reads: Reads


Memo = dict[Key, Remembered]
"""Results by function and arguments; one entry for each, however often a file changes."""


@dataclass
class Store:
    """The files with the results for the book in `root`.

    `software`: a hash of the software when this process began; it may have changed when it ends.
    """

    root: Path
    software: str = field(default_factory=lambda: software_hash())

    def load(self, name: str, *depends_on: object) -> dict:
        """The entries in a file, or none if it is damaged, missing, or for something else.

        `depends_on`: their dependencies besides the software, as when they were saved.
        """
        try:
            known, entries = pickle.loads((self.root / FOLDER / f"{name}.pickle").read_bytes())
        except Exception:  # a pickle can fail in any way; everything in it can be computed again
            return {}
        return entries if known == self._version(depends_on) else {}

    def save(self, name: str, entries: Mapping, *depends_on: object) -> None:
        """Write entries to a file atomically; a file that cannot be written is left as it is."""
        folder, file = self.root / FOLDER, f"{name}.pickle"
        with contextlib.suppress(OSError, pickle.PicklingError, AttributeError, TypeError):
            folder.mkdir(parents=True, exist_ok=True)
            content = self._version(depends_on), dict(entries)
            data = pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL)
            with tempfile.TemporaryDirectory(prefix=f"{file}-", dir=folder) as new:
                Path(new, file).write_bytes(data)
                os.replace(Path(new, file), folder / file)

    def _version(self, depends_on: tuple) -> str:
        return " ".join([self.software, *map(str, depends_on)])

    def load_memo(self) -> Memo:
        """The results of checks; empty if there are none with the same software and settings."""
        try:
            return self.load("memo", read_config(self.root))
        except Unproved:  # which `read_book` reports
            return {}

    def save_memo(self, book: Book) -> None:
        """Write the results for a book."""
        self.save("memo", book.memo, book.config)


@lru_cache(maxsize=128)
def version_of(package: str) -> str:
    """The public version of a package: `2.13.0` for `2.13.0+cpu`.

    Read from a file of its package, for each page. Raises `PackageNotFoundError`.
    """
    return metadata.version(package).partition("+")[0]


def software_hash() -> str:
    """A hash of everything on which a result may depend besides the book."""
    parts = [sys.version, platform.platform(), platform.processor()]
    for name in LIBRARIES:
        try:
            parts.append(f"{name} {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            parts.append(f"{name}: none")
    for package in ("gradtrace", "proofbook"):
        for file in sorted(Path(str(resources.files(package))).rglob("*.*")):
            if file.suffix == ".pyc" or not file.is_file():
                continue
            status = file.stat()
            parts.append(f"{file} {status.st_size} {status.st_mtime_ns}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()
