"""The notebooks of the pages: what stands in them, and that they print what they say."""

from __future__ import annotations

import base64
import json
import re
import subprocess
import sys
from dataclasses import replace
from importlib import metadata
from pathlib import Path
from xml.etree import ElementTree

import nbformat
import pytest
from proofbook.export.notebook import has_scripts, name, notebook, text
from proofbook.model.book import read_book
from proofbook.model.page import parse

ROOT = Path(__file__).resolve().parents[1]

SITE = "https://example.org/book/"
BOOK = read_book(ROOT)
PAGES = [page for page in BOOK.pages if has_scripts(page)]
THROUGH_JUPYTER = ("docs/accumulate/two-losses.zh.md", "docs/convolution/kernel.en.md")


def _language(file: str) -> str:
    return file.removesuffix(".md").rpartition(".")[2]


NOTEBOOKS = {page.file: notebook(page, BOOK, _language(page.file), SITE) for page in PAGES}


def _cells(told: dict, kind: str) -> list[str]:
    return ["".join(c["source"]) for c in told["cells"] if c["cell_type"] == kind]


def _recorded(told: dict) -> list[str]:
    return ["".join(c["outputs"][0]["text"]) for c in told["cells"] if c["cell_type"] == "code"]


def _run(notebooks: list[dict]) -> list[list[dict]]:
    done = subprocess.run(
        [sys.executable, str(Path(__file__).with_name("notebook_shell.py"))],
        input=json.dumps([_cells(told, "code") for told in notebooks]),
        capture_output=True,
        text=True,
        timeout=240,
        check=True,
    )
    return json.loads(done.stdout)


def _faults(told: dict, cells: list[dict]) -> list[str]:
    """Where a run of a notebook is not what the notebook says."""
    codes = [cell for cell in told["cells"] if cell["cell_type"] == "code"]
    return [
        f"{code['id']}: {found}"
        for code, said, found in zip(codes, _recorded(told), cells, strict=True)
        if found != {"printed": said, "error": None, "value": None}
    ]


def test_every_notebook_prints_from_top_to_bottom_what_it_says():
    """One language is enough: the code of both is the same."""
    for file, told in NOTEBOOKS.items():
        other = file.replace(".zh.md", ".en.md") if ".zh." in file else file
        assert _cells(told, "code") == _cells(NOTEBOOKS[other], "code"), file
        assert _recorded(told) == _recorded(NOTEBOOKS[other]), file
    chosen = {file: told for file, told in NOTEBOOKS.items() if file.endswith(".zh.md")}
    found = zip(chosen, _run(list(chosen.values())), strict=True)
    wrong = {file: told for file, cells in found if (told := _faults(chosen[file], cells))}
    assert not wrong, json.dumps(wrong, ensure_ascii=False, indent=1)


def test_the_comparison_sees_what_differs():
    right = 'print("y: 6")'
    wrong = ['print("y:", 7)', f"1 / 0\n{right}", f"{right}\n6", "print('y: 6', end='')"]
    cell = {"cell_type": "code", "id": "a", "outputs": [{"text": ["y: 6\n"]}]}
    notebooks = [{"cells": [cell | {"source": source}]} for source in [right, *wrong]]
    found = zip(notebooks, _run(notebooks), strict=True)
    assert [bool(_faults(*one)) for one in found] == [False, True, True, True, True]


@pytest.mark.parametrize("file", THROUGH_JUPYTER)
def test_some_run_in_a_real_kernel(file):
    from nbclient import NotebookClient

    read = nbformat.reads(json.dumps(NOTEBOOKS[file]), as_version=4)
    done = NotebookClient(read, timeout=60, kernel_name="python3").execute()
    for cell, said in zip(
        (c for c in done.cells if c.cell_type == "code"), _recorded(NOTEBOOKS[file]), strict=True
    ):
        assert "".join(o.text for o in cell.outputs if o.get("name") == "stdout") == said, cell.id
        assert {o.output_type for o in cell.outputs} == {"stream"}, cell.id


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.file)
def test_a_notebook_holds_the_page_and_nothing_that_only_the_site_understands(page):
    told = NOTEBOOKS[page.file]
    nbformat.validate(nbformat.from_dict(told))
    ids = [cell["id"] for cell in told["cells"]]
    assert len(ids) == len(set(ids))
    scripts = [r.path for r in page.references if r.path.endswith(".py")]
    assert _cells(told, "code") == [(ROOT / s).read_text("utf-8").rstrip("\n") for s in scripts]
    outputs = [(ROOT / s).with_suffix(".out").read_text("utf-8") for s in scripts]
    assert _recorded(told) == outputs
    prose = "\n".join(_cells(told, "markdown"))
    bare = re.sub(r"(`+)[^`].*?\1|\$\$.*?\$\$|\$[^$]+\$", "", prose, flags=re.DOTALL)
    assert not re.findall(
        r":::|^ *!!!|^ *\?\?\?|\{ *[#.:]|\{ *data-|<div class=\"doors", bare, re.M
    )
    targets = re.findall(r"\]\(([^)\s]+)", bare)
    assert targets and all(re.match("https?:", target) for target in targets), targets
    first = _cells(told, "markdown")[0].split("\n")
    assert first[0].startswith("# ") and "{" not in first[0]
    assert SITE in first[2] and metadata.version("torch").partition("+")[0] in first[2]
    assert told == notebook(page, BOOK, _language(page.file), SITE)


