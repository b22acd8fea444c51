"""The record of which versions of a page were last found to say the same (`proofbook reconcile`).

The record has a line for each section of a page: a hash of the Chinese text, one of the English,
and one of what the scripts of the section printed and did when it was read. A table of its own
counts the equations of each page that nobody could evaluate.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
import subprocess
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from gradtrace import comparable_lines

from proofbook.check.equations import equation_verdicts
from proofbook.check.numbers import statements_of
from proofbook.directives.trace_figure import recording_file
from proofbook.languages.contents import Section, sections
from proofbook.languages.parity import reordered_sections
from proofbook.languages.versions import pairs
from proofbook.maths.equalities import Equality
from proofbook.model.book import Book
from proofbook.model.page import Page, one_line_end, parse
from proofbook.model.problem import Problem, Unproved, not_utf8
from proofbook.model.snippet import SnippetText, output_file
from proofbook.model.toml_tables import parse_toml

Record = dict[str, dict[str, str]]
"""For each page, without its language, and each anchor: two hashes, Chinese and English, and a
third where the section shows scripts."""

_TOP = """\
# Which versions of each section were last found to say the same: Chinese, then English; then what
# the scripts of the section printed and did. First, how many equations nobody could evaluate.
# Written by: proofbook reconcile
"""
_OPEN = "open-equations"
"""The table with the number of equations that nobody could evaluate, for each page that has any."""
_HASHES = re.compile(r"[0-9a-f]{12}(?: [0-9a-f]{12}){1,2}")
_COMMITS = 30  # how far back the text that was reconciled is looked for
_LINES = 40  # of a difference; who changed more knows it


def read_record(book: Book) -> Record | None:
    """The record of a book, or None where it has none: then nothing is compared with it.

    Raises `Unproved` where it cannot be read.
    """
    record = _read(book)
    return None if record is None else {page: h for page, h in record.items() if page != _OPEN}


def _read(book: Book) -> dict[str, dict] | None:
    """The record, and the table of open equations in it; as `read_record`."""
    file = book.config.reconciled
    if not book.has(file):
        return None
    try:
        record = parse_toml(book.text(file))
    except UnicodeDecodeError as error:
        raise Unproved([not_utf8(file, error)]) from error
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        raise Unproved([_unreadable(file, int(line[1]) if line else 1, str(error))]) from error
    for page, hashes in record.items():
        if not isinstance(hashes, dict):
            raise Unproved([_unreadable(file, 1, f"{page} = {hashes!r}"[:60])])
        for anchor, pair in hashes.items():
            if page == _OPEN and type(pair) is int:
                continue
            if not isinstance(pair, str) or not _HASHES.fullmatch(pair):
                raise Unproved([_unreadable(file, 1, f"{anchor} = {pair!r}"[:60])])
    return record


def _as_written(book: Book) -> dict[str, tuple[Page, Page]]:
    """The pages in both languages, with their placeholders: another version edits no page."""
    return {
        stem: tuple(_unfilled(page, book.text(page.file)) for page in both)
        for stem, both in pairs(book).items()
    }


def _unfilled(page: Page, text: str) -> Page:
    return page if page.text == text else parse(page.file, text, language=page.language)


def edited_in_one_language(book: Book) -> list[Problem]:
    """Warnings: sections edited in one language only since the two were last reconciled.

    Whoever corrects a word in one language need not know the other. That numbers, code, formulas
    and links are the same is checked by `proofbook.languages.parity`.
    """
    try:
        record = read_record(book)
    except Unproved as unproved:
        return list(unproved.problems)
    found = []
    for stem, both in _as_written(book).items() if record else ():
        for anchor, side in edited_sections(record.get(stem, {}), *both):
            found.append(_edited(both[side], both[1 - side], anchor, record[stem], side, book.root))
    return found


def unread_sections(book: Book) -> Iterator[Problem]:
    """Sections whose scripts print or do something else than when the section was last read.

    Whoever changes a script edits both languages beside it, and has read them. Whoever changes
    PyTorch has read nothing: a sentence can be false of which no check knows what it says.
    """
    try:
        record = read_record(book)
    except Unproved:
        return  # which `edited_in_one_language` reports
    for stem, both in _as_written(book).items() if record else ():
        old = record.get(stem, {})
        for anchor, edited in _with_other_runs(old, book, *both):
            if not edited:
                yield _unread_problem(*both, anchor)
            yield from _vanished(old[anchor], book, both, anchor)


def more_open_equations(book: Book) -> Iterator[Problem]:
    """Warnings: pages with more equations that nobody could evaluate than are recorded."""
    try:
        record = _read(book)
    except Unproved:
        return
    counted = (record or {}).get(_OPEN, {})
    for stem, both in pairs(book).items() if record is not None else ():
        known = counted.get(stem, 0)
        for page in both:
            found = _open_equations(book, page)
            if len(found) > known:
                yield Problem(
                    page.file,
                    page.line_of(found[-1].place),
                    "more equations of this page than before can be neither proved nor refuted",
                    f"at most {known}, as is recorded",
                    f"{len(found)}: {'; '.join(map(str, found))}",
                    "write them so that a run, or the page, gives their symbols a value; if that "
                    f"cannot be: proofbook reconcile {page.file}",
                    (page.file,),
                    "warning",
                )


def _open_equations(book: Book, page: Page) -> list[Equality]:
    judged = book.remember(equation_verdicts, page.file)
    return [verdict.equality for verdict in judged if verdict.state == "open"]


def _open_counts(book: Book) -> dict[str, int]:
    """How many equations of each page nobody could evaluate, in the language with more of them."""
    counts = {
        stem: max(len(_open_equations(book, page)) for page in both)
        for stem, both in pairs(book).items()
    }
    return {stem: count for stem, count in counts.items() if count}


def numbers_to_compare(book: Book) -> list[Problem]:
    """Sections that have changed and whose numbers, or their order, differ between languages."""
    record = read_record(book) or {}
    return [
        problem
        for stem, both in _as_written(book).items()
        for anchor, problem in _numbers_to_compare(record.get(stem, {}), *both).items()
    ]


def changed_pages(book: Book) -> list[str]:
    """The pages, without their language, of which both versions are new or have changed."""
    record = read_record(book)
    if record is None:
        return []
    pages = _as_written(book)
    now = {stem: _hashes(*both) for stem, both in pages.items()}
    read = {stem: _of_words(hashes) for stem, hashes in record.items()}
    differ = [stem for stem in {**read, **now} if read.get(stem) != now.get(stem)]
    one_side = {s for s, both in pages.items() if any(edited_sections(record.get(s, {}), *both))}
    return sorted(set(differ) - one_side)


def reconcile(book: Book, named: set[str] | None) -> list[str]:
    """Record the versions of the `named` pages as they are now; gives those that are new.

    Without names: of all pages, but for the sections that were edited in one language alone, and
    those that `unread_sections` and `numbers_to_compare` report.
    """
    record = read_record(book) or {}
    known = (_read(book) or {}).get(_OPEN, {})
    counts = {
        stem: count if named is None or stem in named else known.get(stem, 0)
        for stem, count in _open_counts(book).items()
    }
    counts = {stem: count for stem, count in counts.items() if count}
    now: Record = {}
    for stem, both in _as_written(book).items():
        old = record.get(stem, {})
        if named is not None and stem not in named:
            hashes = old
        else:
            hashes = _with_runs(_hashes(*both), book, both[0])
            if named is None:
                hashes |= {anchor: old[anchor] for anchor, _ in edited_sections(old, *both)}
                hashes |= {anchor: old[anchor] for anchor in _unread(old, book, *both)}
                for anchor in _numbers_to_compare(old, *both):
                    hashes.pop(anchor)
                    hashes |= {anchor: old[anchor]} if anchor in old else {}
        if hashes:
            now[stem] = hashes
    file = book.config.reconciled
    if now != record or counts != known or not book.has(file):
        _write(book.root / file, now, counts)
    new = [stem for stem in now if now[stem] != record.get(stem)]
    return [*new, *(s for s in sorted(counts) if counts[s] != known.get(s) and s not in new)]


def edited_sections(old: dict[str, str], *both: Page) -> Iterator[tuple[str, int]]:
    """The anchors of sections edited in one language, and which: 0 is Chinese, 1 English.

    `old`: what the record has of the page.
    """
    for anchor, pair in _hashes(*both).items():
        before, after = old.get(anchor, pair).split()[:2], pair.split()
        changed = [was != now for was, now in zip(before, after, strict=True)]
        if sum(changed) == 1:
            yield anchor, changed.index(True)


def _numbers_to_compare(old: dict[str, str], *both: Page) -> dict[str, Problem]:
    now, old = _hashes(*both), _of_words(old)
    found = reordered_sections(*both) if now != old else {}
    return {x: problem for x, problem in found.items() if now.get(x, "") != old.get(x)}


def _hashes(one: Page, other: Page) -> dict[str, str]:
    theirs = {section.anchor: section for section in sections(other)}
    return {
        here.anchor: f"{_hash(here)} {_hash(theirs[here.anchor])}"
        for here in sections(one)
        if here.anchor in theirs
    }


def _of_words(hashes: dict[str, str]) -> dict[str, str]:
    """What the record has of the texts of sections, without what their scripts printed."""
    return {anchor: " ".join(known.split()[:2]) for anchor, known in hashes.items()}


def _with_runs(hashes: dict[str, str], book: Book, page: Page) -> dict[str, str]:
    """The hashes of sections, with one more of what the scripts of each printed and did."""
    runs = _runs(book, page)
    return {anchor: " ".join([pair, *runs.get(anchor, ())]) for anchor, pair in hashes.items()}


def _runs(book: Book, page: Page) -> dict[str, list[str]]:
    """Of the sections that show scripts: the hash of what these printed and did, in a list."""
    found = {}
    for section in sections(page):
        scripts = [r.path for r in page.references if r.line in section.lines]
        texts = [text for script in scripts for text in _ran(book, script)]
        if any(texts):
            found[section.anchor] = [_digest("\n".join(texts))]
    return found


def _ran(book: Book, script: str) -> tuple[str, str]:
    """What is recorded of a script: what it printed, and what autograd did, in any version."""
    recording = comparable_lines(book.text_or_empty(recording_file(script)))
    return book.text_or_empty(output_file(script)), "\n".join(recording)


def _unread(old: dict[str, str], book: Book, *both: Page) -> Iterator[str]:
    """The anchors of sections of which the scripts changed, and not the words in both languages,
    or not all of them that quote the scripts."""
    for anchor, edited in _with_other_runs(old, book, *both):
        if not edited or any(_vanished(old[anchor], book, both, anchor)):
            yield anchor


def _with_other_runs(old: dict[str, str], book: Book, *both: Page) -> Iterator[tuple[str, bool]]:
    """The anchors of sections of which the scripts changed, and whether the words did, in both
    languages."""
    runs, now = _runs(book, both[0]), _hashes(*both)
    for anchor, known in old.items():
        *pair, ran = [*known.split(), ""][:3]
        words = now.get(anchor, "").split()
        edited = [was != here for was, here in zip(pair, words, strict=False)]
        if ran and words and runs.get(anchor) != [ran]:
            yield anchor, all(edited)


def _vanished(hashes: str, book: Book, both: tuple[Page, ...], anchor: str) -> Iterator[Problem]:
    """What the scripts of a section printed when it was read, don't print now, and its text still
    says. Nothing where git doesn't know what they printed."""
    section = next(s for s in sections(both[0]) if s.anchor == anchor)
    scripts = list(dict.fromkeys(r.path for r in both[0].references if r.line in section.lines))
    before = _printed_before(scripts, hashes.split()[2], book.root)
    if before is None:
        return
    then = SnippetText(before)
    now = SnippetText("\n".join(book.text_or_empty(output_file(script)) for script in scripts))
    code = "\n".join(map(book.text_or_empty, scripts))
    for page in (book.page(page.file) for page in both):
        lines = next(s.lines for s in sections(page) if s.anchor == anchor)
        for statement in book.cached(statements_of, page):
            line = page.line_of(statement.place)
            in_code = re.search("[a-z]", statement.said) and statement.said in code
            if line not in lines or in_code or statement.source is not None:
                continue
            if statement.lines_in(then) and not statement.lines_in(now):
                yield Problem(
                    page.file,
                    line,
                    "the snippets of this section printed this, and no longer do",
                    f"what {', '.join(scripts)} prints now",
                    statement.said,
                    f"correct it; if it is right as it is: proofbook reconcile {page.file}",
                    (page.file,),
                )


