"""Where another version of PyTorch prints something else than the book's, and why.

What it prints is in the records of the versions; why is said by the author, in
`snippets/versions/differences.toml`: for the scripts, the first version that prints the new text, a
reason in both languages, and where it is to be read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from itertools import pairwise

from gradtrace import same_but_for_rounding

from proofbook.content.versions import version_of
from proofbook.model.book import Book
from proofbook.model.config import in_language
from proofbook.model.page import Reference
from proofbook.model.problem import Problem, Unproved
from proofbook.model.snippet import dtype_of_results, output_file
from proofbook.model.sources import RECORDS
from proofbook.model.toml_tables import is_words, tables
from proofbook.model.version_records import (
    VERSION,
    VersionRecord,
    known_records,
    line_of_script,
    outputs_by_version,
    record_file,
    version_order,
)

REASONS = f"{RECORDS}/differences.toml"
_FIELDS = ("scripts", "since", "zh", "en", "source")
_EXPECTED = '[[difference]] with scripts, since = "{}", zh, en, source, in ' + REASONS


@dataclass(frozen=True)
class Reason:
    """Why scripts print something else since a version. `line`: that of the file."""

    line: int
    scripts: tuple[str, ...]
    since: str
    zh: str
    en: str
    source: str


@dataclass(frozen=True)
class OtherOutput:
    """What some versions print for a script, and the book's version doesn't.

    `versions`: those that were run, the oldest first. `since` and `before`: the first version that
    prints it and the first that no longer does, as far as they are known, or "". `reasons`: those
    of each change between it and what the book's version prints.
    """

    versions: tuple[str, ...]
    output: str
    since: str
    before: str
    reasons: tuple[Reason, ...]


def read_reasons(book: Book) -> tuple[Reason, ...]:
    """The reasons of a book, in the order of their file. Raises `Unproved` with all its faults."""
    found, problems = [], []
    for entry, line in tables(book, REASONS, "difference", ()):
        faults = [_problem(line, *fault) for fault in _faults(entry, book)]
        problems += faults
        if not faults:
            found.append(Reason(line, **{**entry, "scripts": tuple(entry["scripts"])}))
    if problems:
        raise Unproved(problems)
    return tuple(found)


def known_reasons(book: Book) -> tuple[Reason, ...]:
    """The reasons of a book; none where `wrong_differences` reports a fault in their file."""
    try:
        return read_reasons(book)
    except Unproved:
        return ()


def reason_in(reason: Reason, language: str) -> str:
    """The words of a reason in a language, as Markdown."""
    return in_language({"zh": reason.zh, "en": reason.en}, language)


def other_outputs(book: Book, script: str) -> tuple[OtherOutput, ...]:
    """What other versions print for a script that the book's doesn't, the oldest versions first."""
    groups = _groups(book, script)
    own = next((n for n, (versions, _) in enumerate(groups) if own_version() in versions), None)
    if own is None:
        return ()
    reasons = [r for r in book.fact(known_reasons) if script in r.scripts]
    between = [_between(reasons, one[0][-1], next_one[0][0]) for one, next_one in pairwise(groups)]
    dtype = dtype_of_results(book.text_or_empty(script))
    found = []
    for n, (versions, output) in enumerate(groups):
        if same_but_for_rounding(groups[own][1], output, dtype):
            continue  # the book's own, or one before a change that was taken back
        earlier, later = between[n - 1] if n else (), between[n] if n < len(between) else ()
        since = max((r.since for r in earlier), key=version_order, default="")
        before = min((r.since for r in later), key=version_order, default="")
        why = between[n:own] if n < own else between[own:n]
        reasons_until_own = tuple(reason for each in why for reason in each)
        found.append(OtherOutput(versions, output, since, before, reasons_until_own))
    return tuple(found)


def folded_outputs(book: Book, reference: Reference) -> tuple[OtherOutput, ...]:
    """What other versions print for a snippet of a page, without what the page shows openly."""
    shown = set(reference.then)
    found = book.fact(other_outputs, reference.path)
    return tuple(other for other in found if shown.isdisjoint(other.versions))


def own_version() -> str:
    """The version that the book is proved with; "" where there is no PyTorch."""
    try:
        return version_of("torch")
    except metadata.PackageNotFoundError:
        return ""


def versions_of_page(book: Book, file: str) -> tuple[str, ...]:
    """The versions with which all scripts of a page were run, as they are; none without scripts."""
    scripts = {r.path for r in book.page(file).references if r.path.endswith(".py")}
    if not scripts or not book.files(RECORDS, ".json"):
        return ()
    known = [{v for v, _ in book.fact(outputs_by_version, script)} for script in scripts]
    versions = set.intersection(*known) | {own_version()}
    return tuple(sorted(filter(None, versions), key=version_order))


def wrong_differences(book: Book) -> Iterator[Problem]:
    """Outputs that differ between versions without a reason, and reasons for no difference."""
    try:
        reasons = read_reasons(book)
    except Unproved as unproved:
        yield from unproved.problems
        return
    used: set[tuple[Reason, str]] = set()
    for script in book.scripts:
        own = [reason for reason in reasons if script in reason.scripts]
        explained = _shown_openly(book, script)
        for (older, _), (newer, _) in pairwise(_groups(book, script)):
            between = _between(own, older[-1], newer[0])
            used |= {(reason, script) for reason in between}
            is_newer = version_order(newer[0]) > version_order(own_version())
            if not between and explained.isdisjoint(newer if is_newer else older):
                version = newer[0] if is_newer else older[-1]
                yield _without_reason(book, script, version, older[-1], newer[0])
    records = book.remember(known_records)
    for reason in reasons:
        for script in reason.scripts:
            if (reason, script) not in used and not _is_stale(script, records, book):
                what = f"{script} prints the same before and since PyTorch {reason.since}"
                expected, found = "a difference between two recorded versions", "none"
                yield _problem(reason.line, what, expected, found)


def _shown_openly(book: Book, script: str) -> set[str]:
    """The versions whose output a page shows below today's: its own text says why they differ."""
    pages = (book.page(file) for file in book.pages_showing(script))
    references = (reference for page in pages for reference in page.references)
    return {v for reference in references if reference.path == script for v in reference.then}


