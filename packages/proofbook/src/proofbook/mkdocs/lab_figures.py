"""The figures of laboratories, put into pages: what their notebooks drew, or drew last."""

from __future__ import annotations

from dataclasses import dataclass, field

from proofbook.html.figures import PLACEHOLDER, awaited_figures, fill_figures
from proofbook.html.tree import Tree
from proofbook.run.notebooks import Notebooks


@dataclass
class LabFigures:
    """Fills the places of figures.

    `waits`: whether a page waits until its notebook has run. One that does not shows the figures of
    before, and is among `earlier`, by language and file.
    """

    notebooks: Notebooks
    waits: bool = True
    earlier: set[tuple[str, str]] = field(default_factory=set)
    _last: dict[str, str] = field(default_factory=dict)

    def fill(self, output: str, language: str, file: str) -> str:
        """The HTML of a page with its figures."""
        if PLACEHOLDER not in output:
            return output
        tree = Tree(output)
        scripts = set(awaited_figures(tree))
        drawn = self.waits or self.notebooks.have_run(scripts)
        if drawn:
            figures = self.notebooks.figures(scripts)
            self._last |= figures
            self.earlier.discard((language, file))
        else:
            figures = self._last
            self.earlier.add((language, file))
        fill_figures(tree, figures, earlier=not drawn)
        return tree.html
