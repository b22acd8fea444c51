"""Training scripts of the common kinds: each gives a page, in another folder than its own."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from forked_command import forked_command

pytestmark = pytest.mark.exhaustive

FOLDER = Path(__file__).parent / "scripts"
SCRIPTS = sorted(script.stem for script in FOLDER.glob("*.py"))
ENGLISH = {**os.environ, "LC_ALL": "en_US.UTF-8", "OMP_NUM_THREADS": "1"}


@pytest.mark.parametrize("name", SCRIPTS)
def test_its_page_opens_without_a_complaint(name, tmp_path, browser):
    if not hasattr(os, "fork"):
        pytest.skip("the command runs in a fork")
    (tmp_path / "elsewhere").mkdir()
    done = forked_command(tmp_path / "elsewhere", (str(FOLDER / f"{name}.py"),), ENGLISH)
    assert done.returncode == 0, done.stderr
    file = tmp_path / "elsewhere" / f"{name}.html"
    context = browser.new_context(offline=True)
    page, wrong = context.new_page(), []
    page.on("console", lambda message: wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(file.as_uri())
    page.wait_for_selector(".player")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    assert page.locator("figure svg").count()
    assert not wrong
    context.close()
