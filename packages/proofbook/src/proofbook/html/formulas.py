"""Formulas become MathML while the book is built: no script and no font is fetched to read them."""

from __future__ import annotations

import re

from proofbook.html.tree import Tree
from proofbook.maths.mathml import FormulaError, mathml_converter, to_mathml

_MARKED = re.compile(r"\\(?P<open>[(\[])(?P<latex>.*?)\\[)\]]", re.DOTALL)


def render_formulas(tree: Tree) -> list[tuple[str, str]]:
    """Replace the formulas that pymdownx.arithmatex marked on a page by MathML.

    Gives the text of each formula that is not LaTeX, and the reason; it stays as it was.
    """
    converter, wrong = mathml_converter(), []
    for node in tree.css(".arithmatex"):
        marked = _MARKED.fullmatch(node.text().strip())
        if not marked:
            continue
        latex, block = marked["latex"].strip(), marked["open"] == "["
        try:
            mathml = to_mathml(converter, latex, block)
        except FormulaError as error:
            wrong.append((latex, str(error)))
            continue
        node.inner_html = mathml
        node.attrs["class"] = "formula"
        # Out of the search index: nobody searches for the letters of a formula.
        node.attrs["data-search-exclude"] = None
    return wrong


def formula_characters(tree: Tree) -> frozenset[str]:
    """The characters that the formulas of a page are set with."""
    characters: set[str] = set()
    for math in tree.css("math"):
        for node in math.traverse(include_text=True):
            if node.is_text_node and node.parent.tag != "annotation":
                characters.update(node.text_content)
            elif node.tag in ("msqrt", "mroot"):
                characters.add("√")  # drawn by the browser, it isn't typed
    return frozenset(characters) - frozenset(" \n")
