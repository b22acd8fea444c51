"""Fixtures: a browser (Chromium or Chrome), and a page that notes all errors."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from proofbook.export.pdf import installed_browser

needs_browser = pytest.mark.skipif(
    installed_browser() is None and not os.environ.get("CI"),
    reason="no Chromium or Chrome on this machine",
)

PATIENCE = 120_000
"""The timeout of tests in milliseconds; the machine may be slow and busy."""
WINDOW = {"width": 1280, "height": 900}
FORGET = """() => {
    if (origin != "null") for (const storage of [localStorage, sessionStorage]) storage.clear()
}"""


@pytest.fixture(scope="session")
def browser():
    """One for all tests: two Playwright instances conflict in one process."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=installed_browser(),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def opened(browser) -> Iterator[list]:
    """The page that tests share, if there is one."""
    pages: list = []
    yield pages
    for page in pages:
        page.context.close()


@pytest.fixture
def page(browser, opened):
    """A page that notes all its errors in `page.complaints`.

    Each test finds it empty, of the usual size, and with nothing stored; only the browser's cache
    is shared with earlier tests. A new context, with its own process, takes two more seconds of
    processor time: only for tests that need one.
    """
    from playwright.sync_api import Error

    if not opened:
        opened.append(browser.new_context().new_page())
        opened[0].set_default_timeout(PATIENCE)
    (page,) = opened
    page.set_viewport_size(WINDOW)
    page.emulate_media(media="null", color_scheme="null", reduced_motion="null")
    page.mouse.move(0, 0)
    watch(page)
    yield page
    try:
        page.evaluate(FORGET)
        page.context.clear_cookies()
        page.goto("about:blank")
    except Error:  # it has crashed, or hangs
        opened.remove(page)
        page.context.close()


def watch(page, own: tuple[str, ...] = ("http://127.0.0.1:", "data:", "blob:")) -> None:
    """Start a new list of complaints; the listeners of a page are added once.

    `own`: the prefixes of addresses that a page may request.
    """
    listening = hasattr(page, "complaints")
    page.complaints = []
    if listening:
        return

    def answered(response):
        if response.status >= 400:
            page.complaints.append(f"{response.status} {response.url}")

    def asked(request):
        if not request.url.startswith(own):
            page.complaints.append(f"foreign request {request.url}")

    page.on("request", asked)
    page.on("response", answered)

    def failed(request) -> None:
        if request.failure != "net::ERR_ABORTED":  # the reader has gone to another page meanwhile
            page.complaints.append(f"failed {request.url}: {request.failure}")

    page.on("requestfailed", failed)
    page.on("pageerror", lambda error: page.complaints.append(f"script error {error}"))
    page.on(
        "console",
        lambda line: line.type in ("error", "warning") and page.complaints.append(line.text),
    )
