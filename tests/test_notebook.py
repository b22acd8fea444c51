"""The notebooks of the pages: what stands in them, and that they print what they say."""

from __future__ import annotations

import base64
import json
import re
from importlib import metadata
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import pytest
from gradtrace import same_but_for_rounding
from nbformat import NotebookNode, v4
from nbformat.validator import NotebookValidationError
from notebook_shell import run_all
from proofbook.directives.snippet import code_with_notes
from proofbook.export.notebook import file_name, has_scripts, notebook, to_json
from proofbook.model.book import read_book
from proofbook.model.page import Page, parse
from proofbook.model.snippet import dtype_of_results
from proofbook.testing.tiny_book import recorded

ROOT = Path(__file__).resolve().parents[1]
SITE = "https://example.org/book/"
SAMPLE = 8
"""Of so many notebooks one is run; `pytest -m exhaustive` runs the others."""


BOOK = read_book(ROOT)


@pytest.fixture(scope="module")
def pages() -> list[Page]:
    return [page for page in BOOK.pages if has_scripts(page)]


@pytest.fixture(scope="module")
def notebooks(pages) -> dict[str, NotebookNode]:
    """The notebook of each page, by the file of the page."""
    return {page.file: notebook(page, BOOK, _language(page.file), SITE) for page in pages}


def _language(file: str) -> str:
    return file.removesuffix(".md").rpartition(".")[2]


def _sources(notebook: NotebookNode, kind: str) -> list[str]:
    return [cell.source for cell in notebook.cells if cell.cell_type == kind]


def _recorded(notebook: NotebookNode) -> list[str]:
    return [cell.outputs[0].text for cell in notebook.cells if cell.cell_type == "code"]


def _differences(notebook: NotebookNode, results: list[dict]) -> list[str]:
    """Where a run of a notebook is not what the notebook says."""
    codes = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [
        f"{code.id}: {result}"
        for code, text, result in zip(codes, _recorded(notebook), results, strict=True)
        if result != {"printed": result["printed"], "error": None, "value": None}
        or not same_but_for_rounding(result["printed"], text, dtype_of_results(code.source))
    ]


def test_notebooks_print_from_top_to_bottom_what_they_say(notebooks):
    """One language is enough: the code of both is the same. Four that differ are found."""
    output = v4.new_output("stream", name="stdout", text="y: 6\n")
    right = 'print("y: 6")'
    wrong = ['print("y:", 7)', f"1 / 0\n{right}", f"{right}\n6", "print('y: 6', end='')"]
    cells = [v4.new_code_cell(source, outputs=[output]) for source in [right, *wrong]]
    own = {cell.source: v4.new_notebook(cells=[cell]) for cell in cells}
    assert _wrong(own | _chosen(notebooks, rest=False)).keys() == set(wrong)


@pytest.mark.exhaustive
def test_the_other_notebooks_too(notebooks):
    wrong = _wrong(_chosen(notebooks, rest=True))
    assert not wrong, json.dumps(wrong, ensure_ascii=False, indent=1)


def _chosen(notebooks: dict[str, NotebookNode], rest: bool) -> dict[str, NotebookNode]:
    ours = [file for file in notebooks if file.endswith(".zh.md")]
    return {file: notebooks[file] for n, file in enumerate(ours) if bool(n % SAMPLE) == rest}


def _wrong(notebooks: dict[str, NotebookNode]) -> dict[str, list[str]]:
    """The notebooks that don't print what they say, and where."""
    results = zip(
        notebooks.items(), run_all(_sources(n, "code") for n in notebooks.values()), strict=True
    )
    found = {name: _differences(notebook, each) for (name, notebook), each in results}
    return {name: differences for name, differences in found.items() if differences}


def test_a_notebook_holds_the_page_and_nothing_that_only_the_site_understands(pages, notebooks):
    for page in pages:
        _holds_the_page(page, notebooks[page.file])


def _holds_the_page(page: Page, ours: NotebookNode) -> None:
    nbformat.validate(ours)
    ids = [cell.id for cell in ours.cells]
    assert len(ids) == len(set(ids)), page.file
    scripts = [ROOT / r.path for r in page.references if r.path.endswith(".py")]
    shown = [code_with_notes(r, BOOK) for r in page.references if r.path.endswith(".py")]
    assert _sources(ours, "code") == [code.rstrip("\n") for code in shown]
    assert _recorded(ours) == [s.with_suffix(".out").read_text("utf-8") for s in scripts]
    prose = "\n".join(_sources(ours, "markdown"))
    bare = re.sub(r"(`+)[^`].*?\1|\$\$.*?\$\$|\$[^$]+\$", "", prose, flags=re.DOTALL)
    left = r":::|^ *!!!|^ *\?\?\?|\{ *[#.:]|\{ *data-|<div class=\"doors"
    assert not re.findall(left, bare, re.M), page.file
    targets = re.findall(r"\]\(([^)\s]+)", bare)
    assert targets and all(re.match("https?:", target) for target in targets), (page.file, targets)
    first = _sources(ours, "markdown")[0].split("\n")
    assert first[0].startswith("# ") and "{" not in first[0], page.file
    assert SITE in first[2] and metadata.version("torch").partition("+")[0] in first[2]


