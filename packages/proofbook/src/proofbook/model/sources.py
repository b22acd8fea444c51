"""The text files of a book, read from its folder, and those at a revision of git; of TOML, tables
with their lines.

A folder without git, or without a commit, has no revision; then there is nothing to compare.
"""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proofbook.model.config import BookConfig
from proofbook.model.page import decoded, one_line_end
from proofbook.model.problem import Problem, Unproved, not_utf8

if TYPE_CHECKING:
    from proofbook.model.book import Book

SECOND_WAY = "tests/second_way"
"""For each topic a file with a function for each script whose numbers are computed a second way."""
FOLDERS = ("docs", "snippets", SECOND_WAY)
"""The folders whose text files belong to the book."""

TEXTS = (".md", ".toml", ".py", ".out", ".trace", ".varied")
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

    Files and folders that begin with a dot belong to an editor: copies, locks. Links to folders are
    not followed. Raises `Unproved` if a file cannot be read.
    """
    names = [name for name in BESIDE if (root / name).is_file()]
    for place in (*FOLDERS, *config.directives, config.claims):
        names += [place] if (root / place).is_file() else _text_files(root, place.rstrip("/"))
    found, refused = {}, []
    for name in names:
        before = known.get(name)
        try:
            status = (root / name).stat()
        except FileNotFoundError:  # an editor has moved it away, or a link leads nowhere
            continue
        seen = status.st_size, status.st_mtime_ns
        try:
            found[name] = before if before and before.seen == seen else _read(root / name, seen)
        except OSError as error:
            what, expected = "this cannot be read", "a file that can be read"
            refused.append(
                Problem(name, 1, what, expected, error.strerror or str(error), "change its rights")
            )
    if refused:
        raise Unproved(refused)
    return found


def _text_files(root: Path, place: str) -> Iterator[str]:
    start = (root / place).as_posix()  # perhaps elsewhere: directives may be shared by books
    for path, folders, files in os.walk(start):
        folder = place + Path(path).as_posix().removeprefix(start)
        folders[:] = [name for name in folders if not name.startswith(".")]
        texts = (*TEXTS, ".json") if folder == RECORDS else TEXTS
        for name in files:
            if name.endswith(texts) and not name.startswith("."):
                yield f"{folder}/{name}"


def _read(file: Path, seen: tuple[int, int]) -> SourceFile:
    raw = file.read_bytes() if file.is_file() else b""  # an editor may have moved it away
    stamp = hashlib.sha256(raw).hexdigest()[:20]
    try:
        return SourceFile(decoded(raw), stamp, seen)
    except UnicodeDecodeError as error:
        return SourceFile("", stamp, seen, error)


_parsed_toml = lru_cache(maxsize=64)(tomllib.loads)


def tables(
    book: Book, file: str, kind: str, pages: tuple[str, ...]
) -> list[tuple[dict[str, Any], int]]:
    """The entries `[[kind]]` of a file, each with its line; none if the file doesn't exist.

    `pages`: the pages affected by an error. Raises `Unproved` if it isn't TOML.
    """
    if not book.has(file):
        return []
    try:
        text = book.text(file)
        entries = _parsed_toml(text).get(kind, [])
    except UnicodeDecodeError as error:
        raise Unproved([not_utf8(file, error, pages)]) from error
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        found = re.search(r"line (\d+)", str(error))
        line, fix = int(found[1]) if found else 1, f"correct {file}"
        problem = Problem(file, line, "this is not TOML", "TOML", str(error), fix, pages)
        raise Unproved([problem]) from error
    headers = [found for found in _HEADER.finditer(text) if found[1] == kind]
    lines = [text.count("\n", 0, found.end()) + 1 for found in headers]
    if not isinstance(entries, list) or len(entries) != len(lines):
        what, expected = f"this is not a list of {kind}s", f"[[{kind}]] above each"
        found, fix = repr(entries)[:60], f"correct {file}"
        raise Unproved([Problem(file, 1, what, expected, found, fix, pages)])
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


WORDS, WORD_LIST, NUMBER, FLAG = "text in one line", "list of texts", "number from 1", "truth value"
"""The allowed types of a field."""
_FORMS = {
    WORDS: (is_words, '"..."'),
    WORD_LIST: (lambda value: isinstance(value, list) and all(map(is_words, value)), '["..."]'),
    NUMBER: (lambda value: type(value) is int and value > 0, "7"),
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


@dataclass(frozen=True)
class Revision:
    """A commit, as seen from the folder of a book: `files` are new, gone, or changed since."""

    root: Path
    commit: str
    files: frozenset[str]

    def text(self, file: str) -> str | None:
        """The text of a file at this revision; None where there was no such file."""
        text = _git(self.root, "show", f"{self.commit}:./{file}")
        return None if text is None else one_line_end(text)


_MAIN = ("origin/main", "origin/master", "main", "master")
"""What the main branch is called, in a clone that doesn't say it."""


def base_revision(
    root: Path, environment: Mapping[str, str] = os.environ, branch: bool = False
) -> Revision | None:
    """The last commit; in CI, when that is being proved, and for a whole `branch`, its merge base
    with the target branch, or with the main one.

    None without git, or without a commit.
    """
    commit = None
    if branch or environment.get("CI"):
        names = f"origin/{environment.get('GITHUB_BASE_REF') or 'HEAD'}", *(_MAIN if branch else ())
        bases = (_git(root, "merge-base", "HEAD", name) for name in names)
        commit = next(filter(None, bases), None)
    commit = (commit or _git(root, "rev-parse", "--verify", "--quiet", "HEAD") or "").strip()
    edited = _git(root, "diff", "--name-only", "--no-renames", "--relative", "-z", commit)
    if not commit or edited is None:
        return None
    new = _git(root, "ls-files", "--others", "--exclude-standard", "-z") or ""
    return Revision(root, commit, frozenset(filter(None, f"{edited}\0{new}".split("\0"))))


def _git(root: Path, *arguments: str) -> str | None:
    command = ["git", "-C", str(root), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None
