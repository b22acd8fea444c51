"""The page of `gradtrace --vary` in a browser: the numbers of a script that a reader changes.

What it then shows is compared with what the script with that number does when it is run itself.
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

import pytest
from gradtrace.drawing.page import standalone_page
from gradtrace.drawing.player_data import VariedRun, VariedRuns
from gradtrace.options import Options
from gradtrace.recording.recorder import Recorder
from gradtrace.recording.script import execute
from gradtrace.trace import Trace
from gradtrace.vary import varied_script
from proofbook.testing.browser import needs_browser

pytestmark = needs_browser

TRAIN = """\
import torch
from torch import nn

lr = 0.1
net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=lr)
x = torch.randn(4, 2)
for step in range(3):
    optimizer.zero_grad()
    loss = net(x).pow(2).mean()
    loss.backward()
    optimizer.step()
    print("loss:", loss.item())
"""
BRANCHES = """\
import torch

w = torch.tensor(2.0, requires_grad=True)
k = 2
if k == 0:
    raise ValueError("none")
y = w * w if k > 1 else w.abs()
for n in range(k):
    (n * y).backward(retain_graph=k < 4)
    print("w.grad:", w.grad.item())
"""
SCRIPTS = {
    "train": ("en", TRAIN, ("lr = 0.01 to 10 times 10",)),
    "branches": ("zh", BRANCHES, ("k = 0 to 5 step 1", "w = 3.0")),
}
FIELD, SLIDER = "trace-vary label input", "trace-vary input[type=range]"


def recorded(script: Path, source: str) -> Trace:
    """The trace of a script with another text."""
    recorder, main = Recorder(script, source), sys.modules["__main__"]
    try:
        with contextlib.suppress(Exception), recorder:
            execute(str(script), source=source)
    finally:
        sys.modules["__main__"] = main
    return recorder.trace()


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> dict[str, tuple[Path, dict[str, str]]]:
    """The pages of some scripts; what each of them printed, by what was changed."""
    folder, found = tmp_path_factory.mktemp("made"), {}
    for name, (language, source, asked) in SCRIPTS.items():
        script = folder / f"{name}.py"
        script.write_text(source, "utf-8")
        changed = varied_script(Options(file=name, vary=asked), source)
        traces = {label: recorded(script, text) for label, text in changed.variants.items()}
        runs = [
            VariedRun(t.stdout, t) if t.nodes else VariedRun("", None, ["Failed: `none`"], 6)
            for t in traces.values()
        ]
        varied = VariedRuns(changed.numbers, runs)
        page = standalone_page(script.name, runs[varied.own].trace, language, varied=varied)
        file = folder / f"{name}.html"
        file.write_text(page, "utf-8")
        found[name] = file, {label: t.stdout.strip() for label, t in traces.items()}
    return found


def opened(browser, file: Path, width: int = 1280, scheme: str = "light", place: str = ""):
    """A page, and what went wrong on it."""
    context = browser.new_context(
        viewport={"width": width, "height": 844}, color_scheme=scheme, offline=True, bypass_csp=True
    )
    page, wrong = context.new_page(), []
    page.set_default_timeout(15_000)
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    own = file.as_uri(), "data:,"
    page.on("request", lambda r: r.url.partition("#")[0] in own or wrong.append(r.url))
    page.goto(file.as_uri() + place)
    page.wait_for_selector(FIELD)
    return page, wrong


def wait_for(page, printed: str) -> None:
    page.wait_for_function(
        "text => document.querySelector('.output code').textContent.trim() == text", arg=printed
    )


@pytest.mark.parametrize(("scheme", "width"), [("light", 1280), ("dark", 390)])
def test_drag_type_keys_and_back(made, browser, scheme, width):
    file, printed = made["train"]
    page, wrong = opened(browser, file, width, scheme)
    slider, field = page.locator(SLIDER), page.locator(FIELD)
    own = page.locator(".graph").inner_html()
    wait_for(page, printed["lr = 0.1"])
    slider.press("ArrowRight")
    wait_for(page, printed["lr = 1.0"])
    assert field.input_value() == "1.0"
    assert "lr = 1.0\n" in page.locator(".highlight pre:visible code").inner_text()
    field.fill("0.02")
    field.press("Enter")
    wait_for(page, printed["lr = 0.01"])
    field.press("ArrowDown")
    assert field.input_value() == "0.01"
    field.press("0")  # no key of the page, while a number is typed
    assert field.input_value() == "0.010"
    box = slider.bounding_box()
    page.mouse.move(box["x"] + 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] / 2, steps=5)
    page.mouse.up()
    wait_for(page, printed["lr = 10.0"])
    assert page.locator(".graph").inner_html() != own
    assert page.locator("trace-vary small").inner_text() == ""  # it is the same graph
    page.locator("trace-vary button").click()
    wait_for(page, printed["lr = 0.1"])
    assert page.locator(".graph").inner_html() == own
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    for control in page.locator("trace-vary input").all():
        place = control.bounding_box()
        assert place["height"] >= 34 and place["x"] + place["width"] <= width
    assert wrong == []
    page.context.close()


SHOWN = """() => {
    const page = document.querySelector("trace-page"), rows = {}
    page.show(page.last, {})
    for (const { dataset, textContent } of page.slots)
        if (dataset.k) rows[dataset.k] = ((rows[dataset.k] ?? "") + "\\n" + textContent).trim()
    const told = page.steps.map(step => step.item.innerHTML)
    return [told, rows, page.querySelector("summary").textContent]
}"""
"""The steps and what the boxes show; a picture may have more lines, which other runs need."""


@pytest.mark.parametrize("lr", ["0.01", "10.0"])
def test_a_run_shows_what_it_does_on_a_page_of_its_own(made, browser, tmp_path, lr):
    source = TRAIN.replace("lr = 0.1", f"lr = {lr}")
    script = tmp_path / "train.py"
    script.write_text(source, "utf-8")
    alone = tmp_path / "train.html"
    alone.write_text(standalone_page("train.py", recorded(script, source), "en"), "utf-8")
    file, printed = made["train"]
    page, _ = opened(browser, file, place=f"#step-3&lr={lr}")
    wait_for(page, printed[f"lr = {lr}"])
    assert page.locator(".player > small").inner_text().startswith("3 / ")
    other = browser.new_page()
    other.goto(alone.as_uri())
    other.wait_for_selector(".player")
    for part in range(3):
        for each in (page, other):
            each.locator(".tools select").select_option(str(part))
            each.wait_for_function(f"document.querySelector('trace-page').chosen == {part}")
        assert page.evaluate(SHOWN) == other.evaluate(SHOWN)
    other.close()
    page.context.close()


def test_runs_with_other_passes_another_graph_and_errors(made, browser):
    file, printed = made["branches"]
    page, wrong = opened(browser, file)
    slider, parts = page.locator(SLIDER).first, page.locator(".tools select option")
    says, steps = page.locator("trace-vary small"), page.locator(".player p")
    wait_for(page, printed["k = 2, w = 2.0"])
    slider.press("ArrowLeft")
    wait_for(page, printed["k = 1, w = 2.0"])
    assert says.inner_text() == "这个值下的计算图和原来不同。"
    assert "AbsBackward0" in page.locator(".graph").text_content()
    slider.press("Home")
    page.wait_for_function("!document.querySelector('.card')")
    page.locator(".player button").first.click()
    assert "Failed: none" in steps.inner_text() and 'raise ValueError("none")' in steps.inner_text()
    page.locator(SLIDER).nth(1).press("End")
    slider.press("End")
    wait_for(page, printed["k = 5, w = 3.0"])
    page.locator(".player button").nth(4).click()
    assert "RuntimeError" in steps.inner_text()
    assert parts.count() <= 1 or "出错" in parts.last.inner_text()
    page.locator("trace-vary button").click()
    wait_for(page, printed["k = 2, w = 2.0"])
    assert says.inner_text() == ""
    assert wrong == []
    page.context.close()


def test_print_and_no_script_show_the_script_as_it_is(made, browser):
    file, printed = made["train"]
    page, _ = opened(browser, file)
    page.locator(SLIDER).press("End")
    wait_for(page, printed["lr = 10.0"])
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    wait_for(page, printed["lr = 0.1"])
    page.context.close()
    plain = browser.new_context(java_script_enabled=False).new_page()
    plain.goto(file.as_uri())
    assert plain.locator(".output code").inner_text().strip() == printed["lr = 0.1"]
    assert plain.locator("trace-vary").count() == 0
    plain.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", SCRIPTS)
def test_axe_finds_nothing_that_keeps_people_out(made, browser, name, scheme, axe):
    page, _ = opened(browser, made[name][0], 390, scheme)
    page.locator(SLIDER).first.press("End")
    page.wait_for_timeout(300)
    page.evaluate(axe)
    found = page.evaluate("axe.run().then(result => result.violations)")
    assert [(one["id"], [n["html"][:90] for n in one["nodes"][:3]]) for one in found] == []
    page.context.close()
