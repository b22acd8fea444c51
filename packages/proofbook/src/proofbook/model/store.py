"""What a command remembers for the next one: results by what they read, runs by their script.

It lies in `.cache/proofbook/` of the book, may be deleted at any time, and is used only by the same
software: another version of a package or of Python starts anew.
"""

from __future__ import annotations

import hashlib
import platform
import sys
from collections.abc import Hashable
from dataclasses import dataclass, field
from importlib import metadata, resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proofbook.model.config import BookConfig, read_config
from proofbook.model.memo import Memo
from proofbook.model.problem import Unproved

if TYPE_CHECKING:
    from proofbook.model.book import Book
    from proofbook.run.result import Result
    from proofbook.run.runs import Key, Runs

FOLDER = ".cache/proofbook"
LIBRARIES = ("torch", "numpy", "sympy", "matplotlib", "math-core", "nbformat")
"""What the results of checks and runs depend on besides our own code."""


@dataclass
class Store:
    """The files with what was remembered of the book that lies in `root`.

    `software`: a hash of the software when this process began; it may be another before it ends.
    """

    root: Path
    software: str = field(default_factory=lambda: software_hash())

    def load_memo(self) -> Memo:
        """The results of checks; none where there are none of the same software and settings."""
        try:
            version = self._version(read_config(self.root))
        except Unproved:  # which `read_book` reports
            return Memo()
        return Memo.load(self._file("memo"), version)

    def load_results(self) -> dict[Key, Result]:
        """The results of runs."""
        return Memo.load(self._file("runs"), self.software).entries

    def load_seconds(self) -> dict[str, float]:
        """How long each script took when it ran last."""
        return {script: run.seconds for (script, *_), run in self.load_results().items()}

    def save(self, book: Book, runs: Runs) -> None:
        """Write what was found of a book, and of the runs of its snippets."""
        self.save_memo(book)
        self.save_runs(runs)

    def save_runs(self, runs: Runs) -> None:
        """Write what the snippets printed; of those that nobody asked for, what is known stays."""
        asked = runs.asked()
        others = {
            key: result
            for key, result in self.load_results().items()
            if key[0] not in asked and (self.root / key[0]).is_file()
        }
        Memo({**others, **runs.results()}).save(self._file("runs"), self.software)

    def save_memo(self, book: Book) -> None:
        """Write what was found of a book."""
        book.forget_unused()
        book.memo.save(self._file("memo"), self._version(book.config))

    def load_site(self, config: BookConfig, software_of_site: str) -> dict[Hashable, Any]:
        """What a build of the site kept, if it was made by the same software and settings."""
        return Memo.load(self._file("site"), f"{self._version(config)} {software_of_site}").entries

    def save_site(
        self, config: BookConfig, software_of_site: str, kept: dict[Hashable, Any]
    ) -> None:
        """Write what a build of the site keeps for the next one."""
        Memo(kept).save(self._file("site"), f"{self._version(config)} {software_of_site}")

    def _version(self, config: BookConfig) -> str:
        return f"{self.software} {config}"

    def _file(self, name: str) -> Path:
        return self.root / FOLDER / f"{name}.pickle"


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
