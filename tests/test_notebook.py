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
from forks import in_forks, run_notebook
from gradtrace import same_but_for_rounding
from nbformat import NotebookNode, v4
from nbformat.validator import NotebookValidationError
from proofbook.directives.exercise import to_write
from proofbook.directives.snippet import code_with_notes
from proofbook.export.notebook import (
    file_name,
    has_scripts,
    notebook,
    to_json,
    without_clues,
)
from proofbook.model.book import read_book
from proofbook.model.page import parse
from proofbook.model.snippet import dtype_of_results
from proofbook.testing.tiny_book import recorded

ROOT = Path(__file__).resolve().parents[1]
SITE = "https://example.org/book/"
SAMPLE = 8
"""Of so many notebooks one is run; `pytest -m exhaustive` runs the others."""
BOOK = read_book(ROOT)
PAGES = [page for page in BOOK.pages if has_scripts(page)]


@pytest.fixture(scope="module")
def notebooks() -> dict[str, NotebookNode]:
    """The notebook of each page, by the file of the page."""
    return {page.file: notebook(page, BOOK, page.language, SITE) for page in PAGES}


def _cells(notebook: NotebookNode, kind: str) -> list[NotebookNode]:
    """The cells of a kind, without those of exercises, which wait for their reader."""
    known = (cell for cell in notebook.cells if cell.cell_type == kind)
    return [cell for cell in known if "exercise" not in cell.metadata.get("tags", ())]


def _sources(notebook: NotebookNode, kind: str) -> list[str]:
    return [cell.source for cell in _cells(notebook, kind)]


def _recorded(notebook: NotebookNode) -> list[str]:
    return [cell.outputs[0].text for cell in _cells(notebook, "code")]


def _wrong(notebooks: dict[str, NotebookNode]) -> dict[str, list[str]]:
    """The notebooks whose run from top to bottom is not what they say, and where."""
    wrong: dict[str, list[str]] = {}
    runs = in_forks(run_notebook, [_sources(n, "code") for n in notebooks.values()])
    for (name, ours), results in zip(notebooks.items(), runs, strict=True):
        codes = _cells(ours, "code")
        for code, text, result in zip(codes, _recorded(ours), results, strict=True):
            dtype = dtype_of_results(code.source)
            right = same_but_for_rounding(result["printed"], text, dtype)
            if not right or result["error"] or result["value"]:
                wrong.setdefault(name, []).append(f"{code.id}: {result}")
    return wrong


def test_notebooks_print_from_top_to_bottom_what_they_say(notebooks):
    """One language is enough: the code of both is the same. Four that differ are found."""
    output = v4.new_output("stream", name="stdout", text="y: 6\n")
    right = 'print("y: 6")'
    wrong = ['print("y:", 7)', f"1 / 0\n{right}", f"{right}\n6", "print('y: 6', end='')"]
    cells = [v4.new_code_cell(source, outputs=[output]) for source in [right, *wrong]]
    own = {cell.source: v4.new_notebook(cells=[cell]) for cell in cells}
    chosen = [file for file in notebooks if file.endswith(".zh.md")][::SAMPLE]
    assert _wrong(own | {file: notebooks[file] for file in chosen}).keys() == set(wrong)


@pytest.mark.exhaustive
def test_the_other_notebooks_too(notebooks):
    ours = [file for file in notebooks if file.endswith(".zh.md")]
    wrong = _wrong({file: notebooks[file] for n, file in enumerate(ours) if n % SAMPLE})
    assert not wrong, json.dumps(wrong, ensure_ascii=False, indent=1)


def test_each_exercise_to_write_is_solved_by_its_script_and_by_no_unfinished_one(notebooks):
    jobs, names = [], []
    for page in PAGES:
        left = [c for c in notebooks[page.file].cells if "exercise" in c.metadata.get("tags", ())]
        written = [r for r in page.references if to_write(r)]
        for reference, start, check in zip(written, left[::2], left[1::2], strict=True):
            first = start.source.partition("\n")[0]
            solution = f"{first}\n{BOOK.text(reference.path)}"
            assert "..." in start.source and "# " in first
            if page.language == "en":  # the code of both is the same
                jobs.append([start.source, check.source, solution, check.source])
                names.append(reference.path)
    assert len(names) > 50
    runs = zip(names, in_forks(run_notebook, jobs), strict=True)
    right = ("Right.\n", None)
    wrong = {
        name: (early["printed"], late)
        for name, (_, early, _, late) in runs
        if "Right." in early["printed"] or (late["printed"], late["error"]) != right
    }
    assert not wrong


