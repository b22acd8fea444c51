"""What a reader does with the numbers of a figure: drag, type, keys, links, back, no script.

Needs Chromium or Chrome. What a page then shows is compared with what the script with that number
really prints.
"""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from axe import AXE
from proofbook.directives.varied_figure import variants_of
from proofbook.testing.browser import needs_browser
from proofbook.testing.fixtures import PATIENCE, lent
from proofbook.testing.server import serve
from proofbook.testing.tiny_book import Book

ROOT = Path(__file__).resolve().parents[1]
pytestmark = needs_browser

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
FIGURE = "trace-t-s"
PLOT = """\
import matplotlib.pyplot as plt

slope = 2.0
print("at 3:", slope * 3)
plt.plot([0, 3], [0, slope * 3])
plt.ylim(0, 12)
plt.xlabel("step")
plt.show()
"""
SLOPES = ["slope = 2.0 | 1 to 3 step 1"]
FIELD, SLIDER = "trace-vary label input", "trace-vary input[type=range]"


@pytest.fixture(scope="module")
def varied(tmp_path_factory, runner, other_runner, build) -> Iterator[str]:
    """The address of a book with a figure in which two numbers can be changed."""
    from proofbook.directives.varied_figure import values_of
    from proofbook.run.update import record

    book = Book(tmp_path_factory.mktemp("varied") / "book")
    for name in ("theme", "docs/assets", "docs/inventories"):
        shutil.copytree(ROOT / name, book.root / name, ignore=shutil.ignore_patterns("__pycache__"))
    script = "snippets/t/s.py"
    book.write(script, CODE)
    options = "    figure: trace\n" + "".join(f"    vary: {text}\n" for text in VARY)
    for language, title, says in (("zh", "图", "试试。"), ("en", "Figure", "Try it.")):
        text = f"# {title} {'{ #figure }'}\n\n{says}\n\n::: {script}\n{options}"
        values = '{ data-values="w=-0.5&lr=0.5" }'
        link = f"\n[7](#{FIGURE}-step-7){values} 18\n"
        follows = "\n`12`{ .follows }, **12**{ .follows }\n"
        book.write(f"docs/t/p.{language}.md", text + link + follows)
        book.write(f"docs/index.{language}.md", f"# {title} {{ #home }}\n")
    drawing = "snippets/t/d.py"
    book.write(drawing, PLOT)
    options = f"    figure: plot\n    vary: {SLOPES[0]}\n    alt: "
    for language, title, alt in (
        ("zh", "直线", "一条线\n    words: step=步"),
        ("en", "Line", "a line"),
    ):
        text = f"# {title} {'{ #line }'}\n\n::: {drawing}\n{options}{alt}\n"
        book.write(f"docs/t/q.{language}.md", text)
    asked = {
        script: (VARY, values_of(VARY), variants_of(CODE, VARY)),
        drawing: (SLOPES, values_of(SLOPES), variants_of(PLOT, SLOPES)),
    }
    with lent(runner, other_runner):
        _, problems, _ = record(book.root, [script, drawing], [script], asked)
    assert not problems
    config = (ROOT / "mkdocs.yml").read_text("utf-8").replace("theme, packages", "theme")
    nav = json.dumps(["index.md", "t/p.md", "t/q.md"])
    book.write("mkdocs.yml", re.sub(r"(?ms)^nav:\n.*?(?=^\S)", f"nav: {nav}\n", config))
    book.write("mkdocs.en.yml", (ROOT / "mkdocs.en.yml").read_bytes())
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
    page.set_default_timeout(15_000)
    page.goto(address)
    page.wait_for_selector(".player")
    return page.locator("figure.trace")


def shown(page) -> str:
    return page.locator(".output code").inner_text().strip()


def wait_for(page, text: str) -> None:
    page.wait_for_function(
        "text => document.querySelector('.output code').innerText.trim() == text", arg=text
    )


def code_line(page, number: int) -> str:
    line = page.locator("div.highlight:not(.output) .code-line").nth(number - 1)
    return line.inner_text().removesuffix("\n")


def test_keys_move_the_slider_and_everything_follows(varied, page, printed):
    figure = go(page, varied + "t/p/")
    assert shown(page) == printed("2.0")
    page.locator(SLIDER).first.focus()
    page.keyboard.press("ArrowLeft")
    wait_for(page, printed("1.5"))
    assert "∇ 3" in figure.locator(".graph").text_content(), "finished, though not yet played"
    assert code_line(page, 3) == "w = torch.tensor(1.5, requires_grad=True)"
    assert ".grad 9" in figure.locator(".graph").text_content()
    page.keyboard.press("Home")
    wait_for(page, printed("-2.0"))
    assert page.locator(FIELD).first.input_value() == "-2.0"
    assert page.complaints == []


def test_a_typed_number_goes_to_the_nearest_and_says_so(varied, page, printed):
    go(page, varied + "en/t/p/")
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
        assert code_line(page, 3) == f"w = torch.tensor({value}, requires_grad=True)"
        page.wait_for_function(
            "told => document.querySelector('trace-vary small').innerText == told",
            arg=told.format(value),
        )
    field.press("ArrowDown")
    wait_for(page, printed("1.5"))


