"""The proof report counts what stands on the pages, and nothing else."""

from __future__ import annotations

import platform
from importlib import metadata
from pathlib import Path

import pytest
from proofbook.content.report import (
    Count,
    claims,
    count,
    names_of,
    sentences,
    table,
    total,
    versions,
)
from proofbook.directives.registry import expand
from proofbook.model.book import read_book
from proofbook.model.cache import version_of
from proofbook.model.page import parse
from proofbook.testing.tiny_book import Book

ROOT = Path(__file__).resolve().parents[3]

PAGE = """\
# Why `6`? | Really { #why }

`6.0`, 17 and $2 \\times 3 = 6$, $z = 3q$, `nan`{ data-source="https://example.org" }
`1.5`{ data-source="https://example.org" }

::: snippets/t/s.py
"""


def test_what_is_counted(book: Book):
    book.write("docs/t/p.en.md", PAGE)
    assert count(read_book(book.root), "docs/t/p.en.md") == Count(
        pages=1,
        runs=1,
        lines=1,
        values=3,
        computed=1,
        open=1,
        elsewhere=1,
        sections=1,
        derived=1,
        sentences=1,
    )


def test_the_sections_that_tests_attack_are_counted_and_the_sentences_that_nothing_checks(
    book: Book,
):
    said = "It is good. It is `6.0`."
    more = "## More { #more }\n\nIt always holds."
    book.write("docs/t/p.en.md", f"# T {{ #t }}\n\n{said}\n\n::: snippets/t/s.py\n\n{more}\n")
    decorators = ('@attacks("t/p#more", zh="全部", en="all")\n' * 2, '@attacks("t/p#gone")\n')
    tests = (f"{d}def test_{n}():\n    assert n\n" for n, d in enumerate(decorators))
    book.write("tests/claims/test_t.py", "\n\n".join(tests))
    whole = read_book(book.root)
    counted = count(whole, "docs/t/p.en.md")
    assert (counted.sections, counted.attacked, counted.sentences) == (2, 1, 3)
    assert counted.unread == 1, "It is good."
    (told,) = claims("docs/proved/index.en.md", whole)
    assert told.startswith("This edition has 2 sections. 2 tests try to refute what 1 of them say;")
    assert "The edition has 3 sentences. 1 of them stand in none of these sections" in told
    assert claims("docs/proved/index.zh.md", whole)[0].startswith("这一版有 1 节，")


def test_a_script_is_confirmed_by_an_equation_a_second_way_or_a_test_of_its_section(book: Book):
    def confirmed() -> tuple[int, int, int]:
        counted = count(read_book(book.root), "docs/t/p.en.md")
        return counted.derived, counted.again, counted.alone

    said = "# T {{ #t }}\n\nIt is ${}$.\n\n::: snippets/t/s.py\n"
    for name, maths, expected in (
        ("a result", "2 \\times 3 = 6", (1, 0, 0)),
        ("a step on the way", "6 - 4 = 2", (0, 0, 1)),
        ("an assignment", "y = 6", (0, 0, 1)),
    ):
        for language in ("zh", "en"):
            book.write(f"docs/t/p.{language}.md", said.format(maths))
        assert confirmed() == expected, name
    book.write("tests/second_way/t.py", "def s() -> Pairs:\n    return [('y:', 6)]\n")
    assert confirmed() == (0, 1, 0)
    book.write("tests/second_way/t.py", "")
    test = "@attacks('t/p#{}', zh='试', en='one')\ndef test_it():\n    assert 1\n"
    for anchor, alone in (("another", 1), ("t", 0)):
        book.write("tests/claims/test_t.py", test.format(anchor))
        assert confirmed() == (0, 0, alone)


