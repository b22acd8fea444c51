"""Fixtures: a browser (Chromium or Chrome), and a page that notes all errors; and a server of a
built site on this machine, for as long as a test needs it."""

from __future__ import annotations

import contextlib
import functools
import http.server
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from proofbook.export.pdf import installed_browser

needs_browser = pytest.mark.skipif(
    installed_browser() is None and not os.environ.get("CI"),
    reason="no Chromium or Chrome on this machine",
)

PATIENCE = 120_000
"""The timeout of tests in milliseconds; the machine may be slow and busy."""
POLICY = "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'"
"""What a careful host lets a page of a book do (the header Content-Security-Policy): no script that
isn't a file of the site."""
FOR_TESTS = f"{POLICY}; script-src 'self' 'unsafe-eval'"
"""The same, but that Playwright may evaluate what a test waits for."""
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

    def complain(holds: object, text: str) -> None:
        if not holds:
            page.complaints.append(text)

    listeners = {
        "request": lambda it: complain(it.url.startswith(own), f"foreign request {it.url}"),
        "response": lambda it: complain(it.status < 400, f"{it.status} {it.url}"),
        # Aborted: the reader has gone to another page meanwhile.
        "requestfailed": lambda it: complain(
            it.failure == "net::ERR_ABORTED", f"failed {it.url}: {it.failure}"
        ),
        "pageerror": lambda error: complain(False, f"script error {error}"),
        "console": lambda line: complain(line.type not in ("error", "warning"), line.text),
    }
    for event, listener in listeners.items():
        page.on(event, listener)


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the site below a path of the host, like a project page, with its 404 pages."""

    protocol_version = "HTTP/1.1"

    def __init__(self, *request, path: str, published: str, policy: str, **others) -> None:
        self.below, self.published, self.policy = path, published, policy
        super().__init__(*request, **others)

    def do_GET(self) -> None:
        """Material's instant navigation only visits pages in the sitemap."""
        if not self.published or not self.path.endswith("/sitemap.xml"):
            return super().do_GET()
        here = f"http://{self.headers['Host']}{self.below}"
        text = Path(self.translate_path(self.path)).read_text("utf-8")
        self._answer(200, "application/xml", text.replace(self.published, here).encode())

    def translate_path(self, path: str) -> str:
        inside = path.removeprefix(self.below) if path.startswith(self.below) else "outside/"
        return super().translate_path("/" + inside)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        edition = "en/" if self.path.startswith(f"{self.below}en/") else ""
        body = Path(self.directory, edition, "404.html").read_bytes()
        self._answer(code, "text/html; charset=utf-8", body)

    def _answer(self, code: int, kind: str, body: bytes) -> None:
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", self.policy)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextlib.contextmanager
def serve(
    folder: Path, path: str = "/book/", published: str = "", policy: str = FOR_TESTS
) -> Iterator[str]:
    """The address of a site in `folder` (now or later), below `path` of a host.

    `published`: the address for which it was built, if that is another; `policy`: what its pages
    may do.
    """
    settings = {"path": path, "published": published, "policy": policy}
    handler = functools.partial(Handler, directory=str(folder), **settings)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}{path}"
        server.shutdown()
