"""The text files of a book, read from its folder; of TOML, tables with their lines."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proofbook.model.config import BookConfig
from proofbook.model.page import decoded
from proofbook.model.problem import Problem, Unproved, not_utf8

if TYPE_CHECKING:
    from proofbook.model.book import Book

SECOND_WAY = "tests/second_way"
"""For each topic a file with a function for each script whose numbers are computed a second way."""
FOLDERS = ("docs", "snippets", SECOND_WAY)
"""The folders whose text files belong to the book."""

TEXTS = (".md", ".toml", ".py", ".out", ".trace", ".varied")
LARGEST = 1_000_000
"""The maximum size of a page in bytes."""
RECORDS = "snippets/versions"
"""The folder with the outputs of other versions of PyTorch; only here JSON belongs to the book."""
BESIDE = ("requirements.txt",)
"""Files at the root of the book to which its pages refer."""


_HEADER = re.compile(r"^\s*\[\[\s*([\w-]+)\s*\]\]", re.MULTILINE)


@dataclass(frozen=True)
class SourceFile:
    """A file as it was read: its text with lines ended by `\
    `, or why it isn't a text.

    `stamp`: a hash of its bytes; `seen`: its size and modification time when it was read.
    """

    text: str
    stamp: str
    seen: tuple[int, int]
    error: UnicodeDecodeError | None = None


def read_sources(
    root: Path, config: BookConfig, known: Mapping[str, SourceFile]
) -> dict[str, SourceFile]:
    """The text files of the book in `root`, by their paths; files in `known` are reused if
    unchanged.

    Raises `Unproved` if a file cannot be read, or a symbolic link leads out of the book, is broken
    or circular: programs that walk the folders, such as MkDocs, would follow it.
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
    """The text files of a book; links that cannot be followed are added to `refused`.

    Files that begin with a dot belong to an editor: copies, locks.
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
            if entry.is_symlink() and not _can_be_followed(Path(entry.path), inside):
                what = "the symbolic link cannot be followed"
                found = f"a link to {os.readlink(entry.path)}"
                fix = f"delete {file}, or put the file in its place"
                refused.append(Problem(file, 1, what, "a link to a file of the book", found, fix))
            elif entry.is_dir():
                waiting.append((Path(entry.path), file))
            elif entry.name.endswith((*TEXTS, ".json") if name == RECORDS else TEXTS):
                with contextlib.suppress(FileNotFoundError):  # an editor has moved it away
                    yield file, entry.stat()
    for name in (*BESIDE, *(place for place in places if place.endswith(".py"))):
        if (root / name).is_file():
            yield name, (root / name).stat()


def _too_large(file: str, size: int) -> Problem:
    what, fix = "the page is too large for a browser", "cut it into several pages"
    return Problem(file, 1, what, f"at most {LARGEST:,} bytes", f"{size:,} bytes", fix)


def _can_be_followed(link: Path, inside: Iterable[Path]) -> bool:
    """Whether a symbolic link points `inside` the book, not to a folder that contains the link."""
    try:
        target = link.resolve(strict=True)
    except (OSError, RuntimeError):  # it is broken, or circular
        return False
    circle = any(folder.resolve().is_relative_to(target) for folder in link.parents)
    return not circle and any(target.is_relative_to(folder) for folder in inside)


def _unreadable(file: str, error: OSError) -> Problem:
    what, expected, fix = "this cannot be read", "a file that can be read", "change its rights"
    return Problem(file, 1, what, expected, error.strerror or str(error), fix)


def _read(file: Path, seen: tuple[int, int]) -> SourceFile:
    raw = file.read_bytes() if file.is_file() else b""  # an editor may have moved it away
    stamp = hashlib.sha256(raw).hexdigest()[:20]
    try:
        return SourceFile(decoded(raw), stamp, seen)
    except UnicodeDecodeError as error:
        return SourceFile("", stamp, seen, error)


def parse_toml(text: str) -> dict[str, Any]:
    """A text parsed as TOML; raises `tomllib.TOMLDecodeError`, also if it nests too deep."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        rows = text.split("\n")
        deepest = max(range(len(rows)), key=lambda n: rows[n].count("[") + rows[n].count("{"))
        raise tomllib.TOMLDecodeError(f"nested too deep (at line {deepest + 1})") from None


