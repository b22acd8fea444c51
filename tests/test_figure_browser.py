"""What a reader does with a figure in a browser: controls, keys alone, no script, print, a phone.

Needs Chromium or Chrome. The book of these tests has pages with one figure, with all, with none.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe import AXE
from proofbook.testing.browser import needs_browser
from proofbook.testing.fixtures import PATIENCE
from proofbook.testing.server import serve
from proofbook.testing.tiny_book import Book

ROOT = Path(__file__).resolve().parents[1]

pytestmark = needs_browser

FIGURES = {
    "losses": ("accumulate/two_losses", ""),
    "hooks": ("module_hooks/full_hook", ""),
    "loop": ("accumulate/without_zero_grad", "    passes: 1-6\n"),
    "shared": ("sharing/called_twice", ""),
}
WIDE = "shared"
FIRST = "trace-accumulate-two-losses"
STATE = """figure => [...figure.querySelectorAll("svg [data-k]")].map(
    e => [e.dataset.k, e.matches("g, path") ? e.getAttribute("class") : e.textContent])"""


@pytest.fixture(scope="module")
def figures(tmp_path_factory, runner, build) -> Iterator[str]:
    """The address of a book whose pages have figures, built and served as the real one is."""
    book = Book(tmp_path_factory.mktemp("figures") / "book")
    for name in ("theme", "docs/assets", "docs/inventories"):
        shutil.copytree(ROOT / name, book.root / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name, (snippet, option) in FIGURES.items():
        source = ROOT / f"snippets/{snippet}.py"
        book.write(f"snippets/{snippet}.py", source.read_bytes())
        book.write(f"snippets/{snippet}.out", source.with_suffix(".out").read_bytes())
        book.write(f"snippets/{snippet}.trace", runner.trace(source).result(PATIENCE).trace)
        for language, title, says in (("zh", "图", "看图。"), ("en", "Figure", "Look.")):
            told = f"# {title} {'{ #figure }'}\n\n{says}\n\n::: snippets/{snippet}.py\n"
            book.write(f"docs/{name}.{language}.md", f"{told}    figure: trace\n{option}")
    both = "".join(
        f"::: snippets/{s}.py\n    figure: trace\n{option}\n" for s, option in FIGURES.values()
    )
    for language in ("zh", "en"):
        losses = f"docs/losses.{language}.md"
        book.write(losses, book.read(losses) + f"\n[5](#{FIRST}-step-5)\n")
    for language, title in (("zh", "都在"), ("en", "All")):
        book.write(f"docs/all.{language}.md", f"# {title} {{ #all }}\n\n{both}")
        book.write(f"docs/index.{language}.md", f"# {title} {{ #home }}\n")
    nav = ["index.md", "losses.md", "hooks.md", "loop.md", "shared.md", "all.md", "t/p.md"]
    config = (ROOT / "mkdocs.yml").read_text("utf-8").replace("theme, packages", "theme")
    config = re.sub(r"(?ms)^nav:\n.*?(?=^\S)", f"nav: {json.dumps(nav)}\n", config)
    book.write("mkdocs.yml", config)
    book.write("mkdocs.en.yml", (ROOT / "mkdocs.en.yml").read_bytes())
    site = book.root.parent / "site"
    with serve(site) as address:
        status, said = build(book.root, "--strict", "--site-dir", str(site), SITE_URL=address)
        assert status == 0, said
        yield address


def go(page, address: str):
    page.goto(address)
    page.wait_for_selector(".player")
    return page.locator("figure.trace").first


def go_without_time(page, address: str):
    """As `go`; on the page time passes only as far as `page.clock` is told, however slow the
    machine is. The clock stays that of the page's context."""
    page.clock.install()
    figure = go(page, address)
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 3600)
    return figure


def button(figure, number: int):
    return figure.locator(".player button").nth(number)


def at(figure) -> str:
    return figure.locator(".player > small").inner_text()


def test_each_button_does_what_it_says(figures, page):
    figure = go(page, figures + "losses/")
    names = [button(figure, n).get_attribute("aria-label") for n in range(7)]
    assert names[:5] == ["第一格", "上一格", "播放", "下一格", "最后一格"]
    assert names[5:] == ["到第 1 次反向传播的开头", "速度 1×"]
    for number, shown in (
        (0, 1),
        (3, 2),
        (3, 3),
        (1, 2),
        (4, 23),
        (3, 23),
        (1, 22),
        (0, 1),
        (1, 1),
    ):
        button(figure, number).click()
        assert at(figure) == f"{shown} / 23"
    assert page.complaints == []


