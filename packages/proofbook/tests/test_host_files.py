"""What stands beside the pages for hosts, programs and chats."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest
from proofbook.export.host_files import (
    Edition,
    SitePage,
    llms_txt,
    root_files,
    write_edition_files,
)
from proofbook.model.book import read_book
from proofbook.model.config import Language
from proofbook.model.page import parse
from proofbook.testing.tiny_book import Book

SITE = "https://x.org/b/"
ENGLISH = Language("en", "English", subtitle="Of waves")
PREFIXES = ("", "en/")


@pytest.fixture
def edition(book: Book) -> Edition:
    book.write("docs/index.en.md", "# Home { #home }\n\nA book.\n")
    book.write("docs/t/index.en.md", "# Part: all of it { #part }\n\n- a list\n")
    book.write("docs/u.en.md", "# Of [its] own { #own }\n\nIt is `w`.\n")

    def entry(name: str, url: str, part: str) -> SitePage:
        return SitePage(parse(f"docs/{name}", book.read(f"docs/{name}")), url, part)

    part = "Part: all of it"
    return Edition(
        ENGLISH,
        "en/",
        "The Book",
        "What it is about.",
        SITE,
        (
            entry("index.en.md", "", ""),
            entry("u.en.md", "u/", ""),
            entry("t/index.en.md", "t/", part),
            entry("t/p.en.md", "t/p/", part),
        ),
    )


def test_llms_txt_lists_the_parts_and_then_what_is_in_none(edition):
    assert llms_txt(edition) == (
        "# The Book\n\n> What it is about.\n\n"
        "## Part: all of it\n\n"
        "- [Part: all of it](https://x.org/b/en/t/index.md)\n"
        "- [What is three times w?](https://x.org/b/en/t/p/index.md): It is 6.\n\n"
        "## And\n\n"
        r"- [Of \[its\] own](https://x.org/b/en/u/index.md): It is w." + "\n"
    )


def test_markdown_copies_lie_beside_their_pages(edition, book, tmp_path):
    site = tmp_path / "site"
    site.mkdir()
    write_edition_files(edition, read_book(book.root), site)
    written = sorted(f.relative_to(site).as_posix() for f in site.rglob("*") if f.is_file())
    assert written == ["index.md", "llms.txt", "t/index.md", "t/p/index.md", "u/index.md"]
    assert "<https://x.org/b/en/t/p/>" in (site / "t/p/index.md").read_text("utf-8")


def test_robots_txt_stands_at_the_root_of_a_host_only():
    assert "robots.txt" not in root_files(SITE, PREFIXES)
    for site in ("https://x.org/", "https://x.org"):
        assert "\nSitemap: https://x.org/sitemaps.xml\n" in root_files(site, PREFIXES)["robots.txt"]
    assert root_files(SITE, PREFIXES)[".nojekyll"] == ""


def test_the_list_of_sitemaps_names_both_editions():
    tree = ElementTree.fromstring(root_files(SITE + "?a&b/", PREFIXES)["sitemaps.xml"])
    assert [place.text for place in tree.iter() if place.tag.endswith("loc")] == [
        "https://x.org/b/?a&b/sitemap.xml",
        "https://x.org/b/?a&b/en/sitemap.xml",
    ]