def _groups(book: Book, script: str) -> list[tuple[tuple[str, ...], str]]:
    """The versions with what they print for a script, neighbors with the same output together."""
    recorded = book.text_or_empty(output_file(script))
    outputs = dict(book.fact(outputs_by_version, script))
    if not outputs or not (own := own_version()):
        return []
    outputs[own] = recorded
    dtype = dtype_of_results(book.text_or_empty(script))
    groups: list[tuple[tuple[str, ...], str]] = []
    for version in sorted(outputs, key=version_order):
        if groups and same_but_for_rounding(groups[-1][1], outputs[version], dtype):
            groups[-1] = (*groups[-1][0], version), groups[-1][1]
        else:
            groups.append(((version,), outputs[version]))
    return groups


def _between(reasons: Iterable[Reason], older: str, newer: str) -> tuple[Reason, ...]:
    """The reasons for a change after one version and not after another."""
    first, last = version_order(older), version_order(newer)
    return tuple(r for r in reasons if first < version_order(r.since) <= last)


def _is_stale(script: str, records: Sequence[VersionRecord], book: Book) -> bool:
    """Whether some record does not know what is printed for a script as it is."""
    asked = [record for record in records if record.whole or script in record.printed]
    return not asked or any(record.output(script, book) is None for record in asked)


def _without_reason(book: Book, script: str, version: str, older: str, newer: str) -> Problem:
    """`version`: that of the two whose record is shown to the author."""
    return Problem(
        record_file(version),
        line_of_script(book, version, script),
        f"{script} prints something else with PyTorch {newer} than with {older}, without a reason",
        _EXPECTED.format(newer),
        "none",
        f"find out which version after {older} changed it, and add the reason to {REASONS}",
        book.pages_showing(script),
    )


def _faults(entry: object, book: Book) -> Iterator[tuple[str, str, str]]:
    """What is wrong with a reason by itself: what, what was expected, what was found."""
    if not isinstance(entry, dict) or entry.keys() != set(_FIELDS):
        keys = ", ".join(entry) if isinstance(entry, dict) else repr(entry)
        yield "this is no reason for a difference", ", ".join(_FIELDS), keys
        return
    for key in ("zh", "en", "source"):
        if not is_words(entry[key]):
            yield f"{key} is no text in one line", f'{key} = "..."', repr(entry[key])
    if not isinstance(entry["since"], str) or not VERSION.fullmatch(entry["since"]):
        yield "since is no version", 'since = "2.14"', repr(entry["since"])
    if not isinstance(entry["source"], str) or not entry["source"].startswith("https://"):
        yield "source is no address", 'source = "https://..."', repr(entry["source"])
    scripts = entry["scripts"]
    if not isinstance(scripts, list) or not scripts:
        yield "scripts is no list of scripts", 'scripts = ["snippets/..."]', repr(scripts)
        return
    for script in scripts:
        if script not in book.scripts:
            yield "this names no script", "a script of the book", repr(script)


def _problem(line: int, what: str, expected: str, found: str) -> Problem:
    return Problem(REASONS, line, what, expected, found, f"correct the reason in {REASONS}")