def words(lines: list[str]) -> str:
    """The letters of lines of Markdown."""
    return re.sub(r"\]\(\S+|\{ *(?:[#.]|data-)[^}]*\}|[\W_]", "", "\n".join(lines))


def test_a_notebook_holds_the_page_and_nothing_that_only_the_site_understands(notebooks):
    pictures = 0
    for page in PAGES:
        ours = notebooks[page.file]
        nbformat.validate(ours)
        ids = [cell.id for cell in ours.cells]
        assert len(ids) == len(set(ids)), page.file
        shown = [r for r in without_clues(page).references if r.path.endswith(".py")]
        references = [r for r in shown if not to_write(r)]
        codes = [code_with_notes(r, BOOK).rstrip("\n") for r in references]
        assert _sources(ours, "code") == codes
        outputs = [(ROOT / r.path).with_suffix(".out").read_text("utf-8") for r in references]
        assert _recorded(ours) == outputs
        prose = "\n".join(_sources(ours, "markdown"))
        bare = re.sub(r"(`+)[^`].*?\1|\$\$.*?\$\$|\$[^$]+\$", "", prose, flags=re.DOTALL)
        left = r":::|^ *!!!|^ *\?\?\?|\{ *[#.:]|\{ *data-|<div class=\"doors"
        assert not re.findall(left, bare, re.M), page.file
        targets = re.findall(r"\]\(([^)\s]+)", bare)
        assert targets and all(re.match("https?:", target) for target in targets), page.file
        first = _sources(ours, "markdown")[0].split("\n")
        assert first[0].startswith("# ") and "{" not in first[0], page.file
        assert SITE in first[2]
        if any("import torch" in code for code in codes):
            assert metadata.version("torch").partition("+")[0] in first[2]
        pictures += _pictures(prose)
    shown = [r for page in PAGES for r in page.references if not to_write(r)]
    asked = sum(r.option("figure") == "trace" for r in shown)
    assert pictures == asked > 10


def _pictures(prose: str) -> int:
    """How many pictures stand in a text; each is a file of its own, with its colors."""
    pictures = re.findall(r"svg\+xml;base64,([\w+/=]+)", prose)
    for svg in pictures:
        read = ElementTree.fromstring(base64.b64decode(svg))
        assert read.tag == "{http://www.w3.org/2000/svg}svg"
        style = "".join(read.find("{*}style").itertext())
        for variable in set(re.findall(r"var\((--[\w-]+)", style)) - {"--arrow", "--back"}:
            assert f"{variable}:" in style, variable
    return len(pictures)


def test_no_sentence_is_lost(notebooks):
    """The words of a page stand in its notebook, in the same order."""
    for page in map(without_clues, PAGES):
        start = page.blocks[0][1] if page.text.startswith("---") else 0
        gone = {n for r in page.references for n in range(r.line, r.end + 1)} | {*range(start + 1)}
        lines = [
            re.sub(r"^ *(?:!!!|\?\?\?\+?) +\w+|^ *</?div.*", "", line)
            for n, line in enumerate(page.text.split("\n"), 1)
            if n not in gone
        ]
        cells = notebooks[page.file].cells
        text_cells = [c.source for c in cells if c.id.endswith("-text")]
        # What the home page shows of the checks is made, not written; so are lists of lessons and
        # the lines to change.
        text_cells = [re.sub(r"```text\nsnippets/[^`]*```", "", text) for text in text_cells]
        text_cells = [re.sub(r"(?m)^\d+\. \[.*\) · \d+ .*$", "", text) for text in text_cells]
        boxes = r"(?m)^> \*\*(?:Do this|这样改)\*\*\n(?:>.*\n?)*"
        text_cells = [re.sub(boxes, "", text) for text in text_cells]
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

??? clue "A hint"
    The answer.

    ::: snippets/t/s.py

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
