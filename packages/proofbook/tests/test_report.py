"""The proof report counts what stands on the pages, and nothing else."""

from __future__ import annotations

import platform
from importlib import metadata
from pathlib import Path

from proofbook.api.index import read_index
from proofbook.content.claim_report import reading, summary
from proofbook.content.report import Count, count, names_of, table, versions
from proofbook.markdown.expand import expand
from proofbook.model.book import read_book
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
        runs=1, lines=1, values=3, computed=1, names=0, open=1, elsewhere=1
    )


def test_general_sentences_are_counted_and_those_that_nothing_checks(book: Book):
    said = "It always holds. Here it always holds. It is good. It is `6.0`. A [leaf](q.md) is one."
    book.write("docs/t/p.en.md", f"# T {{ #t }}\n\n{said}\n\n::: snippets/t/s.py\n")
    book.write("tests/claims/test_t.py", "def test_it():\n    pass\n")
    tried = 'scope = "all"\ntest = "tests/claims/test_t.py::test_it"'
    entries = (
        f'[[p]]\nen = "It always holds."\nzh = "是 6。"\n{tried}\n'
        '[[p]]\nen = "A [leaf](q.md) is one."\nzh = "是 6。"\nuntested = "definition"\n'
    )
    book.write("docs/t/claims.toml", entries)
    whole = read_book(book.root)
    counted = count(whole, "docs/t/p.en.md")
    assert (counted.claims, counted.tested, counted.examples) == (2, 1, 1)
    assert reading(whole, "docs/t/p.en.md").unread == 1, "It is good."
    told, folded, _, row = summary("docs/proved/index.en.md", whole)
    assert told.startswith("This edition has 5 sentences. They make 2 general claims: tests tried")
    assert "Another 1 sentences" in told and " 1 sentences contain nothing" in told
    assert folded == '\n??? note "Not tested, a definition: 1"'
    assert row == "    - A leaf is one. ([T](../t/p.en.md))"
    assert summary("docs/proved/index.zh.md", whole)[0].startswith("这一版有 1 个句子。")


def test_the_table_has_a_row_for_each_page_with_runs_and_one_for_all(book: Book):
    book.write("docs/t/q.en.md", PAGE)
    book.write("docs/t/r.en.md", "# Nothing { #nothing }\n")
    assert table("docs/proved/index.en.md", read_book(book.root)) == [
        "| Page | Runs | Lines | Values | Equations | Names | Claims | Tested | Examples "
        "| Not computed | From elsewhere |",
        "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|",
        "| All pages | 2 | 2 | 3 | 1 | 0 | 0 | 0 | 0 | 1 | 1 |",
        "| [What is three times w?](../t/p.en.md) | 1 | 1 | 0 | 0 | 0 | 0 | 0 | 0 | 0 | 0 |",
        r"| [Why `6`? \| Really](../t/q.en.md) | 1 | 1 | 3 | 1 | 0 | 0 | 0 | 0 | 1 | 1 |",
        '\n??? note "Equations that were not computed: 1"',
        "",
        r"    - $z = 3q$ ([Why `6`? \| Really](../t/q.en.md))",
    ]


def test_a_page_asks_for_it_in_its_language(book: Book):
    for language, head in (("zh", "| 页面 | 运行 |"), ("en", "| Page | Runs |")):
        text = expand(parse(f"proved/index.{language}.md", "::: report\n"), read_book(book.root))
        assert text.startswith(head)
    assert table("docs/notes.md", read_book(book.root)) == []


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
    assert told[2].split(" | ")[5] == "3"
    assert any("could not be looked up" in line and "next_functions`." in line for line in told)


def test_the_versions_are_those_that_are_installed(book: Book):
    installed = metadata.version("mkdocs")
    pins = f"torch==0.4.1   # why\nmkdocs=={installed}\nno-such-thing==1\n"
    book.write("requirements.txt", pins)
    (told,) = versions("docs/proved/index.en.md", read_book(book.root))
    assert told.startswith(f"Python {platform.python_version()}, torch {read_index().version} (")
    assert told.endswith(f"says 0.4.1), mkdocs {installed}.")
    assert versions("docs/notes.md", read_book(book.root)) == []
    text = expand(parse("proved/index.zh.md", "::: versions\n"), read_book(book.root))
    assert text.startswith("Python ") and f"，mkdocs {installed}。" in text
    (told,) = versions("docs/proved/index.zh.md", read_book(ROOT))
    assert "里是" not in told and "torch 2." in told