SHOWN = "figure => figure.querySelector('.graph svg').textContent"


def test_it_opens_before_the_first_backward_pass(figures, page):
    figure = go(page, figures + "losses/")
    assert at(figure) == "7 / 23" and "按播放" in figure.locator(".player p").inner_text()
    assert figure.locator("li").nth(7).text_content().startswith("第 1 次反向传播")
    shown = figure.evaluate(SHOWN)
    assert "loss3 = 9" in shown and ".grad None" in shown and "①" not in shown
    assert figure.locator(".on, .off").count() == page.locator(".trace-line").count() == 0
    button(figure, 4).click()
    assert ".grad 48 → 60" in figure.evaluate(SHOWN)


def test_one_button_goes_to_each_backward_pass(figures, page):
    figure = go(page, figures + "losses/")
    passes = button(figure, 5)
    for shown, following in ((8, "∇②"), (15, "∇①"), (8, "∇②")):
        passes.click()
        assert (at(figure), passes.inner_text()) == (f"{shown} / 23", f"→{following}")
    assert passes.get_attribute("aria-label") == "到第 2 次反向传播的开头"
    page.goto(figures + "hooks/")
    assert button(go(page, figures + "hooks/"), 5).is_hidden()


def test_line_node_and_sentence_move_together(figures, page):
    figure = go(page, figures + f"losses/#{FIRST}-step-11")
    assert at(figure) == "11 / 23"
    sentence = figure.locator(".player p").inner_text()
    assert "AddBackward0（y1）收到 24，把 24 × 1 = 24 传给 MulBackward0（2 * w）。" in sentence
    assert "第 14 行 loss2.backward(retain_graph=True)" in sentence
    assert figure.locator("g.on").text_content().startswith("y1 = 3")
    assert figure.locator(".line.on.up").count() == 1
    mark, code = page.locator(".trace-line"), page.locator(".highlight pre > code").first
    line = code.evaluate(
        """code => { const walker = document.createTreeWalker(code, NodeFilter.SHOW_TEXT)
        while (!walker.nextNode().data.includes("retain_graph"));
        const range = document.createRange()
        range.selectNode(walker.currentNode)
        return range.getBoundingClientRect().top }"""
    )
    box = mark.bounding_box()
    assert box["y"] - 1 <= line <= box["y"] + box["height"]
    button(figure, 0).click()
    assert mark.bounding_box()["y"] < box["y"]


FORTH_AND_BACK = """figure => {
  dispatchEvent(new Event("beforeprint"))
  const state = %s, [first, back, , next] = figure.querySelectorAll(".player button")
  const finished = state(figure), forth = [], returned = []
  dispatchEvent(new Event("afterprint"))
  first.click()
  for (const _ of figure.querySelectorAll("li")) { forth.push(state(figure)); next.click() }
  for (const _ of forth) { returned.unshift(state(figure)); back.click() }
  return { finished, forth, returned }
}"""


@pytest.mark.parametrize("name", FIGURES)
def test_going_back_shows_exactly_what_going_forward_showed(figures, page, name):
    figure = go(page, f"{figures}{name}/")
    finished, forth, returned = figure.evaluate(FORTH_AND_BACK % STATE).values()
    assert len(forth) == figure.locator("li").count() > 5 and returned == forth
    texts = [[row for row in state if row[0][0] in "nte"] for state in (finished, forth[-1])]
    plain = [[(k, re.sub(" ?(on|up)$", "", v)) for k, v in state] for state in texts]
    assert plain[0] == plain[1], "the last step is the finished graph"
    assert forth[0] != forth[-1]


def test_keys_alone_suffice(figures, page):
    figure = go(page, figures + "losses/")
    button(figure, 3).focus()
    for key, shown in (
        ("Home", 1), ("ArrowRight", 2), ("ArrowRight", 3), ("ArrowLeft", 2), ("End", 23)
    ):  # fmt: skip
        page.keyboard.press(key)
        assert at(figure) == f"{shown} / 23"
    for _ in range(4):
        page.keyboard.press("Tab")
    slider = figure.locator("input[type=range]")
    assert slider.evaluate("e => e == document.activeElement")
    for key, shown in (("Home", 1), ("ArrowRight", 2), ("End", 23), ("ArrowLeft", 22)):
        page.keyboard.press(key)
        assert at(figure) == f"{shown} / 23"
    assert slider.get_attribute("aria-valuetext").startswith("第 22 格，共 23 格: 优化器 SGD")


