"""The index of the search: the sections of each page, in Material's format.

Material's plugin writes the settings of the search; this fills the index instead, and the worker
that searches it is the book's own.
"""

from __future__ import annotations

import html
import json
import logging
import re
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from proofbook.content import search
from proofbook.content.glossary import Terms, known_terms
from proofbook.content.messages import messages_of
from proofbook.content.page_summary import unlatexed
from proofbook.content.questions import known_questions
from proofbook.html.tree import Node, classes, parse
from proofbook.mkdocs.page_cache import Cache, digest
from proofbook.model.book import Book
from proofbook.model.temporary import write_text

if TYPE_CHECKING:
    import jieba

log = logging.getLogger("mkdocs.proofbook")

_FILE = "search/search_index.json"
_PROGRAMS = Path(search.__file__).parent
_WORKERS = "assets/javascripts/workers/search."
_HEADINGS = frozenset(f"h{level}" for level in range(1, 7))
_UNSEEN = frozenset({"object", "script", "style"})
_SHOWN = frozenset({"p", "code", "pre", "li", "ol", "ul", "sub", "sup"})
"""Elements that a result shows; for others the index has only the text."""


def replace_worker(files: Files, config: MkDocsConfig) -> None:
    """Replace Material's worker by the book's own, under the same file name."""
    if "material/search" not in config.plugins:
        return
    theirs = [file for file in files if file.src_uri.startswith(_WORKERS)]
    if not theirs:
        raise PluginError(
            f"the theme has no {_WORKERS}*.js, in whose place the search goes: has mkdocs-material "
            "changed? See proofbook/mkdocs/search_index.py"
        )
    for file in theirs:
        files.remove(file)
    worker = (_PROGRAMS / "search_worker.js").read_text("utf-8")
    program = (_PROGRAMS / "search.js").read_text("utf-8")
    names = {file.src_uri: worker for file in theirs if file.src_uri.endswith(".js")}
    for name, content in (names | {f"{_WORKERS}js": program}).items():
        files.append(File.generated(config, name, content=content))


@dataclass
class Section:
    """A heading and the content below it, up to the next. `id`: none for the top of a page."""

    id: str
    title: str = ""
    parts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The content below the heading, as HTML of a few elements."""
        return "".join(self.parts).strip()


def sections(content: str) -> list[Section]:
    """The sections of a page's HTML, without elements excluded from the search."""
    found = [Section("")]
    _read(parse(content).body, found[0], found, in_code=False)
    return found


def _read(node: Node, section: Section, found: list[Section], in_code: bool) -> None:
    """Add the contents of a node to a section, and to the sections that begin in it, which are
    `found`.

    A section that begins within a box ends with the box; then the enclosing one continues.
    """
    for child in node.iter(include_text=True):
        tag, attributes = child.tag, child.attributes
        if tag in _HEADINGS and attributes.get("id"):
            heading = Section("")
            _read(child, heading, [], in_code)
            if tag == "h1" and len(found) == 1 and not found[0].text:
                section = found[0]
            else:
                section = Section(attributes["id"])
                found.append(section)
            section.title = heading.text
        elif child.is_text_node:
            _add_text(section.parts, child.text_content or "", in_code)
        elif tag == "span" and "formula" in classes(child) and child.css("annotation"):
            latex = unlatexed(child.css_first("annotation").text())
            section.parts.append(html.escape(latex, quote=False))
        elif (
            child.is_element_node
            and tag not in _UNSEEN
            and "data-search-exclude" not in attributes
            and "headerlink" not in classes(child)
        ):
            start = len(section.parts)
            _read(child, section, found, in_code or tag == "pre")
            if tag in _SHOWN and any(not part.isspace() for part in section.parts[start:]):
                section.parts.insert(start, f"<{tag}>")
                section.parts.append(f"</{tag}>")


def _add_text(parts: list[str], text: str, in_code: bool) -> None:
    if not in_code:
        text = text.replace("\n", " ") if text.strip() else " "
    if text.strip() or in_code or not parts or not parts[-1].isspace():
        parts.append(html.escape(text, quote=False))


