"""The text files of a book, read from its folder."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from proofbook.model.config import BookConfig
from proofbook.model.page import one_line_end

FOLDERS = ("docs", "snippets")
"""The folders whose text files belong to the book."""

TEXTS = (".md", ".toml", ".py", ".out", ".trace", ".varied")
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
    """The text files of the book in `root`, by their paths; of those `known`, only the changed."""
    found = {}
    for name, status in _text_files(root, [*FOLDERS, *config.directives, config.claims]):
        before, seen = known.get(name), (status.st_size, status.st_mtime_ns)
        found[name] = before if before and before.seen == seen else _read(root / name, seen)
    return found


def _text_files(root: Path, places: Iterable[str]) -> Iterator[tuple[str, os.stat_result]]:
    """The text files of a book. What begins with a dot belongs to an editor: copies, locks."""
    waiting = [(root / place, place.rstrip("/")) for place in places if (root / place).is_dir()]
    while waiting:
        folder, name = waiting.pop()
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.startswith("."):
                    continue
                if entry.is_dir():
                    waiting.append((Path(entry.path), f"{name}/{entry.name}"))
                elif entry.name.endswith((*TEXTS, ".json") if name == RECORDS else TEXTS):
                    yield f"{name}/{entry.name}", entry.stat()
    for name in (*BESIDE, *(place for place in places if place.endswith(".py"))):
        if (root / name).is_file():
            yield name, (root / name).stat()


def _read(file: Path, seen: tuple[int, int]) -> SourceFile:
    raw = file.read_bytes() if file.is_file() else b""  # an editor may have moved it away
    stamp = hashlib.sha256(raw).hexdigest()[:20]
    try:
        if raw.startswith(b"\xef\xbb\xbf"):  # who copies the code from the page would copy it too
            raise UnicodeDecodeError("utf-8", raw, 0, 3, "a byte order mark")
        return SourceFile(one_line_end(raw.decode("utf-8")), stamp, seen)
    except UnicodeDecodeError as error:
        return SourceFile("", stamp, seen, error)