def test_it_plays_and_pauses_and_stays_silent_meanwhile(figures, browser):
    page = browser.new_page()  # the clock of a context stays the one that is installed here
    figure = go_without_time(page, figures + "losses/")
    button(figure, 2).click()
    assert (at(figure), button(figure, 2).get_attribute("aria-label")) == ("8 / 23", "暂停")
    page.clock.run_for(1050)
    assert at(figure) == "9 / 23"
    assert figure.locator(".player p").get_attribute("aria-live") == "off"
    button(figure, 2).click()
    page.clock.run_for(5000)
    assert (at(figure), button(figure, 2).get_attribute("aria-label")) == ("9 / 23", "播放")
    button(figure, 3).click()
    assert figure.locator(".player p").get_attribute("aria-live") == "polite"
    button(figure, 2).click()
    page.clock.run_for(60_000)
    assert (at(figure), button(figure, 2).get_attribute("aria-label")) == ("23 / 23", "播放")
    page.close()


def test_it_plays_as_fast_as_asked_and_never_longer_than_20_seconds(figures, browser):
    page = browser.new_page()
    figure, play, pace = go_without_time(page, figures + "loop/"), 2, 6  # 41 steps
    button(figure, 0).click()
    button(figure, play).click()
    page.clock.run_for(19_000)
    assert button(figure, play).get_attribute("aria-label") == "暂停"
    page.clock.run_for(1_200)
    assert button(figure, play).get_attribute("aria-label") == "播放"
    figure = go_without_time(page, figures + "losses/")
    button(figure, pace).click()
    assert button(figure, pace).get_attribute("aria-label") == "速度 2×"
    button(figure, play).click()
    page.clock.run_for(1_050)
    assert at(figure) == "10 / 23"
    button(figure, pace).click()
    assert button(figure, pace).inner_text() == "0.5×"
    page.clock.run_for(500 + 2_050)
    assert at(figure) == "12 / 23"
    page.close()


BESIDE = """figure => {
  const box = e => e.getBoundingClientRect(), bar = box(figure.querySelector(".player"))
  const graph = box(figure.querySelector(".graph")), on = box(figure.querySelector("g.on"))
  const mark = document.querySelector(".trace-line"), line = mark && box(mark)
  const code = box(document.querySelector(".highlight:not(.output)"))
  return { wide: code.right <= graph.left, sentence: bar.bottom <= innerHeight,
    box: on.top >= graph.top && on.bottom <= Math.min(graph.bottom, bar.top) && on.top > 50,
    line: !line || code.right > graph.left || line.top > 50 && line.bottom <= innerHeight }
}"""


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize(("width", "height"), [(1280, 800), (1100, 800), (390, 844)])
def test_playing_brings_code_graph_and_sentence_into_sight(figures, page, name, width, height):
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(reduced_motion="reduce")
    figure = go(page, f"{figures}{name}/")
    page.wait_for_load_state("networkidle")
    for _ in range(2):  # and stop
        button(figure, 2).evaluate("button => button.click()")
    for number in range(figure.locator("li").count()):
        beside = width >= 1100 and name != WIDE
        step = {"step": number, "wide": beside, "sentence": True, "box": True, "line": True}
        button(figure, 3 if number else 0).evaluate("button => button.click()")
        if figure.locator("g.on").count():
            assert {"step": number, **figure.evaluate(BESIDE)} == step
    assert page.complaints == []


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (390, 844)])
def test_stepping_brings_what_runs_into_sight(figures, page, width, height):
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(reduced_motion="reduce")
    figure, seen = go(page, f"{figures}losses/"), []
    for start, way in (("0", "ArrowRight"), ("document.body.scrollHeight", "ArrowLeft")):
        for _ in range(8):
            page.evaluate(f"scrollTo(0, {start})")
            pressed = f"new KeyboardEvent('keydown', {{ key: '{way}', bubbles: true }})"
            figure.locator(".player").evaluate(f"bar => bar.dispatchEvent({pressed})")
            if figure.locator("g.on").count():
                seen.append((at(figure), figure.evaluate(BESIDE)["box"]))
    assert len(seen) > 10 and all(box for _, box in seen), seen


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_line_that_runs_is_framed_and_a_highlighted_one_filled(figures, page, scheme):
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    figure = go(page, figures + "losses/")
    button(figure, 3).click()
    style = "mark => (style => [style.boxShadow, style.backgroundColor])"
    style += "(getComputedStyle(mark, '::after'))"
    frame, fill = page.locator(".trace-line").evaluate(style)
    box = figure.locator("g.on > .box").evaluate("box => getComputedStyle(box).stroke")
    assert box in frame and "inset" in frame and fill == "rgba(0, 0, 0, 0)"


