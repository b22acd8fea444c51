"""The lessons of a part, in their order, each with its minutes.

::: lessons
    about: slope | what a reader learns there, in a few words
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator

from proofbook.content.page_summary import title
from proofbook.content.reading_time import minutes, parts
from proofbook.directives.options import LESSONS
from proofbook.markdown.spans import Reference
from proofbook.model.book import Book
from proofbook.model.config import in_language
from proofbook.model.page import Page
from proofbook.model.problem import Problem, Unproved

NAME = "lessons"

_MINUTES = {"zh": ("{} 分钟", "{} 分钟"), "en": ("{} minute", "{} minutes")}


def lessons(reference: Reference, page: Page, book: Book) -> list[str]:
    """The lines of Markdown: a numbered list of the lessons of the part that the page opens.

    Raises `Unproved` where the page opens no part, or an option names none of its lessons.
    """
    names = parts(book).get(page.name, ())
    if problems := list(_problems(reference, page, names)):
        raise Unproved(problems)
    about = {lesson: words for lesson, words, _ in reference.worded("about")}
    one, many = in_language(_MINUTES, page.language)
    lines = []
    for number, name in enumerate(names, 1):
        file = book.page_file(name, page.language)
        if not book.has(file):  # a missing translation is reported by itself
            continue
        name_of_it, spent = book.fact(_title_and_minutes, file)
        address = posixpath.relpath(file, posixpath.dirname(page.file))
        length = (one if spent == 1 else many).format(spent)
        lines.append(f"{number}. [{name_of_it}]({address}) · {length}")
        if words := about.get(posixpath.basename(name)):
            lines[-1] += f"<br>{words}"
    return lines


def _title_and_minutes(book: Book, file: str) -> tuple[str, int]:
    return title(book.page(file)), minutes(book.page(file))


def _problems(reference: Reference, page: Page, names: tuple[str, ...]) -> Iterator[Problem]:
    if not names:
        yield page.problem(
            reference.line,
            "the lessons of a part are listed on the page that opens it",
            "a page index with other pages behind it in the navigation",
            page.name,
            "move this line to the first page of the part, or remove it",
        )
        return
    known = [posixpath.basename(name) for name in names]
    seen: set[str] = set()
    for lesson, words, line in reference.worded("about"):
        if lesson not in known or not words or lesson in seen:
            expected = f"{LESSONS['about'].form}, once for each of {', '.join(known)}"
            what, mend = "this describes no lesson of the part", "correct or remove this line"
            yield page.problem(line, what, expected, f"about: {lesson} | {words}", mend)
        seen.add(lesson)
