"""The questions of the book: one file of them gives a page, and words by which the search finds."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from proofbook.model.book import Book
from proofbook.model.page import Page, language_of, parse
from proofbook.model.problem import Problem, Unproved
from proofbook.model.snippet import shown_runs
from proofbook.model.toml_tables import is_words, tables

FILE = "docs/questions/questions.toml"
"""The questions; the comment at its top says what each field means."""

OFTEN, ABSENT = "often", "absent"
"""Parts that no question names: the ten that are asked most, and what the book doesn't answer."""

_PAGES = {language: f"docs/questions/index.{language}.md" for language in ("zh", "en")}
_KNOWN = ("part", "zh", "en", "message", "to", "often", "see")
_WORDS = ("zh", "en", "message", "part", "to", "see")
_PLACE = re.compile(r"[a-z0-9-]+(?:/[a-z0-9-]+)*(?:#[A-Za-z][\w-]*)?")
_MOST = 10


@dataclass(frozen=True)
class Question:
    """What somebody asks, or a message that somebody pastes, and where the answer is.

    `line`: that of the file; `often`: its place among those asked most, or 0; `see`: the address
    of somebody else's answer, where the book has none.
    """

    line: int
    zh: str = ""
    en: str = ""
    message: str = ""
    part: str = ABSENT
    to: str = ""
    often: int = 0
    see: str = ""

    def text(self, language: str) -> str:
        """What is asked, as Markdown; a message is the same in every language."""
        if not self.message:
            return getattr(self, language)
        ticks = "``" if "`" in self.message else "`"
        blank = " " if "`" in self.message else ""
        return f"{ticks}{blank}{self.message}{blank}{ticks}"

    @property
    def page(self) -> str:
        """The name of the page that answers it, as `accumulate/zero-grad`."""
        return self.to.partition("#")[0]

    @property
    def anchor(self) -> str:
        return self.to.partition("#")[2]


def read_questions(book: Book) -> tuple[Question, ...]:
    """The questions of a book, in the order of the file; none where it has none.

    Raises `Unproved` with everything that is wrong with a question by itself.
    """
    found, problems = [], []
    for kind in ("question", ABSENT):
        for entry, line in tables(book, FILE, kind, tuple(_PAGES.values())):
            wrong = list(_faults(entry, line, kind))
            problems += wrong
            if not wrong:
                found.append(Question(line, **entry))
    if problems:
        raise Unproved(problems)
    return tuple(found)


def known_questions(book: Book) -> tuple[Question, ...]:
    """The questions of a book; none where their file has a fault, which `wrong_list` reports."""
    try:
        return read_questions(book)
    except Unproved:
        return ()


def entries(page: str, part: str, questions: Sequence[Question]) -> list[str]:
    """The lines of Markdown (a list) that tell a part of the questions, in the page's language."""
    language = language_of(page)
    if language not in _PAGES:
        return []
    if part == OFTEN:
        most = [q for q in questions if 0 < q.often <= _MOST and q.to]
        chosen = sorted(most, key=lambda question: question.often)
    else:
        chosen = [question for question in questions if question.part == part]
    return [f"- {_link(question, language)}" for question in chosen]


def parts(questions: Sequence[Question]) -> list[str]:
    """The parts that the page of questions must show, in the order of the file."""
    known = dict.fromkeys(question.part for question in questions)
    return [OFTEN, *known] if any(q.often and q.to for q in questions) else list(known)


def wrong_questions(
    questions: Sequence[Question], pages: Mapping[str, Page], printed: Callable[[Page], str]
) -> list[Problem]:
    """What is wrong with the questions as the questions of this book.

    `pages`: those of the book, by file; `printed`: what the scripts of a page say and print.
    """
    if not questions:
        return []
    found = [problem for q in questions if q.message for problem in _unprinted(q, pages, printed)]
    found += _twice(questions)
    found += _gaps(questions)
    found += _not_shown(questions, pages)
    found += _unasked(questions, pages)
    return found


def as_pages(questions: Sequence[Question]) -> list[Page]:
    """The questions as two pages of links, each in its line of the file: for what checks pages."""
    pages = []
    for language in _PAGES:
        lines = [""] * max((question.line for question in questions), default=0)
        for question in questions:
            lines[question.line - 1] = _link(question, language)
        pages.append(parse(f"{FILE}.{language}.md", "\n".join(lines)))
    return pages


def in_the_file(problem: Problem) -> Problem:
    """A problem that was found in `as_pages`, at the place where the question stands."""
    mend = f"correct the question in {FILE}: {problem.mend}"
    return replace(problem, file=FILE, mend=mend, pages=tuple(_PAGES.values()))


def _link(question: Question, language: str) -> str:
    return f"[{question.text(language)}]({question.see or _address(question, language)})"


def _address(question: Question, language: str) -> str:
    name = posixpath.relpath(f"{question.page}.{language}.md", "questions")
    return f"{name}#{question.anchor}" if question.anchor else name


