"""The questions of the book: one file of them produces a page, and search words."""

from __future__ import annotations

import difflib
import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from proofbook.content.glossary import languages_of
from proofbook.model.book import Book
from proofbook.model.config import FALLBACK
from proofbook.model.page import Page
from proofbook.model.problem import Problem, Unproved, warning
from proofbook.model.snippet import output_file, snippets_on_page
from proofbook.model.sources import NUMBER, WORD_LIST, WORDS, Fault, correct_tables, wrong_fields
from proofbook.model.torch_records import outputs_by_version

OFTEN, ABSENT = "often", "absent"
"""Parts not named in a question: the ten most frequent ones, and those without an answer."""
NO_PART = ""
"""The part of a message that the page of questions doesn't list."""

NO_QUESTION = "no question leads to this page"

_LANGUAGES = ("zh", "en")
"""The languages of a question: its fields are named after them."""
_FIELDS = dict.fromkeys(("part", "zh", "en", "message", "to", "see"), WORDS)
_FIELDS |= {"also": WORD_LIST, "often": NUMBER}
_PLACE = re.compile(r"[a-z0-9-]+(?:/[a-z0-9-]+)*(?:#[A-Za-z][\w-]*)?")
_MOST = 10


@dataclass(frozen=True)
class Question:
    """A question of a reader, or an error message, and the place of the answer.

    `line`: its line in the file; `also`: the message in other versions of PyTorch, or other words
    by which readers look for the answer; `often`: its rank among the most frequent ones, or 0;
    `see`: the address of an answer elsewhere, if the book has none.
    """

    line: int
    zh: str = ""
    en: str = ""
    message: str = ""
    also: tuple[str, ...] = ()
    part: str = ABSENT
    to: str = ""
    often: int = 0
    see: str = ""

    def text(self, language: str) -> str:
        """The question as Markdown; a message is the same in every language."""
        if not self.message:
            return getattr(self, language if language in _LANGUAGES else FALLBACK)
        return _code(self.message)

    @property
    def page(self) -> str:
        """The name of the page that answers it, as `accumulate/zero-grad`."""
        return self.to.partition("#")[0]

    @property
    def anchor(self) -> str:
        return self.to.partition("#")[2]


def read_questions(book: Book) -> tuple[Question, ...]:
    """The questions of a book, in the order of the file; none if there is no file.

    Raises `Unproved` with the errors of all single questions.
    """
    file, found = book.config.questions, []
    pages = book.pages_beside(file)
    for kind in ("question", ABSENT):
        faults = partial(_faults, kind, languages_of(book))
        for entry, line in correct_tables(book, file, kind, faults, pages):
            part = NO_PART if "message" in entry else ABSENT
            also = tuple(entry.get("also", ()))
            found.append(Question(line, **{"part": part} | entry | {"also": also}))
    return tuple(found)


def known_questions(book: Book) -> tuple[Question, ...]:
    """The questions of a book; none if `wrong_questions` reports an error in their file."""
    try:
        return read_questions(book)
    except Unproved:
        return ()


def entries(page: Page, part: str, questions: Sequence[Question], book: Book) -> list[str]:
    """The lines of Markdown (a list) with the questions of one part, in the page's language."""
    if part == OFTEN:
        most = [q for q in questions if 0 < q.often <= _MOST and q.to]
        chosen = sorted(most, key=lambda question: question.often)
    else:
        chosen = [question for question in questions if question.part == part]
    return [
        "- " + " / ".join([_link(question, page.language, page.file, book), *others])
        for question in chosen
        for others in [map(_code, question.also if question.message else ())]
    ]


def parts(questions: Sequence[Question]) -> list[str]:
    """The parts that the page of questions must show, in the order of the file."""
    known = dict.fromkeys(question.part for question in questions if question.part)
    return [OFTEN, *known] if any(q.often and q.to for q in questions) else list(known)


def as_links(questions: Sequence[Question], language: str, book: Book) -> dict[int, str]:
    """The questions in a language, as links, by their lines."""
    return {q.line: _link(q, language, book.config.questions, book) for q in questions}


def _link(question: Question, language: str, file: str, book: Book) -> str:
    """A question as a link to its answer, seen from the folder of a file."""
    target = question.see
    if not target:
        answer = book.page_file(question.page, language)
        target = posixpath.relpath(answer, posixpath.dirname(file))
        target += f"#{question.anchor}" if question.anchor else ""
    return f"[{question.text(language)}]({target})"


def _code(text: str) -> str:
    ticks, blank = ("``", " ") if "`" in text else ("`", "")
    return f"{ticks}{blank}{text}{blank}{ticks}"


