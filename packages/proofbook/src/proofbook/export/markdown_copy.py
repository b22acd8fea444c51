"""The Markdown copy of a page: what somebody pastes into a chat, or a program reads.

It says what the page says, with the code and the output of each script, in plain Markdown. What a
page draws is left out: a figure is a link, and the numbers of a grid are in the output.
"""

from __future__ import annotations

import re

from proofbook.content.attacks import attacks_on, line_of_tried
from proofbook.export import notebook
from proofbook.languages.contents import sections
from proofbook.markdown.placeholders import version_of
from proofbook.model.book import Book
from proofbook.model.config import in_language
from proofbook.model.page import Page, parse

NAME = "index.md"
"""What the copy is called, in the folder of its page."""

_SOURCE = {
    "zh": "出处：<{page}>。代码和输出都核对过：输出由 PyTorch {torch} 打印。",
    "en": "Source: <{page}>. Code and output are checked: PyTorch {torch} printed the output.",
}
_TAG = re.compile(r"</?(?:span|div)\b[^<>]*>|<img\b[^<>]*>")
_OUTPUT = {"zh": "输出：", "en": "Output:"}


def text_of_copy(book: Book, file: str, language: str, site: str, address: str) -> str:
    """The Markdown of a page of the book."""
    return markdown_copy(book.page(file), book, language, site, address)


def markdown_copy(page: Page, book: Book, language: str, site: str, address: str) -> str:
    """The Markdown of a page. `site`: the address of the book; `address`: that of this page."""
    parts = []
    for cell in notebook.cells(_with_tried(page, book), book, language, site):
        if cell.cell_type == "code":
            output = cell.outputs[0].text.rstrip("\n")
            label = in_language(_OUTPUT, language)
            parts += [_fence("python", cell.source), label, _fence("text", output)]
        elif not cell.source.startswith("<table"):
            parts.append(_TAG.sub("", cell.source).strip())
    title, gap, rest = parts[0].partition("\n")
    torch = version_of("torch")
    source = in_language(_SOURCE, language).format(page=address, torch=torch)
    parts[0] = f"{title}\n\n{source}{gap}{rest}"
    return "\n\n".join(parts) + "\n"


def _with_tried(page: Page, book: Book) -> Page:
    """The page with a line at the end of each section that tests attack: what they tried."""
    attacked, parts = book.fact(attacks_on, page.name), []
    for section in sections(page):
        tests = attacked.get(section.anchor)
        said = f"\n\n{line_of_tried(tests, page.language)}\n" if tests else ""
        parts.append(f"{section.text}{said}")
    return parse(page.file, "\n".join(parts), language=page.language) if attacked else page


def _fence(language: str, text: str) -> str:
    ticks = "`" * 3
    while ticks in text:
        ticks += "`"
    return f"{ticks}{language}\n{text}\n{ticks}"