def test_all_pages_are_counted_together_and_each_has_a_line(book: Book):
    book.write("docs/t/q.en.md", PAGE)
    book.write("docs/t/r.en.md", "# Nothing { #nothing }\n\nIt always holds for `detach()`.\n")
    whole = read_book(book.root)
    assert table("docs/proved/index.en.md", whole) == [
        "| Counted | The whole book |",
        "|---|---:|",
        "| Pages | 3 |",
        "| Runs | 2 |",
        "| Lines | 2 |",
        "| Values | 3 |",
        "| Equations | 1 |",
        "| Names | 1 |",
        "| Sections tried | 0 |",
        "| Not computed | 1 |",
        "| From elsewhere | 1 |",
        "| Worked out | 2 |",
        "| Computed again | 0 |",
        "| Run alone | 0 |",
        '\n??? note "Page by page: 3 pages"',
        "",
        "    - [What is three times w?](../t/p.en.md): Runs 1 · Lines 1 · Worked out 1",
        "    - [Why `6`? | Really](../t/q.en.md): "
        "Runs 1 · Lines 1 · Values 3 · Equations 1 · Not computed 1 · From elsewhere 1 "
        "· Worked out 1",
        "    - [Nothing](../t/r.en.md): Names 1",
        '\n??? note "Equations that were not computed: 1"',
        "",
        "    - $z = 3q$ ([Why `6`? | Really](../t/q.en.md))",
    ]
    assert total(whole, "en") == sum(
        (count(whole, f"docs/t/{name}.en.md") for name in "pqr"), Count()
    )


def test_names_are_those_of_torch_that_were_looked_up(book: Book):
    book.change("snippets/t/s.py", "w = 2.0", "w = 2.0\nretain_grad = w")
    text = (
        "# T { #t }\n\n`torch.autograd.grad`, `w.detach()`, `.grad`, `y`, `sum`, `retain_grad()`, "
        "“`torch.gard`”, `torch.autograd.graph.Node.next_functions`\n\n::: snippets/t/s.py\n"
    )
    book.write("docs/t/p.en.md", text)
    assert names_of(read_book(book.root), "docs/t/p.en.md") == {
        "torch.autograd.grad": True,
        "detach": True,
        "grad": True,
        "torch.autograd.graph.Node.next_functions": False,
    }
    told = table("docs/proved/index.en.md", read_book(book.root))
    assert "| Names | 3 |" in told
    assert any("could not be looked up" in line and "next_functions`." in line for line in told)


def test_the_versions_are_those_that_are_installed(book: Book):
    installed = metadata.version("mkdocs")
    pins = f"torch==0.4.1   # why\nmkdocs=={installed}\nno-such-thing==1\n"
    book.write("requirements.txt", pins)
    (told,) = versions("docs/proved/index.en.md", read_book(book.root))
    assert told.startswith(f"Python {platform.python_version()}, torch {version_of('torch')} (")
    assert told.endswith(f"says 0.4.1), mkdocs {installed}.")
    assert versions("docs/notes.md", read_book(book.root)) == []
    text = expand(parse("proved/index.zh.md", "::: versions\n"), read_book(book.root))
    assert text.startswith("Python ") and f"，mkdocs {installed}。" in text
    (told,) = versions("docs/proved/index.zh.md", read_book(ROOT))
    assert "里是" not in told and "torch 2." in told


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("See `a. B` and $x. Y$. Next", ["See `a. B` and $x. Y$.", "Next"]),
        ("It is 1.5, e.g. this. **Two!**", ["It is 1.5, e.g. this.", "**Two!**"]),
        ("看[为什么？](a.md)再说。`b` 也是。", ["看[为什么？](a.md)再说。", "`b` 也是。"]),
        ("- One.\n\n| Cell | With a stop. |\n|---|---|\n| a | b |", ["One.", "With a stop."]),
    ],
)
def test_where_a_sentence_ends(text, found):
    page = parse("docs/t/p.en.md", f"# Title. Here {'{'} #t {'}'}\n\n{text}\n")
    assert [page.text[start:end] for start, end in sentences(page)] == found
