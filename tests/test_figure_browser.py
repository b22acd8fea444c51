"""What a reader does with a figure and its numbers in a browser: controls, keys alone, no script,
print, a phone.

Needs Chromium or Chrome. What a page shows with other numbers is compared with what the script with
these numbers really prints. The player alone is tested in `packages/gradtrace/tests`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
from axe import AXE
from proofbook.directives.varied_figure import values_of, variants_of
from proofbook.run.update import record
from proofbook.testing.browser import needs_browser, serve
from proofbook.testing.fixtures import PATIENCE, lent
from proofbook.testing.tiny_book import Book, with_site

ROOT = Path(__file__).resolve().parents[1]

pytestmark = needs_browser

FIGURES = {
    "losses": "accumulate/two_losses",
    "hooks": "module_hooks/full_hook",
    "shared": "sharing/called_twice",
}
WIDE = "shared"
FIRST, VARIED = "trace-accumulate-two-losses", "trace-t-s"
CODE = """\
import torch

w = torch.tensor(2.0, requires_grad=True)
y = 3 * w**2 if w > -1 else w.abs()
y.backward()
print("w.grad:", w.grad)
torch.optim.SGD([w], lr=0.1).step()
print("w:", w.item())
"""
VARY = ["w = 2.0 | -2 to 3 step 0.5", "lr = 0.1 | 0.1, 0.5"]
PLOT = """\
import matplotlib.pyplot as plt

slope = 2.0
print("at 3:", slope * 3)
plt.plot([0, 3], [0, slope * 3])
plt.plot(3, slope * 3, "o", gid="ball")
plt.ylim(0, 12)
plt.xlabel("step")
plt.show()
"""
CURVE = """\
import torch

