"""The font that formulas are set in: STIX Two Math, cut down to the characters of the book.

Without a mathematical font, and most Android phones have none, parentheses don't grow and sums
stay as small as letters. The whole font weighs 1.5 MB; what the formulas of the book need of it,
about 13 kB. The cut keeps the names of its authors and of its license, the SIL Open Font License.
"""

from __future__ import annotations

import io
import unicodedata
from functools import lru_cache
from importlib.metadata import distribution

FILE = "assets/formulas.woff2"
_NAMES = [0, 1, 2, 13, 14]
"""The records of the font that stay: authors, family, style, license, its address."""

ITALIC = {"h": "\N{PLANCK CONSTANT}"} | {
    chr(int(unicodedata.decomposition(chr(code)).removeprefix("<font> "), 16)): chr(code)
    for code in (*range(0x1D434, 0x1D455), *range(0x1D456, 0x1D468), *range(0x1D6E2, 0x1D71C))
}
"""A letter alone in a formula is italic: a browser draws this other character for it.

Source: MathML Core, appendix C, "italic mappings", as in Unicode's block "Mathematical Alphanumeric
Symbols", which leaves out the h.
"""


@lru_cache(maxsize=1)
def font(characters: frozenset[str]) -> bytes:
    """A WOFF2 font with these characters, their italic forms and what stretches them."""
    from fontTools import subset  # 0.2 s that only a book with formulas pays

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