def _printed_before(scripts: Sequence[str], wanted: str, root: Path) -> str | None:
    """What scripts printed when their section was read, if git knows it."""
    files = [file for s in scripts for file in (output_file(s), recording_file(s))]
    commits = _git(root, "log", "--format=%H", f"-{_COMMITS}", "--", *files) or ""
    for commit in commits.split():
        texts = []
        for script in scripts:
            printed, recording = (
                one_line_end(_git(root, "show", f"{commit}:./{file}") or "")
                for file in (output_file(script), recording_file(script))
            )
            texts += [printed, "\n".join(comparable_lines(recording))]
        if _digest("\n".join(texts)) == wanted:
            return "\n".join(texts[::2])
    return None


def _hash(section: Section) -> str:
    return _digest("\n".join(_words(section)))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def _words(section: Section) -> list[str]:
    """The lines of a section as they are compared: what cannot be seen doesn't count."""
    text = "\n".join(line.rstrip() for line in section.text.split("\n"))
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n").split("\n")


def _edited(
    page: Page, counterpart: Page, anchor: str, hashes: dict[str, str], side: int, root: Path
) -> Problem:
    now = next(s for s in sections(page) if s.anchor == anchor)
    there = next(s for s in sections(counterpart) if s.anchor == anchor)
    before = _before(page.file, anchor, hashes[anchor].split()[side], root)
    line, change = now.line, "something in this section (git doesn't know the text of before)"
    if before is not None:
        line, change = _change(before, now)
    return Problem(
        page.file,
        line,
        f"#{anchor} was edited in this language only, since both were last reconciled",
        f"the change carried over to {counterpart.file}:{there.line}",
        change,
        f"carry it over; where it means nothing there: proofbook reconcile {page.file}",
        (page.file, counterpart.file),
        "warning",
    )