slope = torch.tensor(2.0, requires_grad=True)
loss = (slope - 3) ** 2
loss.backward()
print("loss:", loss.item())
print("its slope:", slope.grad.item())
"""
SLOPES = ["slope = 2.0 | 1 to 3 step 1"]
FIELD, SLIDER = "trace-vary label input", "trace-vary input[type=range]"
TEXTS = {
    "zh": ("看图。", "一条线\n    words: step=步"),
    "en": ("Look.", "a line"),
}


@pytest.fixture(scope="module")
def figures(tmp_path_factory, runner, other_runner, build) -> Iterator[str]:
    """The address of a book whose pages have figures, built and served as the real one is."""
    book = Book(tmp_path_factory.mktemp("figures") / "book")
    shown = {name: f"::: snippets/{s}.py\n    figure: trace\n" for name, s in FIGURES.items()}
    shown["all"] = "\n".join(shown.values())
    shown["losses"] += f"\n[5](#{FIRST}-step-5)\n"
    for snippet in FIGURES.values():
        source = ROOT / f"snippets/{snippet}.py"
        book.write(f"snippets/{snippet}.py", source.read_bytes())
        book.write(f"snippets/{snippet}.out", source.with_suffix(".out").read_bytes())
        book.write(f"snippets/{snippet}.trace", runner.trace(source).result(PATIENCE).trace)
    script, drawing, curve, beside = (f"snippets/t/{name}.py" for name in "sdcb")
    vary = "".join(f"    vary: {text}\n" for text in VARY)
    link = f'[7](#{VARIED}-step-7){{ data-values="w=-0.5&lr=0.5" }} 18\n'
    follows = "`12`{ .follows }, **12**{ .follows }\n"
    shown["t/p"] = f"::: {script}\n    figure: trace\n{vary}\n{link}\n{follows}"
    book.write(script, CODE)
    book.write(drawing, PLOT)
    book.write(curve, CURVE)
    book.write(beside, CURVE)
    for language, (says, alt) in TEXTS.items():
        plot = f"::: {drawing}\n    figure: plot\n    vary: {SLOPES[0]}\n    alt: {alt}\n"
        ball = f"::: {curve}\n    figure: curve\n    curve: loss | its slope\n    caption: {says}\n"
        ball += "    highlight: (slope - 3) ** 2\n"
        ball += plot.partition("plot\n")[2] + "\n`-2.0`{ .follows }\n\n" + plot
        if language == "zh":
            ball = ball.replace(": step=步", ": loss=损失", 1)
        above = "::: guess its slope:\n\n" + ball.partition("\n`-2.0`")[0] + "\nAll of it.\n"
        above = above.replace("figure: curve", "figure: trace").replace(curve, beside)
        pages = {"t/q": plot, "t/r": ball, "t/b": above, "index": ""}
        for name, text in {**shown, **pages}.items():
            title = f"# {name} {'{ #figure }'}\n\n{says}\n\n"
            book.write(f"docs/{name}.{language}.md", title + text)
    asked = {
        script: (VARY, values_of(VARY), variants_of(CODE, VARY)),
        drawing: (SLOPES, values_of(SLOPES), variants_of(PLOT, SLOPES)),
        curve: (SLOPES, values_of(SLOPES), variants_of(CURVE, SLOPES)),
        beside: (SLOPES, values_of(SLOPES), variants_of(CURVE, SLOPES)),
    }
    with lent(runner, other_runner):
        _, problems, _ = record(book.root, list(asked), [script, beside], asked)
    assert not problems
    with_site(book, ROOT, json.dumps([f"{name}.md" for name in reversed({**shown, **pages})]))
    site = book.root.parent / "site"
    with serve(site) as address:
        status, said = build(book.root, "--strict", "--site-dir", str(site), SITE_URL=address)
        assert status == 0, said
        yield address


@pytest.fixture(scope="module")
def printed(tmp_path_factory, runner):
    """What the script prints with these numbers, run on its own."""
    folder = tmp_path_factory.mktemp("alone")

    def printed(w: str, lr: str = "0.1") -> str:
        script = folder / "s.py"
        script.write_text(CODE.replace("2.0", w).replace("lr=0.1", f"lr={lr}"), "utf-8")
        return runner.submit(script).result(PATIENCE).stdout.strip()

    return printed


def go(page, address: str):
    page.goto(address)
    page.wait_for_selector(".player")
    return page.locator("figure.trace").first


def button(figure, number: int):
    return figure.locator(".player button").nth(number)


def at(figure) -> str:
    return figure.locator(".player > small").inner_text()


def graph(figure) -> str:
    return figure.locator(".graph").text_content()


def test_the_controls_do_what_they_say_by_mouse_and_by_keys(figures, page):
    figure = go(page, figures + "losses/")
    # It opens before the first backward pass.
    assert at(figure) == "7 / 23" and "按播放" in figure.locator(".player p").inner_text()
    assert "loss3 = 9" in graph(figure) and "①" not in graph(figure)
    assert figure.locator(".on, .off").count() == page.locator(".trace-line").count() == 0
    names = [button(figure, n).get_attribute("aria-label") for n in range(7)]
    assert names[:5] == ["第一格", "上一格", "播放", "下一格", "最后一格"]
    assert names[5:] == ["到第 1 次反向传播的开头", "速度 1×"]
    for shown, following in ((8, "∇②"), (15, "∇①"), (8, "∇②")):
        button(figure, 5).click()
        assert (at(figure), button(figure, 5).inner_text()) == (f"{shown} / 23", f"→{following}")
    for number, shown in ((0, 1), (3, 2), (3, 3), (1, 2), (4, 23), (3, 23), (1, 22), (0, 1)):
        button(figure, number).click()
        assert at(figure) == f"{shown} / 23"
    button(figure, 3).focus()
    for key, shown in (("Home", 1), ("ArrowRight", 2), ("ArrowLeft", 1), ("End", 23)):
        page.keyboard.press(key)
        assert at(figure) == f"{shown} / 23"
    for _ in range(4):
        page.keyboard.press("Tab")
    slider = figure.locator("input[type=range]")
    assert slider.evaluate("e => e == document.activeElement")
    page.keyboard.press("ArrowLeft")
    assert slider.get_attribute("aria-valuetext").startswith("第 22 格，共 23 格: 优化器 SGD")
    assert ".grad 48 → 60" in graph(figure) and page.complaints == []


def test_line_node_and_sentence_move_together(figures, page):
    figure = go(page, figures + f"losses/#{FIRST}-step-11")
    assert at(figure) == "11 / 23"
    sentence = figure.locator(".player p").inner_text()
    assert "AddBackward0（y1）收到 24，把 24 × 1 = 24 传给 MulBackward0（2 * w）。" in sentence
    assert "第 14 行 loss2.backward(retain_graph=True)" in sentence
    assert figure.locator("g.on").text_content().startswith("y1 = 3")
    assert figure.locator(".line.on.up").count() == 1
    mark, line = page.locator(".trace-line"), page.locator(".code-line:has-text('retain_graph')")
    assert abs(mark.bounding_box()["y"] - line.first.bounding_box()["y"]) < 8
    button(figure, 0).click()
    assert mark.bounding_box()["y"] < line.first.bounding_box()["y"] - 20


STATE = """figure => [...figure.querySelectorAll("svg [data-k]")].map(
    e => [e.dataset.k, e.matches("g, path") ? e.getAttribute("class") : e.textContent])"""
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


def test_it_plays_as_fast_as_asked_pauses_and_stays_silent_meanwhile(figures, browser):
    page = browser.new_page()  # the clock of a context stays the one that is installed here
    page.clock.install()
    figure, play, pace = go(page, figures + "losses/"), 2, 6
    # Now time passes only as far as the clock is told, however slow the machine is.
    page.clock.pause_at(page.evaluate("Date.now()") / 1000 + 3600)
    said = figure.locator(".player p")
    button(figure, play).click()
    assert (at(figure), button(figure, play).get_attribute("aria-label")) == ("8 / 23", "暂停")
    page.clock.run_for(1050)
    assert (at(figure), said.get_attribute("aria-live")) == ("9 / 23", "off")
    button(figure, play).click()
    page.clock.run_for(5000)
    assert (at(figure), button(figure, play).get_attribute("aria-label")) == ("9 / 23", "播放")
    button(figure, 3).click()
    assert (at(figure), said.get_attribute("aria-live")) == ("10 / 23", "polite")
    button(figure, pace).click()
    assert button(figure, pace).get_attribute("aria-label") == "速度 2×"
    button(figure, play).click()
    page.clock.run_for(1_050)
    assert at(figure) == "13 / 23"
    page.clock.run_for(20_000)
    assert (at(figure), button(figure, play).get_attribute("aria-label")) == ("23 / 23", "播放")
    for speed in ("0.5×", "1×"):
        button(figure, pace).click()
        assert button(figure, pace).inner_text() == speed
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


@pytest.mark.parametrize("name", ["losses", WIDE])
@pytest.mark.parametrize(("width", "height"), [(1100, 800), (390, 844)])
def test_playing_and_stepping_bring_code_graph_and_sentence_into_sight(
    figures, page, name, width, height
):
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(reduced_motion="reduce")
    figure = go(page, f"{figures}{name}/")
    page.wait_for_load_state("networkidle")
    durations = "all => all.map(e => getComputedStyle(e).transitionDuration)"
    assert set(figure.locator(".box").evaluate_all(durations)) <= {"0s"}  # nothing moves
    for _ in range(2):  # and stop
        button(figure, 2).evaluate("button => button.click()")
    for number in range(figure.locator("li").count()):
        beside = width >= 1100 and name != WIDE
        step = {"step": number, "wide": beside, "sentence": True, "box": True, "line": True}
        button(figure, 3 if number else 0).evaluate("button => button.click()")
        if figure.locator("g.on").count():
            assert {"step": number, **figure.evaluate(BESIDE)} == step
    pressed = "new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true })"
    for _ in range(5):
        page.evaluate("scrollTo(0, document.body.scrollHeight)")
        figure.locator(".player").evaluate(f"bar => bar.dispatchEvent({pressed})")
        assert not figure.locator("g.on").count() or figure.evaluate(BESIDE)["box"]
    assert page.complaints == []


def test_a_link_leads_to_a_step_again_and_again(figures, page):
    figure = go(page, figures + "losses/")
    for _ in range(2):
        page.locator(f"article a[href$='#{FIRST}-step-5']").click()
        assert at(figure) == "5 / 23"
        seen = f"figure => Object.values(({BESIDE})(figure)).every(Boolean)"
        page.wait_for_function(seen, arg=figure.element_handle())
        button(figure, 4).click()
    assert figure.locator("details:has(ol)").get_attribute("open") is None


def test_several_players_keep_apart(figures, page):
    go(page, figures + "all/")
    several = page.locator("figure.trace")
    assert several.count() == page.locator(".player").count() == len(FIGURES)
    button(several.nth(0), 0).click()
    button(several.nth(2), 0).click()
    button(several.nth(2), 3).click()
    assert [at(several.nth(n)).split(" /")[0] for n in range(3)] == ["1", "7", "2"]
    assert page.locator(".trace-line").count() == 2
    assert several.nth(1).locator(".on").count() == 0
    assert page.complaints == []


def test_it_survives_instant_navigation_and_the_language_switch(figures, page):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(figures)
    page.wait_for_load_state("networkidle")
    assert asked and not [url for url in asked if "trace" in url]  # without a figure
    page.evaluate("window.same = true")
    for name in ("losses", "hooks", "losses"):
        page.locator(f".md-tabs a[href$='{name}/']").click()
        page.wait_for_url(f"{figures}{name}/")
        page.wait_for_selector(".player")
        assert page.locator(".player").count() == 1
        figure = page.locator("figure.trace")
        button(figure, 0).click()
        button(figure, 3).click()
        assert at(figure).startswith("2 / ")
        overflow = "graph => getComputedStyle(graph).overflowX"
        assert page.locator(".trace .graph").evaluate(overflow) == "auto"
    assert page.evaluate("window.same")
    page.locator(".md-header .language[hreflang=en]").click()
    page.wait_for_function("document.documentElement.lang == 'en'")
    page.wait_for_selector(".player")
    button(page.locator("figure.trace"), 0).click()
    assert "is a leaf tensor that requires a gradient." in page.locator(".player p").inner_text()
    assert page.complaints == []


def test_without_a_script_it_is_a_picture_and_a_list(figures, browser, printed):
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(f"{figures}en/losses/")
    figure = plain.locator("figure.trace")
    assert plain.locator(".player").count() == 0
    assert figure.locator("li").last.is_visible() and figure.locator("li").count() == 23
    assert ".grad 48 → 60" in graph(figure)
    assert figure.locator(".graph svg").bounding_box()["height"] > 300
    plain.goto(figures + "t/p/")
    assert shown(plain) == printed("2.0") and not plain.locator("trace-vary").is_visible()
    plain.goto(figures + "en/t/q/")
    assert plain.locator("figure.plot svg").is_visible()
    assert not plain.locator("trace-vary").is_visible()
    context.close()


def test_print_shows_the_finished_graph_and_every_step(figures, page):
    figure = go(page, figures + "losses/")
    button(figure, 0).click()
    assert ".grad 48 → 60" not in graph(figure)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert ".grad 48 → 60" in graph(figure) and figure.locator("li").last.is_visible()
    assert not figure.locator(".player").is_visible()
    assert figure.locator(".off, .on").count() == 0
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


@pytest.mark.parametrize(("name", "prefix"), [("losses", ""), (WIDE, "en/"), ("t/p", "en/")])
def test_on_a_phone_only_the_graph_scrolls(figures, page, name, prefix):
    page.set_viewport_size({"width": 390, "height": 844})
    figure = go(page, f"{figures}{prefix}{name}/")
    seen = figure.evaluate(TRAVEL)
    assert len(seen) == figure.locator("li").count() > 5
    assert max(width for width, _ in seen) <= 390 and all(inside for _, inside in seen)
    assert page.locator(".graph").evaluate("e => e.scrollWidth > e.clientWidth") == (name == WIDE)
    for control in page.locator(":is(.player, trace-vary) :is(button, input):visible").all():
        box = control.bounding_box()
        assert box["height"] >= 40 and box["x"] >= 0 and box["x"] + box["width"] <= 390
    assert page.complaints == []


VIOLATIONS = """() => axe.run("main", { resultTypes: ["violations"] })
    .then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes.map(n => n.html)]))"""
LETTERS = """texts => texts.map(e => [getComputedStyle(e).fill, getComputedStyle(
    e.closest("g")?.querySelector(".box") ?? document.body
)[e.closest("g") ? "fill" : "backgroundColor"], e.textContent])"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_figures_in_motion_keep_nobody_out(figures, page, scheme):
    """axe doesn't look at the colors of SVG: each text against its card, 4.5 to 1."""
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    go(page, figures + "all/")
    page.evaluate(AXE)
    for step in (None, 1, 13):
        if step:
            player = page.locator("trace-player").first
            player.evaluate("(player, step) => player.stepTo(step)", step)
        assert (step, page.evaluate(VIOLATIONS)) == (step, [])
        texts = page.locator(".trace").first.locator("svg :is(g:not(.off) text, svg > text)")
        colors = texts.evaluate_all(LETTERS)
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


