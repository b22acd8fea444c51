"""Differences between the outputs of another version of PyTorch and the book's, and their reasons.

The outputs are in the records of the versions; the author gives the reasons in
`snippets/versions/differences.toml`: for the scripts, the first version that prints the new text, a
reason in both languages, and its source.
"""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import metadata
from itertools import pairwise

from gradtrace import same_but_for_rounding

from proofbook.content.page_summary import title
from proofbook.markdown.spans import Reference
from proofbook.model.book import Book
from proofbook.model.cache import version_of
from proofbook.model.config import in_language
from proofbook.model.page import Page
from proofbook.model.problem import Problem, Unproved, warning
from proofbook.model.snippet import dtype_of_results, output_file
from proofbook.model.sources import RECORDS, WORD_LIST, WORDS, Fault, correct_tables, wrong_fields
from proofbook.model.torch_records import (
    VERSION,
    TorchRecord,
    known_records,
    line_of_script,
    output_on_gpu,
    outputs_by_version,
    record_file,
    version_order,
)

REASONS = f"{RECORDS}/differences.toml"
_FIELDS = {"scripts": WORD_LIST} | dict.fromkeys(("since", "zh", "en", "source"), WORDS)
TABLE = "other-versions"
"""The directive (after `:::`) that inserts the table of the versions in a page."""

_TITLES = {
    "zh": {
        "since": "PyTorch {since} 起：输出不同",
        "before": "PyTorch {before} 之前：输出不同",
        "both": "PyTorch {since} 起、{before} 之前：输出不同",
        "neither": "PyTorch {versions}：输出不同",
    },
    "en": {
        "since": "Since PyTorch {since}: another output",
        "before": "Before PyTorch {before}: another output",
        "both": "Since PyTorch {since} and before {before}: another output",
        "neither": "PyTorch {versions}: another output",
    },
}
_REASON = {"zh": "{text}（[出处]({source})）。", "en": "{text} ([source]({source}))."}
_CHANGE = {
    "zh": "- {text}（[出处]({source})；{pages}）。",
    "en": "- {text} ([source]({source}); {pages}).",
}
_COMMA = {"zh": "、", "en": ", "}
_HEAD = {
    "zh": "| PyTorch | 运行的脚本 | 输出相同 | 数相同，写法不同 | 输出不同 |",
    "en": "| PyTorch | Scripts run | Same output | Same numbers in another form | Another output |",
}
_OWN = {"zh": "{}（这一版）", "en": "{} (this edition)"}


