"""Formulas become MathML while the book is built, with a font reduced to their characters.

Without a math font, and most Android phones have none, parentheses don't grow and sums stay as
small as letters. All of STIX Two Math is 1.5 MB; the subset for the formulas of the book, about 13
kB. The subset retains the names of its authors and of its license, the SIL Open Font License.
"""

from __future__ import annotations

import io
import re
import unicodedata
from functools import lru_cache
from importlib.metadata import distribution

from proofbook.html.tree import Tree
from proofbook.maths.check import FormulaError, mathml_converter, to_mathml

_MARKED = re.compile(r"\\(?P<open>[(\[])(?P<latex>.*?)\\[)\]]", re.DOTALL)

FONT_FILE = "assets/formulas.woff2"
_NAMES = [0, 1, 2, 13, 14]
"""The name records of the font that are retained: authors, family, style, license, its address."""

ITALIC = {"h": "\N{PLANCK CONSTANT}"} | {
    chr(int(unicodedata.decomposition(chr(code)).removeprefix("<font> "), 16)): chr(code)
    for code in (*range(0x1D434, 0x1D455), *range(0x1D456, 0x1D468), *range(0x1D6E2, 0x1D71C))
}
"""A letter alone in a formula is italic: a browser draws this other character for it.

Source: MathML Core, appendix C, "italic mappings", as in Unicode's block "Mathematical Alphanumeric
Symbols", which leaves out the h.
"""


def render_formulas(tree: Tree) -> list[tuple[str, str]]:
    """Replace the formulas that pymdownx.arithmatex marked on a page by MathML.

    Returns the text of each formula that is not valid LaTeX, and the reason; it is left unchanged.
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
    """The characters in the formulas of a page."""
    characters: set[str] = set()
    for math in tree.css("math"):
        for node in math.traverse(include_text=True):
            if node.is_text_node and node.parent.tag != "annotation":
                characters.update(node.text_content)
            elif node.tag in ("msqrt", "mroot"):
                characters.add("√")  # drawn by the browser, it isn't typed
    return frozenset(characters) - frozenset(" \n")


@lru_cache(maxsize=1)
def font(characters: frozenset[str]) -> bytes:
    """A WOFF2 font with these characters, their italic forms and their stretchable parts."""
    from fontTools import subset  # 0.2 s, only for a book with formulas

    options = subset.Options(
        flavor="woff2", layout_features=[], hinting=False, notdef_outline=False, name_IDs=_NAMES
    )
    # The package isn't imported: its code is not needed.
    whole = distribution("ziamath").locate_file("ziamath/fonts/STIXTwoMath-Regular.ttf")
    cut = subset.load_font(str(whole), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text="".join(characters | {ITALIC.get(each, each) for each in characters}))
    subsetter.subset(cut)
    packed = io.BytesIO()
    subset.save_font(cut, packed, options)
    return packed.getvalue()
