"""Fixtures: a browser (Chromium or Chrome), and a page of it that notes all that goes wrong."""

from __future__ import annotations

import os

import pytest

from proofbook.export.pdf import installed_browser

needs_browser = pytest.mark.skipif(
    installed_browser() is None and not os.environ.get("CI"),
    reason="no Chromium or Chrome on this machine",
)


@pytest.fixture(scope="session")
def browser():
    """One for all tests: two of Playwright's do not go together in one process."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=installed_browser(),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield browser
        browser.close()


@pytest.fixture
def page(browser):
    """A page that notes everything that goes wrong on it, in `page.complaints`."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    page = context.new_page()
    watch(page)
    yield page
    context.close()


def watch(page) -> None:
    """Start a new list of complaints; the listeners of a page are added once."""
    listening = hasattr(page, "complaints")
    page.complaints = []
    if listening:
        return

    def answered(response):
        if response.status >= 400:
            page.complaints.append(f"{response.status} {response.url}")

    def asked(request):
        if not request.url.startswith(("http://127.0.0.1:", "data:", "blob:")):
            page.complaints.append(f"foreign request {request.url}")

    page.on("request", asked)
    page.on("response", answered)

    def failed(request) -> None:
        if request.failure != "net::ERR_ABORTED":  # the reader has gone to another page meanwhile
            page.complaints.append(f"failed {request.url}")

    page.on("requestfailed", failed)
    page.on("pageerror", lambda error: page.complaints.append(f"script error {error}"))
    page.on(
        "console",
        lambda line: line.type in ("error", "warning") and page.complaints.append(line.text),
    )