def test_two_numbers_and_the_way_back(varied, page, printed):
    go(page, varied + "t/p/")
    text = "document.querySelector('main').innerHTML.replaceAll(' class=\"\"', '')"
    before = page.evaluate(text)
    back = page.locator("trace-vary button")
    assert back.is_disabled()
    page.locator(SLIDER).nth(1).press("End")
    wait_for(page, printed("2.0", "0.5"))
    page.locator(SLIDER).first.press("ArrowRight")
    wait_for(page, printed("2.5", "0.5"))
    assert "lr=0.5" in code_line(page, 7)
    back.click()
    wait_for(page, printed("2.0"))
    assert back.is_disabled() and code_line(page, 7) == CODE.split("\n")[6]
    page.wait_for_function(f"before => {text} == before", arg=before)


def test_another_graph_is_told(varied, page, printed):
    figure = go(page, varied + "t/p/")
    nodes = "PowBackward0", "AbsBackward0"
    assert [name in figure.locator(".graph").text_content() for name in nodes] == [True, False]
    page.locator(SLIDER).first.press("Home")
    wait_for(page, printed("-2.0"))
    assert [name in figure.locator(".graph").text_content() for name in nodes] == [False, True]
    assert page.locator("trace-vary small").inner_text() == "这个值下的计算图和原来不同。"
    page.locator(SLIDER).first.press("End")
    wait_for(page, printed("3.0"))
    assert [name in figure.locator(".graph").text_content() for name in nodes] == [True, False]
    assert page.locator("trace-vary small").inner_text() == ""


@pytest.mark.parametrize("prefix", ["", "en/"])
def test_a_link_leads_to_a_step_with_these_numbers(varied, page, printed, prefix):
    address = f"{varied}{prefix}t/p/"
    figure = go(page, f"{address}#{FIGURE}-step-5&w=0.5")
    wait_for(page, printed("0.5"))
    assert figure.locator(".player > small").inner_text().startswith("5 / ")
    page.locator("article a", has_text="7").first.click()
    wait_for(page, printed("-0.5", "0.5"))
    assert figure.locator(".player > small").inner_text().startswith("7 / ")
    assert "−0.5" in figure.locator(".graph").text_content()


def test_a_step_stays_while_the_number_changes(varied, page, printed):
    figure = go(page, varied + "t/p/")
    for _ in range(3):
        figure.locator(".player button").nth(1).click()
    count = figure.locator(".player > small").inner_text()
    page.locator(SLIDER).first.press("ArrowRight")
    wait_for(page, printed("2.5"))
    assert figure.locator(".player > small").inner_text() == count


def test_nothing_is_loaded_before_it_is_needed(varied, page):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    go(page, varied + "t/p/")
    page.wait_for_timeout(300)
    data = [url for url in asked if url.endswith(f"{FIGURE}.js")]
    assert data == []
    page.locator(SLIDER).first.focus()
    page.wait_for_function("() => !!globalThis.variedRuns")
    assert [url for url in asked if url.endswith(f"{FIGURE}.js")] == [f"{varied}t/p/{FIGURE}.js"]


def test_without_its_data_it_says_so_and_tries_again(varied, page, printed):
    page.route(f"**/{FIGURE}.js", lambda route: route.abort())
    go(page, varied + "t/p/")
    page.locator(SLIDER).first.press("ArrowLeft")
    page.wait_for_function("() => document.querySelector('trace-vary small').textContent")
    assert page.locator("trace-vary small").inner_text().startswith("数据没有读到")
    page.unroute(f"**/{FIGURE}.js")
    page.locator(SLIDER).first.press("ArrowLeft")
    wait_for(page, printed("1.0"))
    assert page.locator("trace-vary small").inner_text() == ""


def test_print_and_no_script_show_the_script_as_it_is(varied, page, browser, printed):
    go(page, varied + "t/p/")
    page.locator(SLIDER).first.press("ArrowLeft")
    wait_for(page, printed("1.5"))
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    wait_for(page, printed("2.0"))
    plain = browser.new_context(java_script_enabled=False).new_page()
    plain.goto(varied + "t/p/")
    assert plain.locator(".output code").inner_text().strip() == printed("2.0")
    assert not plain.locator("trace-vary").is_visible()


def test_on_a_phone_it_fits(varied, page):
    page.set_viewport_size({"width": 390, "height": 844})
    go(page, varied + "en/t/p/")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    for control in page.locator("trace-vary :is(input, button:enabled)").all():
        box = control.bounding_box()
        assert box["height"] >= 40 and box["x"] >= 0 and box["x"] + box["width"] <= 390


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_where_a_number_was_changed(varied, page, printed, scheme):
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    go(page, varied + "t/p/")
    page.locator(SLIDER).first.press("Home")
    wait_for(page, printed("-2.0"))
    page.locator(".player button").nth(1).click()
    page.evaluate(AXE)
    found = page.evaluate("axe.run('main', { resultTypes: ['violations'] })")
    assert [(each["id"], each["nodes"][0]["html"]) for each in found["violations"]] == []


