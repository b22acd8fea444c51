"""What MkDocs does with the book: builds that prove, failures that leave the site, and serving."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import pytest
from proofbook.html.tree import Tree
from proofbook.testing.fixtures import PATIENCE
from proofbook.testing.tiny_book import Book, with_site

ROOT = Path(__file__).resolve().parents[3]

ADDRESS = "http://127.0.0.1:8000/"
ENVIRONMENT = {
    "NO_MKDOCS_2_WARNING": "1",
    "SOURCE_DATE_EPOCH": "1",
    "SITE_URL": ADDRESS,  # where the book is hosted says something else
    "REPO_URL": "",
}


@pytest.fixture(scope="module", autouse=True)
def environment() -> Iterator[None]:
    with mock.patch.dict(os.environ, ENVIRONMENT):
        yield


def site_of(book: Book, nav: str = "[index.md, t/p.md]") -> Book:
    """Give the tiny book a home page and everything of the project that makes a site."""
    book.write("docs/index.zh.md", "# 首页 { #home }\n")
    book.write("docs/index.en.md", '# Home { #home }\n\nA & "b".\n')
    return with_site(book, ROOT, nav)


def contents(site: Path) -> dict[str, bytes]:
    return {p.relative_to(site).as_posix(): p.read_bytes() for p in site.rglob("*") if p.is_file()}


@pytest.fixture(scope="module")
def built(build, tmp_path_factory) -> Book:
    """A tiny book with its site, built once; the tests that change it take a copy."""
    book = site_of(Book(tmp_path_factory.mktemp("built") / "book"))
    status, said = build(book.root, "--strict")
    assert status == 0, said
    return book


@pytest.fixture
def good(built: Book, tmp_path: Path) -> Book:
    return built.copied(tmp_path / "book")


def test_a_build_makes_both_editions_and_leaves_nothing_beside_the_site(built):
    site = built.root / "site"
    chinese = (site / "t/p/index.html").read_text("utf-8")
    english = (site / "en/t/p/index.html").read_text("utf-8")
    assert '<html lang="zh"' in chinese and '<html lang="en"' in english
    assert "三倍是多少" in chinese and "What is three times w?" in english
    assert "y: 6.0" in chinese and "y: 6.0" in english
    assert 'href="/en/t/p/"' in chinese and 'href="/t/p/"' in english
    assert {"404.html", "en/404.html", "sitemap.xml", "en/sitemap.xml"} <= set(contents(site))
    assert sorted(p.name for p in built.root.glob("site*")) == ["site"]


def head(page: Path) -> dict[str, str]:
    """What the head of a page says, by the names of its elements."""
    told = {}
    for found in re.finditer(r"<(?:meta|link)[^>]*>", page.read_text("utf-8")):
        said = dict(re.findall(r'([\w-]+)="([^"]*)"', found[0]))
        name = said.get("property") or said.get("name") or said.get("rel", "").strip()
        told[name + (" " + (said.get("hreflang") or said.get("type") or "")).rstrip()] = said.get(
            "content", said.get("href", "")
        )
    return told


@pytest.mark.parametrize(
    "edition, title, answer",
    [("", "三倍是多少？", "是 6。"), ("en/", "What is three times w?", "It is 6.")],
)
def test_a_page_tells_those_who_show_it_elsewhere_what_it_is(built, edition, title, answer):
    folder = built.root / "site" / edition
    said, address = head(folder / "t/p/index.html"), f"{ADDRESS}{edition}t/p/"
    assert said["description"] == said["og:description"] == answer
    assert said["og:title"] == title
    assert said["canonical"] == said["og:url"] == address
    assert said["alternate text/markdown"] == "index.md"
    assert (said["alternate zh"], said["alternate en"]) == ("/t/p/", "/en/t/p/")
    assert said["og:image"] == f"{ADDRESS}assets/card.png"
    twin = (folder / "t/p/index.md").read_text("utf-8")
    assert twin.startswith(f"# {title}\n\n") and f"<{address}>" in twin and "y: 6.0" in twin
    page = (folder / "t/p/index.html").read_text("utf-8")
    assert re.search(r'<nav class="take".*<a href="index.md">Markdown</a>.*</nav>', page)
    listed = (folder / "llms.txt").read_text("utf-8")
    assert f"- [{title}]({address}index.md): {answer}" in listed
    assert head(built.root / "site/en/index.html")["description"] == "A &amp; &#34;b&#34;."
    missing = set(head(folder / "404.html"))
    assert not {"canonical", "og:url", "og:image", "alternate text/markdown"} & missing


def test_sitemaps_name_each_page_in_both_languages(built):
    for edition, language in (("", "zh"), ("en/", "en")):
        tree = ElementTree.parse(built.root / "site" / edition / "sitemap.xml")
        urls = tree.findall("{*}url")
        assert [url.findtext("{*}loc") for url in urls] == [
            f"{ADDRESS}{edition}",
            f"{ADDRESS}{edition}t/p/",
        ]
        for url, path in zip(urls, ("", "t/p/"), strict=True):
            links = {link.get("hreflang"): link.get("href") for link in url.findall("{*}link")}
            zh, en = f"{ADDRESS}{path}", f"{ADDRESS}en/{path}"
            assert links == {"zh": zh, "en": en, "x-default": en}
            assert links[language] == url.findtext("{*}loc")
    assert f"Sitemap: {ADDRESS}sitemaps.xml" in (built.root / "site/robots.txt").read_text("utf-8")
    assert (built.root / "site/.nojekyll").is_file()


EDIT = '<a href="{}" title="{}" class="md-content__button md-icon" rel="edit">'


@pytest.mark.parametrize(
    ("repository", "path", "place"),
    [
        ("https://github.com/example/book", {}, "/edit/main/docs/"),
        (
            "https://codeberg.org/example/book/",
            {"EDIT_URI": "_edit/main/docs/"},
            "/_edit/main/docs/",
        ),
    ],
)
def test_below_the_root_of_a_host_every_address_is_whole_and_leads_to_its_text(
    build, good, repository, path, place
):
    address = "https://example.org/book/"
    status, said = build(good.root, "--strict", SITE_URL=address, REPO_URL=repository, **path)
    assert status == 0, said
    site = good.root / "site"
    said = head(site / "en/t/p/index.html")
    assert said["canonical"] == f"{address}en/t/p/"
    assert said["alternate zh"] == "/book/t/p/"
    assert not (site / "robots.txt").exists()
    assert f'href="{address}en/t/p/"' in (site / "sitemap.xml").read_text("utf-8")
    assert f"<loc>{address}en/sitemap.xml</loc>" in (site / "sitemaps.xml").read_text("utf-8")
    assert f"({address}t/p/index.md)" in (site / "llms.txt").read_text("utf-8")
    docs = repository.rstrip("/") + place
    for page, source, title in (
        ("index.html", "index.zh.md", "编辑此页"),
        ("en/t/p/index.html", "t/p.en.md", "Edit this page"),
    ):
        text = (site / page).read_text("utf-8")
        assert EDIT.format(docs + source, title) in text
        assert text.count('class="md-source"') == 2 and "no-source" not in text
        # Material asks api.github.com about a link to a repository marked as its component.
        assert f'href="{repository}"' in text and 'data-md-component="source"' not in text
    text = (site / "en/404.html").read_text("utf-8")
    assert 'rel="edit"' not in text and repository in text


def test_a_site_that_knows_no_repository_says_so_and_what_to_set(built):
    for page, words in (("index.html", "源代码在哪里"), ("en/404.html", "where its source is")):
        text = (built.root / "site" / page).read_text("utf-8")
        footer = text.partition('class="no-source"')[2].partition("</div>")[0]
        assert words in footer and "<code>REPO_URL</code>" in footer
        assert 'rel="edit"' not in text and "md-source" not in text


FAULTS = {
    "a number changed in an output": (
        lambda book: book.change("snippets/t/s.out", "6.0", "7.0"),
        ["snippets/t/s.out:1", "y: 7.0", "y: 6.0", "proofbook update snippets/t/s.py"],
    ),
    "a page that names a missing snippet": (
        lambda book: book.change("docs/t/p.en.md", "snippets/t/s.py", "snippets/t/x.py"),
        ["docs/t/p.en.md:5", "snippets/t/x.py"],
    ),
    "a page that is not UTF-8": (
        lambda book: book.write("docs/t/p.en.md", b"# T { #three-times }\n\xff\n"),
        ["docs/t/p.en.md:2: the file is not UTF-8"],
    ),
    "a formula that is not LaTeX": (
        lambda book: book.change("docs/t/p.en.md", "It is 6.", "It is\n\n$$\n\\fraction{6}\n$$\n"),
        ["docs/t/p.en.md:6", "the formula cannot be set", "fraction"],
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_build_that_fails_says_why_and_leaves_the_last_good_site(build, good, fault):
    spoil, words = FAULTS[fault]
    before = contents(good.root / "site")
    spoil(good)
    status, said = build(good.root)
    assert status != 0 and "Traceback" not in said
    for word in words:
        assert word in said
    assert contents(good.root / "site") == before
    assert sorted(p.name for p in good.root.glob("site*")) == ["site"]


def test_a_strict_build_with_a_warning_leaves_the_last_good_site(build, good):
    before = contents(good.root / "site")
    good.change("docs/index.en.md", "A &", "[x](nowhere.md) A &")
    good.change("snippets/t/s.out", "6.0", "7.0")
    status, said = build(good.root, "--strict")  # warnings do not hide what does not hold
    assert status != 0 and "nowhere.md" in said and "snippets/t/s.out:1" in said
    good.change("snippets/t/s.out", "7.0", "6.0")
    good.change("docs/index.en.md", "[x](nowhere.md) A &", "A &")
    for language in ("zh", "en"):
        good.write(f"docs/t/alone.{language}.md", "# A { #a }\n")
    status, said = build(good.root, "--strict")
    assert status != 0 and "t/alone.en.md" in said
    assert contents(good.root / "site") == before
    assert build(good.root)[0] == 0
    assert contents(good.root / "site") != before


def test_two_builds_at_once_leave_one_whole_site(good):
    before = contents(good.root / "site")
    command = [sys.executable, "-m", "mkdocs", "build", "-q"]
    builds = [subprocess.Popen(command, cwd=good.root, env=os.environ) for _ in range(2)]
    assert [build.wait() for build in builds] == [0, 0]
    assert contents(good.root / "site") == before
    assert sorted(p.name for p in good.root.glob("site*")) == ["site"]


@pytest.mark.parametrize("after", [0.3, 1.5, 2.5])
def test_a_killed_build_leaves_a_whole_site_and_so_does_the_next(build, good, after):
    before = contents(good.root / "site")
    good.change("docs/t/p.en.md", "It is 6.", "It is six.")
    command = [sys.executable, "-m", "mkdocs", "build", "-q"]
    process = subprocess.Popen(command, cwd=good.root, env=os.environ)
    time.sleep(after)
    process.kill()
    process.wait()
    left = contents(good.root / "site")
    for unfinished in good.root.glob("site.next-*"):
        os.utime(unfinished, (0, 0))  # of another day
    assert build(good.root)[0] == 0
    assert "It is six." in (good.root / "site/en/t/p/index.html").read_text("utf-8")
    assert left in (before, contents(good.root / "site"))  # it may have ended already
    assert sorted(p.name for p in good.root.glob("site*")) == ["site"]


def test_the_english_edition_is_not_built_alone(build, good):
    before = contents(good.root / "site")
    status, said = build(good.root, "-f", "mkdocs.en.yml")
    assert status != 0 and "mkdocs.yml builds all" in said
    assert contents(good.root / "site") == before


def test_a_second_build_with_what_the_first_remembered_is_the_same_byte_for_byte(build, good):
    before = contents(good.root / "site")
    status, said = build(good.root, "--strict")
    assert status == 0
    assert re.search(
        r"1 snippet run and compared, 4 pages read: everything holds \(\d+\.\d s\)\.\n"
        r"  compared  1 line of output\n  found     0 values of the text in the runs\n"
        r"  computed  0 equations\n  looked up 0 names of PyTorch \S+\n"
        r"  slowest   snippets/t/s\.py \d\.\d s\n",
        said,
    )
    assert "\r" not in said and "\x1b" not in said
    after = contents(good.root / "site")
    assert sorted(after) == sorted(before)
    assert [name for name in before if before[name] != after[name]] == []
    shutil.rmtree(good.root / ".cache")
    assert build(good.root, "--strict")[0] == 0
    assert contents(good.root / "site") == before


PLOT = """\
import matplotlib.pyplot as plt

