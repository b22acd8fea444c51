"""The text files of a book, read from its folder."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from proofbook.model.config import BookConfig
from proofbook.model.page import decoded
from proofbook.model.problem import Problem, Unproved

SECOND_WAY = "tests/second_way"
"""For each topic a file with a function for each script whose numbers are found a second way."""
FOLDERS = ("docs", "snippets", SECOND_WAY)
"""The folders whose text files belong to the book."""

TEXTS = (".md", ".toml", ".py", ".out", ".trace", ".varied")
LARGEST = 1_000_000
"""The most bytes that a page may have."""
RECORDS = "snippets/versions"
"""The folder of what other versions of PyTorch print; only there JSON belongs to the book."""
BESIDE = ("requirements.txt",)
"""Files at the root of the book that its pages speak of."""


@dataclass(frozen=True)
class SourceFile:
    """A file as it was read: its text with lines ended by `\\n`, or why it is none.

    `stamp`: a hash of its bytes; `seen`: its size and time of change when it was read.
    """

    text: str
    stamp: str
    seen: tuple[int, int]
    error: UnicodeDecodeError | None = None


def read_sources(
    root: Path, config: BookConfig, known: Mapping[str, SourceFile]
) -> dict[str, SourceFile]:
    """The text files of the book in `root`, by their paths; of those `known`, only the changed.

    Raises `Unproved` where a file cannot be read, or a symbolic link leads out of the book, to
    nothing or in a circle: whoever walks the folders, as MkDocs does, would follow it.
    """
    found, refused = {}, []
    for name, status in _text_files(root, [*FOLDERS, *config.directives, config.claims], refused):
        before, seen = known.get(name), (status.st_size, status.st_mtime_ns)
        if name.endswith(".md") and status.st_size > LARGEST:
            refused.append(_too_large(name, status.st_size))
            continue
        try:
            found[name] = before if before and before.seen == seen else _read(root / name, seen)
        except OSError as error:
            refused.append(_unreadable(name, error))
    if refused:
        raise Unproved(refused)
    return found


def _text_files(
    root: Path, places: Collection[str], refused: list[Problem]
) -> Iterator[tuple[str, os.stat_result]]:
    """The text files of a book; what cannot be followed is added to `refused`.

    What begins with a dot belongs to an editor: copies, locks.
    """
    waiting = [(root / place, place.rstrip("/")) for place in places if (root / place).is_dir()]
    inside = [folder.resolve() for folder in (root, *(folder for folder, _ in waiting))]
    while waiting:
        folder, name = waiting.pop()
        try:
            entries = list(os.scandir(folder))
        except OSError as error:
            refused.append(_unreadable(name, error))
            continue
        for entry in entries:
            file = f"{name}/{entry.name}"
            if entry.name.startswith("."):
                continue
            if entry.is_symlink() and (found := _wrong_target(Path(entry.path), inside)):
                refused.append(_wrong_link(file, found))
            elif entry.is_dir():
                waiting.append((Path(entry.path), file))
            elif entry.name.endswith((*TEXTS, ".json") if name == RECORDS else TEXTS):
                with contextlib.suppress(FileNotFoundError):  # an editor has moved it away
                    yield file, entry.stat()
    for name in (*BESIDE, *(place for place in places if place.endswith(".py"))):
        if (root / name).is_file():
            yield name, (root / name).stat()


def _too_large(file: str, size: int) -> Problem:
    what, mend = "the page is too large for a browser", "cut it into several pages"
    return Problem(file, 1, what, f"at most {LARGEST:,} bytes", f"{size:,} bytes", mend)


def _wrong_target(link: Path, inside: Iterable[Path]) -> str:
    """Why a symbolic link cannot be followed; "" if it leads to something `inside` of the book."""
    try:
        target = link.resolve(strict=True)
    except FileNotFoundError:
        return f"a link to {os.readlink(link)}, which does not exist"
    except (OSError, RuntimeError):  # the latter up to Python 3.12
        return "a link that leads back to itself"
    if not any(target.is_relative_to(folder) for folder in inside):
        return f"a link to {target}, outside of the book"
    if any(folder.resolve().is_relative_to(target) for folder in link.parents):
        return f"a link to {target}, the folder in which it lies"
    return ""


def _wrong_link(file: str, found: str) -> Problem:
    what, expected = "the symbolic link cannot be followed", "a link to a file of the book, or none"
    mend = f"delete {file}, or put the file in its place"
    return Problem(file, 1, what, expected, found, mend)


def _unreadable(file: str, error: OSError) -> Problem:
    what, expected, mend = "this cannot be read", "a file that can be read", "change its rights"
    return Problem(file, 1, what, expected, error.strerror or str(error), mend)


def _read(file: Path, seen: tuple[int, int]) -> SourceFile:
    raw = file.read_bytes() if file.is_file() else b""  # an editor may have moved it away
    stamp = hashlib.sha256(raw).hexdigest()[:20]
    try:
        return SourceFile(decoded(raw), stamp, seen)
    except UnicodeDecodeError as error:
        return SourceFile("", stamp, seen, error)
