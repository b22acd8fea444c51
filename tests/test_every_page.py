"""What each page of the site is to any reader: whole on a phone, legible, open to everybody (axe).

Each page is loaded once, on a phone, and looked at in both schemes. Needs Chromium or Chrome.
"""

from __future__ import annotations

import pytest
from addresses import ADDRESSES
from axe import AXE
from proofbook.testing.browser import FORGET, WINDOW, needs_browser, watch
from proofbook.testing.sample import in_sample, sample_and_rest

pytestmark = needs_browser

PHONE = {"width": 390, "height": 844}
SCHEMES = {"light": "default", "dark": "slate"}
LOOK = """async kinds => {
  // Where a block of code has many words of one color, the first is looked at for all.
  const spelled = new Set()
  for (const word of document.querySelectorAll("pre span[class]:not(:has(*), .hll)")) {
    const parents = [word.closest(".highlight"), word.closest(".hll")].map(p => p?.className)
    const kind = [word.className, ...parents].join()
    if (spelled.has(kind)) word.replaceWith(word.textContent)
    spelled.add(kind)
  }
  document.body.normalize()

  const found = []
  const look = async (scheme, where, options) => {
    const { passes, violations } = await axe.run(where, { elementRef: true, ...options })
    for (const { id, nodes } of violations)
      for (const { target, any, all, none } of nodes)
        found.push([scheme, id, target.join(" "), [...any, ...all, ...none][0]?.message])
    return passes.flatMap(({ nodes }) => nodes.map(({ element }) => element))
  }
  const colors = where => look(document.body.dataset.mdColorScheme, where,
    { resultTypes: ["violations", "passes"], runOnly: ["color-contrast"] })
  const shown = e => e.checkVisibility({ visibilityProperty: true })
  const texts = [...document.body.querySelectorAll("*")].filter(e => shown(e) &&
    (e.matches("input, select, textarea") ||
      [...e.childNodes].some(n => n.nodeType == Node.TEXT_NODE && n.data.trim())))

  for (const scheme of ["default", "slate"]) {
    document.body.dataset.mdColorScheme = scheme
    // The kind of a text: its style, and the styles of what it stands on. If axe passes one text
    // of a kind, the others are as legible; if it cannot tell for this one, it looks at all.
    const grounds = new Map([[null, scheme]])
    const ground = e => {
      if (!grounds.has(e)) {
        const { backgroundColor, backgroundImage, opacity, filter } = getComputedStyle(e)
        const own = [e.localName, e.className, backgroundColor, backgroundImage, opacity, filter]
        grounds.set(e, [ground(e.parentElement), ...own].join(" "))
      }
      return grounds.get(e)
    }
    const kind = e => {
      const { color, fontSize, fontWeight, textShadow } = getComputedStyle(e)
      return [ground(e), color, fontSize, fontWeight, textShadow].join(" ")
    }
    const of = Map.groupBy(texts, kind)
    const unknown = [...of.keys()].filter(kind => !kinds.includes(kind))
    if (!unknown.length) continue
    const legible = new Set((await colors(unknown.map(kind => of.get(kind)[0]))).map(kind))
    const others = unknown.filter(kind => !legible.has(kind)).flatMap(kind => of.get(kind).slice(1))
    if (others.length) await colors(others)
    kinds.push(...unknown.filter(kind => legible.has(kind)))
  }
  const rules = { "color-contrast": { enabled: false } }
  await look("both", document, { resultTypes: ["violations"], rules })
  return { found, kinds }
}"""


def too_wide(page) -> list[str]:
    """What is wider than the phone, in either scheme."""
    wide = """schemes => schemes.map(scheme => {
        document.body.dataset.mdColorScheme = scheme
        return document.documentElement.scrollWidth })"""
    widths = zip(SCHEMES.values(), page.evaluate(wide, [*SCHEMES.values()]), strict=True)
    return [f"{width} pixels wide in {scheme}" for scheme, width in widths if width > 390]


def faults_on_a_phone(page, address: str, scheme: str) -> list[str]:
    """Load a page; what goes wrong, is missing, foreign or too wide on it."""
    page.evaluate(FORGET)  # the scheme of the page before
    page.goto("about:blank")  # what the page before still asked for is broken off here
    page.set_viewport_size(PHONE)
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    watch(page)
    page.goto(address)
    seen = page.evaluate("document.body.dataset.mdColorScheme")
    faults = [] if seen == SCHEMES[scheme] else [f"the scheme is {seen}"]
    faults += too_wide(page)
    page.wait_for_timeout(150)  # what scripts and either scheme ask for later would come now
    return faults + page.complaints


def faults_that_axe_finds(page, kinds: list[str]) -> tuple[list, list[str]]:
    """What axe finds on the page that is loaded, and the kinds of text that it need not look at
    again: those given, and those that it has passed here."""
    page.set_viewport_size(WINDOW)
    page.evaluate(AXE)
    return tuple(page.evaluate(LOOK, kinds).values())


EACH_OF_A_KIND = ["", "en/accumulate/two-losses/", "labs/depth/", "en/questions/", "glossary/"]
OTHERS = sorted({*ADDRESSES} - {*EACH_OF_A_KIND})


@pytest.mark.parametrize("addresses", [EACH_OF_A_KIND, *sample_and_rest(OTHERS, 28, parts=8)])
def test_each_page_is_whole_on_a_phone_and_axe_finds_nothing(site, page, addresses):
    """In which scheme a page is loaded, its name decides."""
    found, kinds = {}, []
    for address in addresses:
        scheme = "light" if in_sample(f"{address} in light", 2) else "dark"
        faults = faults_on_a_phone(page, site + address, scheme)
        by_axe, kinds = faults_that_axe_finds(page, kinds)
        if faults + by_axe:
            found[address] = faults + by_axe
    assert found == {}, found


@pytest.mark.parametrize("edition", ["", "en/"])
def test_axe_finds_nothing_on_the_page_for_wrong_addresses(site, page, edition):
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{site}{edition}404.html")
    assert faults_that_axe_finds(page, [])[0] == []