plt.plot([1, 2, 4])
plt.xlabel("step")
plt.show()
print("drawn:", 3)
"""


@pytest.fixture(scope="module")
def lab(build, tmp_path_factory) -> tuple[Book, str]:
    """A tiny book with a lab, built, and what the build said."""
    book = site_of(Book(tmp_path_factory.mktemp("lab") / "book"))
    book.change("mkdocs.yml", "labs/*/*.ipynb", "t/*/*.ipynb")
    book.write("snippets/t/s.py", PLOT)
    book.write("snippets/t/s.out", "drawn: 3\n")
    told = {"zh": "alt: 一条线\n    words: step=步", "en": "alt: a line"}
    for language, options in told.items():
        book.change(f"docs/t/p.{language}.md", "highlight: 3 * w", f"figure: plot\n    {options}")
        book.change(f"docs/t/p.{language}.md", " 6", " 3")
    status, said = build(book.root, "--strict")
    assert status == 0, said
    return book, said


def test_a_lab_is_executed_once_and_its_figure_speaks_both_languages(lab):
    book, said = lab
    assert "executed  1 notebook, 1 figure drawn" in said
    texts = ("t/p/", "一条线", "步", "看代码"), ("en/t/p/", "a line", "step", "Show the code")
    for address, alt, label, summary in texts:
        page = (book.root / "site" / address / "index.html").read_text("utf-8")
        assert f'<figure class="plot"><svg role="img" aria-label="{alt}"' in page
        assert f">{label}</text>" in page and "var(--plot-1)" in page
        assert f'</figure><details class="code"><summary>{summary}</summary>' in page
        assert "jp-" not in page and "require.js" not in page and "<style" not in page
    index = (book.root / "site/search/search_index.json").read_text("utf-8")
    assert "clipPath" not in index


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ('"drawn:", 3 + ("__file__" not in dir())', ["snippets/t/s.out:1", "in its notebook"]),
        ('"drawn:", 3 if __file__ else 0', ["docs/t/p.", "NameError"]),
    ],
)
def test_a_notebook_that_is_not_what_its_scripts_are_fails_the_build(
    build, lab, tmp_path, fault, words
):
    """In a notebook there is no `__file__`; test_labs tries each kind of difference."""
    copy = lab[0].copied(tmp_path / "book")
    before = contents(copy.root / "site")
    copy.change("snippets/t/s.py", '"drawn:", 3', fault)
    status, said = build(copy.root, "--strict")
    assert status != 0 and all(word in said for word in words)
    assert contents(copy.root / "site") == before


def test_a_notebook_is_executed_again_when_its_code_has_changed_and_only_then(build, lab, tmp_path):
    copy = lab[0].copied(tmp_path / "book")
    copy.change("docs/t/p.en.md", "It is 3.", "It is still 3.")
    status, said = build(copy.root)
    assert status == 0 and "executed  1 notebook before, unchanged since" in said
    page = (copy.root / "site/en/t/p/index.html").read_text("utf-8")
    assert "still" in page and '<figure class="plot"><svg' in page

    copy.change("snippets/t/s.py", "[1, 2, 4]", "[1, 2, 5]")
    status, said = build(copy.root)
    assert status == 0 and "executed  1 notebook, 1 figure drawn" in said


class Served:
    """`mkdocs serve` on a free port."""

    def __init__(self, book: Book):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.log = book.root.parent / "serve.log"
        address = f"127.0.0.1:{self.port}"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "mkdocs", "serve", "--dev-addr", address],
            cwd=book.root,
            env=os.environ,
            stdout=subprocess.DEVNULL,
            stderr=self.log.open("w", encoding="utf-8"),
        )

    def get(self, address: str) -> str:
        try:
            with urllib.request.urlopen(
                f"http://127.0.0.1:{self.port}/{address}", timeout=PATIENCE
            ) as answer:
                return answer.read().decode("utf-8")
        except OSError:
            return ""

    def wait_for(self, address: str, text: str, there: bool = True) -> str:
        """The page, once it contains `text` (or no longer does)."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            page = self.get(address)
            if page and (text in page) == there:
                return page
            time.sleep(0.05)
        raise AssertionError(f"{address} never showed {text!r}:\n{self.log.read_text('utf-8')}")

    def wait_to_say(self, words: str) -> None:
        """Wait until the terminal has said this (a regular expression)."""
        end = time.monotonic() + PATIENCE
        while not re.search(words, said := self.log.read_text("utf-8")):
            assert time.monotonic() < end, said
            time.sleep(0.05)


