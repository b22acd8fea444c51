"""What stands beside the pages of an edition: Markdown twins, pictures for links, llms.txt.

And beside both editions, for their host: robots.txt, the list of sitemaps, .nojekyll.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

from proofbook.content.page_summary import answer, title
from proofbook.export import markdown_twin as twin
from proofbook.export import social_card as card
from proofbook.languages.parity import LANGUAGES
from proofbook.model.book import Book
from proofbook.model.page import Page
from proofbook.model.problem import Problem

PREFIX = {"zh": "", "en": "en/"}
"""Where each edition stands below the address of the book."""

SUBTITLE = {"zh": "PyTorch 的梯度与钩子", "en": "PyTorch gradients and hooks"}
SITEMAPS = "sitemaps.xml"
_OTHERS = {"zh": "还有", "en": "And"}


@dataclass(frozen=True)
class Entry:
    """A page and where it stands: its address below the edition, the title of its part or ""."""

    page: Page
    url: str
    part: str

    @property
    def title(self) -> str:
        return title(self.page.text)


@dataclass(frozen=True)
class Edition:
    """The book in one language: its name, what it is about, its pages in their order.

    `site`: the address of the book, at its end a slash.
    """

    language: str
    name: str
    about: str
    site: str
    entries: Sequence[Entry]

    def address(self, entry: Entry) -> str:
        """The address of a page."""
        return self.site + PREFIX[self.language] + entry.url


def write(edition: Edition, book: Book, folder: Path, drawer: card.Drawer | None) -> list[Problem]:
    """Write what stands beside the pages into the `folder` of the edition.

    Gives the problems: a title for which its picture has no room. Without a `drawer` there are no
    pictures. The pages are those that `expand` accepts.
    """
    problems = []
    for entry in edition.entries:
        place = folder / entry.url
        place.mkdir(parents=True, exist_ok=True)
        told = twin.twin(entry.page, book, edition.language, edition.site, edition.address(entry))
        (place / twin.NAME).write_text(told, "utf-8", newline="\n")
        if drawer:
            try:
                (place / card.NAME).write_bytes(drawer.png(_card(edition, entry)))
            except card.NoRoom:
                problems.append(_too_long(entry.page))
    (folder / "llms.txt").write_text(llms(edition), "utf-8", newline="\n")
    return problems


def _card(edition: Edition, entry: Entry) -> card.Card:
    first = entry.title == entry.part  # the first page of a part has its name
    above = SUBTITLE[edition.language] if first else _short(entry.part)
    above = above or SUBTITLE[edition.language]
    return card.Card(entry.title, above, edition.name, edition.language)


def _short(part: str) -> str:
    """What a part is about, without what follows the colon."""
    return part.partition("：")[0].partition(": ")[0].replace("`", "")


def _too_long(page: Page) -> Problem:
    return Problem(
        page.file,
        next((heading.line for heading in page.headings if heading.level == 1), 1),
        "the title is too long for the picture that is shown beside a link to the page",
        "a question that fits on four lines",
        title(page.text),
        "ask it in fewer words",
        (page.file,),
    )


def llms(edition: Edition) -> str:
    """The pages for a program that reads, by the parts of the book: https://llmstxt.org"""
    parts: dict[str, list[Entry]] = {}
    for entry in edition.entries:
        if entry.url:  # the first page of all is the book itself
            parts.setdefault(entry.part, []).append(entry)
    alone = parts.pop("", [])
    told = [f"# {edition.name}", "", f"> {edition.about}"]
    for part, entries in [*parts.items(), (_OTHERS[edition.language], alone)]:
        if entries:
            told += ["", f"## {part}", "", *(_listed(edition, entry) for entry in entries)]
    return "\n".join(told) + "\n"


def _listed(edition: Edition, entry: Entry) -> str:
    name = entry.title.replace("[", r"\[").replace("]", r"\]")
    link = f"- [{name}]({edition.address(entry)}{twin.NAME})"
    said = answer(entry.page.text)
    return f"{link}: {said}" if said else link


def files(site: str) -> dict[str, str]:
    """The files at the root of the book, which stands at the address `site`, by name."""
    told = {".nojekyll": "", SITEMAPS: _sitemaps(site)}
    if urlsplit(site).path in ("", "/"):  # nobody looks for it below the root of a host
        told["robots.txt"] = f"User-agent: *\nAllow: /\nSitemap: {site.rstrip('/')}/{SITEMAPS}\n"
    return told


def _sitemaps(site: str) -> str:
    """Each edition has a sitemap, which its instant navigation reads too; this lists both."""
    rows = [
        f"  <sitemap><loc>{escape(site + PREFIX[language])}sitemap.xml</loc></sitemap>"
        for language in LANGUAGES
    ]
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    name = "http://www.sitemaps.org/schemas/sitemap/0.9"
    return "\n".join([head, f'<sitemapindex xmlns="{name}">', *rows, "</sitemapindex>", ""])
