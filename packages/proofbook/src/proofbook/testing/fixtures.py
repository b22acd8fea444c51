"""Fixtures: warm runners that live as long as the session, a tiny book, the command on it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import proofbook.cli.main
import proofbook.run.update
from proofbook.run.result import Result
from proofbook.run.runner import Runner
from proofbook.testing.tiny_book import Book, write

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
