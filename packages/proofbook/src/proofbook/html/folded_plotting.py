"""Folds the lines at the end of a script that only draw; what it is about stands above them.

A reader opens them with a checkbox, which needs no script of the page. Who copies or prints the
code gets all of it.
"""

from __future__ import annotations

from proofbook.html.tree import Node, Tree, element, split_text
from proofbook.model.config import in_language

FEWEST = 3
"""So many lines are worth folding."""

_SHOWN, _DRAWS = "plt.show()", "plt."
_LABEL = {"zh": "显示画图的 {lines} 行", "en": "Show the {lines} lines that draw"}


def fold_plotting(tree: Tree, language: str) -> None:
    """Fold the last lines of each script that ends with `plt.show()`, as far as each begins with
    `plt.`."""
    for code in tree.css("div.highlight pre > code"):
        lines = code.text().rstrip("\n").split("\n")
        first = len(lines)
        while lines[-1] == _SHOWN and first and lines[first - 1].startswith(_DRAWS):
            first -= 1
        if len(lines) - first < FEWEST or not first:
            continue
        folded = _from_line(code, first)
        label = element(tree, "label", {"class": "fold", "data-search-exclude": None})
        label.insert_child(element(tree, "input", {"type": "checkbox"}), move=True)
        label.insert_child(in_language(_LABEL, language).format(lines=len(lines) - first))
        code.insert_child(label, move=True)
        rest = element(tree, "span", {"class": "folded"})
        for node in folded:
            rest.insert_child(node, move=True)
        code.insert_child(rest, move=True)


def _from_line(code: Node, first: int) -> list[Node]:
    """The nodes of a script from a line on, counted from 0."""
    passed, found = 0, []
    for node in list(code.iter(include_text=True)):
        if passed == first:
            found.append(node)
            continue
        text = (node.text_content if node.is_text_node else node.text()) or ""
        passed += text.count("\n")
        if node.is_text_node and passed >= first:
            rows = text.split("\n")
            kept = len(rows) - 1 - (passed - first)
            parts = ["\n".join(rows[:kept]) + "\n", "\n".join(rows[kept:])]
            found += split_text(node, [part for part in parts if part])[1:]
            passed = first
    return found