ROOM = """figure => {
  const svg = figure.querySelector(".graph svg"), graph = figure.querySelector(".graph")
  const { width } = svg.getBoundingClientRect(), bar = figure.querySelector(".player")
  return { across: svg.matches(".across"), size: 11 * width / svg.viewBox.baseVal.width,
    all: graph.scrollHeight <= graph.clientHeight, numbers: !!bar.querySelector("trace-vary input"),
    height: graph.offsetHeight + bar.offsetHeight }
}"""


@pytest.mark.parametrize(("width", "height", "across"), [(1280, 740, True), (390, 844, False)])
def test_a_small_graph_goes_across_where_there_is_room(figures, page, width, height, across):
    page.set_viewport_size({"width": width, "height": height})
    figure = go(page, figures + "t/p/")
    page.wait_for_selector(FIELD)
    room = figure.evaluate(ROOM)
    assert (room["across"], room["numbers"], room["all"]) == (across, True, True)
    assert room["size"] >= 11 and room["height"] < (340 if across else 700)
    # Turned there and back, nothing is lost.
    text = "figure => figure.querySelector('svg').outerHTML"
    before = figure.evaluate(text)
    for size, way in ((1670 - width, not across), (width, across)):
        page.set_viewport_size({"width": size, "height": height})
        turned = f"figure => ({ROOM})(figure).across == {str(way).lower()}"
        page.wait_for_function(turned, arg=figure.element_handle())
    assert figure.evaluate(text) == before and page.complaints == []


