"""The files of the site besides its pages: for hosts, programs and readers."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

from proofbook.export.site_files import (
    SitePage,
    copy_offered,
    llms_txt,
    offered,
    online_notebooks,
    root_files,
)
from proofbook.mkdocs.editions import offered_from
from proofbook.model.book import read_book
from proofbook.model.page import parse

SITE = "https://x.org/b/"
PREFIXES = ("", "en/")


def test_llms_txt_lists_the_parts_and_then_what_is_in_none(book):
    texts = {
        "": ("# Home { #home }\n\nA book.\n", ""),
        "u/": ("# Of [its] own { #own }\n\nIt is `w`.\n", ""),
        "t/": ("# Part: all of it { #part }\n\n- a list\n", "Part: all of it"),
        "t/p/": (book.read("docs/t/p.en.md"), "Part: all of it"),
    }
    pages = [
        SitePage(parse("docs/t/p.en.md", text), url, f"{SITE}en/{url}", part)
        for url, (text, part) in texts.items()
    ]
    assert llms_txt(pages, "en", "The Book", "What it is about.") == (
        "# The Book\n\n> What it is about.\n\n"
        "## Part: all of it\n\n"
        "- [Part: all of it](https://x.org/b/en/t/index.md)\n"
        "- [What is three times w?](https://x.org/b/en/t/p/index.md): It is 6.\n\n"
        "## And\n\n"
        r"- [Of \[its\] own](https://x.org/b/en/u/index.md): It is w." + "\n"
    )
    assert llms_txt(pages[:2], "en", "The Book", "") == (
        r"# The Book"
        + "\n\n"
        + r"- [Of \[its\] own](https://x.org/b/en/u/index.md): It is w."
        + "\n"
    )


def test_robots_txt_stands_at_the_root_of_a_host_only_and_sitemaps_names_both_editions():
    assert "robots.txt" not in root_files(SITE, PREFIXES)
    for site in ("https://x.org/", "https://x.org"):
        assert "\nSitemap: https://x.org/sitemaps.xml\n" in root_files(site, PREFIXES)["robots.txt"]
    tree = ElementTree.fromstring(root_files(SITE + "?a&b/", PREFIXES)["sitemaps.xml"])
    assert [place.text for place in tree.findall(".//{*}loc")] == [
        "https://x.org/b/?a&b/sitemap.xml",
        "https://x.org/b/?a&b/en/sitemap.xml",
    ]


def test_a_notebook_opens_online_if_it_is_on_github_and_for_chinese_readers_in_china_first():
    at = "me/book/blob/notebooks/t/a%20b.ipynb"
    colab = f"https://colab.research.google.com/github/{at}"
    found = {
        language: list(
            online_notebooks("https://github.com/me/book", "t/a b.ipynb", language).values()
        )
        for language in ("zh", "en")
    }
    assert found["en"] == [colab]
    assert found["zh"] == [f"https://modelscope.cn/notebook/share/github/{at}", colab]
    for elsewhere in (None, "", "https://gitee.com/me/book"):
        assert online_notebooks(elsewhere, "t/a.ipynb", "zh") == {}


def test_the_downloads_that_lie_in_the_folder_are_offered_and_nothing_else(book, tmp_path):
    book.write("mkdocs.yml", "plugins: [proofbook: {file_name: b}]\n")
    book.write("b-en.pdf", b"x")
    assert offered(read_book(book.root)) == []
    book.write("mkdocs.yml", "plugins: [proofbook: {offered: dist, file_name: b}]\n")
    assert offered(read_book(book.root)) == []
    book.write("dist/b-en.pdf", b"x" * 1_340_000)
    book.write("dist/b-offline.zip", b"x" * 60_000)
    book.write("dist/other.pdf", b"x")
    read = read_book(book.root)
    names = [("PDF (English)", "1.3 MB"), ("zip", "0.1 MB")]
    assert [(each.name, each.size) for each in offered(read)] == names
    copy_offered(read, tmp_path / "site")
    found = {file.name for file in (tmp_path / "site/downloads").iterdir()}
    assert found == {"b-en.pdf", "b-offline.zip"}
    assert offered_from("", "zh", read)[0]["href"] == "downloads/b-en.pdf"
    assert offered_from("t/p/", "en", read)[0]["href"] == "../../../downloads/b-en.pdf"
