"""Formulas become MathML while the book is built: no script and no font is fetched to read them."""

from __future__ import annotations

import html
import re
from functools import cache

from math_core import LatexError, LatexToMathML

from proofbook.model.problem import Problem

_MARKED = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">\\(?P<open>[(\[])(?P<latex>.*?)\\[)\]]</(?P=tag)>', re.S
)
_CONVERTER = LatexToMathML(fancy_error=False, annotation=True)


def render_formulas(page: str) -> tuple[str, list[tuple[str, str]]]:
    """Replace the formulas that pymdownx.arithmatex marked in the HTML of a page by MathML.

    Gives the HTML and, for each formula that is not LaTeX, its text and the reason; it stays as it
    was.
    """
    wrong = []

    def replace(match: re.Match[str]) -> str:
        latex, block = html.unescape(match["latex"]).strip(), match["open"] == "["
        try:
            mathml = _convert(latex, block)
        except LatexError as error:
            wrong.append((latex, str(error)))
            return match[0]
        # Out of the search index: nobody searches for the letters of a formula.
        tag = match["tag"]
        return f'<{tag} class="formula" data-search-exclude>{mathml}</{tag}>'

    return _MARKED.sub(replace, page), wrong


def wrong_formula(file: str, text: str, latex: str, reason: str) -> Problem:
    """What is told of a formula that is not LaTeX; `text` is that of the page."""
    first, lines = latex.splitlines()[0], text.splitlines()
    where = [n for text in (f"${first}", first) for n, row in enumerate(lines, 1) if text in row]
    line = where[0] if where else 1
    what, mend = "the formula cannot be set", "correct the formula on this line"
    return Problem(file, line, what, "LaTeX", f"{latex}\n{reason}", mend, (file,))


@cache
def _convert(latex: str, block: bool) -> str:
    return _CONVERTER.convert_with_local_state(latex, displaystyle=block)