HEIGHTS = "e => `${e.offsetHeight} ${e.querySelector('.player').offsetHeight}`"


def test_stepping_moves_nothing_in_the_figure(figures, page):
    page.set_viewport_size({"width": 1280, "height": 740})
    for name in FIGURES:
        figure, places = go(page, f"{figures}{name}/"), set()
        button(figure, 0).click()
        for _ in range(figure.locator("li").count()):
            places.add(
                figure.evaluate(
                    "e => e.offsetHeight + ' ' + e.querySelector('.player').offsetHeight"
                )
            )
            button(figure, 3).evaluate("button => button.click()")
        assert len(places) == 1


def test_a_box_leads_to_its_steps_and_lights_its_line_and_its_factor(figures, page):
    figure = go(page, figures + "losses/")
    box = figure.locator("g.card", has_text="y1 =")
    for shown in ("3", "11", "18", "3"):
        box.click()
        assert at(figure).startswith(f"{shown} / ") and box.get_attribute("class").count("on")
    assert figure.locator(".factor.lit").count() == 1
    assert page.locator(".code-line.lit").inner_text().startswith("y1 = ")
    page.mouse.move(0, 0)
    assert page.locator(".lit").count() == 0
    # By keys: one stop for all boxes, arrows from one to the next.
    figure.locator(".graph").focus()
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    assert figure.locator("g.card.lit").text_content().startswith("w = 1")
    page.keyboard.press("Enter")
    assert at(figure).startswith("1 / ")
    page.keyboard.press("ArrowRight")
    assert at(figure).startswith("2 / ") and page.complaints == []


