"""What a page of the site is to any reader: whole on a phone, legible, open to everybody (axe); its
code is seen whole and copied whole, and its figures frame the line that runs.

Each page is loaded once on a phone; pages of each kind are looked at in both schemes, those with
figures at three widths. Needs Chromium or Chrome.
"""

from __future__ import annotations

import pytest
from addresses import ADDRESSES
from axe import AXE
from proofbook.testing.browser import FORGET, WINDOW, needs_browser, watch
from proofbook.testing.fixtures import in_sample

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
EACH_OF_A_KIND += ["en/messages/", "messages/real-scalar/", "en/messages/second-time/"]
OTHERS = sorted({*ADDRESSES} - {*EACH_OF_A_KIND})
REST = [pytest.param(OTHERS[n::4], marks=pytest.mark.exhaustive) for n in range(4)]


@pytest.mark.parametrize("addresses", [EACH_OF_A_KIND, *REST])
def test_each_page_is_whole_on_a_phone(site, page, addresses):
    """In which scheme a page is loaded, its name decides. axe looks at one of each kind."""
    found, kinds = {}, []
    for address in addresses:
        scheme = "light" if in_sample(f"{address} in light", 2) else "dark"
        faults = faults_on_a_phone(page, site + address, scheme)
        if addresses is EACH_OF_A_KIND:
            by_axe, kinds = faults_that_axe_finds(page, kinds)
            faults += by_axe
        if faults:
            found[address] = faults
    assert found == {}, found


@pytest.mark.parametrize("edition", ["", "en/"])
def test_axe_finds_nothing_on_the_page_for_wrong_addresses(site, page, edition):
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{site}{edition}404.html")
    assert faults_that_axe_finds(page, [])[0] == []


WIDTHS = [1280, 768, 390]
FRAMES = """() => {
  const found = []
  for (const player of document.querySelectorAll("trace-player")) {
    const code = player.source(), rows = code.textContent.split("\\n"), texts = []
    const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT)
    for (let at = 0; walker.nextNode(); at += walker.currentNode.length)
      texts.push([walker.currentNode, at])
    // Where the letters of a line are seen: its place among all letters tells which they are.
    const letters = (number, end) => {
      const begin = rows.slice(0, number - 1).join("\\n").length
      const last = rows.slice(0, end).join("\\n").length
      const boxes = texts.flatMap(([text, at]) => {
        if (at >= last || at + text.length <= begin) return []
        const range = document.createRange()
        range.setStart(text, Math.max(0, begin - at))
        range.setEnd(text, Math.min(text.length, last - at))
        return range.toString().trim() ? [...range.getClientRects()] : []
      }).filter(box => box.height)
      return [Math.min(...boxes.map(box => box.top)), Math.max(...boxes.map(box => box.bottom))]
    }
    player.steps.forEach(({ line, end }, i) => {
      player.go(i + 1)
      const marks = [...document.querySelectorAll(".trace-line")]
      const frame = marks.map(mark => mark.getBoundingClientRect())
      const drawn = marks.map(mark => getComputedStyle(mark, "::after").boxShadow)
      const top = Math.min(...frame.map(box => box.top))
      const bottom = Math.max(...frame.map(box => box.bottom))
      const [first, last] = line ? letters(line, end) : []
      const right = line
        ? Math.abs(top - first) < 8 && Math.abs(bottom - last) < 8 && !drawn.includes("none")
        : !marks.length
      if (!right) found.push([`step ${i + 1}`, `line ${line}`, top, bottom, first, last])
    })
    player.rest()
  }
  return found
}"""
SEEN = """async () => {
  const found = [], middle = e => (box => (box.top + box.bottom) / 2)(e.getBoundingClientRect())
  for (const code of document.querySelectorAll("article pre > code"))
    if (code.scrollWidth > code.clientWidth + 1) found.push(["cut", code.textContent.slice(0, 80)])
  for (const vary of document.querySelectorAll("trace-vary")) {
    const fields = [...vary.querySelectorAll("label")].map(middle)
    const sliders = [...vary.querySelectorAll("[type=range]")].map(middle)
    fields.forEach((field, i) =>
      Math.abs(field - sliders[i]) > 4 && found.push(["a slider is not next to its number", i]))
  }
  const { violations } = await axe.run(document, { runOnly: ["scrollable-region-focusable"] })
  return [...found, ...violations.flatMap(({ id, nodes }) => nodes.map(e => [id, e.html]))]
}"""
COPIES = """async block => {
  const found = [], file = block.querySelector(".take-script").href
  const expected = await (await fetch(file, { cache: "force-cache" })).text()
  let copied
  const take = e => { copied = e.target.value ?? e.clipboardData.getData("text/plain") }
  const compare = how => copied == expected || found.push([how, file, copied])
  addEventListener("copy", take)
  copied = "nothing"
  block.querySelector(".md-code__button").click()
  compare("by the button")
  copied = "nothing"
  getSelection().selectAllChildren(block.querySelector("pre > code"))
  document.execCommand("copy")
  if (block.checkVisibility()) compare("by hand")
  removeEventListener("copy", take)
  return found
}"""
OPEN = """open => {
  for (const box of document.querySelectorAll("article details")) box.open = open
}"""
READY = """() =>
  [...document.querySelectorAll("trace-player")].every(player => player.bar) &&
  [...document.querySelectorAll(".highlight:has(.take-script)")].every(block =>
    block.querySelector(".md-code__button"))"""
WITH_FIGURES = [
    "accumulate/two-losses/",
    "en/nan-and-inf/roots/",
    "en/custom-function/several-outputs/",
    "custom-function/twice/",
    "labs/noise/",
]


def test_code_is_seen_and_copied_whole_and_the_line_that_runs_is_framed(site, page):
    found = {}
    page.emulate_media(reduced_motion="reduce")
    for address in WITH_FIGURES:
        page.set_viewport_size(WINDOW)
        watch(page)
        page.goto(site + address)
        page.wait_for_function(READY)
        page.evaluate(AXE)
        blocks = page.query_selector_all(".highlight:has(.take-script)")
        faults = []
        for boxes_open in (False, True):
            page.evaluate(OPEN, boxes_open)
            faults += [fault for block in blocks for fault in page.evaluate(COPIES, block)]
        for width in WIDTHS:  # and nothing is loaded again: the page is that of a window resized
            page.set_viewport_size({"width": width, "height": 844})
            faults += [[width, *each] for each in page.evaluate(SEEN) + page.evaluate(FRAMES)]
        if faults + page.complaints:
            found[address] = faults + page.complaints
    assert found == {}, found
