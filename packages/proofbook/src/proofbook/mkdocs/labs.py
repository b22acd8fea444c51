"""Labs: pages whose notebook mkdocs-jupyter executes, and the figures that scripts draw.

A page with a plot is a lab if mkdocs-jupyter's settings include its notebook, the one that readers
download. The output of the notebook's cells must match the recorded one, and their figures those of
the scripts, run by themselves, which the page shows.
"""

from __future__ import annotations

import os
import tempfile
from base64 import b64decode
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

from gradtrace import same_but_for_rounding
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page as SitePage

from proofbook.directives.plot import STYLE, DrawnRuns, plots_of
from proofbook.html.code import (
    PLACEHOLDER,
    awaited_figures,
    fill_figures,
    show_figure_first,
)
from proofbook.html.tree import Node, Tree
from proofbook.mkdocs.editions import source_of
from proofbook.mkdocs.page_cache import Cache, digest
from proofbook.model.book import Book
from proofbook.model.page import Page, one_line_end
from proofbook.model.problem import Problem
from proofbook.model.snippet import dtype_of_results, first_different_line, output_file
from proofbook.run.judge import Result
from proofbook.run.runner import TIME_LIMIT
from proofbook.run.runs import VARIED, Runs

Render = Callable[[MkDocsConfig, Files], None]

_STDOUT, _SVG = "text/plain", "image/svg+xml"
_KERNEL = """\
c.IPKernelApp.log_level = "ERROR"
c.InlineBackend.figure_formats = {"svg"}
c.InlineBackend.print_figure_kwargs = {"bbox_inches": None, "metadata": {"Date": None}}
"""
_NBCONVERT = f"""\
c.NotebookClient.timeout = {3 * TIME_LIMIT:.0f}
c.NotebookClient.startup_timeout = {3 * TIME_LIMIT:.0f}
c.NotebookClient.shutdown_kernel = "immediate"
"""


@dataclass(frozen=True)
class Cell:
    """The output and figures of a script as a cell of its notebook; the figures are SVG."""

    stdout: str
    stderr: str
    figures: tuple[str, ...]


@dataclass
class Lab:
    """A notebook: its scripts, a digest of their code, and the result of each cell, or why the
    notebook did not finish. `now`: whether this build executed it."""

    code: str
    cells: Mapping[str, Cell] = field(default_factory=dict)
    failure: Problem | None = None
    now: bool = True


@dataclass
class Labs:
    """Owns the results of the labs' notebooks, and fills in the figures.

    `waits`: whether a page waits until its notebook and its scripts have run. One that does not
    shows the previous figures, and is in `earlier`, by language and file.
    """

    runs: Runs
    cache: Cache
    waits: bool = True
    earlier: set[tuple[str, str]] = field(default_factory=set)
    pages: set[str] = field(default_factory=set)
    """The files of the labs that have been rendered."""
    _labs: dict[tuple[str, ...], Lab] = field(default_factory=dict)
    _last: dict[str, str] = field(default_factory=dict)

    def execute(
        self, page: SitePage, render: Render, config: MkDocsConfig, files: Files, book: Book
    ) -> None:
        """Execute the notebook of a page, unless that was done with the same code: in another
        language, or by an earlier build. `render`: mkdocs-jupyter's replacement of
        `page.render`."""
        source = source_of(page.file)
        scripts = _scripts(book.page(source))
        place, code = ("executed", *scripts), _code(scripts, book)
        if (known := self._labs.get(scripts)) and known.code == code:
            return
        if cells := self.cache.get(place, code):
            self._labs[scripts] = Lab(code, cells, now=False)
        elif self.waits:
            try:
                rendered = _rendered(page, render, config, files)
            except Exception as error:  # anything that nbconvert, the kernel or the script raises
                self._labs[scripts] = Lab(code, failure=_failure(source, scripts, error, book))
                return
            cells = cells_of(rendered, scripts)
            self.cache.put(place, code, cells)
            self._labs[scripts] = Lab(code, cells)

    def problems(self, book: Book, results: Iterable[Result]) -> Iterator[Problem]:
        """Differences between a notebook's results and those of its scripts."""
        plain = (run for run in results if run.trace is None and run.variants is None)
        by_script = {Path(run.path).relative_to(book.root).as_posix(): run for run in plain}
        for scripts, lab in self._labs.items():
            if not all(map(book.has, scripts)) or lab.code != _code(scripts, book):
                continue  # they have changed since it was executed
            if lab.failure:
                yield lab.failure
            for script, cell in lab.cells.items():
                yield from wrong_cell(script, cell, by_script.get(script), book)

    def figure_counts(self) -> list[int]:
        """The number of figures in each notebook executed in this build."""
        labs = [lab for lab in self._labs.values() if lab.now and lab.cells]
        return [sum(len(cell.figures) for cell in lab.cells.values()) for lab in labs]

    def count_known(self) -> int:
        """The number of notebooks executed by an earlier build."""
        return sum(not lab.now for lab in self._labs.values())

    def fill(self, output: str, language: str, file: str) -> str:
        """The HTML of a page with its figures."""
        if PLACEHOLDER not in output:
            return output
        tree = Tree(output)
        asked = awaited_figures(tree)
        runs = {script: run for script in asked if (run := self.runs.last(script))}
        varied = [run for script in asked if (run := self.runs.last(script, VARIED))]
        drawn = self.waits or all(run.done() for run in (*runs.values(), *varied))
        if drawn:
            figures = {script: svg for script, run in runs.items() if (svg := _figure_of(run))}
            self._last |= figures
            self.earlier.discard((language, file))
        else:
            figures = self._last
            self.earlier.add((language, file))
        filled = fill_figures(tree, figures)
        if file in self.pages:
            show_figure_first(tree, filled, language)
        return tree.html

    def variants(self, script: str) -> DrawnRuns | None:
        """The figures of a script with other numbers; None if they aren't known, or failed."""
        run = self.runs.last(script, VARIED)
        if run is None or not (self.waits or run.done()) or run.exception():
            return None
        return run.result().variants