def test_a_wide_figure_keeps_three_lines_of_code_with_it(figures, page):
    page.set_viewport_size({"width": 1280, "height": 740})
    figure = go(page, f"{figures}{WIDE}/")
    button(figure, 0).click()
    lines = figure.locator(".around span[data-n]")
    assert figure.locator(".around").is_visible() and lines.count() == 3
    marked = page.locator(".trace-line").inner_text().strip()
    assert figure.locator(".around .now").inner_text().strip() == marked
    assert not go(page, figures + "t/p/").locator(".around").is_visible()


def test_the_legend_stays_as_a_reader_left_it(figures, page):
    legend = "figcaption details[open] .legend"
    figure = go(page, figures + "losses/")
    assert figure.locator(legend).count() == 0
    figure.locator("figcaption summary").click()
    assert figure.locator(legend).is_visible()
    assert go(page, figures + "t/p/").locator(legend).is_visible()
    page.locator("figcaption summary").click()
    assert go(page, figures + "losses/").locator(legend).count() == 0


def test_a_step_is_taken_elsewhere(figures, page, printed):
    """By a link, as an image, in a frame that shows the figure with its code and nothing else."""
    page.context.grant_permissions(
        ["clipboard-read", "clipboard-write"], origin=figures.rstrip("/")
    )
    figure = go(page, f"{figures}en/t/p/#{VARIED}-step-5&w=0.5")
    wait_for(page, printed("0.5"))
    link, image, frame = (figure.locator(".share button").nth(n) for n in range(3))
    link.click()
    copied = "navigator.clipboard.readText()"
    address = f"#{VARIED}-step-5&w=0.5&lr=0.1"
    assert page.evaluate(copied) == f"{figures}en/t/p/{address}"
    frame.click()
    code = page.evaluate(copied)
    source = unescape(re.search('src="([^"]+)"', code)[1])
    assert source == f"{figures}en/t/p/?figure={VARIED}{address}"
    image.click()
    page.wait_for_function("document.querySelectorAll('.share button')[1].textContent == 'Copied'")
    kinds = "navigator.clipboard.read().then(items => items.flatMap(item => item.types))"
    assert page.evaluate(kinds) == ["image/png"]
    page.goto("about:blank")
    figure = go(page, source)
    wait_for(page, printed("0.5"))
    assert at(figure).startswith("5 / ") and figure.is_visible()
    assert page.locator(".highlight").first.is_visible()
    assert not page.locator("h1").is_visible() and not page.locator(".md-header").is_visible()
    assert page.complaints == []


