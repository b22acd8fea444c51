"""The proof report counts what stands on the pages, and nothing else."""

from __future__ import annotations

from tiny_book import ROOT, Book

from proof.expand import expand
from proof.page import parse, read
from proof.report import Count, count, table

PAGE = """\
# Why `6`? | Really { #why }

`6.0`, 17 and $2 \\times 3 = 6$, $z = 3q$, `nan`{ data-source="https://example.org" }
`1.5`{ data-source="https://example.org" }

::: snippets/t/s.py
"""


def test_what_is_counted(book: Book):
    page = parse("docs/t/p.en.md", PAGE)
    assert count(page, book.root) == Count(
        runs=1, lines=1, values=3, computed=1, open=1, elsewhere=1
    )


def test_the_table_has_a_row_for_each_page_with_runs_and_one_for_all(book: Book):
    book.write("docs/t/q.en.md", PAGE)
    book.write("docs/t/r.en.md", "# Nothing { #nothing }\n")
    assert table("docs/proved/index.en.md", book.root) == [
        "| Page | Runs | Lines | Values | Equations | Not computed | From elsewhere |",
        "|---|---:|---:|---:|---:|---:|---:|",
        "| All pages | 2 | 2 | 3 | 1 | 1 | 1 |",
        "| [What is three times w?](../t/p.en.md) | 1 | 1 | 0 | 0 | 0 | 0 |",
        r"| [Why `6`? \| Really](../t/q.en.md) | 1 | 1 | 3 | 1 | 1 | 1 |",
        '\n??? note "Equations that were not computed: 1"',
        "",
        r"    - $z = 3q$ ([Why `6`? \| Really](../t/q.en.md))",
    ]


def test_a_page_asks_for_it_in_its_language(book: Book):
    for language, head in (("zh", "| 页面 | 运行 |"), ("en", "| Page | Runs |")):
        text = expand(parse(f"proved/index.{language}.md", "::: report\n"), book.root)
        assert text.startswith(head)
    assert table("docs/notes.md", book.root) == []


def test_the_report_of_the_book_agrees_in_both_languages_on_what_ran():
    zh, en = (table(f"docs/proved/index.{x}.md", ROOT) for x in ("zh", "en"))
    assert len(zh) == len(en) > 60
    for one, other in zip(zh[2:], en[2:], strict=True):
        assert one.split(" | ")[-6:-4] == other.split(" | ")[-6:-4]
    assert "::: report" in read(ROOT / "docs/proved/index.zh.md")
