"""An error that a reader pastes is answered in place; the list of messages has a filter.

Needs Chromium or Chrome.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from addresses import MESSAGES
from axe import AXE
from proofbook.testing.browser import needs_browser

pytestmark = needs_browser

TRACEBACK = """Traceback (most recent call last):
  File "/home/me/train.py", line 88, in <module>
    loss.backward()
RuntimeError: grad can be implicitly created only for real scalar outputs but got torch.complex128
"""
UNKNOWN = "RuntimeError: Expected all tensors to be on the same device, found at least two devices"
RESEMBLES = "RuntimeError: saved tensors have been freed already"
EDITIONS = [
    ("", "书里没有这条报错，也没有", "书里没有这条报错。下面"),
    (
        "en/",
        "The book does not have this message, nor",
        "The book does not have this message. These",
    ),
]
ERRORS = Path(__file__).with_name("pasted.json")
"""What people paste into issues and forums, and the anchor of its message."""
FAULTS = """async () => (await axe.run(document.querySelector("article"))).violations
    .map(({ id, nodes }) => [id, nodes[0].target.join(" ")])"""


def paste(page, text: str) -> None:
    """Paste as a menu does: no key is pressed, and no button."""
    page.locator(".paste textarea").fill(text)
    page.evaluate("document.querySelector('.paste textarea').dispatchEvent(new Event('paste'))")


@pytest.mark.parametrize(("edition", "nothing", "none"), EDITIONS)
def test_a_pasted_traceback_is_answered_in_place_or_it_is_said_that_it_is_not(
    site, page, edition, nothing, none
):
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{site}{edition}messages/")
    assert not [url for url in asked if url.endswith("messages.js")], "it waits until it is needed"
    paste(page, TRACEBACK)
    shown = page.locator(".pasted")
    shown.locator(".output").wait_for()
    assert "grad can be implicitly created only for real scalar outputs" in shown.inner_text()
    link = shown.locator(".message a")
    assert link.get_attribute("href") == f"{site}{edition}messages/real-scalar/"
    page.evaluate(AXE)
    assert page.evaluate(FAULTS) == []
    paste(page, UNKNOWN)
    shown.get_by_text(nothing).wait_for()
    assert shown.locator("li").count() == 0
    assert "messages/?q=Expected" in shown.locator("a").last.evaluate("a => a.href")
    paste(page, RESEMBLES)
    shown.get_by_text(none).wait_for()
    assert shown.locator("li a").first.evaluate("a => a.href").endswith("/second-time/")
    paste(page, "")
    assert shown.inner_text() == "" and page.complaints == []


def test_the_filter_leaves_the_messages_that_have_all_words(site, page):
    page.goto(f"{site}en/messages/")
    entries = page.locator(".message-entry:visible")
    assert entries.count() == len(MESSAGES) // 2
    page.locator("message-filter input").fill("version inplace")
    assert entries.count() == 1 and page.locator("article h2:visible").count() == 1
    page.locator("message-filter input").fill("")
    assert entries.count() == len(MESSAGES) // 2
    page.goto(f"{site}en/messages/#second-time")  # an old address
    target = page.locator(":target")
    assert target.is_visible()
    target.locator("a").first.click()
    page.wait_for_url(f"{site}en/messages/second-time/")
    # Instant navigation writes the address first and the title later.
    title = "Trying to backward through the graph a second time - "
    page.wait_for_function("title => document.title.startsWith(title)", arg=title)
    assert page.complaints == []


def test_what_people_paste_finds_its_message(site, page):
    wanted = json.loads(ERRORS.read_text("utf-8"))
    page.goto(f"{site}en/messages/")
    wrong = []
    for text, anchor in wanted.items():
        page.evaluate("document.querySelector('.pasted').replaceChildren()")
        paste(page, text)
        link = page.locator(".pasted a").first
        link.wait_for()
        if link.get_attribute("href") != f"{site}en/messages/{anchor}/":
            wrong.append((text[:60], anchor, link.get_attribute("href")))
    assert wrong == []
