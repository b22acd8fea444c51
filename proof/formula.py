"""Formulas become MathML while the book is built: no script and no font is fetched to read them."""

from __future__ import annotations

import html
import re
from functools import cache

from math_core import LatexError, LatexToMathML

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


@cache
def _convert(latex: str, block: bool) -> str:
    return _CONVERTER.convert_with_local_state(latex, displaystyle=block)
