"""The figures of laboratories, put into pages: what their scripts drew, or drew last."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass, field

from proofbook.directives.varied_plot import Variants
from proofbook.html.figures import PLACEHOLDER, awaited_figures, fill_figures
from proofbook.html.tree import Tree
from proofbook.run.result import Result
from proofbook.run.runs import VARIED, Runs


@dataclass
class LabFigures:
    """Fills the places of figures.

    `waits`: whether a page waits until its scripts have run. One that does not shows the figures of
    before, and is among `earlier`, by language and file.
    """

    runs: Runs
    waits: bool = True
    earlier: set[tuple[str, str]] = field(default_factory=set)
    _last: dict[str, str] = field(default_factory=dict)

    def fill(self, output: str, language: str, file: str) -> str:
        """The HTML of a page with its figures."""
        if PLACEHOLDER not in output:
            return output
        tree = Tree(output)
        runs = {script: self.runs.last(script) for script in awaited_figures(tree)}
        varied = [run for script in runs if (run := self.runs.last(script, VARIED))]
        drawn = self.waits or all(run and run.done() for run in (*runs.values(), *varied))
        if drawn:
            figures = {script: svg for script, run in runs.items() if (svg := _figure_of(run))}
            self._last |= figures
            self.earlier.discard((language, file))
        else:
            figures = self._last
            self.earlier.add((language, file))
        fill_figures(tree, figures, earlier=not drawn)
        return tree.html

    def variants(self, script: str) -> Variants | None:
        """What a script drew with other numbers, for which this waits; None where that isn't known
        yet, or has failed."""
        run = self.runs.last(script, VARIED)
        if run is None or not (self.waits or run.done()) or run.exception():
            return None
        return run.result().variants


def _figure_of(run: Future[Result] | None) -> str | None:
    """The figure of a run, for which this waits; None if there is none, which is told elsewhere."""
    if run is None or run.exception():
        return None
    return next(iter(run.result().figures), None)