def test_a_link_leads_to_a_step_again_and_again(figures, page):
    figure = go(page, figures + "losses/")
    for _ in range(2):
        page.locator(f"article a[href$='#{FIRST}-step-5']").click()
        assert at(figure) == "5 / 23"
        seen = f"figure => Object.values(({BESIDE})(figure)).every(Boolean)"
        page.wait_for_function(seen, arg=figure.element_handle())
        button(figure, 4).click()
    assert figure.locator("details").get_attribute("open") is None


def test_several_players_keep_apart(figures, page):
    go(page, figures + "all/")
    several = page.locator("figure.trace")
    assert several.count() == page.locator(".player").count() == 4
    button(several.nth(0), 0).click()
    button(several.nth(2), 0).click()
    button(several.nth(2), 3).click()
    assert [at(several.nth(n)) for n in range(3)] == ["1 / 23", "7 / 16", "2 / 41"]
    assert page.locator(".trace-line").count() == 2
    assert several.nth(1).locator(".on").count() == 0
    assert page.complaints == []


def test_it_survives_instant_navigation_and_the_language_switch(figures, page):
    page.goto(figures)
    assert page.locator("script[src*='trace.js'], link[href*='trace.css']").count() == 0
    page.evaluate("window.same = true")
    for name in ("losses", "hooks", "losses"):
        page.locator(f".md-nav a[href$='{name}/']").first.click()
        page.wait_for_url(f"{figures}{name}/")
        page.wait_for_selector(".player")
        assert page.locator(".player").count() == 1
        figure = page.locator("figure.trace")
        button(figure, 0).click()
        button(figure, 3).click()
        assert at(figure).startswith("2 / ")
        assert (
            page.evaluate("getComputedStyle(document.querySelector('.trace .graph')).overflowX")
            == "auto"
        )
    assert page.evaluate("window.same")
    page.locator(".md-header .language[hreflang=en]").click()
    page.wait_for_function("document.documentElement.lang == 'en'")
    page.wait_for_selector(".player")
    button(page.locator("figure.trace"), 0).click()
    assert "is a leaf tensor that requires a gradient." in page.locator(".player p").inner_text()
    assert page.complaints == []


def test_a_page_without_a_figure_loads_nothing_for_it(figures, page):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(figures + "t/p/")
    page.wait_for_load_state("networkidle")
    assert asked and not [url for url in asked if "trace" in url]
    asked.clear()
    go(page, figures + "all/")
    assert sorted(url.rsplit("/", 1)[1] for url in asked if "trace" in url) == [
        "trace.css",
        "trace.js",
    ]


@pytest.mark.parametrize("prefix", ["", "en/"])
def test_without_a_script_it_is_a_picture_and_a_list(figures, browser, prefix):
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(f"{figures}{prefix}losses/")
    figure = plain.locator("figure.trace")
    assert plain.locator(".player").count() == 0
    assert figure.locator("li").last.is_visible() and figure.locator("li").count() == 23
    assert ".grad 48 → 60" in figure.locator(".graph svg").text_content()
    assert figure.locator(".graph svg").bounding_box()["height"] > 300
    context.close()


def test_print_shows_the_finished_graph_and_every_step(figures, page):
    figure = go(page, figures + "losses/")
    button(figure, 0).click()
    assert ".grad 48 → 60" not in figure.locator(".graph svg").text_content()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert ".grad 48 → 60" in figure.locator(".graph svg").text_content()
    assert figure.locator("li").last.is_visible()
    assert not figure.locator(".player").is_visible()
    assert figure.locator(".off, .on").count() == 0
    assert page.pdf()[:4] == b"%PDF"
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert at(figure) == "1 / 23"


