"""What to read next: the same pages in both languages, found from what the pages say."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path
from urllib.parse import urljoin
from urllib.request import urlopen

import pytest
from addresses import PAGES
from proofbook.check.links import internal_links
from proofbook.content.reading_time import parts
from proofbook.content.related import FEWEST, MOST, Related
from proofbook.content.related import related as related_in
from proofbook.html import page_end
from proofbook.model.book import read_book

ROOT = Path(__file__).resolve().parents[1]
BOOK = read_book(ROOT)

GLOSSARY = "docs/glossary/terms.toml"
TERM = """\
[[term]]
id = "leaf"
part = "g"
zh = "叶子张量"
en = "leaf tensor"
page = "t/a"
says.zh = "叶子。"
says.en = "A leaf."
"""
NAMES = [page.removesuffix("/") for page in PAGES if re.search("[^/]+/[^/]+/$", page)]
"""All pages but the first ones of their parts."""


def related(**pages: str) -> Related:
    """Of pages whose texts are given by name; `b_zh` is the Chinese page of `b`."""
    texts = {GLOSSARY: TERM}
    for name, text in pages.items():
        stem, _, language = name.partition("_")
        texts[f"docs/t/{stem}.{language or 'en'}.md"] = f"# {stem} {{ #{stem} }}\n{text}"
    for language in ("zh", "en"):  # a term is shown on a page that exists
        texts.setdefault(f"docs/t/a.{language}.md", "# a { #a }\n")
    with tempfile.TemporaryDirectory() as folder:
        return related_in(read_book(Path(folder)).with_texts(texts))


def test_links_terms_names_and_threads_tie_pages():
    found = related(
        a="[b](b.en.md) leaf tensors, a leaf\n  tensor, `w.detach()`, [x](https://example.org/x)",
        b="nothing in common",
        c="the leaf tensor",
        d="`y.detach()`",
        e="[another title](https://example.org/x)",
        f="nobody; [official](https://docs.pytorch.org/)",
    )
    assert set(found.to("t/a")) == {"t/b", "t/c", "t/d", "t/e"}
    assert found.to("t/b") == ["t/a"]
    assert found.to("t/f") == found.to("t/nowhere") == []


def test_what_is_beside_a_page_or_in_its_last_section_is_left_out():
    text = "[b](b.en.md) [c](c.en.md)\n\n## More { #more }\n\n[c](c.en.md#c)"
    found = related(a=text, b="b", c="c")
    assert found.to("t/a") == ["t/b"]
    assert found.to("t/a", beside=["t/b"]) == []


def test_either_language_ties_both_and_a_first_page_ties_none():
    found = related(
        a="", a_zh="叶子张量 [i](index.zh.md)", b="leaf tensor", c="", index="leaf tensor"
    )
    assert found.to("t/a") == ["t/b"] and found.to("t/b") == ["t/a"]


def test_the_list_is_html_with_titles_in_the_language():
    told = page_end.read_on([("`a` < b？", "../t/a/"), ("乙", "../t/b/")], "zh")
    assert '<li><a href="../t/a/"><code>a</code> &lt; b？</a></li>' in told
    assert told.count("<li>") == 2 and "接着读" in told
    assert "<p>Read on</p>" in page_end.read_on([("A", "../a/")], "de")
    assert page_end.read_on([], "zh") == ""


def test_each_page_of_the_book_leads_on():
    book = read_book(ROOT)
    pages, wrong = {page.file: page for page in book.pages}, []
    tied = book.fact(related_in)
    for name in NAMES:
        found, page = tied.to(name), pages[f"docs/{name}.en.md"]
        last = max((h.line for h in page.headings if h.level > 1), default=len(page.text))
        shown = {name, *(other for other, line in internal_links(page) if line > last)}
        if not FEWEST <= len(found) <= MOST or shown & set(found):
            wrong.append((name, found))
    assert wrong == []


def footer(html: str, direction: str) -> str | None:
    found = re.search(
        rf'<a href="([^"]*)" class="md-footer__link md-footer__link--{direction}"', html
    )
    return found and found[1]


def read_on(html: str) -> list[str]:
    found = re.search(r'<aside class="related".*?</aside>', html, re.DOTALL)
    return re.findall(r'<a href="([^"]+)">', found[0]) if found else []


@pytest.mark.parametrize("edition", ["", "en/"])
def test_next_leads_through_the_whole_book_and_previous_leads_back(site, edition):
    nav = (ROOT / "mkdocs.yml").read_text("utf-8").partition("\nnav:")[2].partition("\ntheme:")[0]
    wanted = [
        site + edition + Path(name).with_suffix("").as_posix()
        for name in re.findall(r"([\w/-]+\.md)", nav)
    ]
    wanted = [address.removesuffix("index") for address in wanted]
    wanted = [address if address.endswith("/") else f"{address}/" for address in wanted]
    walked, address, before = [], site + edition, None
    while address:
        walked.append(address)
        html = urlopen(address).read().decode()
        back = footer(html, "prev")
        assert (urljoin(address, back) if back else None) == before, address
        before, following = address, footer(html, "next")
        address = urljoin(address, following) if following else None
    assert walked == wanted


def test_both_editions_lead_on_to_the_same_pages(site):
    for name in NAMES[::5]:
        zh, en = (urlopen(f"{site}{edition}{name}/").read().decode() for edition in ("", "en/"))
        assert read_on(zh) == read_on(en) and 1 <= len(read_on(zh)) <= MOST
        assert footer(zh, "prev") not in read_on(zh)


def test_read_on_begins_with_the_next_lesson_and_leads_to_no_part_before(site):
    order, lessons = BOOK.reading_order, parts(BOOK)
    for name in NAMES[::5]:
        html, address = urlopen(f"{site}{name}/").read().decode(), f"{site}{name}/"
        to = [urljoin(address, each).removeprefix(site).strip("/") for each in read_on(html)]
        part = next(each for each in lessons.values() if name in each)
        following = part[part.index(name) + 1 :][:1]
        assert to[: len(following)] == list(following), name
        assert all(order.index(other) >= order.index(part[0]) for other in to), name
