"""The files next to the pages: for each edition Markdown copies and llms.txt, and for the host of
all editions robots.txt, the list of sitemaps and .nojekyll."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

from proofbook.content.attacks import attacks_on, line_of_tried
from proofbook.content.page_summary import answer, title
from proofbook.export import notebook
from proofbook.model.book import Book
from proofbook.model.cache import version_of
from proofbook.model.config import Language, in_language
from proofbook.model.contents import sections
from proofbook.model.page import Page, parse

SITEMAPS = "sitemaps.xml"
MARKDOWN = "index.md"
"""The file name of the Markdown copy of a page, in the folder of its page."""

_SOURCE = {
    "zh": "出处：<{page}>。代码和输出都核对过：输出由 PyTorch {torch} 打印。",
    "en": "Source: <{page}>. Code and output are checked: PyTorch {torch} printed the output.",
}
_TAG = re.compile(r"</?(?:span|div)\b[^<>]*>|<img\b[^<>]*>")
_OUTPUT = {"zh": "输出：", "en": "Output:"}
_OTHER_PAGES = {"zh": "还有", "en": "And"}


@dataclass(frozen=True)
class SitePage:
    """A page on the site: its address below the edition, the title of its part or ""."""

    page: Page
    url: str
    part: str

    @cached_property
    def title(self) -> str:
        return title(self.page)


@dataclass(frozen=True)
class Edition:
    """The book in one language: its name, its subject, its pages in their order.

    `site`: the address of the book, with a slash at its end; `prefix`: the edition's path below it,
    "" or "en/".
    """

    language: Language
    prefix: str
    name: str
    about: str
    site: str
    pages: Sequence[SitePage]

    def address(self, page: SitePage) -> str:
        """The address of a page."""
        return self.site + self.prefix + page.url


def write_edition_files(edition: Edition, book: Book, folder: Path) -> None:
    """Write the files next to the pages into the `folder` of the edition.

    The pages must be accepted by `expand`.
    """
    for page in edition.pages:
        place = folder / page.url
        place.mkdir(parents=True, exist_ok=True)
        language = page.page.language or edition.language.code
        address = edition.address(page)
        text = book.remember(markdown_copy, page.page.file, language, edition.site, address)
        (place / MARKDOWN).write_text(text, "utf-8", newline="\n")
    (folder / "llms.txt").write_text(llms_txt(edition), "utf-8", newline="\n")


def markdown_copy(book: Book, file: str, language: str, site: str, address: str) -> str:
    """The Markdown copy of a page: for pasting into a chat, or for programs.

    It has the text of the page, with the code and the output of each script, without its graphics:
    a figure is a link, and the numbers of a grid are in the output. `site`: the address of the
    book; `address`: the address of this page.
    """
    parts = []
    for cell in notebook.cells(_with_tried(book.page(file), book), book, language, site):
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
    """The page with a line at the end of each attacked section: what the tests tried."""
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


def llms_txt(edition: Edition) -> str:
    """The list of pages for programs, by parts of the book: https://llmstxt.org"""
    parts: dict[str, list[SitePage]] = {}
    for page in edition.pages:
        if page.url:  # the first page of all is the book itself
            parts.setdefault(page.part, []).append(page)
    others = parts.pop("", [])
    label = in_language(_OTHER_PAGES, edition.language.code)
    lines = [f"# {edition.name}", "", f"> {edition.about}"]
    for part, pages in [*parts.items(), (label, others)]:
        if pages:
            lines += ["", f"## {part}", "", *(_list_item(edition, page) for page in pages)]
    return "\n".join(lines) + "\n"


def _list_item(edition: Edition, page: SitePage) -> str:
    name = page.title.replace("[", r"\[").replace("]", r"\]")
    link = f"- [{name}]({edition.address(page)}{MARKDOWN})"
    summary = answer(page.page)
    return f"{link}: {summary}" if summary else link


def root_files(site: str, prefixes: Sequence[str]) -> dict[str, str]:
    """The files at the root of the book, by name. `site`: its address; `prefixes`: the paths of the
    editions below it."""
    files = {".nojekyll": "", SITEMAPS: _sitemaps(site, prefixes)}
    if urlsplit(site).path in ("", "/"):  # it is only read at the root of a host
        files["robots.txt"] = f"User-agent: *\nAllow: /\nSitemap: {site.rstrip('/')}/{SITEMAPS}\n"
    return files


def _sitemaps(site: str, prefixes: Sequence[str]) -> str:
    """A list of all sitemaps: each edition has one, which its instant navigation reads too."""
    rows = [
        f"  <sitemap><loc>{escape(site + prefix)}sitemap.xml</loc></sitemap>" for prefix in prefixes
    ]
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    name = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return "\n".join([head, f'<sitemapindex xmlns="{name}">', *rows, "</sitemapindex>", ""])
