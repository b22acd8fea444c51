"""Laboratories: pages whose notebook is executed, for the pictures that it draws.

A page with a `figure: plot` is one. Its notebook is the one that a reader may take home; here it is
made ready to be executed, and what it printed and drew is read from it as it was rendered. The code
is the same in both languages, so that it is executed once for both.
"""

from __future__ import annotations

import hashlib
import html
import json
import re
from base64 import b64decode
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from proofbook.check.text_difference import first_difference
from proofbook.directives.plot import asked
from proofbook.export.notebook import notebook
from proofbook.model.book import Book
from proofbook.model.page import one_line_end, read
from proofbook.model.problem import Problem, Unproved
from proofbook.run.plot_environment import STYLE
from proofbook.run.result import Result

_SETUP = f"""\
import os

os.environ["OMP_NUM_THREADS"] = "1"
import matplotlib
import torch

matplotlib.rc_file({str(STYLE)!r})
torch.set_num_threads(1)
%config InlineBackend.figure_formats = ["svg"]
%config InlineBackend.print_figure_kwargs = {{"bbox_inches": None, "metadata": {{"Date": None}}}}
"""
_CELL = re.compile(
    r'<div class="jp-Cell jp-CodeCell[^>]* id=.*?(?=<div class="jp-Cell |\Z)', re.DOTALL
)
_STREAM = re.compile(r'data-mime-type="([^"]*)"[^>]*>\s*<pre>(.*?)</pre>', re.DOTALL)
_DRAWN = re.compile(r'src="data:image/svg\+xml;base64,([^"]*)"')
_TAG = re.compile(r"<[^<>]*>")
_PRINTED, _COMPLAINED = "text/plain", "application/vnd.jupyter.stderr"


@dataclass(frozen=True)
class Lab:
    """A notebook to be executed, the pages that show it, and the scripts that are its cells."""

    pages: tuple[str, ...]
    scripts: tuple[str, ...]
    notebook: str

    @property
    def key(self) -> str:
        """Says whether what is to be executed is the same, whatever the words around it."""
        cells = json.loads(self.notebook)["cells"]
        code = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
        return hashlib.sha256(json.dumps(code).encode()).hexdigest()


@dataclass(frozen=True)
class Cell:
    """What a script gave as a cell of its notebook."""

    script: str
    printed: str
    complained: str
    figures: tuple[str, ...]


def as_on_a_new_machine(folder: Path) -> dict[str, str]:
    """The variables with which kernels read their settings from a `folder` made for them.

    Whatever somebody has set up for their own notebooks stays out, and a kernel tells errors alone.
    """
    profile = folder / "profile_default"
    profile.mkdir()
    settings = "c.IPKernelApp.log_level = 'ERROR'\n"
    profile.joinpath("ipython_kernel_config.py").write_text(settings, encoding="utf-8")
    return {"IPYTHONDIR": str(folder)}


def labs_of(book: Book) -> list[Lab]:
    """The laboratories of a book; of a page that cannot be shown, something else is told."""
    found: dict[tuple[str, ...], Lab] = {}
    for page in book.pages:
        if not any(asked(page)):
            continue
        scripts = tuple(r.path for r in page.references if r.path.endswith(".py"))
        known = found.get(scripts)
        try:
            told = known.notebook if known else _to_execute(notebook(page, book, "en"))
        except Unproved:
            continue
        found[scripts] = Lab((*(known.pages if known else ()), page.file), scripts, told)
    return list(found.values())


def _to_execute(told: dict) -> str:
    """The notebook without outputs; before its cells comes one that says how figures are drawn."""
    setup = {"cell_type": "code", "id": "setup", "metadata": {}, "source": _SETUP}
    cells = [setup, *told["cells"]]
    for cell in cells:
        if cell["cell_type"] == "code":
            cell |= {"outputs": [], "execution_count": None}
    return json.dumps({**told, "cells": cells}, ensure_ascii=False)


def cells_of(lab: Lab, rendered: str) -> list[Cell]:
    """What the scripts of a lab printed and drew, from its executed notebook as HTML."""
    told = []
    for script, cell in zip(lab.scripts, _CELL.findall(rendered)[1:], strict=True):
        said = {_PRINTED: "", _COMPLAINED: ""}
        for kind, text in _STREAM.findall(cell):
            said[kind] = said.get(kind, "") + html.unescape(_TAG.sub("", text))
        figures = tuple(b64decode(image).decode() for image in _DRAWN.findall(cell))
        told.append(Cell(script, said[_PRINTED], said[_COMPLAINED], figures))
    return told


def figures_of(cells: list[Cell]) -> dict[str, str]:
    """The figures, by script."""
    return {cell.script: cell.figures[0] for cell in cells if cell.figures}


def wrong_cells(
    lab: Lab, cells: list[Cell], alone: dict[str, Result], root: Path
) -> Iterator[Problem]:
    """Where a cell did something else in its notebook than the script did `alone`."""
    for cell in cells:
        output = cell.script.removesuffix(".py") + ".out"
        mend = f"what comes before it in the notebook changes it: see {lab.pages[0]}"
        if cell.complained:
            what = f"{cell.script} complains in its notebook"
            said = cell.complained.strip()
            yield Problem(cell.script, 1, what, "nothing on stderr", said, mend, lab.pages)
        recorded = read(root / output).rstrip("\n")
        # A notebook has no line end after its last line.
        if told := first_difference(recorded, one_line_end(cell.printed).rstrip("\n")):
            line, said, printed = told
            what = f"in its notebook, {cell.script} prints something else than what is recorded"
            yield Problem(output, line, what, said, printed, mend, lab.pages)
        run = alone.get(cell.script)
        if run and not run.refusal and tuple(run.figures) != cell.figures:
            what = f"in its notebook, {cell.script} draws something else than by itself"
            expected = f"the same {len(run.figures)} figures"
            found = f"{len(cell.figures)} figures, or other lines in them"
            yield Problem(cell.script, 1, what, expected, found, mend, lab.pages)


def failed(lab: Lab, error: Exception) -> Problem:
    """A notebook that did not come to its end."""
    cells = json.loads(lab.notebook)["cells"]
    code = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"][1:]
    named = (s for s, text in zip(lab.scripts, code, strict=True) if text in str(error))
    within = next(named, lab.scripts[0])
    found = f"{getattr(error, 'ename', type(error).__name__)}: {getattr(error, 'evalue', error)}"
    return Problem(
        lab.pages[0],
        1,
        "the notebook of the page does not come to its end",
        "every cell runs",
        found,
        f"see whether it runs by itself: proofbook check {within}",
        lab.pages,
    )