@pytest.fixture
def served(good):
    served = Served(good)
    yield served
    served.process.terminate()
    served.process.wait()


def test_while_serving_an_edit_appears_and_a_failure_is_shown_in_the_page(good, served):
    page = served.wait_for("t/p/", "三倍是多少")
    assert "index.md" not in page  # they are made by a build
    assert 'role="alert"' not in served.get("t/p/")
    time.sleep(0.5)

    good.change("docs/t/p.en.md", "It is 6.", "It is six.")
    assert "This edit is being checked" in served.wait_for("en/t/p/", "It is six.")
    served.wait_to_say(r"docs/t/p\.en\.md: shown after")  # instead of a build of everything
    served.wait_to_say(r"0 snippets run again, 4 pages read: everything holds \(\d+\.\d s\)\.")
    served.wait_for("en/t/p/", "This edit is being checked", there=False)

    good.change("snippets/t/s.py", "3 * w", "3 * w + 1")
    for address, title in (("t/p/", "没被证明"), ("en/t/p/", "doesn&#x27;t hold")):
        page = served.wait_for(address, 'role="alert"')
        assert "snippets/t/s.out:1" in page and "y: 7.0" in page
        assert "proofbook update snippets/t/s.py" in page
        assert title in page or title.replace("&#x27;", "'") in page
    assert "snippets/t/s.out:1" in served.log.read_text("utf-8")

    served.wait_to_say(r"snippets/t/s\.py run again, 4 pages read: 1 problem \(\d+\.\d s\)\.")

    good.change("snippets/t/s.out", "6.0", "7.0")
    served.wait_for("t/p/", 'role="alert"', there=False)
    assert "y: 7.0" in served.get("en/t/p/")

    good.change("docs/t/p.zh.md", "snippets/t/s.py", "snippets/t/gone.py")
    assert "does not exist" in served.wait_for("t/p/", 'role="alert"')
    good.change("docs/t/p.zh.md", "snippets/t/gone.py", "snippets/t/s.py")
    served.wait_for("t/p/", 'role="alert"', there=False)


