"""How the pages of the book speak, counted for each language.

    python benchmarks/sentences.py [--page P] [--list NAME]

`--page` takes the beginning of a path, as docs/freezing; `--list` prints what one measure counted,
with file and line.
"""

from __future__ import annotations

import argparse
import posixpath
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from proofbook.content.page_summary import title  # noqa: E402
from proofbook.content.report import sentences  # noqa: E402
from proofbook.model.book import Book, read_book  # noqa: E402
from proofbook.model.page import Page  # noqa: E402

Found = tuple[Page, int, str]
"""A page, the place of a text in it, and the text."""

Measure = Callable[[Page, Book], Iterator[Found]]
"""What a measure counts on a page."""

LIMIT = {"zh": 40, "en": 25}
"""The most Chinese characters, or English words, of an answer in bold."""

_HERE = {"zh": re.compile("这里"), "en": re.compile(r"\bhere\b", re.IGNORECASE)}
_COLON = {"zh": re.compile("："), "en": re.compile(r":(?:\s|$)")}
_BOLD = re.compile(r"\*\*(?=\S)(.+?)(?<=\S)\*\*")
_LENGTH = {"zh": re.compile(r"[一-鿿]|`[^`]*`|[A-Za-z0-9.]+"), "en": re.compile(r"[^\s]+")}
_FIRST = {"zh": re.compile(r"[一-鿿]{1,2}|\S+"), "en": re.compile(r"[\w'’]+|\S+")}
_LINK = re.compile(r"\]\(([^)#]*?)\.(?:zh|en)\.md")
_EXERCISE = re.compile(r"(?m)^\?\?\?\+? (?:question|success) ")


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    asked.add_argument("--page", default="docs/")
    asked.add_argument("--list", choices=sorted(MEASURES), dest="listed")
    chosen = asked.parse_args()
    book = read_book(ROOT)
    for language in ("zh", "en"):
        pages = [page for page in book.pages if page.language == language]
        pages = [page for page in pages if page.file.startswith(chosen.page)]
        said = sum(len(sentences(page)) for page in pages)
        print(f"{language}: {len(pages)} pages, {said} sentences")
        for name, (unit, measure) in MEASURES.items():
            found = [one for page in pages for one in measure(page, book)]
            whole = said if unit == "sentences" else len(pages)
            print(f"  {name:10} {len(found):5} = {len(found) / max(whole, 1):6.1%} of {unit}")
            if chosen.listed == name:
                for page, at, text in found:
                    print(f"    {page.file}:{page.line_of(at)}: {' '.join(text.split())}")
        words = Counter(first_words(page) for page in pages)
        common = ", ".join(f"{word} {number}" for word, number in words.most_common(5))
        print(f"  pages begin with: {common}")


def with_word(words: dict[str, re.Pattern[str]]) -> Measure:
    """What finds the sentences that hold a word."""

    def found_in(page: Page, book: Book) -> Iterator[Found]:
        for start, end in sentences(page):
            if words[page.language].search(page.text, start, end):
                yield page, start, page.text[start:end]

    return found_in


def long_answers(page: Page, book: Book) -> Iterator[Found]:
    """What stands in bold above the first section and is longer than `LIMIT`."""
    until = page.text.find("\n## ")
    for found in _BOLD.finditer(page.text, 0, until if until >= 0 else len(page.text)):
        if len(_LENGTH[page.language].findall(found[1])) > LIMIT[page.language]:
            yield page, found.start(), found[1]


def questions(page: Page, book: Book) -> Iterator[Found]:
    """Titles that are questions."""
    if title(page).endswith(("?", "？")):
        yield page, 0, title(page)


def without_next(page: Page, book: Book) -> Iterator[Found]:
    """Pages that don't link to the next page of their part in their last lines."""
    order = book.reading_order
    at = order.index(page.name) if page.name in order else len(order)
    following = order[at + 1] if at + 1 < len(order) else ""
    if posixpath.dirname(following) == posixpath.dirname(page.name):
        last = page.text.rstrip().splitlines()[-12:]
        folder = posixpath.dirname(page.name)
        links = [posixpath.normpath(f"{folder}/{n[1]}") for n in _LINK.finditer("\n".join(last))]
        if following not in links and posixpath.basename(page.name) != "index":
            yield page, len(page.text) - 1, following


def without_exercise(page: Page, book: Book) -> Iterator[Found]:
    """Lessons without an exercise of their own."""
    parts = {posixpath.dirname(name) for name in book.reading_order if name.endswith("/review")}
    folder, name = posixpath.split(page.name)
    if folder in parts and name != "index" and not _EXERCISE.search(page.text):
        yield page, 0, title(page)


def first_words(page: Page) -> str:
    """The first word of the first sentence; two characters in Chinese."""
    places = sentences(page)
    found = _FIRST[page.language].match(page.text, places[0][0]) if places else None
    return found[0] if found else ""


MEASURES: dict[str, tuple[str, Measure]] = {
    "here": ("sentences", with_word(_HERE)),
    "colons": ("sentences", with_word(_COLON)),
    "bold": ("pages", long_answers),
    "titles": ("pages", questions),
    "next": ("pages", without_next),
    "exercises": ("pages", without_exercise),
}
"""The name of each measure, with what it is a share of."""

if __name__ == "__main__":
    main()