def _faults(kind: str, codes: list[str], entry: dict, line: int) -> Iterator[Fault]:
    needed = ["see"] if kind == ABSENT else ["to"] if "message" in entry else ["part", "to"]
    yield from wrong_fields(entry, _FIELDS, needed)
    asks = [key for key in ("zh", "en", "message") if key in entry]
    if asks != ["message"] and ("message" in asks or not {*codes} <= {*asks}):
        expected = ", ".join(f'{code} = "..."' for code in codes) + ' or message = "..."'
        what = "it must be asked in both languages" if codes[1:] else "there is no question"
        yield what, expected, ", ".join(asks)
    if kind == ABSENT and (extra := entry.keys() & {"part", "to", "message"}):
        what = "what the book doesn't answer leads to no page of it"
        yield what, ", ".join([*codes, "often", "see"]), ", ".join(sorted(extra))
    if isinstance(place := entry.get("to"), str) and not _PLACE.fullmatch(place):
        yield "this names no page", 'to = "topic/page#anchor"', place
    if entry.get("part") in (OFTEN, ABSENT):
        yield "this part is made of others", "another name", entry["part"]


def wrong_questions(book: Book) -> Iterator[Problem]:
    """The errors of a book's questions: their words, and their links."""
    try:
        questions = read_questions(book)
    except Unproved as unproved:
        yield from unproved.problems
        return
    for question in questions:
        if question.message:
            for fault in (*_unprinted(question, book), *_other_wordings(question, book)):
                yield _problem(book, question.line, *fault)
    yield from _not_shown(questions, book)
    yield from _unasked(questions, book)


def _unprinted(question: Question, book: Book) -> Iterator[Fault]:
    """A message that no script prints on the linked page."""
    for file in (book.page_file(question.page, language) for language in book.config.codes):
        printed = "\n".join(run.text for run in book.fact(snippets_on_page, file))
        if file in book.page_files and question.message not in printed:
            what = f"no script on {file} prints this message"
            yield what, "a part of its output", question.message


def _other_wordings(question: Question, book: Book) -> Iterator[Fault]:
    """Wordings that no other version of PyTorch prints, and missing ones.

    A version words a message differently if it prints a line that resembles the one with it.
    """
    file = book.page_file(question.page, book.config.default.code)
    unused = set(question.also)
    for script in {run.script for run in book.fact(snippets_on_page, file)}:
        own = book.text_or_empty(output_file(script)).split("\n")
        said = [line for line in own if question.message in line]
        for version, output in book.fact(outputs_by_version, script):
            unused -= {wording for wording in unused if wording in output}
            if not said or any(words in output for words in (question.message, *question.also)):
                continue
            new = [line for line in output.split("\n") if line not in own]
            if found := difflib.get_close_matches(said[0], new, 1):
                what = f"PyTorch {version} words this message otherwise"
                yield what, 'also = ["..."], a part of what it prints', found[0]
    for wording in sorted(unused):
        what = f"no recorded version of PyTorch prints this wording on {file}"
        yield what, "a part of an output in snippets/versions", wording


def _not_shown(questions: Sequence[Question], book: Book) -> Iterator[Problem]:
    """Parts of the questions that their page does not show, or shows twice."""
    for file in book.pages_beside(book.config.questions) if questions else ():
        references = book.page(file).references if file in book.page_files else ()
        shown = [reference.option("part") for reference in references]
        for part in parts(questions):
            if shown.count(part) != 1:
                line = next((q.line for q in questions if q.part == part), 1)
                what = f"{file} doesn't show this part of the questions once"
                expected = f"::: {book.config.questions}, part: {part}"
                yield _problem(book, line, what, expected, f"{shown.count(part)} times")


def _unasked(questions: Sequence[Question], book: Book) -> Iterator[Problem]:
    """Warnings: pages to which no question leads, but for the first page of a part."""
    asked = {question.page for question in questions}
    for page in book.pages if questions else ():
        own = page.language == book.config.default.code
        if own and posixpath.basename(page.name) != "index" and page.name not in asked:
            expected = f'[[question]] with to = "{page.name}"'
            fix = f"add one to {book.config.questions}"
            yield warning(Problem(page.file, 1, NO_QUESTION, expected, "none", fix))


def _problem(book: Book, line: int, what: str, expected: str, found: str) -> Problem:
    file = book.config.questions
    fix, pages = f"correct the question in {file}", book.pages_beside(file)
    return Problem(file, line, what, expected, found, fix, pages)