def test_pictures_are_files_of_their_own(pages, notebooks):
    pictures = 0
    for page in pages:
        prose = "\n".join(_sources(notebooks[page.file], "markdown"))
        for svg in re.findall(r"svg\+xml;base64,([\w+/=]+)", prose):
            read = ElementTree.fromstring(base64.b64decode(svg))
            assert read.tag == "{http://www.w3.org/2000/svg}svg"
            style = "".join(read.find("{*}style").itertext())
            for variable in set(re.findall(r"var\((--[\w-]+)", style)) - {"--arrow", "--back"}:
                assert f"{variable}:" in style, variable
            pictures += 1
    asked = sum(r.option("figure") == "trace" for page in pages for r in page.references)
    assert pictures == asked > 10


def test_no_sentence_is_lost(pages, notebooks):
    """The words of a page stand in its notebook, in the same order."""

    def words(lines: list[str]) -> str:
        return re.sub(r"\]\(\S+|\{ *(?:[#.]|data-)[^}]*\}|[\W_]", "", "\n".join(lines))

    for page in pages:
        start = page.blocks[0][1] if page.text.startswith("---") else 0
        gone = {n for r in page.references for n in range(r.line, r.end + 1)} | {*range(start + 1)}
        lines = [
            re.sub(r"^ *(?:!!!|\?\?\?\+?) +\w+|^ *</?div.*", "", line)
            for n, line in enumerate(page.text.split("\n"), 1)
            if n not in gone
        ]
        cells = notebooks[page.file].cells
        text_cells = [c.source for c in cells if c.id.endswith("-text")]
        # What the home page shows of the checks is made, not written; so are lists of lessons.
        text_cells = [re.sub(r"```text\nsnippets/[^`]*```", "", text) for text in text_cells]
        text_cells = [re.sub(r"(?m)^\d+\. \[.*\) · \d+ .*$", "", text) for text in text_cells]
        title, _, rest = text_cells[0].partition("\n")
        text_cells[0] = title + "\n" + rest.lstrip("\n").partition("\n")[2]
        assert words(text_cells) == words(lines), page.file


TINY = """\
---
hide: [toc]
---
# What? { #what }

See [there](../u/q.en.md#x), [here](#down), `{ .kept }` and `2`{ data-line="a: {" }, $a_{b}$.

!!! warning "A trap"
    Before.

    ```text
    { #kept }
    ```

    ::: snippets/t/s.py
        then: 1.4.0

    After.

    ??? question
        Inside.

Out. [Home](../index.en.md) costs $5 [more](q.en.md) or $6.

```text
::: snippets/t/s.py
```
"""


def test_what_becomes_of_boxes_links_and_attributes(book):
    book.write(*recorded(book, "1.4.0", "5\n"))
    book.write(*recorded(book, "1.6.0", "7\n"))
    page = parse("docs/t/p.en.md", TINY)
    cells = notebook(page, read_book(book.root), "en", SITE).cells
    first, code, older, other, last = (cell.source for cell in cells)
    assert first.split("\n", 4)[4] == (
        f"See [there]({SITE}en/u/q/#x), [here]({SITE}en/t/p/#down), `{{ .kept }}` and `2`, "
        "$a_{b}$.\n\n> **A trap**\n>\n> Before.\n>\n> ```text\n> { #kept }\n> ```"
    )
    assert code == book.read("snippets/t/s.py").rstrip("\n")
    assert older == "PyTorch 1.4.0 printed:\n\n```text\n5\n```"
    assert other == "PyTorch 1.6.0: another output\n\n```text\n7\n```"
    assert last == (
        "> After.\n>\n>> **Question**\n>>\n>> Inside.\n\n"
        f"Out. [Home]({SITE}en/) costs $5 [more]({SITE}en/t/q/) or $6.\n\n"
        "```text\n::: snippets/t/s.py\n```"
    )
    assert [cell.id for cell in cells] == ["01-text", "02-s", "03-older", "04-version", "05-text"]


def test_bytes_are_the_same_each_time_and_names_follow_the_page(book):
    page, own = parse("docs/t/p.zh.md", book.read("docs/t/p.zh.md")), read_book(book.root)
    first, second = (to_json(notebook(page, own, "zh", SITE)) for _ in range(2))
    assert first == second and first.endswith("}\n")
    assert "三倍是多少？" in first
    names = ["docs/index.zh.md", "docs/t/index.en.md", "docs/t/p.zh.md"]
    assert [file_name(page) for page in names] == ["index.ipynb", "t.ipynb", "p.ipynb"]


def test_what_is_no_notebook_is_not_written():
    broken = v4.new_notebook(cells=[v4.new_code_cell("1")])
    broken.cells[0].id = "a b"
    with pytest.raises(NotebookValidationError):
        to_json(broken)
