"""The search index of Material, made faster: what its parser would drop anyway is dropped before,
and the entries of a page that is the same are kept.

Material reads the HTML of each page with a parser written in Python; figures, formulas and colored
code hold most of the tags, and none of them reach the index.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from types import SimpleNamespace

import jieba
from material.plugins.search.plugin import SearchIndex, SearchPlugin
from mkdocs.structure.pages import Page
from selectolax.lexbor import LexborHTMLParser

from proofbook.content.glossary import Terms, known_terms
from proofbook.content.page_summary import unlatexed
from proofbook.content.questions import known_questions
from proofbook.content.search import (
    answers_of,
    asked_of,
    elsewhere,
    names_of,
    own_words,
    with_asked,
    with_excerpts,
)
from proofbook.mkdocs.kept import Kept, digest
from proofbook.mkdocs.swap import write_whole
from proofbook.model.book import Book

_FILE = "search/search_index.json"
_UNSEEN = "[data-search-exclude], script, style, object"
_MARKS = re.compile(r"\s?data-search-\w+=\"[^\"]+\"")
_PASSED = ["span", "samp", "math", "semantics", "mrow", "mn", "mi", "mo", "msub", "msup", "mtext"]
"""Elements of which the index keeps the text alone."""
_DICTIONARIES = ("jieba_dict", "jieba_dict_user")
"""Settings of Material's search that name a file."""


class Segmenter:
    """Cuts Chinese into words, with the terms of the glossary among them.

    Loading the dictionary takes most of a second, so it waits for a text that was not cut before.
    """

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self._terms = self._taught = Terms()
        self._mixed = False

    def learn(self, terms: Terms) -> None:
        """Have the terms of a glossary cut as words from now on."""
        self._terms = terms

    @property
    def words(self) -> str:
        """A digest of the words that the dictionary was told, or will be.

        A dictionary unlearns nothing. Once it was told the words of another glossary, what it cuts
        is of no use to another process.
        """
        others = [str(os.getpid()), str(jieba.dt.total)] if self._mixed else []
        return digest(*(term.zh for term in self._terms.all), *others)

    def ready(self) -> None:
        """Tell the dictionary the words that it does not know yet."""
        if jieba.dt.initialized and self._taught == self._terms:
            return
        self._mixed |= jieba.dt.initialized
        for word in own_words(self._terms, jieba.cut):
            jieba.add_word(word)
        self._taught = self._terms

    def cut(self, text: str) -> list[str]:
        """The words of a Chinese text, and the words within them."""
        words = self._kept.get(("cut", text), self.words)
        if words is None:
            self.ready()
            words = list(jieba.cut_for_search(text))
            self._kept.put(("cut", text), self.words, words)
        return words


class SearchEntries:
    """The entries of each page, made once for its content.

    `waits`: whether a page that is written is not looked at before the index is written.
    """

    def __init__(self, kept: Kept) -> None:
        self.waits = False
        self.segmenter = Segmenter(kept)
        self._kept = kept
        self._whole: dict[tuple[str, str], tuple[int, str]] = {}

    def use(self, plugin: SearchPlugin, edition: str) -> None:
        """Have the index of an edition filled from here."""
        index = plugin.search_index
        index.add_entry_from_context = self._adding(index, edition, _settings(index))

    def add_words(self, site: Path, book: Book, language: str) -> None:
        """Have the index that Material wrote find pages by what readers type."""
        file = site / _FILE
        if file.is_file():
            file.write_text(self._with_words(file.read_text("utf-8"), book, language), "utf-8")

    def write(
        self, plugin: SearchPlugin, pages: Iterable[Page], book: Book, language: str, site: Path
    ) -> None:
        """Write the index of an edition anew, while it is served."""
        index = plugin.search_index
        index.entries = []
        for page in pages:
            self._add(page, index, language, _settings(index))
        text = self._with_words(index.generate_search_index(None), book, language)
        write_whole(site / _FILE, text)

    def _with_words(self, text: str, book: Book, language: str) -> str:
        terms, questions = book.fact(known_terms), book.fact(known_questions)
        asked = asked_of(book.pages, terms, questions, language)
        index = json.loads(text)
        entries = with_excerpts(index["docs"], answers_of(book.pages, language))
        index["config"]["names"] = names_of(terms, language)
        index["docs"] = [
            *with_asked(entries, asked, self.segmenter.cut),
            *elsewhere(questions, language, self.segmenter.cut),
        ]
        return json.dumps(index, ensure_ascii=False, separators=(",", ":"))

    def _adding(self, index: SearchIndex, edition: str, settings: str) -> Callable[[Page], None]:
        def add_entry_from_context(page: Page) -> None:
            if self.waits:
                self._whole_content((edition, page.file.src_uri), page)
            else:
                self._add(page, index, edition, settings)

        return add_entry_from_context

    def _add(self, page: Page, index: SearchIndex, edition: str, settings: str) -> None:
        place = edition, page.file.src_uri
        content = self._whole_content(place, page)
        meta = repr([page.meta.get(name) for name in ("title", "search", "tags")])
        said = content, str(page.title), meta, page.url, settings
        entries = self._kept.get(("search", *place), digest(*said, self.segmenter.words))
        if entries is None:
            self.segmenter.ready()
            before = len(index.entries)
            SearchIndex.add_entry_from_context(index, _lean(page, content))
            entries = index.entries[before:]
            made_from = digest(*said, self.segmenter.words)
            self._kept.put(("search", *place), made_from, entries)
        else:
            index.entries.extend(entries)

    def _whole_content(self, place: tuple[str, str], page: Page) -> str:
        """The content of a page with the marks of what the search leaves out.

        Material takes them away when it has read them; a page may be written once more.
        """
        shown, whole = self._whole.get(place, (0, ""))
        if whole and hash(page.content) == shown:
            return whole
        self._whole[place] = hash(_MARKS.sub("", page.content)), page.content
        return page.content


def _settings(index: SearchIndex) -> str:
    """Everything that the entries depend on besides the pages."""
    named = (index.config.get(name) for name in _DICTIONARIES)
    files = [Path(name) for name in named if name]
    stamps = [digest(file.read_text("utf-8")) if file.is_file() else "" for file in files]
    return repr([sorted((key, repr(value)) for key, value in index.config.items()), stamps])


def _lean(page: Page, content: str) -> SimpleNamespace:
    """The page with all HTML that is only seen taken out of its content."""
    tree = LexborHTMLParser(f"<body>{content}</body>")
    for formula in tree.css("span.formula"):
        if source := formula.css_first("annotation"):
            formula.replace_with(unlatexed(source.text()))
    for node in tree.css(_UNSEEN):
        node.decompose()
    tree.body.unwrap_tags(_PASSED)
    return SimpleNamespace(
        content=tree.body.inner_html,
        meta=page.meta,
        toc=page.toc,
        url=page.url,
        title=page.title,
    )
