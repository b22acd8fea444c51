"""How much of a part was read: a bar that the reader's browser alone keeps."""

from __future__ import annotations

import pytest
from proofbook.content.lessons import lessons_with_progress
from proofbook.html.exercises import asset
from proofbook.html.progress import show_progress
from proofbook.html.tree import parse as parse_html
from proofbook.html.tree import serialize
from proofbook.model.book import Book, read_book
from proofbook.testing.browser import needs_browser, serve

NAV = """\
nav: [a: [a/index.md, a/two.md, a/one.md], b: [b/index.md, b/three.md]]
plugins: [proofbook: {languages: [en, zh]}]
"""
LESSONS = [("a/two", "docs/a/two.en.md"), ("a/one", "docs/a/one.en.md")]


@pytest.fixture
def parted(book) -> Book:
    book.write("mkdocs.yml", NAV)
    for name in ("a/index", "a/two", "a/one", "b/index", "b/three"):
        head = "---\nshort: A\nprogress: true\n---\n" if name == "a/index" else ""
        for code in ("en", "zh"):
            book.write(f"docs/{name}.{code}.md", f"{head}# T {{ #t }}\n\nText.\n")
    return read_book(book.root)


def test_a_part_has_a_bar_where_its_first_page_says_so(parted):
    for page in ("index", "two", "one"):
        assert list(lessons_with_progress(parted, f"docs/a/{page}.en.md")) == LESSONS
    for page in ("index", "three"):
        assert lessons_with_progress(parted, f"docs/b/{page}.en.md") == ()


def page_of(name: str, language: str = "en") -> str:
    """The HTML of a page of the part."""
    tree = parse_html('<h1>T</h1><div class="where">A</div><p>First.</p><p>Last.</p>')
    addresses = {"docs/a/two.en.md": "two.html", "docs/a/one.en.md": "one.html"}
    show_progress(tree, name, LESSONS, language, addresses.get)
    return serialize(tree)


def test_the_bar_stands_below_the_line_that_says_where_a_page_is():
    assert '</div><reader-progress data-page="a/two"' in page_of("a/two")
    assert "data-search-exclude" in page_of("a/two")
    nowhere = parse_html("<h1>T</h1><p>Text.</p>")
    show_progress(nowhere, "a/two", LESSONS, "en", lambda _: "")
    assert serialize(nowhere) == "<h1>T</h1><p>Text.</p>"


@pytest.fixture(scope="module")
def part(tmp_path_factory):
    """The address of a part of two long lessons and their list."""
    folder = tmp_path_factory.mktemp("part")
    script = "<script src='reader.js'></script>"
    links = "<ol><li><a href='two.html'>2</a></li><li><a href='one.html'>1</a></li></ol>"
    (folder / "reader.js").write_text(asset(), "utf-8")
    for name in ("two", "one"):
        long = page_of(f"a/{name}").replace("<p>Last.", "<p style='margin-top: 5000px'>Last.")
        (folder / f"{name}.html").write_text(f"<main>{long}{script}</main>", "utf-8")
    whole = f"<main>{page_of('a/index')}{links}{script}</main>"
    (folder / "list.html").write_text(whole, "utf-8")
    with serve(folder) as address:
        yield address


def read_to_its_end(page, address: str) -> None:
    page.goto(address)
    page.get_by_text("Last.").scroll_into_view_if_needed()
    page.wait_for_function("name => localStorage.lessonsRead.includes(name)", arg=address[-8:-5])


@needs_browser
def test_a_lesson_counts_once_its_end_was_seen(page, part):
    page.goto(f"{part}two.html")
    bar = page.get_by_role("progressbar", name="0 of 2 lessons read")
    assert (bar.get_attribute("value"), bar.get_attribute("max")) == ("0", "2")
    page.wait_for_timeout(1300)  # longer than the end has to be in sight
    assert page.evaluate("localStorage.lessonsRead") == "[]"
    read_to_its_end(page, f"{part}two.html")
    assert page.get_by_role("progressbar", name="1 of 2 lessons read").count() == 1
    page.reload()
    assert page.get_by_role("progressbar", name="1 of 2 lessons read").count() == 1


@needs_browser
def test_the_list_has_a_mark_at_each_lesson_read_and_leads_to_the_next(page, part):
    page.goto(f"{part}list.html")
    assert page.get_by_role("progressbar").get_attribute("value") == "0"
    assert page.locator("reader-progress a, .read").count() == 0
    read_to_its_end(page, f"{part}two.html")
    page.goto(f"{part}list.html")
    assert page.locator("li:has(.read)").all_inner_texts() == ["2"]
    assert page.get_by_role("img", name="read").count() == 1
    page.get_by_role("link", name="Go on with lesson 2").click()
    page.wait_for_url("**/one.html")
    read_to_its_end(page, f"{part}one.html")
    page.goto(f"{part}list.html")
    assert page.locator("li:has(.read)").count() == 2
    assert page.locator("reader-progress a").count() == 0


@needs_browser
def test_where_nothing_can_be_stored_nothing_is_shown(page):
    page.set_content(page_of("a/two"))  # a page without an origin
    page.add_script_tag(content=asset())
    assert page.locator("reader-progress").count() == 1
    assert page.get_by_role("progressbar").count() == 0
    assert page.complaints == []