def tables(
    book: Book, file: str, kind: str, pages: tuple[str, ...]
) -> list[tuple[dict[str, Any], int]]:
    """The entries `[[kind]]` of a file, each with its line; none if the file doesn't exist.

    `pages`: the pages affected by an error. Raises `Unproved` if it isn't TOML.
    """

    def unproved(line: int, what: str, expected: str, found: str) -> Unproved:
        return Unproved([Problem(file, line, what, expected, found, f"correct {file}", pages)])

    if not book.has(file):
        return []
    try:
        text = book.text(file)
        entries = book.cached(parse_toml, text).get(kind, [])
    except UnicodeDecodeError as error:
        raise Unproved([not_utf8(file, error, pages)]) from error
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"line (\d+)", str(error))
        line = int(found[1]) if found else 1
        raise unproved(line, "this is not TOML", "TOML", str(error)) from error
    headers = [found for found in _HEADER.finditer(text) if found[1] == kind]
    lines = [text.count("\n", 0, found.end()) + 1 for found in headers]
    if not isinstance(entries, list) or len(entries) != len(lines):
        what, expected = f"this is not a list of {kind}s", f"[[{kind}]] above each"
        raise unproved(1, what, expected, repr(entries)[:60])
    return list(zip(entries, lines, strict=True))


Fault = tuple[str, str, str]
"""The error of an entry, and the expected and found texts."""


def correct_tables(
    book: Book,
    file: str,
    kind: str,
    faults: Callable[[dict[str, Any], int], Iterable[Fault]],
    pages: tuple[str, ...] = (),
) -> list[tuple[dict[str, Any], int]]:
    """The entries `[[kind]]` of a file, each with its line; raises `Unproved` with all `faults` of
    all entries.

    `faults` returns those of one entry in a line.
    """
    entries = tables(book, file, kind, pages)
    fix = f"correct the {kind} in {file}"
    problems = [
        Problem(file, line, *fault, fix, pages)
        for entry, line in entries
        for fault in faults(entry, line)
    ]
    if problems:
        raise Unproved(problems)
    return entries


def is_words(value: object) -> bool:
    """Whether a value is a text in one line, without superfluous blanks."""
    return isinstance(value, str) and bool(value) and value == " ".join(value.split())


def _is_list(value: object) -> bool:
    return isinstance(value, list) and all(map(is_words, value))


def _is_number(value: object) -> bool:
    return type(value) is int and value > 0


WORDS, WORD_LIST, NUMBER, FLAG = "text in one line", "list of texts", "number from 1", "truth value"
"""The allowed types of a field."""
_FORMS = {
    WORDS: (is_words, '"..."'),
    WORD_LIST: (_is_list, '["..."]'),
    NUMBER: (_is_number, "7"),
    FLAG: (lambda value: isinstance(value, bool), "true"),
}


def wrong_fields(
    entry: Mapping[str, object], fields: Mapping[str, str], needed: Iterable[str]
) -> Iterator[tuple[str, str, str]]:
    """The errors of an entry of a TOML file, with the expected and found values: fields that are
    missing, unknown, or of another kind than `fields` declares."""
    for key in sorted(entry.keys() - fields.keys()):
        yield "unknown field", ", ".join(fields), key
    for key, kind in fields.items():
        right, form = _FORMS[kind]
        if key in entry and not right(entry[key]):
            yield f"{key} is not a {kind}", f"{key} = {form}", repr(entry[key])
        elif key not in entry and key in needed:
            yield f"the entry has no {key}", f"{key} = {form}", "nothing"
