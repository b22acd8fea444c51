"""What a build caches for the next one: used where nothing changed, and nothing stale shows."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

import markdown
import pytest
from mkdocs.utils import DuplicateFilter
from proofbook.mkdocs.page_cache import Cache, digest
from proofbook.model import cache as caches
from proofbook.model.cache import Store
from proofbook.model.config import BookConfig
from proofbook.testing.tiny_book import Book

MKDOCS = """\
site_name: Tiny
theme: { name: material, custom_dir: theme }
plugins:
  - search
  - proofbook: { languages: [zh, en] }
markdown_extensions:
  attr_list:
  pymdownx.highlight:
  pymdownx.superfences:
  pymdownx.arithmatex: { generic: true }
  toc: { permalink: "#" }
"""
TERMS = """\
[[term]]
id = "answer"
part = "graph"
zh = "答案"
en = "answer"
page = "index"
says.zh = "问题的答案。"
says.en = "What a question asks for."
"""


@pytest.fixture(scope="module")
def built(build, tmp_path_factory) -> Book:
    book = Book(tmp_path_factory.mktemp("kept") / "book")
    book.write("mkdocs.yml", MKDOCS)
    book.write("theme/main.html", '{% extends "base.html" %}')
    book.write("docs/glossary/terms.toml", TERMS)
    for language in ("zh", "en"):
        book.write(f"docs/index.{language}.md", "# A { #a }\n")
        page = "# B { #b }\n\n::: docs/glossary/terms.toml\n    part: graph\n"
        book.write(f"docs/glossary/index.{language}.md", page)
    book.change("docs/t/p.en.md", "It is 6.", "It is 6, the answer, $w = 2$.")
    book.change("docs/t/p.zh.md", "是 6。", "是 6，就是答案，$w = 2$。")
    status, said = build(book.root)
    assert status == 0, said
    return book


@pytest.fixture
def good(built: Book, tmp_path: Path) -> Book:
    return built.copied(tmp_path / "book")


@pytest.fixture
def rendered() -> Iterator[list[str]]:
    """The texts that Markdown is asked for."""
    texts: list[str] = []
    convert = markdown.Markdown.convert

    def noted(self: markdown.Markdown, text: str) -> str:
        texts.extend([text] if text else [])
        return convert(self, text)

    with mock.patch.object(markdown.Markdown, "convert", noted):
        yield texts


def page(book: Book, address: str = "en/t/p/") -> str:
    file = book.root / "site" / address
    return (file / "index.html" if file.is_dir() else file).read_text("utf-8")


def test_where_nothing_changed_nothing_is_rendered_again(build, good, rendered):
    # In the folder of the first build, as addresses of files are part of the settings.
    status, said = build(good.root)
    assert status == 0, said
    del rendered[:]
    before = page(good)
    status, said = build(good.root)
    assert (status, rendered) == (0, []), said
    assert page(good) == before


EDITS: dict[str, tuple[Callable[[Book], None], dict[str, str]]] = {
    "an option of an extension": (
        lambda book: book.change("mkdocs.yml", 'permalink: "#"', 'permalink: "+"'),
        {"en/t/p/": 'title="Permanent link">+</a>'},
    ),
    "an output": (
        lambda book: (
            book.change("snippets/t/s.py", "y =", "y = x ="),
            book.change("snippets/t/s.py", '"y:"', '"three times:"'),
            book.write("snippets/t/s.out", "three times: 6.0\n"),
        ),
        {"en/t/p/": "three times: 6.0", "t/p/": '<span class="n">x</span>'},
    ),
    "texts": (
        lambda book: (
            book.change("docs/t/p.en.md", "It is", "It comes to"),
            book.change("docs/glossary/terms.toml", 'id = "answer"', 'id = "solution"'),
            book.write(
                "theme/main.html",
                '{% extends "base.html" %}{% block extrahead %}<meta name="new">{% endblock %}',
            ),
            book.change("docs/index.en.md", "# A", "# Another"),
        ),
        {
            "en/t/p/": "It comes to 6",
            "en/search/search_index.json": "It comes to 6",
            "t/p/": 'glossary/#solution"',  # itself it is the same
            "en/glossary/": '<meta name="new">',
            "en": "Another",
        },
    ),
}


@pytest.mark.parametrize("what", EDITS)
def test_an_edit_is_shown(build, good, what):
    edit, shown = EDITS[what]
    assert build(good.root)[0] == 0
    assert not [address for address, text in shown.items() if text in page(good, address)]
    edit(good)
    status, said = build(good.root)
    assert status == 0, said
    assert [address for address, text in shown.items() if text not in page(good, address)] == []


def test_other_software_renders_everything_again(build, good, rendered):
    assert build(good.root)[0] == 0
    del rendered[:]
    with mock.patch.object(caches, "software_hash", lambda _: "another version"):
        assert build(good.root)[0] == 0
    assert len(rendered) == 6


def test_what_was_complained_about_is_complained_about_again(build, good, monkeypatch):
    # MkDocs says the same only once in a process.
    monkeypatch.setattr(DuplicateFilter, "__call__", lambda self, record: True)
    good.change("docs/index.en.md", "\n", "\n\n[x](nowhere.md)\n")
    good.change("docs/t/p.zh.md", "$w = 2$", r"$w = \fraction 2$")
    for _ in range(2):
        status, said = build(good.root)
        assert status != 0
        assert "nowhere.md" in said and "the formula cannot be set" in said


def test_an_extension_that_a_plugin_made_is_never_taken_for_the_one_of_the_last_build(build, good):
    good.write("said.txt", "IT IS")
    good.write(
        "hook.py",
        "import markdown\n"
        "class Shout(markdown.Extension):\n"
        "    def extendMarkdown(self, md):\n"
        "        md.preprocessors.register(Loud(), 'loud', 1)\n"
        "class Loud:\n"
        "    def run(self, lines):\n"
        "        return [line.replace('It is', open('said.txt').read()) for line in lines]\n"
        "def on_config(config):\n"
        "    config.markdown_extensions.append(Shout())\n",
    )
    good.change("mkdocs.yml", "plugins:", "hooks: [hook.py]\nplugins:")
    assert build(good.root)[0] == 0
    assert "IT IS 6" in page(good)
    good.write("said.txt", "THAT IS")
    assert build(good.root)[0] == 0
    assert "THAT IS 6" in page(good)


def test_what_old_software_found_is_not_kept_as_that_of_the_software_installed_meanwhile(tmp_path):
    kept, config = {"place": ("made from", 1)}, BookConfig()
    began = Store(tmp_path, "old")
    with mock.patch.object(caches, "software_hash", lambda _: "new"):
        began.save("site", kept, config, "packages")
        assert Store(tmp_path).load("site", config, "packages") == {}
    assert Store(tmp_path, "old").load("site", config, "packages") == kept
    assert Store(tmp_path, "old").load("site", config, "other packages") == {}


class Harm:
    def __init__(self, called: Callable, *arguments: object) -> None:
        self._call = called, arguments

    def __reduce__(self) -> tuple:
        return self._call


@pytest.mark.parametrize(
    "harm",
    [
        (os.mkdir, "harm"),
        (eval, "open('harm', 'w')"),
        (subprocess.getoutput, "touch harm"),
        (caches.version_of, "torch"),
        (caches.Store, Path("harm")),
    ],
)
def test_nothing_in_a_cache_is_called(harm, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    store = Store(tmp_path, "software")
    store.save("site", {"place": Harm(*harm)})
    assert Store(tmp_path, "software").load("site") == {}
    assert [file.name for file in tmp_path.iterdir()] == [".cache"]


def test_only_what_was_used_is_kept_for_later():
    cache = Cache({"old": ("a", 1), "same": ("b", 2)})
    assert cache.get("same", "b") == 2 and cache.get("old", "x") is None
    cache.put("new", "c", 3)
    assert cache.used() == {"same": ("b", 2), "new": ("c", 3)}
    assert digest("ab", "c") != digest("a", "bc") != digest("abc")