def _unread_problem(page: Page, counterpart: Page, anchor: str) -> Problem:
    section = next(s for s in sections(page) if s.anchor == anchor)
    scripts = dict.fromkeys(r.path for r in page.references if r.line in section.lines)
    return Problem(
        page.file,
        section.line,
        f"#{anchor} has not been read since its snippets print or do something else",
        "both languages read again, and mended where they are no longer true",
        ", ".join(scripts),
        f"read it here and in {counterpart.file}, then: proofbook reconcile {page.file}",
        (page.file, counterpart.file),
    )


def _change(before: Section, now: Section) -> tuple[int, str]:
    """The first line of the page that changed, and all that did, as a difference."""
    old, new = _words(before), now.text.split("\n")
    lines = [number for number, line in enumerate(new) if line.strip()]
    wording = [new[number].rstrip() for number in lines]
    matcher = difflib.SequenceMatcher(None, [x for x in old if x], wording, autojunk=False)
    first = next((at for tag, _, _, at, _ in matcher.get_opcodes() if tag != "equal"), 0)
    line = lines[min(first, len(lines) - 1)] if lines else 0
    rows = list(difflib.unified_diff(old, _words(now), n=0, lineterm=""))[2:]
    if len(rows) > _LINES:
        rows = [*rows[:_LINES], f"... and {len(rows) - _LINES} lines more"]
    return now.line + line, "\n".join(rows)


