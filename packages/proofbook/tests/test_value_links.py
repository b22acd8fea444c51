"""Each value on a page leads to the line of the run that proves it, and to no other."""

from __future__ import annotations

import re

import markdown
import pytest
from proofbook.directives.registry import expand
from proofbook.html.formulas import render_formulas
from proofbook.html.tree import Node, Tree, serialize
from proofbook.html.tree import parse as parse_html
from proofbook.html.values import find_value_links, link_title, link_values, without_markers
from proofbook.maths.numbers import Evidence
from proofbook.model.book import read_book
from proofbook.model.page import parse
from proofbook.model.snippet import ShownSnippet, SnippetText
from proofbook.testing.tiny_book import Book

EXTENSIONS = ["admonition", "attr_list", "tables", "toc", "pymdownx.details"]
EXTENSIONS += ["pymdownx.superfences", "pymdownx.highlight", "pymdownx.arithmatex"]
PAGE = "docs/t/p.en.md"
FILES = {
    "snippets/t/one.py": 'lr = 0.25\nw = 48.0\nprint("w:", w)\nprint("step:", -7.5)\n',
    "snippets/t/one.out": "w: 48.0\nstep: -7.5\n",
    "snippets/t/two.py": 'print("w:", 48)\nprint("v:", [12, 24])\nprint("v:", 12)\n',
    "snippets/t/two.out": "w: 48\nv: [12, 24]\nv: 12\n",
    "snippets/t/far.py": "print(99)\nprint(0, 1)\n",
    "snippets/t/far.out": "99\n0 1\nRuntimeError: the graph has already been freed\n",
    "docs/t/q.en.md": "# There { #there }\n\n::: snippets/t/far.py\n",
}
ONE, TWO = "::: snippets/t/one.py\n", "::: snippets/t/two.py\n"


@pytest.fixture
def linked(book: Book):
    """The value links of a page, as what is linked and where it leads; and the page's HTML."""
    for name, text in FILES.items():
        book.write(name, text)

    def linked(text: str, language: str = "en") -> tuple[list[tuple[str, str]], str]:
        file = PAGE.replace(".en.", f".{language}.")
        book.write(file, text)
        values = find_value_links(read_book(book.root), file)
        tree = html_tree(values.with_markers(text), file, book)
        link_values(tree, values, language, lambda other: f"to/{other}")
        links = [(said(link), link.attributes["href"]) for link in tree.css("a.run")]
        return links, without_markers(serialize(tree))

    return linked


def said(link: Node) -> str:
    """What a link says that its line proves: of a formula, the numbers without a title."""
    proved = [number.text() for number in link.css("math .proved:not([title])")]
    return " ".join(proved) or link.text()


def test_a_number_of_a_formula_has_the_address_that_a_script_follows(linked):
    links, html = linked(f"{TWO}\n[There](q.en.md) it is more: $48 < 99$\n")
    assert links == [("48", "#two-out-1")]
    assert 'data-to="to/docs/t/q.en.md#far-out-1" data-says="99"' in html


def html_tree(text: str, file: str, book: Book) -> Tree:
    expanded = expand(parse(file, text), read_book(book.root))
    options = {"pymdownx.arithmatex": {"generic": True}}
    content = markdown.markdown(expanded, extensions=EXTENSIONS, extension_configs=options)
    tree = parse_html(content)
    assert not render_formulas(tree)
    return tree


@pytest.mark.parametrize(
    ("text", "links"),
    [
        # What was printed, rather than the code; the line that holds it.
        (f"{ONE}\nIt is 48, then -7.5.", [("48", "one-out-1"), ("-7.5", "one-out-2")]),
        (f"{ONE}\n`tensor(48.)`, `-7.5`", [("tensor(48.)", "one-out-1"), ("-7.5", "one-out-2")]),
        # What only the code has, or has in just these words, no run proves.
        (f"{ONE}\nThe rate is 0.25; `lr = 0.25`", []),
        # The nearest above, in the same section; then below; then the page.
        (f"{ONE}\n{TWO}\n48", [("48", "two-out-1")]),
        (f"{ONE}\n48\n\n{TWO}", [("48", "one-out-1")]),
        (f"{ONE}\n## B {{ #b }}\n\n48\n\n{TWO}", [("48", "two-out-1")]),
        (f"{ONE}\n## B {{ #b }}\n\n48", [("48", "one-out-1")]),
        # All numbers in one line, rather than one of them earlier.
        (f"{TWO}\n`[12, 24]` and `24`", [("[12, 24]", "two-out-2"), ("24", "two-out-2")]),
        (f"{TWO}\n12", [("12", "two-out-2")]),
        # The line that the author names.
        (f'{TWO}\n`48`{{ data-line="w:" }}', [("48", "two-out-1")]),
        # Another page, where the section links to it.
        ("99, [there](q.en.md)", [("99", "to/docs/t/q.en.md#far-out-1")]),
        (
            "`the graph ... been freed` [there](q.en.md)",
            [("the graph ... been freed", "to/docs/t/q.en.md#far-out-3")],
        ),
        # Results in a formula; what is only calculated with leads nowhere.
        (f"{TWO}\n$24 + 24 = 48$ and $2w = 12$", [("48", "two-out-1"), ("12", "two-out-2")]),
        (f"{TWO}\n\n$$\nv = (12, 24)\n$$", [("12 24", "two-out-2")]),
        (f"{TWO}\n$w = 48, v = 12$", [("48", "two-out-1")]),
        (f"{TWO}\n$48 w = x$ and $y = 48$", [("48", "two-out-1")]),
        # Within boxes, tables, lists and emphasis.
        (f'{ONE}\n!!! note "48"\n    It is **48**.', [("48", "one-out-1")]),
        (f'{ONE}\n??? note "48"\n    - It is 48.', [("48", "one-out-1")]),
        (f"{ONE}\n| a | b |\n|---|---|\n| 48 | `-7.5` |", [("48", "one-out-1"), ("-7.5",) * 2]),
    ],
)
def test_a_value_leads_to_the_line_that_proves_it(linked, text, links):
    found, placed = linked("# T { #t }\n\n" + text)
    short = {"-7.5": "one-out-2"}
    wanted = [(said, to if to != said else short[said]) for said, to in links]
    assert found == [(said, to if "#" in to else f"#{to}") for said, to in wanted]
    for _, to in found:
        if to.startswith("#"):
            assert placed.count(f'id="{to[1:]}"') == 1