_SINCE = re.compile(
    r"\b(?:since|before) (?:PyTorch )?([12]\.\d{1,2})(?:\.\d)?(?![\d.]*\d)"
    r"|(?<![\d.])([12]\.\d{1,2})(?:\.\d)? ?(?:起|以前|之前)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Reason:
    """The reason why scripts print another text since a version. `line`: its line in the file."""

    line: int
    scripts: tuple[str, ...]
    since: str
    zh: str
    en: str
    source: str

    def text(self, language: str) -> str:
        """The words of the reason in a language, as Markdown, without the last full stop."""
        return in_language({"zh": self.zh, "en": self.en}, language).rstrip("。.")


@dataclass(frozen=True)
class OtherOutput:
    """An output of a script in some versions that differs from the book's version.

    `versions`: the versions that were run, the oldest first. `since` and `before`: the first
    version that prints it and the first that no longer does, if known, or "". `reasons`: the
    reasons for each change between it and the output of the book's version.
    """

    versions: tuple[str, ...]
    output: str
    since: str = ""
    before: str = ""
    reasons: tuple[Reason, ...] = ()

    def title(self, language: str) -> str:
        """A title that lists these versions."""
        known = "both" if self.since and self.before else ""
        kind = known or ("since" if self.since else "before" if self.before else "neither")
        return in_language(_TITLES, language)[kind].format(
            since=self.since, before=self.before, versions=", ".join(self.versions)
        )

    def why(self, language: str) -> list[str]:
        """The reasons with the links to their sources, as Markdown."""
        form = in_language(_REASON, language)
        return [form.format(text=one.text(language), source=one.source) for one in self.reasons]

    def folded(self, own: str, language: str, ticks: str) -> list[str]:
        """The lines of Markdown of a folded box: the output, and why it differs from the book's.

        `own`: the output that the page shows; lines that it does not have are highlighted. `ticks`:
        the fence around the output.
        """
        lines, known = self.output.rstrip("\n").split("\n"), set(own.split("\n"))
        new = [str(number) for number, line in enumerate(lines, 1) if line not in known]
        highlighted = f' hl_lines="{" ".join(new)}"' if new else ""
        head = f'.text .output .then title="PyTorch {", ".join(self.versions)}"{highlighted}'
        inside = [f"{ticks}{{ {head} }}", *lines, ticks]
        inside += [line for reason in self.why(language) for line in ("", reason)]
        box = [f'??? then "{self.title(language)}"', ""]
        return box + [f"    {line}" if line else "" for line in inside]


def read_reasons(book: Book) -> tuple[Reason, ...]:
    """The reasons of a book, in the order of their file. Raises `Unproved` with all errors."""
    entries = correct_tables(book, REASONS, "difference", partial(_faults, book))
    return tuple(Reason(line, **{**e, "scripts": tuple(e["scripts"])}) for e, line in entries)


def known_reasons(book: Book) -> tuple[Reason, ...]:
    """The reasons of a book; none if `wrong_differences` reports an error in their file."""
    try:
        return read_reasons(book)
    except Unproved:
        return ()


def other_outputs(book: Book, script: str) -> tuple[OtherOutput, ...]:
    """The outputs of other versions for a script that differ from the book's, the oldest first."""
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
            continue  # the book's own, or one before a reverted change
        earlier, later = between[n - 1] if n else (), between[n] if n < len(between) else ()
        since = max((r.since for r in earlier), key=version_order, default="")
        before = min((r.since for r in later), key=version_order, default="")
        why = between[n:own] if n < own else between[own:n]
        until_own = tuple(reason for each in why for reason in each)
        found.append(OtherOutput(versions, output, since, before, until_own))
    return tuple(found)


def folded_outputs(book: Book, reference: Reference) -> tuple[OtherOutput, ...]:
    """The outputs of other versions for a snippet of a page, without those that the page shows
    unfolded, and the output on a GPU, if it differs."""
    shown, script = set(reference.then), reference.path
    found = [o for o in book.fact(other_outputs, script) if shown.isdisjoint(o.versions)]
    if on_gpu := book.fact(output_on_gpu, script):
        version, output = on_gpu
        dtype = dtype_of_results(book.text_or_empty(script))
        if not same_but_for_rounding(book.text_or_empty(output_file(script)), output, dtype):
            found.append(OtherOutput((version,), output))
    return tuple(found)


def own_version() -> str:
    """The version of PyTorch with which the book is proved; "" without PyTorch."""
    try:
        return version_of("torch")
    except metadata.PackageNotFoundError:
        return ""


def versions_of_page(book: Book, file: str) -> tuple[str, ...]:
    """The versions with which all current scripts of a page were run; none without scripts."""
    scripts = {r.path for r in book.page(file).references if r.path.endswith(".py")}
    if not scripts or not book.files(RECORDS, ".json"):
        return ()
    known = [{v for v, _ in book.fact(outputs_by_version, script)} for script in scripts]
    versions = set.intersection(*known) | {own_version()}
    return tuple(sorted(filter(None, versions), key=version_order))


def wrong_differences(book: Book) -> Iterator[Problem]:
    """Outputs that differ between versions without a reason, and reasons without a difference."""
    try:
        reasons = read_reasons(book)
    except Unproved as unproved:
        yield from unproved.problems
        return
    records, used = book.remember(known_records), set()
    for script in book.scripts:
        own = [reason for reason in reasons if script in reason.scripts]
        explained = {
            version
            for file in book.pages_showing(script)
            for reference in book.page(file).references
            if reference.path == script
            for version in reference.then  # its own text says why
        }
        for (older, _), (newer, _) in pairwise(_groups(book, script)):
            between = _between(own, older[-1], newer[0])
            used |= {(reason, script) for reason in between}
            is_newer = version_order(newer[0]) > version_order(own_version())
            if not between and explained.isdisjoint(newer if is_newer else older):
                version = newer[0] if is_newer else older[-1]
                yield _without_reason(book, script, version, older[-1], newer[0])
        asked = [record for record in records if record.whole or script in record.printed]
        if not asked or any(record.output(script, book) is None for record in asked):
            used |= {(reason, script) for reason in own}  # unknown: `stale_records` reports it
    for reason in reasons:
        for script in reason.scripts:
            if (reason, script) not in used:
                what = f"{script} prints the same before and since PyTorch {reason.since}"
                expected = "a difference between two recorded versions"
                fix = f"correct the difference in {REASONS}"
                yield Problem(REASONS, reason.line, what, expected, "none", fix)


def counts(book: Book) -> tuple[tuple[str, int, int, int, int], ...]:
    """For each version, the newest first: how many scripts ran, printed the same, the same numbers
    in another form, or another text.

    The output of a script that has changed since doesn't count.
    """
    if not (own := own_version()):
        return ()
    found = {own: (own, len(book.scripts), len(book.scripts), 0, 0)}
    for record in book.remember(known_records):
        kinds = Counter(_compared(book, record, script) for script in book.scripts)
        run = kinds["same"] + kinds["otherwise"] + kinds["different"]
        numbers = run, kinds["same"], kinds["otherwise"], kinds["different"]
        found.setdefault(record.version, (record.version, *numbers))
    return tuple(found[v] for v in sorted(found, key=version_order, reverse=True))


def _compared(book: Book, record: TorchRecord, script: str) -> str:
    """How the output of a version compares with the book's; "unknown" if it has none."""
    recorded, output = book.text_or_empty(output_file(script)), record.output(script, book)
    if output is None or output == recorded:
        return "unknown" if output is None else "same"
    dtype = dtype_of_results(book.text_or_empty(script))
    return "otherwise" if same_but_for_rounding(recorded, output, dtype) else "different"


def table(file: str, book: Book) -> list[str]:
    """The lines of Markdown, in the language of the page `file`: for each version the counts of its
    outputs, then the changes, the newest first, with the pages that show them."""
    language = book.language_of(file)
    if language not in book.config.codes:
        return []
    rows = [in_language(_HEAD, language), "|---" + "|---:" * 4 + "|"]
    for version, *numbers in book.fact(counts):
        own = version == own_version()
        name = in_language(_OWN, language).format(version) if own else version
        rows.append(f"| {' | '.join([name, *map(str, numbers)])} |")
    form, changes = in_language(_CHANGE, language), []
    for reason in sorted(book.fact(known_reasons), key=lambda r: version_order(r.since))[::-1]:
        shown = {page for script in reason.scripts for page in book.pages_showing(script)}
        links = [
            f"[{title(book.page(page))}]({posixpath.relpath(page, posixpath.dirname(file))})"
            for page in sorted(shown)
            if book.language_of(page) == language
        ]
        pages = in_language(_COMMA, language).join(links)
        changes.append(form.format(text=reason.text(language), source=reason.source, pages=pages))
    return [*rows, "", *changes] if changes else rows


def _groups(book: Book, script: str) -> list[tuple[tuple[str, ...], str]]:
    """The versions with their outputs of a script, neighbors with the same output grouped."""
    outputs = dict(book.fact(outputs_by_version, script))
    if not outputs or not (own := own_version()):
        return []
    outputs[own] = book.text_or_empty(output_file(script))
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


def _without_reason(book: Book, script: str, version: str, older: str, newer: str) -> Problem:
    """`version`: the one of the two whose record is shown to the author."""
    return Problem(
        record_file(version),
        line_of_script(book, record_file(version), script),
        f"{script} prints something else with PyTorch {newer} than with {older}, without a reason",
        f'[[difference]] with scripts, since = "{newer}", zh, en, source, in {REASONS}',
        "none",
        f"find out which version after {older} changed it, and add the reason to {REASONS}",
        book.pages_showing(script),
    )


def _faults(book: Book, entry: dict, line: int) -> Iterator[Fault]:
    """The errors of a single reason, with the expected and found texts."""
    wrong = list(wrong_fields(entry, _FIELDS, _FIELDS))
    yield from wrong
    if wrong:
        return
    for key, right, expected in (
        ("since", VERSION.fullmatch(entry["since"]), 'since = "2.14"'),
        ("source", entry["source"].startswith("https://"), 'source = "https://..."'),
        ("scripts", set(entry["scripts"]) <= {*book.scripts}, 'scripts = ["snippets/..."]'),
    ):
        if not right:
            yield f"the {key} of this reason cannot be right", expected, repr(entry[key])


def wrong_since(page: Page, book: Book) -> Iterator[Problem]:
    """Sentences such as "since 2.14" in a section whose scripts print something else since another
    version. Nothing is known where the recorded versions print the same."""
    starts = [page.line_starts[h.line - 1] for h in page.headings]
    for found in _SINCE.finditer(page.own_words):
        start = max((place for place in starts if place < found.start()), default=0)
        end = min((place for place in starts if place > found.start()), default=len(page.text))
        scripts = {r.path for r in page.references if start <= page.line_starts[r.line - 1] < end}
        changes = [change for script in sorted(scripts) for change in _changes(book, script)]
        said = version_order(found[1] or found[2])
        if changes and not any(old < said and said <= new[: len(said)] for old, new in changes):
            expected = " or ".join(
                f"after {'.'.join(map(str, old))}, at the latest {'.'.join(map(str, new))}"
                for old, new in changes
            )
            what = "the scripts of this section print something else since another version"
            fix = "correct the version, if the sentence is about them"
            line = page.line_of(found.start())
            yield warning(page.problem(line, what, expected, found[0], fix))


def _changes(book: Book, script: str) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Between which versions the output of a script became another one: the old and the new."""
    groups = [versions for versions, _ in _groups(book, script)]
    return [(version_order(one[-1]), version_order(two[0])) for one, two in pairwise(groups)]