# Numbers that a reader changes


def shown(page) -> str:
    return page.locator(".output code").inner_text().strip()


def wait_for(page, text: str) -> None:
    page.wait_for_function(
        "text => document.querySelector('.output code').innerText.trim() == text", arg=text
    )


def code_line(page, number: int) -> str:
    line = page.locator("div.highlight:not(.output) .code-line").nth(number - 1)
    return line.inner_text().removesuffix("\n")


def test_a_number_is_moved_by_keys_and_printed_as_it_was(figures, page, printed):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    figure = go(page, figures + "t/p/")
    count = figure.locator(".player > small")
    assert shown(page) == printed("2.0")
    page.wait_for_timeout(300)
    assert not [url for url in asked if url.endswith(f"{VARIED}.js")]  # until it is needed
    for _ in range(3):
        button(figure, 1).click()
    step = count.inner_text()
    page.locator(SLIDER).first.press("ArrowLeft")
    wait_for(page, printed("1.5"))
    assert [url for url in asked if url.endswith(f"{VARIED}.js")] == [f"{figures}t/p/{VARIED}.js"]
    assert count.inner_text() == step
    assert code_line(page, 3) == "w = torch.tensor(1.5, requires_grad=True)"
    # Who has seen the end stays there, though with another number there are fewer steps, or more.
    button(figure, 4).click()
    counts, nodes = set(), []
    for key, value in (("Home", "-2.0"), ("End", "3.0")):
        page.locator(SLIDER).first.press(key)
        wait_for(page, printed(value))
        assert page.locator(FIELD).first.input_value() == value
        now, _, last = count.inner_text().partition(" / ")
        assert now == last
        counts.add(last)
        nodes.append([name in graph(figure) for name in ("PowBackward0", "AbsBackward0")])
        said = page.locator("trace-vary small").inner_text()
        assert said == ("这个值下的计算图和原来不同。" if key == "Home" else "")
    assert len(counts) == 2 and nodes == [[False, True], [True, False]]
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    wait_for(page, printed("2.0"))
    assert page.complaints == []


def test_a_typed_number_goes_to_the_nearest_and_says_so(figures, page, printed):
    go(page, figures + "en/t/p/")
    field = page.locator(FIELD).first
    nearest = "That value was not recorded; the nearest is {}."
    for typed, value, told in (
        ("0.6", "0.5", nearest),
        ("1", "1.0", ""),
        ("−1.1", "-1.0", f"{nearest} With this value the graph is another one."),
        ("99", "3.0", nearest),
        ("none", "3.0", nearest),
        ("2", "2.0", ""),
    ):
        field.fill(typed)
        field.press("Enter")
        wait_for(page, printed(value))
        assert field.input_value() == value
        page.wait_for_function(
            "told => document.querySelector('trace-vary small').innerText == told",
            arg=told.format(value),
        )


