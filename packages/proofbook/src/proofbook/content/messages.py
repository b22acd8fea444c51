"""The messages that a page explains, one in each section: errors and warnings that scripts print.

A section is a message's if its heading is nothing but code:

    ### `grad can be implicitly created only for scalar outputs` { #scalar-outputs }
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from proofbook.content.questions import Question, known_questions
from proofbook.model.book import Book
from proofbook.model.contents import sections
from proofbook.model.snippet import output_file

PROGRAM = "paste.js"
"""The script of the field that a message is pasted into; it loads `DATA` when it is used."""
DATA = "messages.js"

_HEADING = re.compile(r"#{2,6} (`+) ?(.+?) ?\1 \{ #([\w-]+) \}")
_LABEL = re.compile(r"^[^:]{1,40}: (?=\S)")
_WORDS = re.compile(r"(?:[^\W\d_]+[\W\d_]+){4}")
"""Enough words for a line of an output to be a message, and no other text."""


@dataclass(frozen=True)
class Message:
    """A message, by the anchor of its section. `group`: that of the heading above.

    `wordings`: how it, and what its own scripts print besides, is worded in full and in other
    versions of PyTorch. `page` and `script`: the page whose script prints it, perhaps this one.
    """

    anchor: str
    text: str
    group: str
    wordings: tuple[str, ...]
    page: str
    script: str


def messages_of(book: Book, file: str) -> tuple[Message, ...]:
    """The messages of a page, in its order."""
    if file not in book.page_files:
        return ()
    page, found, group = book.page(file), [], ""
    asked = [question for question in known_questions(book) if question.message]
    for section in sections(page):
        heading = _HEADING.match(section.text)
        if heading is None:
            group = section.anchor
            continue
        text, start = heading[2], page.line_starts[section.line - 1]
        own = [each.path for each in page.references if each.line in section.lines]
        linked = dict.fromkeys(page.linked_pages(start, start + len(section.text)))
        shown = [(file, script) for script in own]
        for other in linked:
            if other in book.page_files:
                shown += [(other, each.path) for each in book.page(other).references]
        prints = [each for each in shown if text in book.text_or_empty(output_file(each[1]))]
        at = next(iter(prints), ("", ""))
        wordings = dict.fromkeys(_wordings(text, own, at[1], asked, book))
        found.append(Message(heading[3], text, group, tuple(wordings), *at))
    return tuple(found)


def _wordings(
    text: str, own: list[str], script: str, asked: list[Question], book: Book
) -> Iterator[str]:
    for question in asked:
        if question.message in text or text in question.message:
            yield from (question.message, *question.also)
    for path in dict.fromkeys([*own, script] if script else own):
        for line in book.text_or_empty(output_file(path)).splitlines():
            said = _LABEL.sub("", line.strip())
            if text in said or (path in own and _WORDS.match(said)):
                yield said


def data(messages: tuple[Message, ...], shown: Mapping[str, tuple[str, str]]) -> str:
    """The program that `paste.js` loads: what it compares a message with, and what it shows, next
    to the program of the search.

    `shown`: the address of the page of each message, and its HTML, by its anchor.
    """
    search = Path(__file__).with_name("search.js").read_text("utf-8")
    told = [
        {"text": each.text, "also": each.wordings, "to": address, "html": content}
        for each in messages
        for address, content in [shown[each.anchor]]
    ]
    listed = json.dumps(told, ensure_ascii=False, separators=(",", ":"))
    return f"{{\n{search}\nwindow.messagesOfBook = {{ Search, messages: {listed} }}\n}}\n"


def program() -> str:
    """The script of the field."""
    return Path(__file__).with_name(PROGRAM).read_text("utf-8")
