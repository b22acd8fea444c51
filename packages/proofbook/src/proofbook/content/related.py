"""What to read next: a short list at the end of each page, found from what the pages say."""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from math import log

from proofbook.api.names_in_code import names_in_code
from proofbook.check.links import external_links, internal_links
from proofbook.content.glossary import known_terms
from proofbook.model.book import Book
from proofbook.model.page_file import name_of

MOST, FEWEST = 4, 2
_OFFICIAL = "pytorch.org/"
_WORD = re.compile(r"\w+")
_CHINESE = re.compile(r"[\u4e00-\u9fff]")


@dataclass
class _Traits:
    """What a page has in both its languages that may tie it to others.

    `links`: pages it links to; `last`: those of them in its last section, which a reader has just
    met; `marks`: terms, names in code and threads.
    """

    links: set[str] = field(default_factory=set)
    last: set[str] = field(default_factory=set)
    marks: set[str] = field(default_factory=set)


class Related:
    """Which pages go with which, the same in both languages.

    `traits`: by name of a page; `titles`: by name and language.
    """

    def __init__(self, traits: Mapping[str, _Traits], titles: Mapping[tuple[str, str], str]):
        self._traits, self.titles = traits, titles
        count = Counter(mark for traits in self._traits.values() for mark in traits.marks)
        # What every page has ties none to another.
        self._weight = {mark: log(len(self._traits) / n) for mark, n in count.items()}

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, Related) and self._traits == other._traits
        return same and self.titles == other.titles

    __hash__ = None

    def to(self, name: str, beside: Collection[str] = ()) -> list[str]:
        """The names of the pages to read after a page, the nearest first.

        Left out are those `beside` it (the previous and the next), and those that its last section
        links to.
        """
        if name not in self._traits:
            return []
        left_out = {name, *beside, *self._traits[name].last}
        near = {other: self._near(name, other) for other in self._traits if other not in left_out}
        found = sorted((other for other in near if near[other] > 0), key=lambda x: (-near[x], x))
        least = near[found[0]] / 2 if found else 0
        return [n for i, n in enumerate(found[:MOST]) if i < FEWEST or near[n] >= least]

    def _near(self, one: str, other: str) -> float:
        mine, theirs = self._traits[one], self._traits[other]
        shared = sum(self._weight[mark] ** 2 for mark in mine.marks & theirs.marks)
        sizes = self._size(mine) * self._size(theirs)
        linked = 0.3 * (other in mine.links) + 0.2 * (one in theirs.links)
        return linked + (shared / sizes if sizes else 0)

    def _size(self, traits: _Traits) -> float:
        return sum(self._weight[mark] ** 2 for mark in traits.marks) ** 0.5


def related(book: Book) -> Related:
    """Which pages of a book go with which."""
    traits: dict[str, _Traits] = defaultdict(_Traits)
    titles: dict[tuple[str, str], str] = {}
    for file in book.page_files:
        name, language = name_of(file), book.language_of(file)
        # A first page of a part is a list of links itself, and is reached from each page.
        if language in book.config.codes and posixpath.basename(name) != "index":
            title, links, last, marks = book.fact(_traits_of, file)
            mine = traits[name]
            mine.links |= links
            mine.last |= last
            mine.marks |= marks
            titles[name, language] = title
    return Related(dict(traits), titles)


def _traits_of(book: Book, file: str) -> tuple[str, set, set, set]:
    """The title of a page, the pages it links to, those of its last section, its marks."""
    page, terms = book.page(file), book.fact(known_terms)
    words = [(_looked_up(n), t.id) for t in terms.all for x in ("zh", "en") for n in t.names(x)]
    links = {
        (name, line) for name, line in internal_links(page) if posixpath.basename(name) != "index"
    }
    start = max((h.line for h in page.headings if h.level > 1), default=len(page.text))
    titles = {box.line for box in page.spans_of("box")}  # they repeat what stands below them
    spans = [span.one_line for span in page.own_code if span.line not in titles]
    marks = {name.parts[-1] for text in spans for name in names_in_code(text)}
    marks |= {to for _, to in external_links(page) if _OFFICIAL not in to}
    text = f" {' '.join(_WORD.findall(page.prose.lower()))} "
    marks |= {mark for word, mark in words if word in text}
    last = {name for name, line in links if line > start}
    return page.title, {name for name, _ in links}, last, marks


def _looked_up(name: str) -> str:
    """A term as it stands in a text of words: an English one is a whole word."""
    return name if _CHINESE.search(name) else f" {' '.join(_WORD.findall(name.lower()))} "
