"""The glossary: one file of terms gives a page, the links to it, and a check of the prose."""

from __future__ import annotations

import posixpath
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from proof.page import Page, parse, read
from proof.problem import Problem, Unproved
from proof.prose import own_words

FILE = "docs/glossary/terms.toml"
"""The terms of the book; the comment at its top says what each field means."""

_NEEDED = {"id": str, "part": str, "zh": str, "en": str, "page": str, "says": dict}
_OPTIONAL = {"forms": list, "also": list, "wrong": list, "common": bool}
_ALSO = {"zh": ("也有人叫：", "、", "。"), "en": (" Also called: ", ", ", ".")}
_QUOTES = {"zh": "「」", "en": "“”"}
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
# A term may be explained in brackets, in the other language, where it is first used.
_GLOSS = re.compile(r"（[A-Za-z][A-Za-z ,/-]*）|\([\u4e00-\u9fff、，]+\)")
_NO_LINKS = re.compile(r"^(?: *(?:#|\||!!!|\?\?\?|<)| *[-*] *\[).*$|\[[^\[\]]*\]", re.MULTILINE)


@dataclass(frozen=True)
class Term:
    """A term, its rendering in each language, and what stands about it in the glossary."""

    id: str
    part: str
    zh: str
    en: str
    page: str
    says: dict[str, str]
    line: int
    forms: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()
    common: bool = False

    def names(self, language: str) -> tuple[str, ...]:
        """The ways to write the term in a language: in English also its other forms."""
        return (self.zh,) if language == "zh" else (self.en, *self.forms)


@dataclass(frozen=True)
class Terms:
    """All terms, in the order of the file."""

    all: tuple[Term, ...] = ()

    @cached_property
    def _patterns(self) -> dict[str, re.Pattern]:
        return {
            language: _one_of(name for term in self.all for name in term.names(language))
            for language in ("zh", "en")
        }

    @cached_property
    def _wrong(self) -> dict[str, Term]:
        return {name.lower(): term for term in self.all for name in term.wrong}

    @cached_property
    def _wrong_pattern(self) -> re.Pattern:
        return _one_of(self._wrong, plural="s?")

    def wrong_words(self, page: Page) -> Iterator[Problem]:
        """Words in the prose of a page for which the glossary has another rendering."""
        language = _language(page.file)
        text = _GLOSS.sub(lambda gloss: " " * len(gloss[0]), own_words(page))
        for found in self._wrong_pattern.finditer(text) if self._wrong else ():
            word = " ".join(found[0].split())  # a line may end within it
            term = self._wrong.get(word.lower()) or self._wrong[word.lower().removesuffix("s")]
            names = term.names(language)
            if word.lower() in map(str.lower, names):  # "loss" is wrong in Chinese prose only
                continue
            yield Problem(
                page.file,
                text.count("\n", 0, found.start()) + 1,
                "the glossary has another word for this",
                names[0],
                word,
                f"write {names[0]}, or quote the other word with {_QUOTES[language]} "
                f"({FILE}, {term.id})",
                (page.file,),
            )

    def linked(self, file: str, text: str) -> str:
        """The Markdown of a page with the first use of each term made a link to the glossary.

        Headings, tables, boxes' titles, quotes and links stay as they are, and so do the page that
        the glossary names for the term, the cover, the glossary, and notebooks.
        """
        language = _language(file)
        if language not in self._patterns or file.startswith(("index.", "glossary/")):
            return text
        glossary = posixpath.relpath(f"glossary/index.{language}.md", posixpath.dirname(file))
        words = _NO_LINKS.sub(lambda m: " " * len(m[0]), own_words(parse(file, text)))
        terms = {n.lower(): t for t in self.all if not t.common for n in t.names(language)}
        here = re.sub(r"\.(?:zh|en)\.md$", "", file)
        seen = {t.id for t in self.all if t.page == here}
        told, at = [], 0
        for found in self._patterns[language].finditer(words):
            term = terms.get(" ".join(found[0].lower().split()))
            if term is None or term.id in seen:
                continue
            seen.add(term.id)
            told += [text[at : found.start()], f"[{found[0]}]({glossary}#{term.id}){{ .term }}"]
            at = found.end()
        return "".join([*told, text[at:]])


