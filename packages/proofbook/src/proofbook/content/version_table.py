"""The table of the versions of PyTorch that the book was run with, and of what changed."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from dataclasses import dataclass

from gradtrace import same_but_for_rounding

from proofbook.content.page_summary import title
from proofbook.content.version_differences import known_reasons, own_version, reason_in
from proofbook.model.book import Book
from proofbook.model.config import in_language
from proofbook.model.snippet import dtype_of_results, output_file
from proofbook.model.version_records import known_records, version_order

NAME = "other-versions"
"""What a page writes after `:::` to have the table there."""

_HEAD = {
    "zh": ("PyTorch", "运行的脚本", "输出相同", "数相同，写法不同", "输出不同"),
    "en": (
        "PyTorch",
        "Scripts run",
        "Same output",
        "Same numbers in another form",
        "Another output",
    ),
}
_OWN = {"zh": "{version}（这一版）", "en": "{version} (this edition)"}
_CHANGE = {
    "zh": "- {text}（[出处]({source})；{pages}）。",
    "en": "- {text} ([source]({source}); {pages}).",
}
_COMMA = {"zh": "、", "en": ", "}


@dataclass(frozen=True)
class VersionCount:
    """How many scripts ran with a version, and how many of them print what."""

    version: str
    run: int
    same: int
    otherwise: int
    different: int


def counts(book: Book) -> tuple[VersionCount, ...]:
    """The counts for each version, the newest first.

    What a version printed for a script that has changed since counts for nothing.
    """
    if not (own := own_version()):
        return ()
    every = len(book.scripts)
    found = {own: VersionCount(own, every, every, 0, 0)}
    for record in book.remember(known_records):
        same, otherwise, different = 0, 0, 0
        for script in book.scripts:
            output, recorded = record.output(script, book), book.text_or_empty(output_file(script))
            if output is None:
                continue
            dtype = dtype_of_results(book.text_or_empty(script))
            if output == recorded:
                same += 1
            elif same_but_for_rounding(recorded, output, dtype):
                otherwise += 1
            else:
                different += 1
        run = same + otherwise + different
        if record.version != own:
            found[record.version] = VersionCount(record.version, run, same, otherwise, different)
    return tuple(found[v] for v in sorted(found, key=version_order, reverse=True))


def table(file: str, book: Book) -> list[str]:
    """The lines of Markdown, in the language of the page `file`: the table, then the changes."""
    language = book.language_of(file)
    if language not in book.config.codes:
        return []
    rows = [_row(in_language(_HEAD, language)), "|---" + "|---:" * 4 + "|"]
    for one in book.fact(counts):
        own = in_language(_OWN, language).format(version=one.version)
        name = own if one.version == own_version() else one.version
        numbers = (one.run, one.same, one.otherwise, one.different)
        rows.append(_row((name, *map(str, numbers))))
    changes = list(_changes(file, language, book))
    return [*rows, "", *changes] if changes else rows


def _changes(file: str, language: str, book: Book) -> Iterator[str]:
    """What changed, the newest first, with the pages on which it is to be seen."""
    reasons = sorted(book.fact(known_reasons), key=lambda reason: version_order(reason.since))
    for reason in reversed(reasons):
        shown = {page for script in reason.scripts for page in book.pages_showing(script)}
        pages = in_language(_COMMA, language).join(
            f"[{title(book.page(page))}]({posixpath.relpath(page, posixpath.dirname(file))})"
            for page in sorted(shown)
            if book.language_of(page) == language
        )
        text = reason_in(reason, language).rstrip("。.")
        yield in_language(_CHANGE, language).format(text=text, source=reason.source, pages=pages)


def _row(cells: tuple[str, ...]) -> str:
    return f"| {' | '.join(cells)} |"