def test_two_numbers_and_the_way_back(figures, page, printed):
    go(page, figures + "t/p/")
    text = "document.querySelector('main').innerHTML.replaceAll(' class=\"\"', '')"
    before = page.evaluate(text)
    back, numbers = page.locator("trace-vary button"), page.locator(".follows")
    assert back.is_disabled() and numbers.all_inner_texts() == ["12", "12"]
    page.locator(SLIDER).nth(1).press("End")
    wait_for(page, printed("2.0", "0.5"))
    page.locator(SLIDER).first.press("Home")
    wait_for(page, printed("-2.0", "0.5"))
    assert "lr=0.5" in code_line(page, 7)
    assert numbers.all_inner_texts() == ["−1", "−1"]  # of the text, which says so
    assert page.locator("article p .varied").count() == 2
    back.click()
    wait_for(page, printed("2.0"))
    assert back.is_disabled() and code_line(page, 7) == CODE.split("\n")[6]
    page.wait_for_function(f"before => {text} == before", arg=before)


def test_links_lead_to_a_step_and_to_a_run_with_these_numbers(figures, page, printed):
    figure = go(page, f"{figures}en/t/p/#{VARIED}-step-5&w=0.5")
    wait_for(page, printed("0.5"))
    assert at(figure).startswith("5 / ")
    page.locator("article a", has_text="7").first.click()
    wait_for(page, printed("-0.5", "0.5"))
    assert at(figure).startswith("7 / ") and "−0.5" in graph(figure)
    link = page.locator("a.run", has_text="18")
    assert link.get_attribute("data-values") == "w=3.0&lr=0.1"
    assert "w = 3.0, lr = 0.1" in link.get_attribute("title")
    link.click()
    wait_for(page, printed("3.0"))


def test_without_its_data_it_says_so_and_tries_again(figures, page, printed):
    page.route(f"**/{VARIED}.js", lambda route: route.abort())
    go(page, figures + "t/p/")
    page.locator(SLIDER).first.press("ArrowLeft")
    page.wait_for_function("() => document.querySelector('trace-vary small').textContent")
    assert page.locator("trace-vary small").inner_text().startswith("数据没有读到")
    page.unroute(f"**/{VARIED}.js")
    page.locator(SLIDER).first.press("ArrowLeft")
    wait_for(page, printed("1.0"))
    assert page.locator("trace-vary small").inner_text() == ""


def test_the_controls_stay_where_they_are(figures, page, printed):
    """Though the output takes fewer lines: `tensor(6.)` is shorter than `tensor(12.)`."""
    page.set_viewport_size({"width": 390, "height": 500})
    go(page, figures + "t/p/")
    narrow = "white-space: pre-wrap; word-break: break-all; box-sizing: content-box"
    page.add_style_tag(content=f".output code {{ {narrow}; padding: 0; width: 18.5ch }}")
    page.evaluate("document.querySelector('trace-vary').scrollIntoView()")
    places = (
        "() => ['.output', 'trace-vary'].map(e => document.querySelector(e).getClientRects()[0].y)"
    )
    output, controls = page.evaluate(places)
    page.locator(FIELD).first.fill("1")
    page.locator(FIELD).first.press("Enter")
    wait_for(page, printed("1.0"))
    output_then, controls_then = page.evaluate(places)
    assert controls_then == pytest.approx(controls, abs=1)
    assert output_then > output + 10


def end_of_line(page) -> float:
    """How high the line of the plot ends, in the units of the picture."""
    path = "figure.plot path[style*='--plot-1']"
    return float(page.locator(path).get_attribute("d").split()[-1])


