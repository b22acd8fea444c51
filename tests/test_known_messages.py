"""gradtrace knows the messages of the book. `python tests/test_known_messages.py` writes them into
its package."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

from gradtrace.doctor import known_messages
from proofbook.content.messages import messages_of
from proofbook.model.book import Book, read_book
from proofbook.model.contents import sections
from proofbook.model.snippet import output_file

ROOT = Path(__file__).resolve().parents[1]
LANGUAGES = ("zh", "en")
LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)(?:\{[^}]*\})?")
POINTING = re.compile(
    r"(?:(?<=[。！？])|(?<=[.!?]) |^)(?:见|See )[^。\n]*?\[[^\n]*?(?:。|[.!?](?= |$))", re.M
)
"""A sentence that only leads to another page."""
FOLD = re.compile(r"\?\?\? .*?(?=\n\S|\Z)", re.S)


def cause(book: Book, language: str, anchor: str) -> str:
    """What the index says of a message, without links, a paragraph a line."""
    page = book.page(f"docs/messages/index.{language}.md")
    section = next((each for each in sections(page) if each.anchor == anchor), None)
    if section is None:
        sys.exit(f"{page.file}: no section has the anchor {{ #{anchor} }} of the other language")
    text = FOLD.sub("", section.text.partition("\n")[2])
    paragraphs = re.split(r"\n\n+", LINK.sub(r"\1", POINTING.sub("", text)))
    return "\n".join(" ".join(each.split()) for each in paragraphs if each.strip())


def messages() -> list[dict]:
    """The messages of the book."""
    book = read_book(ROOT)
    return [
        {
            "name": each.anchor,
            "text": each.text,
            "also": [wording for wording in each.wordings if wording != each.text],
            "cause": {language: cause(book, language, each.anchor) for language in LANGUAGES},
            "code": book.text_or_empty(each.script),
            "output": book.text_or_empty(output_file(each.script)),
        }
        for each in messages_of(book, "docs/messages/index.en.md")
    ]


def as_text(found: list[dict]) -> str:
    """One message a line."""
    return "[\n" + ",\n".join(json.dumps(each, ensure_ascii=False) for each in found) + "\n]\n"


def test_it_has_the_messages_of_the_book():
    text = known_messages.MESSAGES.read_text("utf-8")
    assert text == as_text(messages()), "python tests/test_known_messages.py"
    readme = (ROOT / "packages/gradtrace/README.md").read_text("utf-8")
    assert f"{len(known_messages.known_messages())} messages" in readme


PASTED = json.loads(Path(__file__).with_name("pasted.json").read_text("utf-8"))
"""What people paste into issues and forums, and the anchor of its message."""


def test_what_people_paste_is_known():
    found = {text: known_messages.find(text) for text in PASTED}
    wrong = {text: found[text] and found[text].name for text in PASTED}
    assert {text: name for text, name in wrong.items() if name != PASTED[text]} == {}


if __name__ == "__main__":
    known_messages.MESSAGES.write_text(as_text(messages()), "utf-8", newline="\n")
