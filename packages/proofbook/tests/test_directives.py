"""A book adds directives of its own: Python files that its settings name."""

from __future__ import annotations

import subprocess
import sys

import pytest
from proofbook.directives.registry import directives_of, expand
from proofbook.export.notebook import cells
from proofbook.model.book import Book, read_book
from proofbook.model.page import Page, parse
from proofbook.model.problem import Unproved

OWN = """\
from dataclasses import dataclass

from proofbook.directives import Directive


@dataclass
class Count:
    runs: int


def expand_count(reference, page, book):
    return [f"{reference.option('of')}: {Count(len(book.scripts)).runs}"]


DIRECTIVES = [Directive("count", expand_count, {"of": "of: <what>"}, site_only=True)]
"""
PAGE = "# T { #t }\n\n::: count\n    of: scripts\n\nEnd.\n"


@pytest.fixture
def own(book) -> Book:
    book.write("mkdocs.yml", "plugins: [proofbook: {directives: [own]}]\n")
    book.write("own/count.py", OWN)
    return read_book(book.root)


def page(text: str = PAGE) -> Page:
    return parse("docs/t/p.en.md", text)


def test_a_directive_of_the_book_becomes_what_it_says(own):
    assert expand(page(), own) == "# T { #t }\n\nscripts: 1\n\nEnd.\n"
    assert not (own.root / "own/__pycache__").exists()


def test_results_that_name_its_functions_are_there_for_the_next_process(book):
    book.write("mkdocs.yml", "plugins: [proofbook: {directives: [own]}]\n")
    asks = OWN.replace("{Count(len(book.scripts)).runs}", "{book.fact(count_scripts)}").replace(
        "def expand_count",
        "def count_scripts(book: Book):\n    return len(book.scripts)\n\n\ndef expand_count",
    )
    book.write("own/count.py", "from proofbook.model.book import Book\n" + asks)
    book.change("docs/t/p.zh.md", "# ", "::: count\n    of: scripts\n\n# ")
    reads = (
        "from pathlib import Path\n"
        "from proofbook.directives.registry import read_with_results\n"
        "from proofbook.model.cache import Store\n"
        "book = read_with_results(Path.cwd(), Store(Path.cwd()))\n"
        "print([function.__name__ for function, _ in book.memo])\n"
    )
    for arguments in (["-m", "proofbook", "check"], ["-c", reads]):
        command = [sys.executable, *arguments]
        done = subprocess.run(command, cwd=book.root, capture_output=True, text=True)
    assert "'count_scripts'" in done.stdout, done.stderr


def test_what_only_the_site_can_show_is_left_out_of_a_notebook(own):
    text = "".join("".join(cell["source"]) for cell in cells(page(), own, "en"))
    assert "scripts" not in text and "count" not in text and text.endswith("End.")


def test_options_that_it_does_not_know_are_named(own):
    with pytest.raises(Unproved) as caught:
        expand(page(PAGE.replace("    of: scripts\n", "    of: a\n    off: b\n    of: c\n")), own)
    problems = [(problem.line, problem.what) for problem in caught.value.problems]
    twice = "the option stands twice"
    assert problems == [(4, twice), (5, "unknown option"), (6, twice)]


@pytest.mark.parametrize(
    ("source", "line", "found"),
    [
        ("x = 1\ny = x / 0\n", 2, "ZeroDivisionError"),
        ("x = 1\n", 1, "DIRECTIVES"),
        ("x = = 1\n", 1, "SyntaxError"),
    ],
)
def test_a_file_that_cannot_be_loaded_is_named_with_its_line(book, source, line, found):
    book.write("mkdocs.yml", "plugins: [proofbook: {directives: [own/count.py]}]\n")
    book.write("own/count.py", source)
    with pytest.raises(Unproved) as caught:
        directives_of(read_book(book.root))
    [problem] = caught.value.problems
    assert (problem.file, problem.line) == ("own/count.py", line)
    assert found in problem.found


def test_a_path_that_is_not_there_is_named(book):
    book.write("mkdocs.yml", "plugins: [proofbook: {directives: [gone]}]\n")
    with pytest.raises(Unproved, match="the directives of the book are not there"):
        directives_of(read_book(book.root))