@pytest.mark.parametrize(
    ("prefix", "scheme", "color"),
    [("", "light", "rgb(23, 105, 158)"), ("en/", "dark", "rgb(111, 183, 234)")],
)
def test_a_plot_follows_the_slider_on_a_phone_too(figures, page, prefix, scheme, color):
    page.set_viewport_size({"width": 390, "height": 844})
    page.emulate_media(color_scheme=scheme)
    page.goto(f"{figures}{prefix}t/q/")
    page.wait_for_selector("trace-vary input")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    figure, slider = page.locator("figure.plot"), page.locator(SLIDER)
    line = page.locator("figure.plot path[style*='--plot-1']")
    assert line.evaluate("path => getComputedStyle(path).stroke") == color
    before, own = figure.locator("varied-plot").inner_html(), end_of_line(page)
    slider.focus()
    page.keyboard.press("ArrowRight")
    wait_for(page, "at 3: 9.0")
    steep = end_of_line(page)
    assert own - steep > 20 and code_line(page, 3) == "slope = 3.0"
    assert page.locator(FIELD).input_value() == "3.0"
    svg = figure.locator("varied-plot svg")
    assert "slope = 3.0" in svg.get_attribute("aria-label")
    assert ("step" if prefix else "步") in svg.text_content()
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    page.mouse.move(box["x"] + box["width"] - 3, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 2, box["y"] + box["height"] / 2, steps=6)
    page.mouse.up()
    wait_for(page, "at 3: 3.0")
    assert end_of_line(page) - own == pytest.approx(own - steep, abs=0.3)
    page.locator("trace-vary button").click()
    wait_for(page, "at 3: 6.0")
    assert figure.locator("varied-plot").inner_html() == before
    page.goto(f"{figures}{prefix}t/q/#plot-t-d&slope=3.0")
    wait_for(page, "at 3: 9.0")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    wait_for(page, "at 3: 6.0")
    assert page.complaints == []


def drag(page, ball, right: float, down: float):
    """Drag the ball of a figure by so many pixels."""
    ball.scroll_into_view_if_needed()
    box = ball.locator("circle.reach").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + right, y + down, steps=5)
    page.mouse.up()


@pytest.mark.parametrize(("width", "prefix"), [(1280, ""), (390, "en/")])
def test_a_ball_is_a_handle_and_figures_of_one_number_move_together(figures, page, width, prefix):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{figures}{prefix}t/r/")
    page.wait_for_selector("trace-vary input")
    assert page.evaluate("document.documentElement.scrollWidth") == width
    ball, text = page.locator(".curve .ball"), page.locator("p .follows")
    before = ball.get_attribute("transform")
    drag(page, ball, right=width, down=100)
    wait_for(page, "loss: 0.0\nits slope: 0.0")
    assert [field.input_value() for field in page.locator(FIELD).all()] == ["3.0", "3.0"]
    page.wait_for_function("document.querySelectorAll('.output code')[1].innerText == 'at 3: 9.0'")
    assert ball.get_attribute("transform") != before
    assert float(ball.locator("line").get_attribute("y2")) == 0
    assert text.inner_text() == "0"
    drag(page, page.locator("varied-plot > svg .ball"), right=0, down=400)
    wait_for(page, "loss: 4.0\nits slope: -4.0")
    assert text.inner_text() == "−4"
    page.locator("trace-vary button").first.click()
    wait_for(page, "loss: 1.0\nits slope: -2.0")
    assert ball.get_attribute("transform") == before
    assert page.complaints == []


def test_a_figure_that_a_guess_hides_speaks_once_it_is_shown_and_its_ball_is_a_handle(
    figures, page
):
    page.goto(f"{figures}en/t/b/")
    page.wait_for_selector(".player", state="attached")
    figure = page.locator("figure.trace")
    told = page.get_by_text("All of it.")
    assert not figure.is_visible() and not told.is_visible()
    page.locator("reader-guess input").fill("-2")
    page.keyboard.press("Enter")
    figure.wait_for(state="visible")
    assert told.is_visible()
    filled = page.locator(".trace .hll, .traced .hll").first
    before = filled.evaluate("line => getComputedStyle(line).backgroundColor")
    button(figure, 3).click()
    style = "line => [getComputedStyle(line).backgroundColor, getComputedStyle(line).boxShadow]"
    assert filled.evaluate(style) == ["rgba(0, 0, 0, 0)", "none"]  # the line that runs stands out
    assert before != "rgba(0, 0, 0, 0)"
    page.wait_for_function("document.querySelector('.player > p').offsetHeight > 10")
    drag(page, figure.locator(".ball"), right=300, down=100)
    wait_for(page, "loss: 0.0\nits slope: 0.0")
    assert float(figure.locator(".ball line").get_attribute("y2")) == 0
    assert page.complaints == []
