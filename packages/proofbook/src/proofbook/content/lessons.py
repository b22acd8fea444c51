"""The parts of the book, their lessons in order, and their reading times.

::: lessons
    about: slope | the lesson's content, in a few words
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from proofbook.content.page_summary import front_matter_value, short_name, title
from proofbook.markdown.spans import LESSONS, Reference
from proofbook.model.book import Book
from proofbook.model.config import in_language
from proofbook.model.page import Page
from proofbook.model.problem import Problem, Unproved

CHARACTERS, WORDS, SNIPPET = 400, 220, 0.5
"""Chinese characters and words read per minute, and the minutes for a script."""

PROGRESS = "progress"
"""The key in the front matter of the first page of a part."""

_HAN = re.compile(r"[\u4e00-\u9fff]")
_WORD = re.compile(r"[^\W\d_\u4e00-\u9fff][\w'’-]*")
_LINES = {
    "zh": {
        "part": "共 {pages} 页",
        "page": "{name} · 第 {number} 页，共 {pages} 页 · 约 {minutes} 分钟",
        "minute": "{name} · 第 {number} 页，共 {pages} 页 · 约 {minutes} 分钟",
    },
    "en": {
        "part": "{pages} pages",
        "page": "{name} · {number} of {pages} · about {minutes} minutes",
        "minute": "{name} · {number} of {pages} · about a minute",
    },
}


def minutes(page: Page) -> int:
    """The reading time of a page: its text, and its scripts."""
    text = len(_HAN.findall(page.prose)) / CHARACTERS + len(_WORD.findall(page.prose)) / WORDS
    scripts = sum(reference.path.endswith(".py") for reference in page.references)
    return max(1, round(text + SNIPPET * scripts))


def parts(book: Book) -> dict[str, tuple[str, ...]]:
    """The lessons of each part, by the name of its first page, all in the order of the book.

    A part is the first page of a folder and the pages after it, until the first page of another
    folder or of the book; a page with none after it is not a part.
    """
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for name in book.reading_order:
        if "/" not in name:
            current = []
        elif name.endswith("/index"):
            current = found.setdefault(name, [])
        else:
            current.append(name)
    return {first: tuple(lessons) for first, lessons in found.items() if lessons}


def where_in_book(book: Book, file: str) -> str:
    """The line below the title of a page: its part, its place there, its minutes; or ""."""
    page, known = book.page(file), parts(book)
    if not (first := _first_of_part(page, known)):
        return ""
    lines = in_language(_LINES, page.language)
    folder, spent = posixpath.dirname(first), minutes(page)
    pages = [lesson for lesson in known[first] if posixpath.dirname(lesson) == folder]
    if page.name == first:
        return lines["part"].format(pages=len(pages)) if pages else ""
    if page.name not in pages:
        return ""  # a page of another folder, an appendix of this part
    opening = book.page(book.page_file(first, page.language))
    name = re.split("[:：]", short_name(opening).replace("`", ""))[0]
    kind = "page" if spent > 1 else "minute"
    number = pages.index(page.name) + 1
    return lines[kind].format(name=name, number=number, pages=len(pages), minutes=spent)


def lessons_with_progress(book: Book, file: str) -> tuple[tuple[str, str], ...]:
    """The lessons of the part of a page, names and files in its language, if the first page of the
    part says `progress: true`: readers see how many they have read."""
    page, known = book.page(file), parts(book)
    first = _first_of_part(page, known)
    opening = book.page(book.page_file(first, page.language)) if first else page
    if not first or front_matter_value(opening, PROGRESS) != "true":
        return ()
    return tuple((name, book.page_file(name, page.language)) for name in known[first])


def _first_of_part(page: Page, known: Mapping[str, Sequence[str]]) -> str | None:
    """The name of the first page of the part that a page belongs to."""
    return next((first for first, names in known.items() if page.name in (first, *names)), None)


NAME = "lessons"

_MINUTES = {"zh": ("{} 分钟", "{} 分钟"), "en": ("{} minute", "{} minutes")}


def lessons(reference: Reference, page: Page, book: Book) -> list[str]:
    """The lines of Markdown: a numbered list of the lessons of the part that the page opens.

    Raises `Unproved` if the page doesn't open a part, or an option names none of its lessons.
    """
    names = parts(book).get(page.name, ())
    if problems := list(_problems(reference, page, names)):
        raise Unproved(problems)
    about = {lesson: words for lesson, words, _ in reference.worded("about")}
    one, many = in_language(_MINUTES, page.language)
    lines = []
    for number, name in enumerate(names, 1):
        file = book.page_file(name, page.language)
        if not book.has(file):  # a missing translation is reported separately
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
            what, fix = "this describes no lesson of the part", "correct or remove this line"
            yield page.problem(line, what, expected, f"about: {lesson} | {words}", fix)
        seen.add(lesson)
