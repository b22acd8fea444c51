"""How a reader finds the way on the page that `gradtrace` writes: search, zoom, inside and back.

Needs Chromium or Chrome.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import pytest
from gradtrace.doctor import Run, diagnose, page_diagnosis
from gradtrace.drawing.page import standalone_page
from health_recording import record_health
from proofbook.testing.browser import needs_browser, watch

pytestmark = needs_browser

HEAD = "import torch\nfrom torch import nn\n\n"
MLP = """
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for step in range(2):
        optimizer.zero_grad()
        loss = net(torch.ones(4, 2)).pow(2).mean()
        loss.backward()
        optimizer.step()
"""
NESTED = """
    net = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 3)
    for step in range(2):
        net(torch.randn(2, 5, 8)).pow(2).mean().backward()
    print("done")
"""
MODEL = """
    class Doubled(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = nn.Linear(2, 2)

        def forward(self, x):
            return self.inner(x) * 2
"""
TWO_FILES = """
    from doubled_model import Doubled

    net = Doubled()
    net(torch.ones(1, 2)).sum().backward()
"""
FAILS = """
    net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
    hidden = net[0](torch.ones(4, 2)).exp()
    loss = net[2](hidden).mean()
    hidden += 1
    loss.backward()
"""
CUT = """
    torch.manual_seed(0)
    first, last = nn.Linear(2, 3), nn.Linear(3, 1)
    unused = nn.Linear(1, 1)
    parameters = [*first.parameters(), *unused.parameters(), *last.parameters()]
    optimizer = torch.optim.SGD(parameters, lr=0.1)
    for step in range(3):
        optimizer.zero_grad()
        hidden = first(torch.ones(4, 2))
        last(hidden.detach()).pow(2).mean().backward()
        optimizer.step()
"""
SCRIPTS = {"mlp": MLP, "nested": NESTED, "two_files": TWO_FILES, "fails": FAILS, "cut": CUT}
ZOOM = "document.querySelector('trace-page').zoom.zoom"
VIEW = "document.querySelector('trace-page').view"
FIELD = ".search input"
LAST = "document.querySelector('trace-page').last"
AT = "document.activeElement"


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> dict[str, Path]:
    """The pages of some scripts, in English."""
    folder, found = tmp_path_factory.mktemp("reading"), {}
    (folder / "doubled_model.py").write_text(HEAD + dedent(MODEL), "utf-8")
    for name, body in SCRIPTS.items():
        script = folder / f"{name}.py"
        script.write_text(HEAD + dedent(body), "utf-8")
        found[name] = folder / f"{name}.html"
        with pytest.MonkeyPatch.context() as patch:
            patch.syspath_prepend(folder)
            trace = record_health(script)
        run = Run(trace)
        diagnosis = page_diagnosis(run, diagnose(run), "en") if name == "cut" else None
        text = standalone_page(script.name, trace, "en", diagnosis=diagnosis)
        found[name].write_text(text, "utf-8")
    return found


@pytest.fixture
def open_page(browser, made) -> Iterator:
    """Opens one of the pages, in a window of this size; nothing may go wrong on it."""
    pages = []

    def opened(name: str, width: int = 1280, **options: object):
        options = {"viewport": {"width": width, "height": 800}, "offline": True} | options
        page = browser.new_context(**options).new_page()
        pages.append(page)
        watch(page, ("file:", "data:"))
        page.goto(made[name].as_uri())
        page.wait_for_selector("trace-page:defined .player")
        return page

    yield opened
    for page in pages:
        assert page.complaints == []
        page.context.close()


def eventually(page, condition: str) -> None:
    """Waits until it holds; Playwright's own way needs a policy that lets texts run as code."""
    end = time.monotonic() + 30
    while not page.evaluate(condition):
        assert time.monotonic() < end, condition
        page.wait_for_timeout(20)


def trail(page) -> str:
    """The way to the open group, as it is shown."""
    return page.locator("nav").inner_text().strip()


def in_sight(part, pane, along: str = "xy") -> bool:
    """Whether all of a part is in sight within a pane that scrolls, or all of its height (y)."""
    one, other = part.bounding_box(), pane.bounding_box()
    return all(
        other[start] - 1 <= one[start] and one[start] + one[size] <= other[start] + other[size] + 1
        for start, size in (("x", "width"), ("y", "height"))
        if start in along
    )


def told(page) -> str:
    return page.locator(".player p").inner_text()


def test_search_finds_modules_tensors_operations_and_lines(open_page):
    page = open_page("nested")
    field, found = page.locator(FIELD), page.locator(".found li")
    page.keyboard.press("/")
    assert field.evaluate("field => field == document.activeElement")
    assert field.get_attribute("aria-expanded") == "false"
    page.keyboard.type("layers.1.norm2")
    assert field.get_attribute("aria-expanded") == "true"
    assert "norm2" in found.first.inner_text()
    page.keyboard.press("Enter")
    assert "layers.1" in trail(page)
    assert "norm2" in page.evaluate(f"{AT}.textContent") and page.locator("svg .on").count()
    assert not found.first.is_visible()

    field.fill("linear")
    first, second = found.nth(0), found.nth(1)
    assert first.get_attribute("aria-selected") == "true"
    field.press("ArrowDown")
    assert second.get_attribute("aria-selected") == "true"
    assert field.get_attribute("aria-activedescendant") == second.get_attribute("id")
    field.press("ArrowUp")
    field.press("ArrowUp")
    assert found.last.get_attribute("aria-selected") == "true"

    field.fill("line 7")
    assert all(text.startswith("Line 7 ") for text in found.all_inner_texts()[:3])
    found.first.click()
    assert told(page).startswith("Line 7 net(torch.randn")

    field.fill("no such thing")
    assert found.all_inner_texts() == ["Nothing found"]
    field.press("Enter")
    field.press("Escape")
    assert field.input_value() == "" and not found.first.is_visible()
    assert trail(page) != ""


def test_a_picture_fits_its_pane_and_can_be_drawn_nearer(open_page):
    page = open_page("mlp")
    graph, svg = page.locator(".graph"), page.locator(".graph svg")
    natural = svg.evaluate("svg => svg.viewBox.baseVal.width")
    fitted = page.evaluate(ZOOM)
    assert 0.7 <= fitted <= 1
    assert svg.bounding_box()["width"] == pytest.approx(natural * fitted, abs=2)
    room = graph.evaluate("graph => [graph.clientWidth, graph.scrollWidth]")
    assert fitted == pytest.approx(0.7) or room[0] == room[1]
    page.get_by_role("button", name="Zoom in").click()
    nearer = page.evaluate(ZOOM)
    assert nearer > fitted
    page.keyboard.press("-")
    page.keyboard.press("-")
    assert page.evaluate(ZOOM) < nearer
    page.keyboard.press("0")
    assert page.evaluate(ZOOM) == fitted
    page.mouse.move(*(graph.bounding_box()[side] + 60 for side in "xy"))
    page.keyboard.down("Control")
    page.mouse.wheel(0, -100)
    page.keyboard.up("Control")
    eventually(page, f"{ZOOM} > {fitted}")
    for _ in range(20):
        page.keyboard.press("+")
    assert page.evaluate(ZOOM) == 3
    page.keyboard.press("Home")
    assert in_sight(page.locator("svg .card.on", has_text="AddmmBackward0").locator(".name"), graph)


def test_inside_and_back_by_mouse_keys_and_browser(open_page):
    page = open_page("nested")
    root = page.evaluate(VIEW)
    group = page.locator("svg g.group").last
    key = group.get_attribute("data-k")
    group.click()
    assert page.evaluate(VIEW) == key and " ▸ " in trail(page)
    page.keyboard.press("Escape")
    assert page.evaluate(VIEW) == root
    assert page.evaluate(f"{AT}.dataset.k") == key, "the box that was left has the focus"
    page.keyboard.press("Enter")
    assert page.evaluate(VIEW) == key
    page.go_back()
    eventually(page, f"{VIEW} == '{root}'")
    page.go_forward()
    eventually(page, f"{VIEW} == '{key}'")
    inner = page.locator("svg g.group").first
    inner.focus()
    page.keyboard.press(" ")
    deeper = page.evaluate(VIEW)
    assert deeper not in (root, key)
    outward = page.locator("nav button")
    assert outward.last.get_attribute("title") == "Back to what is around it (Esc)"
    outward.last.click()
    assert page.evaluate(VIEW) == key
    page.locator("svg g.stub").first.click()
    assert page.evaluate(VIEW) != key
    page.locator("nav button").first.click()
    assert page.evaluate(VIEW) == root
    page.keyboard.press("Backspace")
    assert page.evaluate(VIEW) == root, "there is nothing around the whole"


def test_following_opens_the_group_in_which_a_step_is(open_page):
    page = open_page("nested")
    follow = page.get_by_role("button", name="Follow the steps")
    page.keyboard.press("Home")
    follow.click()
    assert follow.get_attribute("aria-pressed") == "true"
    views, count = set(), int(page.locator(".player > small").inner_text().split("/")[1])
    for _ in range(count):
        views.add(page.evaluate(VIEW))
        on = page.locator("svg .card.on")
        touched = page.evaluate(
            "() => { const p = document.querySelector('trace-page');"
            " return p.current.boxes(p.steps[p.now - 1]).at(-1) ?? null }"
        )
        if touched:
            assert touched in on.evaluate_all("all => all.map(one => one.dataset.k)")
        page.keyboard.press("ArrowRight")
    assert len(views) > 3
    page.keyboard.press("f")
    assert follow.get_attribute("aria-pressed") == "false"
    page.locator("nav button").first.click()
    root = page.evaluate(VIEW)
    page.keyboard.press("Home")
    for _ in range(count):
        assert page.evaluate(VIEW) == root
        page.keyboard.press("ArrowRight")


def test_another_pass_brings_its_own_words_and_the_browser_leads_back(open_page):
    page = open_page("nested")
    passes = page.get_by_label("What to show")
    assert passes.locator("option").all_inner_texts() == ["backward pass 1", "backward pass 2"]
    first = page.locator("summary").inner_text()
    page.locator("svg g.group").last.click()
    inside = page.evaluate(VIEW)
    passes.select_option("backward pass 2")
    eventually(page, f"document.querySelector('summary').textContent != '{first}'")
    second = page.locator("summary").inner_text()
    count = page.evaluate(LAST)
    assert second == f"All {count} steps" != first
    assert page.locator(".player p").inner_text().startswith("The forward pass is done;")
    assert page.locator(".player > small").inner_text().endswith(f" / {count}")
    page.locator(".player button").nth(3).click()
    assert "ackward pass starts at" in page.locator(".player p").inner_text()
    page.locator(".player button").first.click()
    assert page.locator(".player > small").inner_text() == f"1 / {count}"
    label = page.get_by_role("slider").get_attribute("aria-valuetext")
    assert label.startswith(f"Step 1 of {count}: ")
    page.go_back()
    eventually(page, f"{VIEW} == '{inside}'")
    assert passes.input_value() == "0" and page.locator("summary").inner_text() == first
    page.go_forward()
    eventually(page, "document.querySelector('.tools select').value == '1'")
    page.go_back()
    eventually(page, f"{VIEW} == '{inside}'")


def test_code_of_another_file_is_turned_to(open_page):
    page = open_page("two_files")
    files, shown = page.get_by_label("File"), page.locator(".highlight pre:visible")
    assert files.locator("option").all_inner_texts() == ["two_files.py", "doubled_model.py"]
    assert shown.get_attribute("data-file") == "two_files.py"
    seen = set()
    page.keyboard.press("Home")
    for _ in range(page.evaluate(LAST)):
        assert shown.count() == 1
        file = shown.get_attribute("data-file")
        assert files.input_value() == file
        seen.add(file)
        if page.locator(".trace-line").count():
            line = page.locator(".player p small code").inner_text()
            assert line and line in shown.inner_text()
        page.keyboard.press("ArrowRight")
    assert seen == {"two_files.py", "doubled_model.py"}
    files.select_option("doubled_model.py")
    assert "class Doubled" in shown.inner_text()
    page.keyboard.press("Home")
    assert shown.get_attribute("data-file") == "two_files.py"


def test_keys_step_wherever_the_reader_is_but_in_what_has_keys_of_its_own(open_page):
    page = open_page("mlp")
    at = page.locator(".player > small")
    page.keyboard.press("Home")
    count = int(at.inner_text().split("/")[1])
    for key, number in (("ArrowRight", 2), ("End", count), ("ArrowLeft", count - 1), ("Home", 1)):
        page.keyboard.press(key)
        assert at.inner_text() == f"{number} / {count}"
    page.locator(".graph").focus()
    page.keyboard.press("ArrowRight")
    assert at.inner_text() == f"2 / {count}"
    page.locator(FIELD).focus()
    page.keyboard.type("f0+-")
    page.keyboard.press("ArrowLeft")
    assert at.inner_text() == f"2 / {count}"
    assert page.locator(FIELD).input_value() == "f0+-"
    page.locator(FIELD).press("Escape")
    page.get_by_role("slider").focus()
    page.keyboard.press("ArrowRight")
    assert at.inner_text() == f"3 / {count}"
    page.locator(".graph").focus()
    page.keyboard.press("Control+ArrowRight")
    assert at.inner_text() == f"3 / {count}"


@pytest.mark.parametrize("width", [1280, 390])
def test_a_failure_is_at_its_line_with_its_sentence(open_page, width):
    page = open_page("fails", width)
    assert in_sight(page.locator(".trace-line"), page.locator(".highlight pre"), along="y")
    assert told(page).startswith("Line 9 loss.backward()\nError: RuntimeError: one of the")
    assert in_sight(page.locator(".player p small"), page.locator(".player p"))
    failed = page.locator("svg .card.on", has_text="→ error").locator(".box")
    assert in_sight(failed, page.locator(".graph"))
    assert page.locator(".player p").bounding_box()["y"] + 40 < 800
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_what_a_screen_reader_is_told(open_page):
    page = open_page("mlp", reduced_motion="reduce")
    page.keyboard.press("Home")
    live = page.locator(".player p")
    assert live.get_attribute("aria-live") == "polite"
    page.locator("summary").click()
    steps = page.locator("details li")
    assert steps.first.text_content() in live.text_content()
    assert steps.count() == page.evaluate(LAST)
    page.get_by_role("button", name="Play").click()
    assert live.get_attribute("aria-live") == "off", "it would be interrupted by each step"
    page.get_by_role("button", name="Pause").click()
    moves = "getComputedStyle(document.querySelector('svg .box')).transitionDuration"
    assert page.evaluate(moves) == "0s"
    page.emulate_media(reduced_motion="no-preference")
    assert page.evaluate(moves) != "0s"


def test_a_phone_reaches_everything(open_page):
    page = open_page("nested", 390, has_touch=True)
    for name in ("Zoom in", "Follow the steps", "Light or dark", "Next step"):
        place = page.get_by_role("button", name=name).bounding_box()
        assert place["x"] >= 0 and place["x"] + place["width"] <= 390
        assert min(place["width"], place["height"]) >= 24
    page.locator("svg g.group").last.tap()
    assert " ▸ " in trail(page)
    field = page.locator(FIELD)
    field.fill("norm1")
    found = page.locator(".found").bounding_box()
    assert found["x"] >= 0 and found["x"] + found["width"] <= 390
    page.locator(".found li").first.tap()
    assert "norm1" in page.locator(".graph").text_content()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


@pytest.mark.parametrize("width", [390, 1280])
def test_what_the_doctor_finds_leads_to_its_line_and_each_layer_has_a_bar(open_page, axe, width):
    page = open_page("cut", width)
    fold, finding = page.locator(".doctor .fold"), page.locator(".doctor li.warning")
    assert fold.inner_text().startswith("The doctor: 2 warnings")
    if width == 390:  # there the picture needs the room
        assert not finding.first.is_visible()
        fold.click()
    detached = finding.filter(has_text="parameter-detached")
    assert "`" not in detached.inner_text() and "hidden.detach()" in detached.inner_text()
    detached.locator("button").click()
    marked = page.locator(".trace-line, .code-line.lit").first
    assert "hidden.detach()" in marked.inner_text()
    assert in_sight(marked, page.locator(".highlight pre"), along="y")
    finding.filter(has_text="parameter-unused").locator("button").click()
    assert page.locator(".code-line.lit").inner_text().startswith("unused = ")
    rows = page.locator(".doctor tr:has(td)")
    assert [row.inner_text().split()[0] for row in rows.all()] == ["last.weight"]
    passes = rows.first.locator(".passes")
    assert passes.locator("i").last.bounding_box()["height"] > 10
    assert passes.locator("span").get_attribute("title").count(" → ") == 2
    if width == 1280:
        assert rows.first.locator(".update i").bounding_box()["width"] > 20
    page.evaluate(axe)
    faults = page.evaluate("async () => (await axe.run('.doctor')).violations.map(({ id }) => id)")
    assert faults == []
    fold.click()
    assert not finding.first.is_visible()


def test_the_picture_is_saved_with_its_looks(open_page):
    page = open_page("nested")
    with page.expect_download() as saving:
        page.get_by_role("button", name="Save the picture as SVG").click()
    assert saving.value.suggested_filename == "nested.py.svg"
    page.set_content(Path(saving.value.path()).read_text("utf-8"))
    box = page.locator("svg .box").first
    assert box.evaluate("box => getComputedStyle(box).fill") != "rgb(0, 0, 0)"
    assert page.locator("svg text").first.text_content()