def test_pictures_are_files_of_their_own():
    pictures = 0
    for page in PAGES:
        told = NOTEBOOKS[page.file]
        for svg in re.findall(r"svg\+xml;base64,([\w+/=]+)", json.dumps(told)):
            read = ElementTree.fromstring(base64.b64decode(svg))
            assert read.tag == "{http://www.w3.org/2000/svg}svg"
            style = "".join(read.find("{*}style").itertext())
            for variable in set(re.findall(r"var\((--[\w-]+)", style)) - {"--arrow"}:
                assert f"{variable}:" in style, variable
            pictures += 1
    asked = sum(r.option("figure") == "trace" for page in PAGES for r in page.references)
    assert pictures == asked > 10


def test_no_sentence_is_lost():
    """The words of a page stand in its notebook, in the same order."""

    def words(told: list[str]) -> str:
        return re.sub(r"\]\(\S+|\{ *(?:[#.]|data-)[^}]*\}|[\W_]", "", "\n".join(told))

    for page in PAGES:
        start = page.blocks[0][1] if page.text.startswith("---") else 0
        gone = {n for r in page.references for n in range(r.line, r.end + 1)} | {*range(start + 1)}
        lines = [
            re.sub(r"^ *(?:!!!|\?\?\?\+?) +\w+|^ *</?div.*", "", line)
            for n, line in enumerate(page.text.split("\n"), 1)
            if n not in gone
        ]
        told = [c for c in NOTEBOOKS[page.file]["cells"] if c["cell_type"] == "markdown"]
        text_cells = ["".join(c["source"]) for c in told if c["id"].endswith("-text")]
        # What the home page shows of the checks is made, not written.
        text_cells = [re.sub(r"```text\nsnippets/[^`]*```", "", text) for text in text_cells]
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

Out. [Home](../index.en.md)

```text
::: snippets/t/s.py
```
"""


def test_what_becomes_of_boxes_links_and_attributes(book):
    book.write("snippets/t/s.1.4.0.then", "# printed by PyTorch 1.4.0\n5\n")
    page = parse("docs/t/p.en.md", TINY)
    told = notebook(page, read_book(book.root), "en", SITE)
    first, code, older, last = ("".join(cell["source"]) for cell in told["cells"])
    assert first.split("\n", 4)[4] == (
        f"See [there]({SITE}en/u/q/#x), [here]({SITE}en/t/p/#down), `{{ .kept }}` and `2`, "
        "$a_{b}$.\n\n> **A trap**\n>\n> Before.\n>\n> ```text\n> { #kept }\n> ```"
    )
    assert code == book.read("snippets/t/s.py").rstrip("\n")
    assert older.startswith("PyTorch 1.4.0 printed:\n\n```text\n")
    assert last == (
        "> After.\n>\n>> **Question**\n>>\n>> Inside.\n\n"
        f"Out. [Home]({SITE}en/)\n\n```text\n::: snippets/t/s.py\n```"
    )
    assert [cell["id"] for cell in told["cells"]] == ["01-text", "02-s", "03-older", "04-text"]


def test_bytes_are_the_same_each_time_and_names_follow_the_page(book):
    page = parse("docs/t/p.zh.md", book.read("docs/t/p.zh.md"))
    told = text(page, book.root, "zh", SITE)
    assert told == text(replace(page), book.root, "zh", SITE) and told.endswith("}\n")
    assert "三倍是多少？" in told
    names = ["docs/index.zh.md", "docs/t/index.en.md", "docs/t/p.zh.md"]
    assert [name(page) for page in names] == ["index.ipynb", "t.ipynb", "p.ipynb"]
