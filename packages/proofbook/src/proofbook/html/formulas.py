"""Formulas become MathML while the book is built: no script and no font is fetched to read them."""

from __future__ import annotations

import re

from math_core import LatexError, LatexToMathML

from proofbook.html.tree import Tree
from proofbook.model.problem import Problem

_MARKED = re.compile(r"\\(?P<open>[(\[])(?P<latex>.*?)\\[)\]]", re.DOTALL)


def render_formulas(tree: Tree) -> list[tuple[str, str]]:
    """Replace the formulas that pymdownx.arithmatex marked on a page by MathML.

    Gives the text of each formula that is not LaTeX, and the reason; it stays as it was.
    """
    converter, wrong = LatexToMathML(fancy_error=False, annotation=True), []
    for node in tree.css(".arithmatex"):
        marked = _MARKED.fullmatch(node.text().strip())
        if not marked:
            continue
        latex, block = marked["latex"].strip(), marked["open"] == "["
        try:
            mathml = converter.convert_with_local_state(latex, displaystyle=block)
        except LatexError as error:
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


def wrong_formula(file: str, text: str, latex: str, reason: str) -> Problem:
    """The problem with a formula that is not LaTeX; `text` is that of the page."""
    first, rows = latex.splitlines()[0], text.splitlines()
    found = [n for said in (f"${first}", first) for n, row in enumerate(rows, 1) if said in row]
    line = found[0] if found else 1
    what, mend = "the formula cannot be set", "correct the formula on this line"
    return Problem(file, line, what, "LaTeX", f"{latex}\n{reason}", mend, (file,))
