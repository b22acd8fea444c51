"""Laboratories: pages with figures that scripts draw; a strict build executes their notebooks.

A page with a `figure: plot` is one. Its notebook is the one that a reader can download; what the
cells print and draw must be what the scripts print and draw by themselves. The code is the same in
both languages, so it is executed once for both.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass

from gradtrace import same_but_for_rounding
from nbformat import NotebookNode

from proofbook.check.text_difference import first_different_line
from proofbook.directives.plot import plots_of
from proofbook.export import notebook
from proofbook.model.book import Book
from proofbook.model.page import one_line_end
from proofbook.model.problem import Problem, Unproved
from proofbook.model.snippet import dtype_of_results
from proofbook.run.kernels import CellFailed, KernelPool, Outputs
from proofbook.run.plot_environment import STYLE
from proofbook.run.provisioner import Fork
from proofbook.run.result import Result

_SETUP = f"""\
import os

os.environ["OMP_NUM_THREADS"] = "1"
import matplotlib
import torch

%matplotlib inline
matplotlib.rc_file({str(STYLE)!r})
torch.set_num_threads(1)
%config InlineBackend.figure_formats = ["svg"]
%config InlineBackend.print_figure_kwargs = {{"bbox_inches": None, "metadata": {{"Date": None}}}}
"""


@dataclass(frozen=True)
class Lab:
    """A notebook to be executed: the pages that show it, its scripts, the code of each cell."""

    pages: tuple[str, ...]
    scripts: tuple[str, ...]
    code: tuple[str, ...]

    @property
    def key(self) -> str:
        """The same for two labs whose notebooks give the same."""
        return hashlib.sha256(json.dumps([self.scripts, self.code]).encode()).hexdigest()


@dataclass(frozen=True)
class Cell:
    """What a script gave as a cell of its notebook; the figures are SVG."""

    script: str
    stdout: str
    stderr: str
    figures: tuple[str, ...]


Cells = Sequence[Cell]
"""What the scripts of a notebook gave, in their order."""


class Notebooks:
    """Owns the executed notebooks of a book.

    `known`: what earlier processes with the same software `held`; those notebooks are not executed
    again. `fork`: what starts kernels, see `KernelPool`.
    """

    def __init__(self, known: Mapping[str, Cells] | None = None, fork: Fork | None = None) -> None:
        self._pool = KernelPool(_SETUP, fork=fork)
        self._known = known or {}
        self._labs: list[Lab] = []
        self._outputs: dict[str, Future[Outputs]] = {}
        self.held: Mapping[str, Cells] = self._known
        """The cells of each notebook in which nothing is wrong, by the key of its lab; those that
        were executed now count once `problems` has told of them."""

    def start(self, book: Book) -> None:
        """Have the notebooks of a book executed."""
        self._labs = labs_of(book)
        for lab in self._labs:
            if lab.key not in self._known:
                self._outputs[lab.key] = self._pool.submit(lab.code)

    def problems(self, book: Book, results: Mapping[str, Result]) -> list[Problem]:
        """What is wrong in the notebooks; waits for them.

        `results`: of the scripts run by themselves, by their paths in the book.
        """
        told = {lab: list(self._wrong(lab, book, results)) for lab in self._labs}
        self.held = {lab.key: self._cells(lab) for lab, found in told.items() if not found}
        return [problem for found in told.values() for problem in found]

    def figure_counts(self) -> list[int]:
        """How many figures each notebook drew that was executed now; waits for them."""
        labs = [lab for lab in self._labs if lab.key in self._outputs]
        return [sum(len(cell.figures) for cell in self._cells(lab)) for lab in labs]

    def count_known(self) -> int:
        """How many notebooks of the book need not be executed."""
        return len(self._labs) - len(self._outputs)

    def close(self) -> None:
        """Stop the kernels."""
        self._pool.close()

    def _wrong(self, lab: Lab, book: Book, results: Mapping[str, Result]) -> Iterator[Problem]:
        outputs = self._outputs.get(lab.key)
        if outputs and (error := outputs.exception()):
            yield failure(lab, error)
        else:
            yield from wrong_cells(lab, self._cells(lab), results, book)

    def _cells(self, lab: Lab) -> Cells:
        if lab.key in self._known:
            return self._known[lab.key]
        outputs = self._outputs[lab.key]
        return () if outputs.exception() else cells_of(lab, outputs.result())


def labs_of(book: Book) -> list[Lab]:
    """The laboratories of a book, without pages that cannot be expanded (other checks say why)."""
    found: dict[tuple[str, ...], Lab] = {}
    for page in book.pages:
        if not any(plots_of(page)):
            continue
        scripts = tuple(r.path for r in page.references if r.path.endswith(".py"))
        known = found.get(scripts)
        try:
            code = known.code if known else _code_of(notebook.cells(page, book, "en"))
        except Unproved:
            continue
        found[scripts] = Lab((*(known.pages if known else ()), page.file), scripts, code)
    return list(found.values())


def _code_of(cells: list[NotebookNode]) -> tuple[str, ...]:
    return tuple(cell.source for cell in cells if cell.cell_type == "code")


def cells_of(lab: Lab, outputs: Outputs) -> Cells:
    """What the scripts of a lab printed and drew, from the outputs of its cells."""
    return [_cell(*each) for each in zip(lab.scripts, outputs, strict=True)]


def _cell(script: str, outputs: list[NotebookNode]) -> Cell:
    texts = {"stdout": "", "stderr": ""}
    figures: list[str] = []
    for output in outputs:
        if output.output_type == "stream":
            texts[output.name] += output.text
        elif "image/svg+xml" in output.get("data", {}):
            figures.append(output.data["image/svg+xml"])
        else:  # the value of the last line: no script prints that
            texts["stdout"] += output.get("data", {}).get("text/plain", "")
    return Cell(script, texts["stdout"], texts["stderr"], tuple(figures))


def wrong_cells(
    lab: Lab, cells: Cells, results: Mapping[str, Result], book: Book
) -> Iterator[Problem]:
    """Where a cell did something else in its notebook than its script did by itself."""
    for cell in cells:
        output = cell.script.removesuffix(".py") + ".out"
        mend = f"what comes before it in the notebook changes it: see {lab.pages[0]}"
        if cell.stderr:
            what = f"{cell.script} complains in its notebook"
            found = cell.stderr.strip()
            yield Problem(cell.script, 1, what, "nothing on stderr", found, mend, lab.pages)
        # A notebook has no line end after its last line.
        recorded, printed = (
            one_line_end(text).rstrip("\n") for text in (book.text(output), cell.stdout)
        )
        dtype = dtype_of_results(book.text(cell.script))
        if not same_but_for_rounding(recorded, printed, dtype):
            line, expected, found = first_different_line(recorded, printed)
            what = f"in its notebook, {cell.script} prints something else than what is recorded"
            yield Problem(output, line, what, expected, found, mend, lab.pages)
        run = results.get(cell.script)
        if run and not run.refusal and tuple(run.figures) != cell.figures:
            what = f"in its notebook, {cell.script} draws something else than by itself"
            expected = f"the same {len(run.figures)} figures"
            found = f"{len(cell.figures)} figures, or other lines in them"
            yield Problem(cell.script, 1, what, expected, found, mend, lab.pages)


def failure(lab: Lab, error: BaseException) -> Problem:
    """A notebook that did not come to its end."""
    failed = isinstance(error, CellFailed)
    script = lab.scripts[max(error.cell, 0) if failed else 0]
    return Problem(
        lab.pages[0],
        1,
        "the notebook of the page does not come to its end",
        "every cell runs",
        str(error) if failed else f"{type(error).__name__}: {error}",
        f"see whether it runs by itself: proofbook check {script}",
        lab.pages,
    )
