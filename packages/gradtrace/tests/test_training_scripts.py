"""Sound training scripts of the common kinds: each gets a page, and the doctor has only notes."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from forked_command import forked_command

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the command runs in a fork")

FOLDER = Path(__file__).parent / "scripts"
SCRIPTS = sorted(script.stem for script in FOLDER.glob("*.py"))
ENGLISH = {**os.environ, "LC_ALL": "en_US.UTF-8", "OMP_NUM_THREADS": "1"}
SAMPLE = ("amp_recipe", "dcgan", "wgan_gp")


@pytest.fixture
def elsewhere(tmp_path) -> Path:
    """Another folder than that of the scripts."""
    (tmp_path / "elsewhere").mkdir()
    return tmp_path / "elsewhere"


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", SCRIPTS)
def test_its_page_opens_without_a_complaint(name, elsewhere, browser):
    done = forked_command(elsewhere, (str(FOLDER / f"{name}.py"),), ENGLISH)
    assert done.returncode == 0, done.stderr
    context = browser.new_context(offline=True)
    page, wrong = context.new_page(), []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto((elsewhere / f"{name}.html").as_uri())
    page.wait_for_selector(".player")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    assert page.locator("figure svg").count()
    assert not wrong
    context.close()


@pytest.mark.parametrize(
    "name",
    [pytest.param(s, marks=[] if s in SAMPLE else pytest.mark.exhaustive) for s in SCRIPTS],
)
def test_nothing_is_wrong_with_it(name, elsewhere):
    arguments = ("doctor", "--json", "--passes", "12", str(FOLDER / f"{name}.py"))
    done = forked_command(elsewhere, arguments, ENGLISH)
    assert done.stdout.startswith("{"), done.stderr
    found = json.loads(done.stdout)
    assert not [each for each in found["findings"] if each["level"] != "note"]
    assert done.returncode == 0 and found["passes"]