def read_terms(root: Path) -> Terms:
    """The terms of the book in `root`; none where it has no glossary.

    Raises `Unproved` with everything that is wrong in the file.
    """
    if not (root / FILE).is_file():
        return Terms()
    text = read(root / FILE)
    try:
        entries = tomllib.loads(text).get("term", [])
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        raise Unproved(
            [_problem(int(line[1]) if line else 1, "this is not TOML", "TOML", str(error))]
        ) from error
    lines = [n for n, line in enumerate(text.split("\n"), 1) if line.strip() == "[[term]]"]
    problems, terms, seen = [], [], {}
    for entry, line in zip(entries, lines, strict=True):
        wrong = list(_faults(entry, line, root, seen))
        problems += wrong
        if not wrong:
            terms.append(
                Term(
                    **{k: tuple(v) if isinstance(v, list) else v for k, v in entry.items()},
                    line=line,
                )
            )
    if problems:
        raise Unproved(problems)
    return Terms(tuple(terms))


def entries(page: str, part: str, terms: Terms) -> list[str]:
    """The lines of Markdown (a definition list) that tell a part of the glossary.

    `page` is the page's file: its name says the language, its folder where links start.
    """
    language = _language(page)
    other = "en" if language == "zh" else "zh"
    before, between, after = _ALSO[language]
    told = []
    for term in terms.all:
        if term.part != part:
            continue
        shown = posixpath.relpath(f"{term.page}.{language}.md", "glossary")
        names = [
            n for n in (*term.also, *term.wrong) if n.lower() not in (term.zh, term.en.lower())
        ]
        names = [n for n in names if bool(_CHINESE.search(n)) == (language == "zh")]
        also = f"{before}{between.join(names)}{after}" if names else ""
        right, foreign = getattr(term, language), getattr(term, other)
        told += [
            f'[{right}]({shown}){{ #{term.id} }} <span lang="{other}">{foreign}</span>',
            f":   {term.says[language]}{also}",
            "",
        ]
    return told


def _faults(entry: dict, line: int, root: Path, seen: dict[str, str]) -> Iterator[Problem]:
    known = _NEEDED | _OPTIONAL
    for key, kind in _NEEDED.items():
        if not isinstance(entry.get(key), kind):
            yield _problem(line, f"the term has no {key}", f"{key} = ...", "none")
    for key in entry.keys() - known.keys():
        yield _problem(line, "unknown field", ", ".join(known), key)
    says = entry.get("says")
    if isinstance(says, dict) and not {"zh", "en"} <= says.keys():
        yield _problem(
            line, "the term is explained in one language only", "says.zh, says.en", str(says)
        )
    page = entry.get("page")
    for file in (f"docs/{page}.{language}.md" for language in ("zh", "en")):
        if not (root / file).is_file():
            yield _problem(line, "the page of the term does not exist", "a page of the book", file)
    for key in ("id", "zh", "en", "wrong"):
        for name in {entry[key]} if isinstance(entry.get(key), str) else set(entry.get(key, [])):
            if seen.setdefault(name.lower(), entry.get("id")) != entry.get("id"):
                yield _problem(line, "two terms have the same word", "each word once", name)


def _problem(line: int, what: str, expected: str, found: str) -> Problem:
    pages = tuple(f"docs/glossary/index.{language}.md" for language in ("zh", "en"))
    return Problem(FILE, line, what, expected, found, f"correct the term in {FILE}", pages)


def _one_of(names: Iterable[str], plural: str = "") -> re.Pattern:
    """Finds any of the names, the longest first; an English one as a whole word."""
    told = [
        re.escape(name)
        if _CHINESE.search(name)
        else rf"(?<![\w-]){re.escape(name)}{plural}(?![\w-])"
        for name in sorted(set(names), key=len, reverse=True)
    ]
    return re.compile("|".join(told).replace(r"\ ", r"\s+"), re.IGNORECASE)


def _language(file: str) -> str:
    return file.removesuffix(".md").rpartition(".")[2]
