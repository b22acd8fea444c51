"""Folds the lines at the end of a script that only draw; what it is about stands above them.

A reader opens them with a checkbox, which needs no script of the page. Who copies or prints the
code gets all of it.
"""

from __future__ import annotations

from proofbook.html.code_lines import LINE
from proofbook.html.tree import Tree, element, wrap
from proofbook.model.config import in_language

FEWEST = 3
"""So many lines are worth folding."""

_SHOWN, _DRAWS = "plt.show()", "plt."
_LABEL = {"zh": "显示画图的 {lines} 行", "en": "Show the {lines} lines that draw"}


def fold_plotting(tree: Tree, language: str) -> None:
    """Fold the last lines of each script that ends with `plt.show()`, as far as each begins with
    `plt.`."""
    for code in tree.css("div.highlight pre > code"):
        lines = [line for line in code.iter() if LINE in (line.attributes.get("class") or "")]
        texts = [line.text().removesuffix("\n") for line in lines]
        first = len(lines)
        while first and texts[-1] == _SHOWN and texts[first - 1].startswith(_DRAWS):
            first -= 1
        if len(lines) - first < FEWEST or not first:
            continue
        label = element(tree, "label", {"class": "fold", "data-search-exclude": None})
        label.insert_child(element(tree, "input", {"type": "checkbox"}), move=True)
        label.insert_child(in_language(_LABEL, language).format(lines=len(lines) - first))
        lines[first].insert_before(label, move=True)
        wrap(lines[first:], element(tree, "span", {"class": "folded"}))
