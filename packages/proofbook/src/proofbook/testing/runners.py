"""What the tests share: warm runners that live as long as the session, a tiny book, the site."""

from __future__ import annotations

import contextlib
import functools
import http.server
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import proofbook.cli.main
import proofbook.run.update
import pytest
from proofbook.export.offline import built
from proofbook.export.pdf import installed_browser
from proofbook.run.result import Result
from proofbook.run.runner import Runner
from served import Handler
from tiny_book import ROOT, Book, write

PATIENCE = 60.0
"""Seconds after which a run that never answers fails its test instead of holding up all others."""


@pytest.fixture(scope="session")
def runner() -> Iterator[Runner]:
    with Runner(hash_seed=0) as runner:
        yield runner


@pytest.fixture(scope="session")
def other_runner() -> Iterator[Runner]:
    """As `runner`, with another hash seed and another address space."""
    with Runner(hash_seed=1) as runner:
        yield runner


@pytest.fixture(scope="session")
def fresh_runner() -> Iterator[Runner]:
    with Runner(fresh=True) as runner:
        yield runner


@pytest.fixture
def run(runner: Runner, tmp_path: Path) -> Callable[..., Result]:
    """Write a script and run it in the warm runner (or another)."""

    def run(source: str | bytes, name: str = "script.py", by: Runner = runner) -> Result:
        return by.submit(write(tmp_path / name, source)).result(PATIENCE)

    return run


@pytest.fixture
def book(tmp_path: Path) -> Book:
    return Book(tmp_path / "book")


@pytest.fixture
def proof_command(
    book: Book,
    runner: Runner,
    other_runner: Runner,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[..., tuple[int, str, str]]:
    """`proofbook ...` on the tiny book, with the warm runners of the session."""

    @contextlib.contextmanager
    def lend(hash_seed: int = 0) -> Iterator[Runner]:
        yield (runner, other_runner)[hash_seed]

    monkeypatch.setattr(proofbook.cli.main, "Runner", lend)
    monkeypatch.setattr(proofbook.run.update, "Runner", lend)

    def command(*arguments: str) -> tuple[int, str, str]:
        status = proofbook.cli.main.main(["--root", str(book.root), *arguments])
        return status, *capsys.readouterr()

    return command


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Iterator[str]:
    """The address of the book, built as it is published and served on this machine."""
    folder = tmp_path_factory.mktemp("hosted") / "site"
    server = http.server.ThreadingHTTPServer(
        ("127.0.0.1", 0), functools.partial(Handler, directory=str(folder))
    )
    address = f"http://127.0.0.1:{server.server_port}/book/"
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=ROOT,
        env={**os.environ, "SITE_URL": address, "NO_MKDOCS_2_WARNING": "1"},
        check=True,
    )
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield address
    server.shutdown()


@pytest.fixture(scope="session")
def book_as_files() -> Iterator[Path]:
    """The book as `proofbook offline` and `pdf` have it built, once for all tests."""
    with built(ROOT, lambda _: None) as site:
        yield site


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
