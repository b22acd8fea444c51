"""What was computed, kept as long as what it depends on is the same, in a folder of the book.

A result of `Book.remember` is valid while everything that was read to compute it is the same: the
texts of files, lists of files, other results. This is the idea of incremental build systems: a
build rule with its recorded dependencies. A run of a script is valid for the script's text.

The folder, `.cache/proofbook/` of the book, may be deleted at any time, and is used only by the
same software: another version of a package or of Python starts anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import platform
import sys
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import metadata, resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proofbook.model.config import read_config
from proofbook.model.problem import Unproved
from proofbook.model.temporary import TemporaryFolder

if TYPE_CHECKING:
    from proofbook.model.book import Book

FOLDER = ".cache/proofbook"
LIBRARIES = (
    *("torch", "numpy", "sympy", "latex2sympy2-extended", "matplotlib", "math-core", "nbformat"),
)
"""What the results of checks and runs depend on besides our own code."""

Key = tuple[Callable[..., Any], tuple[Hashable, ...]]
"""A function of a module, and its arguments."""

Reads = dict[Hashable, Any]
"""What was read: the path of a file with the hash of its text, or a query with its answer."""


@dataclass(slots=True)
class Remembered:
    """A result, and what was read to compute it."""

    value: Any
    reads: Reads


Memo = dict[Key, Remembered]
"""Results by function and arguments; one entry for each, however often a file changes."""


@dataclass
class Store:
    """The files with what was found of the book that lies in `root`.

    `software`: a hash of the software when this process began; it may be another before it ends.
    """

    root: Path
    software: str = field(default_factory=lambda: software_hash())

    def load(self, name: str, *depends_on: object) -> dict:
        """The entries in a file, or none: it is damaged, missing, or of something else.

        `depends_on`: what they depend on besides the software, as when they were saved.
        """
        try:
            known, entries = pickle.loads((self.root / FOLDER / f"{name}.pickle").read_bytes())
        except Exception:  # a pickle can fail in any way; everything in it can be computed again
            return {}
        return entries if known == self._version(depends_on) else {}

    def save(self, name: str, entries: Mapping, *depends_on: object) -> None:
        """Write entries to a file in one step; one that cannot be written is left as it is."""
        folder, file = self.root / FOLDER, f"{name}.pickle"
        with contextlib.suppress(OSError, pickle.PicklingError, AttributeError, TypeError):
            folder.mkdir(parents=True, exist_ok=True)
            content = self._version(depends_on), dict(entries)
            data = pickle.dumps(content, protocol=pickle.HIGHEST_PROTOCOL)
            with TemporaryFolder(f"{file}-", folder) as new:
                (new / file).write_bytes(data)
                os.replace(new / file, folder / file)

    def _version(self, depends_on: tuple) -> str:
        return " ".join([self.software, *map(str, depends_on)])

    def load_memo(self) -> Memo:
        """The results of checks; none where there are none of the same software and settings."""
        try:
            return self.load("memo", read_config(self.root))
        except Unproved:  # which `read_book` reports
            return {}

    def save_memo(self, book: Book) -> None:
        """Write what was found of a book."""
        book.forget_unused()
        self.save("memo", book.memo, book.config)


@lru_cache(maxsize=128)
def version_of(package: str) -> str:
    """The version of a package, as people say it: `2.13.0` for `2.13.0+cpu`.

    Found in a file of its package, and asked for by each page. Raises `PackageNotFoundError`.
    """
    return metadata.version(package).partition("+")[0]


def software_hash() -> str:
    """A hash of everything that a result may depend on besides the book."""
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
