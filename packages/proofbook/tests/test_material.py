"""What is changed of Material's files and settings, and how a page is divided for the search."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import Files
from proofbook.mkdocs.material import one_style_sheet, with_problems
from proofbook.mkdocs.search_index import replace_worker, sections
from proofbook.model.problem import Problem


def test_the_book_has_one_style_sheet_and_its_own_rules_come_last(tmp_path):
    one_style_sheet(tmp_path)  # a book without styles of its own stays as it is
    assert not list(tmp_path.iterdir())
    for name, text in (
        ("stylesheets/main.1.min.css", 'a{b:"/* "}/*# sourceMappingURL=x */'),
        ("book.css", "/* a\nb */.book { color: red }"),
    ):
        (tmp_path / "assets" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "assets" / name).write_text(text, "utf-8")
    one_style_sheet(tmp_path)
    assert (tmp_path / "assets/book.css").read_text("utf-8") == 'a{b:"/* "}\n.book { color: red }'


def test_the_worker_of_the_search_is_the_book_s_own_and_a_theme_without_one_is_reported():
    config = SimpleNamespace(plugins={})
    replace_worker(Files([]), config)  # a site without a search
    config.plugins["material/search"] = None
    with pytest.raises(PluginError, match="has mkdocs-material changed"):
        replace_worker(Files([]), config)


def test_a_page_is_divided_at_its_headings():
    found = sections(
        '<link rel="x"><h1 id="a">A <code>b</code><a class="headerlink" href="#a">#</a></h1>\n'
        '<p>One &lt; <em>two</em>.</p><p></p><div><h2 id="b">B</h2>in</div><p>after</p>'
        "<pre><span>x\n</span>y</pre><script>no</script><p data-search-exclude>no</p>"
        '<h2 id="c">C</h2><span class="formula" data-search-exclude><math>'
        "<annotation>w = 2</annotation></math></span>"
    )
    assert [(s.id, s.title, s.text) for s in found] == [
        ("", "A <code>b</code>", "<p>One &lt; two.</p><p>after</p><pre>x\ny</pre>"),
        ("b", "B", "in"),
        ("c", "C", "w = 2"),
    ]
    assert [(s.id, s.title) for s in sections('<p>t</p><h1 id="a">A</h1>')] == [
        ("", ""),
        ("a", "A"),
    ]


def test_the_problems_of_a_page_stand_at_its_top():
    page = "<!doctype html><article class=x><h1>A</h1></article><p>b"
    shown = with_problems(page, [Problem("docs/t/p.de.md", 3, "wrong", "a < b", "c", "fix")], "de")
    assert '<article class="x"><div class="admonition failure" role="alert"><p' in shown
    assert "Something on this page doesn't hold right now" in shown and "a &lt; b" in shown
    assert shown.startswith("<!DOCTYPE html>") and shown.count("<h1>A</h1>") == 1