def is_lab(page: Page, notebook: Path, config: MkDocsConfig) -> bool:
    """Whether mkdocs-jupyter should execute the notebook of a page, a file with this path."""
    jupyter = config.plugins.get("mkdocs-jupyter")
    included = jupyter and jupyter.should_include(SimpleNamespace(abs_src_path=str(notebook)))
    return bool(included) and any(plots_of(page))


def cells_of(rendered: str, scripts: Sequence[str]) -> dict[str, Cell]:
    """The output and figures of the scripts, from nbconvert's HTML of their notebook."""
    cells = Tree(rendered).css("div.jp-CodeCell[id]")
    return {script: _cell(node) for script, node in zip(scripts, cells, strict=True)}


def _cell(node: Node) -> Cell:
    texts: dict[bool, str] = {True: "", False: ""}
    figures = []
    for output in node.css("div.jp-OutputArea-output"):
        kind = output.attributes.get("data-mime-type")
        if kind == _SVG:
            address = output.css_first("img").attributes["src"]
            figures.append(b64decode(address.partition("base64,")[2]).decode("utf-8"))
        else:  # anything else is reported as if printed to stderr
            texts[kind == _STDOUT] += output.css_first("pre").text() if output.css("pre") else kind
    return Cell(texts[True], texts[False], tuple(figures))


def wrong_cell(script: str, cell: Cell, run: Result | None, book: Book) -> Iterator[Problem]:
    """Differences between a cell in its notebook and its script by itself."""
    pages, output = book.pages_showing(script), output_file(script)
    fix = f"what comes before it in the notebook changes it: see {pages[0]}"
    if cell.stderr:
        what = f"{script} complains in its notebook"
        yield Problem(script, 1, what, "nothing on stderr", cell.stderr.strip(), fix, pages)
    # HTML has no empty lines at the ends of a cell's output.
    recorded, printed = (
        one_line_end(text).strip("\n") for text in (book.text_or_empty(output), cell.stdout)
    )
    if not same_but_for_rounding(recorded, printed, dtype_of_results(book.text(script))):
        line, expected, found = first_different_line(recorded, printed)
        what = f"in its notebook, {script} prints something else than what is recorded"
        yield Problem(output, line, what, expected, found, fix, pages)
    if run and not run.refusal and tuple(run.figures) != cell.figures:
        what = f"in its notebook, {script} draws something else than by itself"
        expected = f"the same {len(run.figures)} figures"
        found = f"{len(cell.figures)} figures, or other lines in them"
        yield Problem(script, 1, what, expected, found, fix, pages)


def _failure(source: str, scripts: Sequence[str], error: Exception, book: Book) -> Problem:
    why = f"{getattr(error, 'ename', type(error).__name__)}: {getattr(error, 'evalue', error)}"
    what = "the notebook of the page does not come to its end"
    fix = f"see whether its scripts run by themselves: proofbook check {source}"
    return Problem(source, 1, what, "every cell runs", why, fix, book.pages_showing(scripts[0]))


def _scripts(page: Page) -> tuple[str, ...]:
    return tuple(r.path for r in page.references if r.path.endswith(".py"))


def _code(scripts: Sequence[str], book: Book) -> str:
    return digest(_KERNEL, *map(book.text, scripts))


def _rendered(page: SitePage, render: Render, config: MkDocsConfig, files: Files) -> str:
    """mkdocs-jupyter's HTML of the notebook of a page; the page is unchanged."""
    before = dict(vars(page))
    try:
        with _jupyter_environment():
            render(config, files)
        return page.content
    finally:
        vars(page).clear()
        vars(page).update(before)


@contextmanager
def _jupyter_environment() -> Iterator[None]:
    """Make kernels draw like scripts of the book, without the user's settings of Jupyter."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        profile = Path(folder, "profile_default")
        profile.mkdir()
        (profile / "ipython_kernel_config.py").write_text(_KERNEL, "utf-8")
        Path(folder, "jupyter_nbconvert_config.py").write_text(_NBCONVERT, "utf-8")
        own = {"IPYTHONDIR": folder, "JUPYTER_CONFIG_DIR": folder}
        own |= {"MATPLOTLIBRC": str(STYLE), "OMP_NUM_THREADS": "1"}
        before = dict(os.environ)
        os.environ |= own
        os.environ.pop("MPLBACKEND", None)  # the kernel's own draws into the notebook
        try:
            yield
        finally:
            os.environ.clear()
            os.environ |= before


def _figure_of(run: Future[Result]) -> str | None:
    """The figure of a run, for which this waits; None if there is none."""
    return None if run.exception() else next(iter(run.result().figures), None)