def test_odd_input_stops_no_server(good, served):
    served.wait_for("t/p/", "三倍是多少")
    page, script, settings = (
        (good.root / name).read_bytes()
        for name in ("docs/t/p.en.md", "snippets/t/s.py", "mkdocs.en.yml")
    )
    odd = {
        "docs/t/p.en.md": page.decode().encode("utf-16"),
        "snippets/t/s.py": b"# \xff\n",
        "docs/questions/questions.toml": b"x = " + b"[" * 5000,
        "mkdocs.en.yml": b"# \xff\n",
    }
    said = ["not UTF-8", "not UTF-8", "recursion depth", "unacceptable character"]
    heard = []
    for (name, raw), words in zip(odd.items(), said, strict=True):
        good.write(name, raw)
        served.wait_to_say(words)
        heard.append(served.log.read_text("utf-8"))
        served.log.write_text("", "utf-8")
        before = {"docs/t/p.en.md": page, "snippets/t/s.py": script, "mkdocs.en.yml": settings}
        good.write(name, before[name]) if name in before else good.remove(name)
        served.wait_to_say("everything holds")
    good.change("docs/t/p.en.md", "It is 6.", "It is six.")
    served.wait_for("en/t/p/", "It is six.")
    heard.append(served.log.read_text("utf-8"))
    assert not any(words in said for words in ("Traceback", "appear stuck") for said in heard)


