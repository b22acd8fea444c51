"""The page that `gradtrace` writes, in a browser: it plays from a file, and keeps nobody out."""

from __future__ import annotations

from pathlib import Path

import pytest
from gradtrace import record_script
from gradtrace.drawing.page import standalone_page
from gradtrace.drawing.player_data import fold
from gradtrace.graph.parameters import parameters
from gradtrace.graph.passes import excerpts, first_shown
from proofbook.testing.browser import needs_browser

pytestmark = needs_browser

CNN = """\
import torch
from torch import nn
from torch.nn import functional as F


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 16, 3, padding=1)
        self.norm = nn.BatchNorm2d(16)
        self.last = nn.Linear(16 * 16 * 16, 10)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm(self.conv(x))), 2)
        return self.last(x.flatten(1))


net = Net()
optimizer = torch.optim.Adam(net.parameters())
for step in range(2):
    images, labels = torch.randn(16, 3, 32, 32), torch.randint(0, 10, (16,))
    optimizer.zero_grad()
    loss = F.cross_entropy(net(images), labels)
    loss.backward()
    optimizer.step()
"""
ERROR = """\
import torch

w = torch.tensor(2.0, requires_grad=True)
y = w * w
y.backward()
y.backward()
"""
SCRIPTS = {"cnn": ("en", CNN), "error": ("zh", ERROR)}


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> dict[str, Path]:
    """The pages of some scripts."""
    folder, found = tmp_path_factory.mktemp("made"), {}
    for name, (language, source) in SCRIPTS.items():
        script = folder / f"{name}.py"
        script.write_text(source, "utf-8")
        found[name] = folder / f"{name}.html"
        page = standalone_page(script.name, record_script(script), language)
        found[name].write_text(page, "utf-8")
    return found


RUNNING = """() => {
    const page = document.querySelector("trace-page"), step = page.steps[page.now - 1]
    return page.current.boxes(step).map(box => page.standsFor(box)).filter(Boolean).at(-1)
}"""

OFF_ITS_NUMBER = """mark => {
    const page = document.querySelector("trace-page"), { line } = page.steps[page.now - 1]
    const range = document.createRange(), numbers = mark.closest("pre").querySelector(".numbers")
    const end = numbers.textContent.split("\\n").slice(0, line).join("\\n").length
    range.setStart(numbers.firstChild, end - 1)
    range.setEnd(numbers.firstChild, end)
    return Math.abs(range.getBoundingClientRect().top - mark.getBoundingClientRect().top)
}"""


@pytest.mark.parametrize("name", SCRIPTS)
@pytest.mark.parametrize(("scheme", "width"), [("light", 1400), ("dark", 390)])
def test_it_plays_from_a_file(made, browser, name, scheme, width):
    context = browser.new_context(
        viewport={"width": width, "height": 844}, color_scheme=scheme, offline=True
    )
    page, wrong = context.new_page(), []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    file = made[name].as_uri()
    page.on("request", lambda r: r.url in (file, "data:,") or wrong.append(r.url))
    page.goto(file)
    page.wait_for_selector("trace-page:defined .player")
    count = page.evaluate("document.querySelector('trace-page').last")
    buttons, at = page.locator(".player button"), page.locator(".player > small")
    for number, shown in ((0, 1), (3, 2), (3, 3), (1, 2), (4, count)):
        buttons.nth(number).click()
        assert at.inner_text() == f"{shown} / {count}"
    buttons.nth(0).click()
    page.locator(".player input").press("End")
    assert at.inner_text() == f"{count} / {count}"
    buttons.nth(0).click()
    for _ in range(count - 1):
        mark = page.locator(".trace-line")
        if mark.count():
            assert inside(mark, page.locator(".highlight pre"))
            assert mark.evaluate(OFF_ITS_NUMBER) < 6
        if running := page.evaluate(RUNNING):
            box = page.locator(f"g.on[data-k='{running}'] > .box")
            assert inside(box, page.locator(".graph"))
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        buttons.nth(3).click()
    buttons.nth(2).click()
    assert buttons.nth(2).get_attribute("aria-label") in ("暂停", "Pause")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert dark == ("rgb(16, 24, 31)" if scheme == "dark" else "rgb(255, 255, 255)")
    assert wrong == []
    context.close()


GPT_LIKE = """\
import torch
from torch import nn

net = nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 6)
net(torch.randn(2, 5, 8)).pow(2).mean().backward()
"""
SHOWN = """() => {
    const page = document.querySelector("trace-page"), found = []
    for (const view of Object.keys(page.current.pictures)) {
        page.turnTo(view)
        page.show(page.last, {})
        const rows = {}
        for (const slot of page.slots)
            if (slot.dataset.k) (rows[slot.dataset.k] ??= []).push(slot.textContent)
        found.push([view, rows])
    }
    return found
}"""


@pytest.mark.parametrize("source", [CNN, ERROR, GPT_LIKE], ids=["cnn", "error", "transformer"])
def test_each_box_shows_in_the_end_what_was_recorded(browser, tmp_path, source):
    script = tmp_path / "train.py"
    script.write_text(source, "utf-8")
    trace = record_script(script)
    file = tmp_path / "train.html"
    file.write_text(standalone_page("train.py", trace, "en"), "utf-8")
    parts = excerpts(trace, None)
    figure = fold(parts[first_shown(parts, None)], "en", parameters(trace))
    page = browser.new_page()
    page.goto(file.as_uri())
    page.wait_for_selector("trace-page:defined .player")
    shown = page.evaluate(SHOWN)
    assert [view for view, _ in shown] != []
    for _, rows in shown:
        for slot, lines in rows.items():
            assert "\n".join(lines).rstrip("\n") == figure.texts.get(slot, [""])[-1].rstrip("\n"), (
                slot
            )
    page.close()


def inside(part, box) -> bool:
    """Whether the middle of a part is in sight within a box that scrolls."""
    one, other = part.bounding_box(), box.bounding_box()
    x, y = one["x"] + one["width"] / 2, one["y"] + one["height"] / 2
    across = other["x"] - 1 <= x <= other["x"] + other["width"] + 1
    return across and other["y"] <= y <= other["y"] + other["height"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", SCRIPTS)
def test_axe_finds_nothing_that_keeps_people_out(made, browser, name, scheme, axe):
    context = browser.new_context(color_scheme=scheme, reduced_motion="reduce", bypass_csp=True)
    page = context.new_page()
    page.goto(made[name].as_uri())
    page.wait_for_selector("trace-page:defined .player")
    page.locator(".player button").nth(0).click()
    page.evaluate(axe)
    for search in ("", "net", "nothing of this name"):
        page.locator(".search input").fill(search)
        found = page.evaluate("axe.run().then(result => result.violations)")
        assert [(one["id"], [n["html"][:90] for n in one["nodes"][:3]]) for one in found] == []
    context.close()


def test_no_script_runs_on_the_page_but_its_own(made, browser):
    page = browser.new_page()
    page.goto(made["cnn"].as_uri())
    page.wait_for_selector("trace-page:defined .player")
    refused = page.evaluate("""() => {
        const script = document.createElement("script")
        script.textContent = "window.foreign = true"
        document.body.append(script)
        return window.foreign === undefined
    }""")
    page.close()
    assert refused
