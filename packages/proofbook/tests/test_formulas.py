"""The font of the formulas has what the formulas need, stretches, and is small."""

from __future__ import annotations

import html
import io

from fontTools.ttLib import TTFont
from proofbook.html.formulas import ITALIC, font, formula_characters, render_formulas
from proofbook.html.tree import parse


def of(latex: str) -> frozenset[str]:
    tree = parse(f'<div class="arithmatex">\\[{html.escape(latex)}\\]</div>')
    assert not render_formulas(tree)
    return formula_characters(tree)


def test_the_characters_are_those_that_a_reader_sees():
    assert of(r"\frac{\partial h}{\partial w} \approx 2") == set("∂hw≈2")
    assert formula_characters(parse("<p>no formula: abc</p>")) == frozenset()
    assert "&" not in of("a < b") and "<" in of("a < b")


def test_a_letter_has_its_italic_form():
    assert ITALIC["w"] == "𝑤" and ITALIC["h"] == "ℎ" and ITALIC["λ"] == "𝜆" and ITALIC["∂"] == "𝜕"
    assert "1" not in ITALIC and "+" not in ITALIC


def test_the_font_has_every_character_and_keeps_what_stretches_and_who_made_it():
    needed = of(r"\left(\sum_{i} \frac{h_i}{2}\right)^2 \cdot \sqrt{\lambda}")
    cut = TTFont(io.BytesIO(font(needed)))
    has = cut.getBestCmap()
    assert all(ord(c) in has and ord(ITALIC.get(c, c)) in has for c in needed)
    assert ord("z") not in has
    grows = cut["MATH"].table.MathVariants.VertGlyphCoverage.glyphs
    assert {has[ord("(")], has[ord("∑")], has[ord("√")]} <= set(grows)
    assert "SIL Open Font License" in cut["name"].getDebugName(13)
    assert "STIX Fonts Project Authors" in cut["name"].getDebugName(0)