def _faults(entry: object, line: int, kind: str) -> Iterator[Problem]:
    """What is wrong with a question by itself."""
    if not isinstance(entry, dict):
        yield _problem(line, "this is no question", "fields", repr(entry))
        return
    for key in sorted(entry.keys() - set(_KNOWN)):
        yield _problem(line, "unknown field", ", ".join(_KNOWN), key)
    for key in _WORDS:
        if key in entry and not is_words(entry[key]):
            yield _problem(
                line, f"{key} is no text in one line", f'{key} = "..."', repr(entry[key])
            )
    asks = [key for key in ("zh", "en", "message") if key in entry]
    if asks not in (["zh", "en"], ["message"]):
        expected = 'zh = "...", en = "..." or message = "..."'
        yield _problem(line, "it must be asked in both languages", expected, ", ".join(asks))
    for key in ("part", "to") if kind == "question" else ("see",):
        if key not in entry:
            yield _problem(line, f"the question has no {key}", f'{key} = "..."', "nothing")
    if kind == ABSENT and (extra := entry.keys() & {"part", "to", "message"}):
        what = "what the book doesn't answer leads to no page of it"
        yield _problem(line, what, "zh, en, often, see", ", ".join(sorted(extra)))
    if isinstance(place := entry.get("to"), str) and not _PLACE.fullmatch(place):
        yield _problem(line, "this names no page", 'to = "topic/page#anchor"', place)
    if entry.get("part") in (OFTEN, ABSENT):
        yield _problem(line, "this part is made of others", "another name", entry["part"])
    often = entry.get("often", 1)
    if not isinstance(often, int) or isinstance(often, bool) or often < 1:
        yield _problem(line, "often is no place among others", "often = 7", repr(often))


def _unprinted(
    question: Question, pages: Mapping[str, Page], printed: Callable[[Page], str]
) -> Iterator[Problem]:
    """A message stands in the output of a script on the page that it leads to."""
    for file in (f"docs/{question.page}.{language}.md" for language in _PAGES):
        if file in pages and question.message not in printed(pages[file]):
            what = f"no script on {file} prints this message"
            yield _problem(question.line, what, "a part of its output", question.message)


def _twice(questions: Sequence[Question]) -> Iterator[Problem]:
    seen: dict[str, int] = {}
    for question in questions:
        for text in {question.text(language) for language in _PAGES}:
            plain = re.sub(r"[\W_]+", " ", text.lower()).strip()
            if plain in seen:
                found = f"{text}, as in line {seen[plain]}"
                yield _problem(question.line, "this is asked twice", "each question once", found)
            seen[plain] = question.line


def _gaps(questions: Sequence[Question]) -> Iterator[Problem]:
    """What is asked often is here, or is named as absent: each place once, from 1 on."""
    places = {question.often: question.line for question in questions if question.often}
    for question in questions:
        if question.often and places[question.often] != question.line:
            what = f"two questions have the place {question.often} among those asked often"
            found = f"lines {question.line} and {places[question.often]}"
            yield _problem(question.line, what, "each place once", found)
    missing = [str(place) for place in range(1, max(places, default=0)) if place not in places]
    if missing:
        what = "something that is asked often is neither here nor named as absent"
        yield _problem(1, what, "each place from 1 on", f"none for {', '.join(missing)}")


def _not_shown(questions: Sequence[Question], pages: Mapping[str, Page]) -> Iterator[Problem]:
    for file in _PAGES.values():
        shown = [r.option("part") for r in pages[file].references] if file in pages else []
        for part in parts(questions):
            if shown.count(part) != 1:
                line = next((q.line for q in questions if q.part == part), 1)
                what = f"{file} doesn't show this part of the questions once"
                yield _problem(
                    line, what, f"::: {FILE}, part: {part}", f"{shown.count(part)} times"
                )


def _unasked(questions: Sequence[Question], pages: Mapping[str, Page]) -> Iterator[Problem]:
    """Warnings: pages to which no question leads; a first page lists those of its part itself."""
    asked = {question.page for question in questions}
    for file, page in pages.items():
        name = page.name
        if page.language == "zh" and posixpath.basename(name) != "index" and name not in asked:
            what = "no question leads to this page"
            expected, mend = f'[[question]] with to = "{name}"', f"add one to {FILE}"
            yield Problem(file, 1, what, expected, "none", mend, severity="warning")


def _problem(line: int, what: str, expected: str, found: str) -> Problem:
    mend, pages = f"correct the question in {FILE}", tuple(_PAGES.values())
    return Problem(FILE, line, what, expected, found, mend, pages)


def wrong_list(book: Book) -> Iterator[Problem]:
    """What is wrong with the questions of a book: their words, and where they lead."""
    try:
        questions = read_questions(book)
    except Unproved as unproved:
        yield from unproved.problems
        return
    pages = {page.file: page for page in book.pages}

    def printed(page: Page) -> str:
        return "\n".join(run.text for run in book.fact(shown_runs, page.file))

    yield from wrong_questions(questions, pages, printed)
