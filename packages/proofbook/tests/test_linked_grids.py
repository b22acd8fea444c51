"""Grids whose cells belong together, in a browser."""

from __future__ import annotations

from proofbook.directives.grid import draw
from proofbook.html.exercises import asset
from proofbook.model.page import parse
from proofbook.testing.browser import needs_browser

PAGE = """\
::: snippets/t/s.py
    figure: grid
    captions: v | J | v @ J
    links: [i, 0] * [i, j] = [j]
"""
OUTPUT = "tensor([1., 10.]) tensor([[2., 1.], [-1., 0.]]) tensor([-8.,  1.])"


@needs_browser
def test_a_chosen_cell_frames_those_that_made_it(page):
    drawn = draw(parse("docs/t/p.en.md", PAGE).references[0], OUTPUT, "en")
    page.set_content("\n".join(drawn))
    page.add_script_tag(content=asset())
    from playwright.sync_api import expect

    framed, said = page.locator(".lit"), page.get_by_role("status")
    assert framed.count() == 0
    grids = page.get_by_role("grid")
    grids.nth(2).get_by_role("gridcell").first.click()
    expect(framed).to_have_text(["1", "10", "2", "-1"])
    expect(said).to_have_text("1 × 2 + 10 × (-1) = -8")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".chosen")).to_have_text("1")
    expect(said).to_have_text("1 × 1 = 1 (the other products are 0)")
    grids.nth(0).get_by_role("gridcell").last.hover()
    expect(framed).to_have_text(["-1", "0", "-8", "1"])
    expect(said).to_have_text("10 ↔ J: -1, 0; v @ J: -8, 1")