def test_two_hundred_edits_in_a_row_stop_no_server(good, served):
    served.wait_for("t/p/", "三倍是多少")
    page = good.read("docs/t/p.en.md")
    for number in range(200):
        good.write("docs/t/p.en.md", page.replace("It is 6.", f"It is 6, said edit {number}."))
        time.sleep(0.02)
    served.wait_for("en/t/p/", "said edit 199.")
    good.write("docs/t/p.en.md", page)
    served.wait_for("en/t/p/", "It is 6.")
    assert "Traceback" not in served.log.read_text("utf-8")


# --- pages in one language only


@pytest.fixture(scope="module")
def half(build, tmp_path_factory) -> Book:
    """A book with a page in English alone and one in Chinese alone, which link to each other and to
    the page in both languages, and are linked from it; built."""
    book = Book(tmp_path_factory.mktemp("half") / "book")
    site_of(book, "[index.md, t/p.md, t/only-en.md, t/only-zh.md]")
    for name, text in (
        ("en", "# English alone {{ #alone }}\n\nIt is 6: see [w](p.en.md) and [zh]({}#alone).\n"),
        ("zh", "# 只有中文 {{ #alone }}\n\n是 6：见 [w](p.zh.md) 和 [en]({}#alone)。\n"),
    ):
        other = f"only-{'zh' if name == 'en' else 'en'}.{name}.md"
        shown = "\n::: snippets/t/s.py\n\n## Then { #then }\n\nA word.\n"
        book.write(f"docs/t/only-{name}.{name}.md", text.format(other) + shown)
        page = f"docs/t/p.{name}.md"
        links = f"\n[1](only-en.{name}.md#then) [2](only-zh.{name}.md#then)\n"
        book.write(page, book.read(page) + links)
    status, said = build(book.root, "--strict")
    assert status == 0, said
    assert "  missing   2 pages to translate: docs/t/only-en.en.md, docs/t/only-zh.zh.md\n" in said
    return book


