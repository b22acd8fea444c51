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
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, is_dataclass
from functools import lru_cache
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any

from proofbook.model.config import read_config
from proofbook.model.problem import Unproved

if TYPE_CHECKING:
    from proofbook.model.book import Book

FOLDER = ".cache/proofbook"
Key = tuple[Callable[..., Any], tuple[Hashable, ...]]
"""A function of a module, and its arguments."""

_TITLES = {"torch": "PyTorch", "numpy": "NumPy", "scipy": "SciPy", "matplotlib": "Matplotlib"}
"""What packages are called in a sentence, where that is not their name on PyPI."""

Reads = dict[Hashable, Any]
"""A dependency: the path of a file with the hash of its text, or a query with its answer."""


@dataclass(slots=True)
class Remembered:
    """A result, and its dependencies."""

    value: Any
    reads: Reads


Memo = dict[Key, Remembered]
"""Results by function and arguments; one entry for each, however often a file changes."""


_OTHER_RECORDS = {
    ("re", "_compile"),
    ("mkdocs.structure.toc", "AnchorLink"),
    ("mkdocs.structure.toc", "TableOfContents"),
}


class _Results(pickle.Unpickler):
    """Reads results as data: dataclasses are filled, and functions of a book are named, but nothing
    is called that could run a file's own code. No file can make the `Book` that they ask for.

    https://docs.python.org/3/library/pickle.html#restricting-globals
    """

    def find_class(self, module: str, name: str) -> Any:
        if (module, name) in _OTHER_RECORDS:
            return super().find_class(module, name)
        # A directive of the book itself is in a module that has been imported for it.
        if module.partition(".")[0] in ("proofbook", "gradtrace") or module in sys.modules:
            found = super().find_class(module, name)
            if is_dataclass(found) and not hasattr(found, "__post_init__") and name != "Book":
                return found
            if isinstance(found, FunctionType) and "Book" in found.__annotations__.values():
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is no record of a result")


@dataclass
class Store:
    """The files with the results for the book in `root`.

    `software`: a hash of the software when this process began; it may have changed when it ends.
    """

    root: Path
    software: str = ""

    def __post_init__(self) -> None:
        if not self.software:
            names: Iterable[str] = ()
            with contextlib.suppress(Unproved):  # which `read_book` reports
                names = read_config(self.root).names
            self.software = software_hash(names)

    def load(self, name: str, *depends_on: object) -> dict:
        """The entries in a file, or none if it is damaged, missing, or for something else.

        `depends_on`: their dependencies besides the software, as when they were saved.
        """
        try:
            with (self.root / FOLDER / f"{name}.pickle").open("rb") as file:
                known, entries = _Results(file).load()
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


@lru_cache(maxsize=128)
def package_of(module: str) -> str | None:
    """The package that a module belongs to: `torch`, and `scikit-learn` for `sklearn`. None if it
    is Python's own, or not installed."""
    if module in sys.stdlib_module_names:
        return None
    try:  # reading all packages takes a while, and most have the name of their module
        return metadata.metadata(module)["Name"]
    except metadata.PackageNotFoundError:
        return next(iter(metadata.packages_distributions().get(module, ())), None)


def title_of(package: str) -> str:
    """What a package is called in a sentence, with its version: PyTorch 2.13.0."""
    return f"{_TITLES.get(package, package)} {version_of(package)}"


def software_hash(names: Iterable[str] = ()) -> str:
    """A hash of everything on which a result may depend besides the book: all that is installed,
    and the files of what is being written: ours, and the modules that the book is about."""
    parts = [sys.version, platform.platform(), platform.processor()]
    folders = [Path(folder or ".") for folder in sys.path]
    patterns = ("*.dist-info", "*.egg-info")  # with the version in their names
    parts += sorted({f.name for d in folders for p in patterns for f in d.glob(p)})
    for module in ("gradtrace", "proofbook", *filter(in_development, names)):
        parts += states_of_files(module)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def in_development(module: str) -> bool:
    """Whether a module lies where its author edits it, so that its version does not tell."""
    found = find_spec(module)
    return found is not None and "site-packages" not in Path(found.origin or "").parts


def states_of_files(module: str) -> Iterator[str]:
    """The files of a module, each with its size and the time of its last change."""
    if (found := find_spec(module)) is None:
        return
    folders = map(Path, found.submodule_search_locations or ())
    files = [file for folder in folders for file in sorted(folder.rglob("*.*"))]
    for file in files or [Path(found.origin or "")]:
        if file.suffix != ".pyc" and file.is_file():
            status = file.stat()
            yield f"{file} {status.st_size} {status.st_mtime_ns}"
