"""Fixtures: warm runners that live as long as the session, a tiny book, the commands on it; and
samples of large sets of cases."""

from __future__ import annotations

import contextlib
import os
import traceback
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from unittest import mock

import pytest
from click.testing import CliRunner
from mkdocs.__main__ import cli

from proofbook.__main__ import main
from proofbook.run.judge import Result
from proofbook.run.runner import KERNELS, TIME_LIMIT, Runner
from proofbook.run.update import TIME_ZONES
from proofbook.testing.tiny_book import Book, write

LIMIT = 4 * TIME_LIMIT
"""The maximum seconds of a run of these runners: the machine may be slow, and busy with tests."""
PATIENCE = 2 * LIMIT
"""Seconds after which a run without an answer fails its test instead of blocking all others."""


def in_sample(name: str, one_in: int) -> bool:
    """Whether a case is in a sample; this depends only on its name, not on other cases."""
    return zlib.crc32(name.encode()) % one_in == 0


def sample(names: Iterable[str], one_in: int) -> list[str]:
    """A fixed fraction of the names, the same each time."""
    return [name for name in names if in_sample(name, one_in)]


@pytest.fixture(scope="session")
def runner() -> Iterator[Runner]:
    kernels, environment = Path(KERNELS).resolve(), {"TZ": TIME_ZONES[0]}
    with Runner(LIMIT, hash_seed=0, environment=environment, kernels=kernels) as runner:
        yield runner


@pytest.fixture(scope="session")
def other_runner() -> Iterator[Runner]:
    """As `runner`, with another hash seed, another address space and another day."""
    kernels, environment = Path(KERNELS).resolve(), {"TZ": TIME_ZONES[1]}
    with Runner(LIMIT, hash_seed=1, environment=environment, kernels=kernels) as runner:
        yield runner


@pytest.fixture(scope="session")
def fresh_runner() -> Iterator[Runner]:
    with Runner(LIMIT, fresh=True, kernels=Path(KERNELS).resolve()) as runner:
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


@contextlib.contextmanager
def lent(*warm: Runner) -> Iterator[None]:
    """While this lasts, every new `Runner` is the one in `warm` with its hash seed.

    Starting one takes seconds: it imports torch. The environment is the tests' own.
    """

    def start(
        self: Runner,
        limit: float = LIMIT,
        hash_seed: int = 0,
        environment: Mapping[str, str] | None = None,
        kernels: Path | None = None,
    ) -> None:
        self.__dict__ = warm[hash_seed].__dict__

    leave = mock.patch.object(Runner, "close", lambda self: None)
    with mock.patch.object(Runner, "__init__", start), leave:
        yield


@pytest.fixture
def proof_command(
    book: Book, runner: Runner, other_runner: Runner, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """`proofbook ...` on the tiny book: its exit status, and its output on both streams."""

    def command(*arguments: str) -> tuple[int, str, str]:
        with lent(runner, other_runner):
            status = main(["--root", str(book.root), *arguments])
        return status, *capsys.readouterr()

    return command


@pytest.fixture(scope="session")
def build(runner: Runner) -> Callable[..., tuple[int, str]]:
    """`mkdocs build ...` in the folder of a book: its exit status, and all its output.

    In this process, which has already imported the modules. Environment variables are passed by
    keyword.
    """

    def build(root: Path, *options: str, **environment: str) -> tuple[int, str]:
        known = {"NO_MKDOCS_2_WARNING": "1", "REPO_URL": "", **environment}
        with lent(runner), mock.patch.dict(os.environ, known), contextlib.chdir(root):
            result = CliRunner().invoke(cli, ["build", *options])
        failed = result.exception and not isinstance(result.exception, SystemExit)
        trace = "".join(traceback.format_exception(result.exception)) if failed else ""
        return result.exit_code, result.output + trace

    return build
