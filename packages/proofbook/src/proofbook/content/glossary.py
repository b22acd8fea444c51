"""The glossary: one file of terms produces a page, the links to it, and a check of the prose."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from proofbook.model.book import Book
from proofbook.model.config import FALLBACK
from proofbook.model.page import Page
from proofbook.model.problem import Problem, Unproved, warning
from proofbook.model.sources import (
    FLAG,
    WORD_LIST,
    WORDS,
    Fault,
    correct_tables,
    is_words,
    wrong_fields,
)

_LANGUAGES = ("zh", "en")
"""The languages of a term: its fields are named after them."""
_NEEDED = ("id", "part", "page")
_FIELDS = dict.fromkeys((*_NEEDED, *_LANGUAGES), WORDS)
_FIELDS |= dict.fromkeys(("forms", "also", "wrong"), WORD_LIST) | {"common": FLAG}
_ALSO = {"zh": ("也有人叫：", "、", "。"), "en": (" Also called: ", ", ", ".")}
_QUOTES = {"zh": "「」", "en": "“”"}
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
# A term may be explained in brackets, in the other language, where it is first used.
_GLOSS = re.compile(r"（[A-Za-z][A-Za-z ,/-]*）|\([\u4e00-\u9fff、，]+\)")


@dataclass(frozen=True)
class Term:
    """A term, its rendering in each language, and the fields of its entry."""

    id: str
    part: str
    page: str
    says: dict[str, str]
    zh: str = ""
    en: str = ""
    forms: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    common: bool = False

    def names(self, language: str) -> tuple[str, ...]:
        """The ways to write the term in a language: in English also its other forms."""
        return (self.zh,) if language == "zh" else (self.en, *self.forms)


@dataclass(frozen=True)
class Terms:
    """All terms, in the order of their `file`."""

    all: tuple[Term, ...] = ()
    file: str = ""

    @cached_property
    def _wrong(self) -> dict[str, Term]:
        return {normalized(name): term for term in self.all for name in term.wrong}

    @cached_property
    def _pattern(self) -> re.Pattern:
        return names_pattern(self._wrong, plural="s?")

    def wrong_words(self, page: Page) -> Iterator[Problem]:
        """Words in the prose of a page that the glossary renders differently."""
        language = page.language
        if language not in _QUOTES or not self._wrong:
            return
        text = _GLOSS.sub(lambda gloss: " " * len(gloss[0]), page.own_words)
        for found in self._pattern.finditer(text):
            word = normalized(found[0])
            term = self._wrong.get(word) or self._wrong[word.removesuffix("s")]
            names = term.names(language)
            if word in map(normalized, names):  # "loss" is wrong only in Chinese prose
                continue
            problem = page.problem(
                page.line_of(found.start()),
                "the glossary has another word for this",
                names[0],
                " ".join(found[0].split()),
                f"write {names[0]}, or quote the other word with {_QUOTES[language]} "
                f"({self.file}, {term.id})",
            )
            yield warning(problem)  # the word may be meant in its ordinary meaning


def languages_of(book: Book) -> list[str]:
    """The languages in which the words of a book have to be given."""
    return [code for code in _LANGUAGES if code in book.config.codes] or [FALLBACK]


def read_terms(book: Book) -> Terms:
    """The terms of a book; none if it has no glossary.

    Raises `Unproved` with all errors in the file.
    """
    file, seen = book.config.glossary, {}

    def faults(entry: dict, line: int) -> list[Fault]:
        return list(_faults(entry, book)) or list(_twice(entry, line, seen))

    entries = correct_tables(book, file, "term", faults, book.pages_beside(file))
    as_tuples = (
        {k: tuple(v) if isinstance(v, list) else v for k, v in e.items()} for e, _ in entries
    )
    return Terms(tuple(Term(**fields) for fields in as_tuples), file)


def known_terms(book: Book) -> Terms:
    """The terms of a book; none if its file has an error, which `wrong_terms` reports."""
    try:
        return read_terms(book)
    except Unproved:
        return Terms()


def wrong_terms(book: Book) -> Iterator[Problem]:
    """The errors in the file of the glossary."""
    try:
        read_terms(book)
    except Unproved as unproved:
        yield from unproved.problems


def wrong_words(page: Page, book: Book) -> Iterator[Problem]:
    """Words in the prose of a page that the glossary renders differently."""
    return book.fact(known_terms).wrong_words(page)


def entries(page: Page, part: str, terms: Terms, book: Book) -> list[str]:
    """The lines of Markdown (a definition list) with the terms of one part of the glossary.

    They are in the language of the `page`, or in English, and its links start from its folder.
    """
    language = page.language if page.language in _LANGUAGES else FALLBACK
    other = "en" if language == "zh" else "zh"
    before, between, after = _ALSO[language]
    lines = []
    for term in terms.all:
        if term.part != part:
            continue
        target = book.page_file(term.page, page.language)
        shown = posixpath.relpath(target, posixpath.dirname(page.file))
        names = [
            name
            for name in (*term.also, *term.wrong)
            if (_CHINESE.search(name) is None) == (language == "en")
            and normalized(name) not in map(normalized, term.names("en"))
        ]
        also = f"{before}{between.join(names)}{after}" if names else ""
        right, foreign = getattr(term, language), getattr(term, other)
        lines += [
            f"[{right}]({shown}){{ #{term.id} }}"
            + f' <span lang="{other}">{foreign}</span>' * bool(foreign),
            f":   {term.says[language]}{also}",
            "",
        ]
    return lines


def names_pattern(names: Iterable[str], plural: str = "") -> re.Pattern:
    """A pattern that finds any of the names, the longest first; an English one as a whole word.

    A blank in a name matches blanks, a line end or a hyphen.
    """
    longest_first = sorted(set(names), key=len, reverse=True)
    chinese = [re.escape(name) for name in longest_first if _CHINESE.search(name)]
    english = [re.escape(name) for name in longest_first if not _CHINESE.search(name)]
    if english:  # the start of a word is checked once, not for each name
        edge = "[A-Za-z0-9_-]"
        chinese.append(f"(?<!{edge})(?:{'|'.join(english)}){plural}(?!{edge})")
    return re.compile("|".join(chinese).replace(r"\ ", r"[\s-]+"), re.IGNORECASE)


def normalized(word: str) -> str:
    """The lookup key of a word: in lower case, with a blank for a line end or a hyphen."""
    return " ".join(re.split(r"[\s-]+", word.lower()))


def _faults(entry: dict, book: Book) -> Iterator[Fault]:
    says, codes = entry.get("says"), languages_of(book)
    others = {k: v for k, v in entry.items() if k != "says"}
    yield from wrong_fields(others, _FIELDS, [*_NEEDED, *codes])
    if not isinstance(says, dict) or not all(is_words(says.get(code)) for code in codes):
        what = f"the term is not explained{book.config.everywhere}, in one line each"
        yield what, ", ".join(f'says.{code} = "..."' for code in codes), repr(says)
    if is_words(entry.get("id")) and not re.fullmatch(r"[a-z][a-z0-9-]*", entry["id"]):
        yield "this is not an anchor", "small letters, digits, hyphens", entry["id"]
    if is_words(page := entry.get("page")):
        for file in (book.page_file(page, language) for language in book.config.codes):
            if not book.has(file):
                yield "the page of the term does not exist", "a page of the book", file


def _twice(entry: dict, line: int, seen: dict[str, int]) -> Iterator[Fault]:
    """Ambiguous words, which another term also has."""
    words = {entry[code] for code in _LANGUAGES if entry.get(code)}
    words |= {*entry.get("forms", []), *entry.get("wrong", [])}
    for word in sorted({normalized(word) for word in words} | {f"#{entry['id']}"}):
        if word in seen:
            what = f"two terms have the same {'id' if word[0] == '#' else 'word'}"
            yield what, "each once", f"{word}, as in line {seen[word]}"
        seen.setdefault(word, line)
