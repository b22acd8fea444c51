"""The page that `gradtrace` writes, in a browser: it plays from a file, and keeps nobody out."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

import pytest
from gradtrace import LANGUAGES, record_script
from gradtrace.graph.excerpt import excerpt
from gradtrace.render.standalone import standalone_page
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
        shown = excerpt(record_script(script), None)
        notes = [LANGUAGES[language][key].format(**parts) for key, parts in shown.notes]
        found[name] = folder / f"{name}.html"
        found[name].write_text(standalone_page(script.name, shown, language, notes), "utf-8")
    return found


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
    page.wait_for_selector(".player")
    count = page.locator("details li").count()
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
        on = page.locator("g.on > .box")
        if on.count():
            assert inside(on.last, page.locator(".graph"))
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        buttons.nth(3).click()
    buttons.nth(2).click()
    assert buttons.nth(2).get_attribute("aria-label") in ("暂停", "Pause")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert dark == ("rgb(16, 24, 31)" if scheme == "dark" else "rgb(255, 255, 255)")
    assert wrong == []
    context.close()


def inside(part, box) -> bool:
    """Whether the middle of a part is in sight within a box that scrolls."""
    one, other = part.bounding_box(), box.bounding_box()
    x, y = one["x"] + one["width"] / 2, one["y"] + one["height"] / 2
    across = other["x"] - 1 <= x <= other["x"] + other["width"] + 1
    return across and other["y"] <= y <= other["y"] + other["height"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", SCRIPTS)
def test_axe_finds_nothing_that_keeps_people_out(made, browser, name, scheme):
    context = browser.new_context(color_scheme=scheme, reduced_motion="reduce", bypass_csp=True)
    page = context.new_page()
    page.goto(made[name].as_uri())
    page.wait_for_selector(".player")
    page.locator(".player button").nth(0).click()
    page.evaluate(
        resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
    )
    found = page.evaluate("axe.run().then(result => result.violations)")
    assert [(one["id"], [n["html"][:90] for n in one["nodes"][:3]]) for one in found] == []
    context.close()
