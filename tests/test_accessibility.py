"""Nobody is kept out: axe on every page, the keyboard alone, the language of each part.

Needs Chromium or Chrome.
"""

# ruff: noqa: F811 (fixtures are imported by their names)
from __future__ import annotations

from importlib import resources

import pytest
from test_browser import ADDRESSES, page, pytestmark  # noqa: F401

AXE = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
# Links within a formula are allowed since ARIA 1.2 (w3c/aria#425); axe knows `math` as of 1.1.
CONFIGURE = """axe.configure({ standards: { ariaRoles: { math: {
    type: "structure", allowedAttrs: ["aria-expanded"], superclassRole: ["section"],
    childrenPresentational: false } } } })"""
START = """() => {
  // Where a block of code has many words of one color, the first is looked at for all.
  const seen = new Set()
  for (const word of document.querySelectorAll("pre span[class]:not(:has(*), .hll)")) {
    const parents = [word.closest(".highlight"), word.closest(".hll")].map(p => p?.className)
    const kind = [word.className, ...parents].join()
    if (seen.has(kind)) word.replaceWith(word.textContent)
    seen.add(kind)
  }
  document.body.normalize()
  const schemes = ["default", "slate"], found = []
  const look = async (scheme, options) => {
    document.body.dataset.mdColorScheme = scheme
    const { violations } = await axe.run({ resultTypes: ["violations"], ...options })
    for (const { id, nodes } of violations)
      for (const { target, any, all, none } of nodes)
        found.push([scheme, id, target.join(" "), [...any, ...all, ...none][0]?.message])
  }
  window.looked = look("default", {})
    .then(() => look("slate", { runOnly: ["color-contrast"] })).then(() => found)
}"""


@pytest.mark.parametrize("edition", ["", "en/"])
def test_axe_finds_nothing_on_any_page_in_either_theme(site, browser, edition):
    """Two pages at a time, since a machine has two cores; each is loaded once for both themes."""
    addresses = [a for a in ADDRESSES if a.startswith("en/") == bool(edition)]
    addresses.append(f"{edition}404.html")
    context = browser.new_context(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
    tabs, found = [context.new_page() for _ in range(2)], {}
    for start in range(0, len(addresses), 2):
        pair = list(zip(tabs, addresses[start : start + 2], strict=False))
        for tab, address in pair:
            tab.goto(site + address)
            tab.evaluate(AXE)
            tab.evaluate(CONFIGURE)
            tab.evaluate(START)
        for tab, address in pair:
            if faults := tab.evaluate("window.looked"):
                found[address] = faults
    context.close()
    assert found == {}, found