class _Characters:
    """Takes each Chinese character for a word, where jieba is not installed."""

    cut = lcut_for_search = staticmethod(list)


class SearchIndex:
    """The entries of each page, computed once for its content, and the index of each edition.

    Chinese is segmented into words, with the terms of the glossary. Loading the dictionary takes
    most of a second, so it is delayed until it is needed.
    """

    def __init__(self, cache: Cache) -> None:
        self._cache = cache
        self._terms = Terms()
        self._tokenizer: jieba.Tokenizer | _Characters | None = None
        self._pages: dict[str, dict[str, tuple[Page, str, dict]]] = {}

    def learn(self, terms: Terms) -> None:
        """Add the terms of a glossary to the dictionary."""
        if terms != self._terms:
            self._terms, self._tokenizer = terms, None

    def tokenizer(self) -> jieba.Tokenizer | _Characters:
        """The dictionary with the words of the glossary."""
        if self._tokenizer is None and not find_spec("jieba"):
            self._tokenizer = _Characters()
            log.info("the search finds single Chinese characters; words: pip install jieba")
        elif self._tokenizer is None:
            import jieba

            self._tokenizer = jieba.Tokenizer()
            for word in search.own_words(self._terms, self._tokenizer.cut):
                self._tokenizer.add_word(word)
        return self._tokenizer

    def _divided(self, text: str) -> str:
        """A text with its Chinese words separated by invisible characters."""

        def cut(found: re.Match[str]) -> str:
            return "\u200b".join(["", *self.tokenizer().cut(found[0]), ""])

        words = search.HAN.sub(cut, text)
        return words.strip("\u200b")

    def begin(self, language: str) -> None:
        """Start a new index for an edition."""
        self._pages[language] = {}

    def add(self, page: Page, content: str, language: str) -> None:
        """Index a page with this content, and exclude it from Material's index."""
        options = page.meta.get("search") or {}
        self._pages[language][page.file.src_uri] = page, content, options
        page.meta["search"] = {"exclude": True}

    def write(self, site: Path, book: Book, language: str) -> None:
        """Fill the index of an edition, in which Material wrote the settings of the search."""
        file = site / _FILE
        if not file.is_file():
            return
        pages = self._pages[language].values()
        entries = [e for page, *said in pages for e in self._entries(page, *said, language)]
        terms, questions = book.fact(known_terms), book.fact(known_questions)

        def cut(text: str) -> list[str]:
            return self.tokenizer().lcut_for_search(text)

        asked = search.asked_of(book.pages, terms, questions, language)
        messages = book.page_file(book.config.messages, language)
        if messages in book.page_files:
            index = search.address(book.config.messages)
            known = book.remember(messages_of, messages)
            entries, asked = search.at_own_pages(entries, asked, index, known)
        entries = search.with_excerpts(entries, search.answers_of(book.pages, language))
        index = {
            "config": json.loads(file.read_text("utf-8"))["config"]
            | {"names": search.names_of(terms, language)},
            "docs": [
                *search.with_asked(entries, asked, cut),
                *search.elsewhere(questions, language, cut),
            ],
        }
        write_text(file, json.dumps(index, ensure_ascii=False, separators=(",", ":")))

    def _entries(self, page: Page, content: str, options: dict, language: str) -> list[dict]:
        if options.get("exclude"):
            return []
        place, title = ("search", language, page.file.src_uri), str(page.title)
        words = [term.zh for term in self._terms.all]
        made_from = digest(content, title, page.url, repr(options), *words)
        entries = self._cache.get(place, made_from)
        if entries is None:
            more = {"boost": options["boost"]} if "boost" in options else {}
            entries = [
                {
                    "location": f"{page.url}#{section.id}" if section.id else page.url,
                    "title": self._divided(section.title or html.escape(title)),
                    "text": self._divided(section.text),
                    **more,
                }
                for section in sections(content)
            ]
            self._cache.put(place, made_from, entries)
        return entries
