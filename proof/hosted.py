"""What a host is told beside the pages: robots.txt, the list of sitemaps, llms.txt, .nojekyll."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

from proof.languages.parity import LANGUAGES

PREFIX = {"zh": "", "en": "en/"}
"""Where each edition stands below the address of the book."""

SITEMAPS = "sitemaps.xml"


@dataclass(frozen=True)
class Listed:
    """A page as a list of pages shows it: its title, the address of its Markdown, its answer."""

    title: str
    address: str
    answer: str


def files(site: str) -> dict[str, str]:
    """The files at the root of the site that stands at the address `site`, by name."""
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


def llms(name: str, about: str, parts: Sequence[tuple[str, Sequence[Listed]]]) -> str:
    """The pages of an edition for a program that reads: https://llmstxt.org

    `parts`: the parts of the book, each with its title and its pages.
    """
    told = [f"# {name}", "", f"> {about}"]
    for title, pages in parts:
        told += ["", f"## {title}", ""]
        for page in pages:
            told.append(
                f"- [{_text(page.title)}]({page.address})" + f": {page.answer}".rstrip(": ")
            )
    return "\n".join(told) + "\n"


def _text(title: str) -> str:
    return title.replace("[", r"\[").replace("]", r"\]")