TRAVEL = """figure => {
  const [first, , , next] = figure.querySelectorAll(".player button"), seen = []
  first.click()
  for (const _ of figure.querySelectorAll("li")) {
    const on = figure.querySelectorAll("g.on")
    const card = on.length == 1 && on[0].getBoundingClientRect()
    const box = figure.querySelector(".graph").getBoundingClientRect()
    const middle = card && card.left + card.width / 2
    const inside = !card || !seen.length || (box.left <= middle && middle <= box.right)
    seen.push([document.documentElement.scrollWidth, inside])
    next.click()
  }
  return seen
}"""


@pytest.mark.parametrize(
    ("prefix", "scheme"),
    [("", "light"), pytest.param("en/", "dark", marks=pytest.mark.exhaustive)],
)
@pytest.mark.parametrize("name", FIGURES)
def test_on_a_phone_only_the_graph_scrolls(figures, page, prefix, scheme, name):
    """The colors of a scheme change no width: each language is looked at in one."""
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme=scheme)
    figure = go(page, f"{figures}{prefix}{name}/")
    seen = figure.evaluate(TRAVEL)
    assert len(seen) == figure.locator("li").count() > 5
    assert max(width for width, _ in seen) <= 390 and all(inside for _, inside in seen)
    for control in figure.locator(".player :is(button, input):visible").all():
        assert min(control.bounding_box()["height"], control.bounding_box()["width"]) >= 40
    assert page.locator(".graph").evaluate("e => e.scrollWidth > e.clientWidth") == (name == WIDE)
    assert page.complaints == []


def at_step(page, step: int | None) -> None:
    """Have the first figure show a step; not by its address, after which the theme loads the page
    again, in its own time."""
    if step:
        page.locator("trace-player").first.evaluate("(player, step) => player.stepTo(step)", step)
        assert at(page.locator("figure.trace").first).startswith(f"{step} /")


VIOLATIONS = """([figure, options]) => axe.run(figure, { resultTypes: ["violations"], ...options })
    .then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(n => n.html)]))"""
COLORS = {"runOnly": ["color-contrast"]}


@pytest.mark.parametrize(
    ("prefix", "scheme", "rules"), [("", "light", {}), ("en/", "light", {}), ("", "dark", COLORS)]
)
def test_axe_finds_nothing_that_keeps_people_out(figures, page, prefix, scheme, rules):
    """All figures at rest, and one of them while it is played; in the dark only colors differ."""
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    go(page, f"{figures}{prefix}all/")
    page.evaluate(AXE)
    for step in (None, 1, 11):
        at_step(page, step)
        looked_at = f"figure.trace:has([id^='{FIRST}'])" if step else "figure.trace"
        assert page.locator(looked_at).count() == (1 if step else len(FIGURES))
        assert (step, page.evaluate(VIOLATIONS, [looked_at, rules])) == (step, [])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_texts_in_the_picture_are_legible(figures, page, scheme):
    """axe doesn't look at the colors of SVG: each text against its card, 4.5 to 1."""
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    go(page, figures + "losses/")
    for step in (None, 1, 13):
        at_step(page, step)
        colors = page.locator(".trace svg :is(g:not(.off) text, svg > text)").evaluate_all(
            """texts => texts.map(e => [getComputedStyle(e).fill, getComputedStyle(
                e.closest("g")?.querySelector(".box") ?? document.body
            )[e.closest("g") ? "fill" : "backgroundColor"], e.textContent])"""
        )
        assert len(colors) > (2 if step == 1 else 15)
        for front, back, text in colors:
            assert contrast(front, back) >= 4.5, (step, text)


def contrast(*colors: str) -> float:
    lights = []
    for color in colors:
        parts = [float(n) / 255 for n in re.findall(r"[\d.]+", color)[:3]]
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        lights.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
    return (max(lights) + 0.05) / (min(lights) + 0.05)


def test_nothing_moves_for_a_reader_who_wants_no_motion(figures, page):
    page.emulate_media(reduced_motion="reduce")
    figure = go(page, figures + "losses/")
    durations = figure.locator(".box").evaluate_all(
        "all => all.map(e => getComputedStyle(e).transitionDuration)"
    )
    assert set(durations) <= {"0s"}