def test_who_has_seen_the_end_stays_there(varied, page, printed):
    """With another number the script makes fewer steps, or more."""
    figure = go(page, varied + "t/p/")
    count = figure.locator(".player > small")
    figure.locator(".player button").nth(4).click()
    counts = set()
    for key, value in (("Home", "-2.0"), ("End", "3.0")):
        page.locator(SLIDER).first.press(key)
        wait_for(page, printed(value))
        step, _, last = count.inner_text().partition(" / ")
        counts.add(last)
        assert step == last
    assert len(counts) == 2


def test_the_controls_stay_where_they_are(varied, page, printed):
    """Though the output takes fewer lines: `tensor(6.)` is shorter than `tensor(12.)`."""
    page.set_viewport_size({"width": 390, "height": 500})
    go(page, varied + "t/p/")
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


def test_a_number_of_another_run_leads_to_that_run(varied, page, printed):
    go(page, varied + "t/p/")
    link = page.locator("a.run", has_text="18")
    assert link.get_attribute("data-values") == "w=3.0&lr=0.1"
    assert "w = 3.0, lr = 0.1" in link.get_attribute("title")
    link.click()
    wait_for(page, printed("3.0"))


def test_a_number_of_the_text_follows_and_says_so(varied, page, printed):
    go(page, varied + "t/p/")
    numbers = page.locator(".follows")
    before = numbers.all_inner_texts(), numbers.evaluate_all("all => all.map(e => e.outerHTML)")
    assert before[0] == ["12", "12"]
    page.locator(SLIDER).first.press("Home")
    wait_for(page, printed("-2.0"))
    assert numbers.all_inner_texts() == ["−1", "−1"]
    assert page.locator("article p .varied").count() == 2
    page.locator("trace-vary button").click()
    wait_for(page, printed("2.0"))
    assert numbers.all_inner_texts() == before[0]
    assert not page.locator("article p .varied").count()


# A plot


def go_to_plot(page, address: str):
    page.set_default_timeout(15_000)
    page.goto(address)
    page.wait_for_selector("trace-vary input")
    return page.locator("figure.plot")


def end_of_line(page) -> float:
    """How high the line ends, in the units of the picture."""
    path = "figure.plot path[style*='--plot-1']"
    return float(page.locator(path).get_attribute("d").split()[-1])


@pytest.mark.parametrize("prefix", ["", "en/"])
def test_a_plot_follows_the_slider(varied, page, prefix):
    figure = go_to_plot(page, f"{varied}{prefix}t/q/")
    before, own = figure.locator("varied-plot").inner_html(), end_of_line(page)
    slider, field, svg = (
        page.locator(SLIDER),
        page.locator(FIELD),
        figure.locator("varied-plot svg"),
    )
    slider.focus()
    page.keyboard.press("ArrowRight")
    wait_for(page, "at 3: 9.0")
    steep = end_of_line(page)
    assert code_line(page, 3) == "slope = 3.0" and field.input_value() == "3.0"
    assert "slope = 3.0" in svg.get_attribute("aria-label")
    assert ("step" if prefix else "步") in svg.text_content()
    field.fill("1")
    field.press("Enter")
    wait_for(page, "at 3: 3.0")
    assert end_of_line(page) - own == pytest.approx(own - steep, abs=0.3)
    assert own - steep > 20
    assert page.locator("trace-vary small").inner_text() == ""
    page.locator("trace-vary button").click()
    wait_for(page, "at 3: 6.0")
    assert figure.locator("varied-plot").inner_html() == before
    assert page.complaints == []


def test_dragging_a_plot_and_printing_it(varied, page, browser):
    go_to_plot(page, varied + "en/t/q/")
    own = end_of_line(page)
    page.locator(SLIDER).scroll_into_view_if_needed()
    box = page.locator(SLIDER).bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + 2, box["y"] + box["height"] / 2, steps=6)
    page.mouse.up()
    wait_for(page, "at 3: 3.0")
    assert end_of_line(page) > own
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    wait_for(page, "at 3: 6.0")
    assert end_of_line(page) == own
    plain = browser.new_context(java_script_enabled=False).new_page()
    plain.goto(varied + "en/t/q/")
    assert plain.locator("figure.plot svg").is_visible()
    assert not plain.locator("trace-vary").is_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_plot_on_a_phone(varied, browser, scheme):
    context = browser.new_context(color_scheme=scheme, viewport={"width": 390, "height": 844})
    page = context.new_page()
    go_to_plot(page, f"{varied}t/q/#plot-t-d&slope=3.0")
    wait_for(page, "at 3: 9.0")
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    line = page.locator("figure.plot path[style*='--plot-1']")
    expected = {"light": "rgb(23, 105, 158)", "dark": "rgb(111, 183, 234)"}[scheme]
    assert line.evaluate("path => getComputedStyle(path).stroke") == expected
    for control in page.locator("trace-vary :is(input, button:enabled)").all():
        box = control.bounding_box()
        assert box["height"] >= 40 and box["x"] >= 0 and box["x"] + box["width"] <= 390
    context.close()