@pytest.mark.parametrize(
    ("own", "edition", "name", "words", "notice"),
    [
        ("en", "", "only-en", "English alone", "这一页还没有译成中文，下面是原文（English）。"),
        ("zh", "en/", "only-zh", "只有中文", "This page is not translated yet. It is in 简体中文."),
    ],
)
def test_a_page_in_one_language_is_shown_in_the_other_edition(
    half, own, edition, name, words, notice
):
    site, other = half.root / "site", "zh" if own == "en" else "en"
    tree = Tree((site / f"{edition}t/{name}/index.html").read_text("utf-8"))
    assert tree.css_first("html").attributes["lang"] == other
    box = tree.css_first(".untranslated")
    assert box.text().strip() == notice
    content = tree.css_first(f'article div[lang="{own}"]')
    assert words in content.css_first("h1").text() and "y: 6.0" in content.text()
    # Its links stay in the edition, also those to pages that are translated, or are not.
    links = {
        link.attributes["href"] for link in content.css("a") if link.text() in ("w", "zh", "en")
    }
    assert links == {"../p/", f"../only-{other}/#alone"}
    assert not box.parent.css_first(".untranslated .untranslated")
    # Search engines are led to the page in its language; the switch leads to the same page.
    address = f"{ADDRESS}{'en/' if own == 'en' else ''}t/{name}/"
    assert tree.css_first('link[rel="canonical"]').attributes["href"] == address
    assert [a.attributes["hreflang"] for a in tree.css('link[rel=" alternate"][hreflang]')] == [own]
    assert tree.css_first("a.language").attributes["href"] == address.removeprefix(ADDRESS[:-1])
    notebook = json.loads((site / f"{edition}t/{name}/{name}.ipynb").read_text("utf-8"))
    assert words in "".join(notebook["cells"][0]["source"])
    assert (site / f"{edition}snippets/t/s.py").is_file()
    assert words in (site / f"{edition}t/{name}/index.md").read_text("utf-8")
    index = json.loads((site / f"{edition}search/search_index.json").read_text("utf-8"))
    found = {entry["location"]: entry["text"] for entry in index["docs"]}
    assert "t/p/" in found and f"t/{name}/" in found and f"t/{name}/#then" in found
    assert notice not in "".join(found.values())


@pytest.mark.parametrize("edition", ["", "en/"])
def test_a_link_to_a_page_that_is_not_translated_stays_in_the_edition(half, edition):
    tree = Tree((half.root / f"site/{edition}t/p/index.html").read_text("utf-8"))
    links = {link.text(): link.attributes["href"] for link in tree.css("article a")}
    assert links["1"] == "../only-en/#then" and links["2"] == "../only-zh/#then"
    assert len(tree.css('link[rel=" alternate"][hreflang]')) == 2
    sitemap = ElementTree.parse(half.root / "site" / edition / "sitemap.xml")
    told = {
        url.findtext("{*}loc"): [link.get("hreflang") for link in url.findall("{*}link")]
        for url in sitemap.getroot()
    }
    assert told[f"{ADDRESS}en/t/only-en/"] == ["en", "x-default"]
    assert told[f"{ADDRESS}t/only-zh/"] == ["zh", "x-default"]


def test_a_translation_takes_the_place_of_the_notice(half, build, tmp_path):
    book = half.copied(tmp_path / "book")
    english = book.read("docs/t/only-en.en.md")
    book.write("docs/t/only-en.zh.md", english.replace(".en.md", ".zh.md"))
    status, said = build(book.root, "--strict")
    assert status == 0 and "1 page to translate: docs/t/only-zh.zh.md" in said, said
    page = (book.root / "site/t/only-en/index.html").read_text("utf-8")
    assert "untranslated" not in page and "hreflang" in page