@pytest.mark.parametrize(
    "text",
    [
        "It is 7, `x`, `foo(48, 1)` and 1.12, in 2019.",
        "[It is 48](q.en.md) and [`48`](q.en.md)",
        "## The 48 { #b }\n\n## `48` { #c }",
        '`48`{ data-source="https://example.org" }',
        "$50 - 2 = 47 + 1$ and $48 w$",
        '??? note "Why 48?"\n    Why?',
        "![48](x.svg)",
        '<span title="48">x</span> <!-- 48 -->',
        "```text\n48\n```",
        "`squeeze(48)`",
    ],
)
def test_no_link_where_none_belongs(linked, text):
    found, placed = linked(f"# The 48 {{ #t }}\n\n{ONE}\n{text}")
    assert found == []
    assert not re.search("[\ue000-\uf8ff]", placed)


def test_but_for_the_links_and_the_ids_nothing_changes(linked, book: Book):
    text = f"# T {{ #t }}\n\n{ONE}    highlight: lr = 0.25\n    highlight: w = 48.0\n\n" + (
        '`lr = 0.25`, **48**-48, `48`{ data-line="w:" }, (48), 「48」, 48, $48$ $= 48$\n\n'
        "- 48\n- `-7.5`\n\n    $$\n    w = 48\n    $$\n\n| 48 | b |\n|---|---|\n| a | 48 |\n"
    )
    found, placed = linked(text)
    assert len(found) >= 11
    links = r'<a class="run"[^>]*>(.*?)</a>'
    plain = re.sub(links, r"\1", re.sub('<span class="proved"[^>]*>(.*?)</span>', r"\1", placed))
    plain = re.sub(r"<samp[^>]*>(.*?\n)</samp>", r"\1", plain)
    assert plain == serialize(html_tree(text, PAGE, book))


def test_what_is_expanded_for_others_holds_no_marker(linked, book: Book):
    linked(f"# T {{ #t }}\n\n{ONE}\n48")
    page = parse(PAGE, book.read(PAGE))
    assert expand(page, read_book(book.root)).endswith("\n48")
    assert not re.search("[\ue000-\uf8ff]", expand(page, read_book(book.root)))


def test_front_matter_shifts_nothing_and_an_edited_page_is_left_alone(book: Book):
    book.write(PAGE, "---\na: b\n---\n# T { #t }\n\nIt is 6.0 ```x\n\n::: snippets/t/s.py\n")
    values = find_value_links(read_book(book.root), PAGE)
    marked = values.with_markers("# T { #t }\n\nIt is 6.0 ```x\n\n::: snippets/t/s.py\n")
    assert re.search("It is \ue0000\ue0016.0\ue002 ", marked)
    assert values.with_markers("Another text, 6.0") == "Another text, 6.0"


def test_the_title_names_script_and_line_in_the_language_of_the_page(linked):
    text = f"# T {{ #t }}\n\n{ONE}\n-7.5"
    for language, titles in {
        "zh": ["运行证明：one.py 第 2 行输出"],
        "en": ["Proved by line 2 of what one.py prints"],
        "de": ["Proved by line 2 of what one.py prints"],
    }.items():
        assert re.findall(r'class="run"[^>]* title="([^"]*)"', linked(text, language)[1]) == titles


def test_the_title_names_an_older_pytorch():
    evidence = Evidence(
        ShownSnippet((), "snippets/t/one.py", "one"), SnippetText("w: 48", "1.13"), 1
    )
    assert link_title(evidence, "zh") == "运行证明：one.py 在 PyTorch 1.13 上的第 1 行输出"


def test_two_scripts_of_one_name_on_a_page_have_lines_of_their_own(linked, book: Book):
    book.write("snippets/u/one.py", "print(31)\n")
    book.write("snippets/u/one.out", "31\n")
    found, placed = linked(f"# T {{ #t }}\n\n{ONE}\n::: snippets/u/one.py\n\n31 and 48")
    assert [to for _, to in found] == ["#snippets-u-one-out-1", "#snippets-t-one-out-1"]
    assert '<samp id="snippets-u-one-out-1">31\n</samp>' in placed


def test_a_script_that_stands_twice_has_its_ids_once(linked):
    _, placed = linked(f"# T {{ #t }}\n\n{ONE}\n{ONE}\n48")
    assert placed.count("<samp") == 1