def _before(file: str, anchor: str, wanted: str, root: Path) -> Section | None:
    """The section as it was when it was reconciled, if git knows it."""
    for commit in (_git(root, "log", "--format=%H", f"-{_COMMITS}", "--", file) or "").split():
        page = parse(file, one_line_end(_git(root, "show", f"{commit}:./{file}") or ""))
        for section in sections(page):
            if section.anchor == anchor and _hash(section) == wanted:
                return section
    return None


def _git(root: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments],
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=10,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None


def _unreadable(file: str, line: int, found: str) -> Problem:
    return Problem(
        file,
        line,
        "the record of reconciled pages cannot be read",
        '["docs/<topic>/<page>"], and below it <anchor> = "<12 digits> <12 digits>"',
        found,
        f"after a merge keep either line; otherwise: git checkout {file}",
    )


def _write(file: Path, record: Record, counts: Mapping[str, int]) -> None:
    parts = [_TOP]
    if counts:
        rows = [f"{json.dumps(page)} = {counts[page]}\n" for page in sorted(counts)]
        parts.append(f"[{_OPEN}]\n{''.join(rows)}")
    for page in sorted(record):
        rows = [f'{anchor} = "{pair}"\n' for anchor, pair in record[page].items()]
        parts.append(f"[{json.dumps(page, ensure_ascii=False)}]\n{''.join(rows)}")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(parts), encoding="utf-8", newline="\n")
