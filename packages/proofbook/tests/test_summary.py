"""What an author reads: progress while the snippets run, and one screen at the end."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from concurrent.futures import Future
from dataclasses import replace

import pytest
from proofbook import summary
from proofbook.model.book import read_book
from proofbook.model.cache import version_of
from proofbook.model.problem import Problem, format_problems
from proofbook.pipeline import Outcome
from proofbook.run.judge import Result
from proofbook.run.runner import Runner
from proofbook.summary import (
    format_failures,
    format_recheck,
    format_success,
    showing_progress,
)
from proofbook.testing.fixtures import PATIENCE
from proofbook.testing.tiny_book import Book

SCRIPT = "snippets/t/s.py"


def problem(number: int, what: str = "the number stands in no run", file: str = "docs/t/p.en.md"):
    return Problem(file, number, what, "a run that shows it", str(number), "correct it")


def proof_of(book: Book, seconds: float = 1.25, trace: str | None = None) -> Outcome:
    read = read_book(book.root)
    ran = Result(str(book.root / SCRIPT), "y: 6.0\n", 0.3)
    results = [ran] + ([replace(ran, seconds=0.7, trace=trace)] if trace else [])
    return Outcome(read, [], [], results, read.page_files, seconds, again={SCRIPT})


def test_what_holds_is_told_on_one_screen(book):
    book.change("docs/t/p.en.md", "It is 6.", "It is `6.0`, $2 \\times 3 = 6$, by `torch.add`.")
    told = format_success(proof_of(book, trace="{}")).split("\n")
    assert told[0] == "1 snippet run and compared, 2 pages read: everything holds (1.2 s)."
    assert told[1:] == [
        "  compared  1 line of output, 1 recording for figures",
        "  found     1 value of the text in the runs",
        "  computed  1 equation",
        f"  looked up 1 name of PyTorch {version_of('torch')}",
        "  slowest   snippets/t/s.py 0.7 s",
    ]


def test_several_failures_are_told_and_counted_by_kind_at_the_end():
    problems = [problem(number) for number in range(3)]
    assert format_failures(problems) == format_problems(problems)
    problems += [
        problem(1, f"snippets/t/{name}.py prints something else than what is recorded", "x.out")
        for name in "ab"
    ]
    told = format_failures(problems)
    assert told.startswith("docs/t/p.en.md:0: the number stands in no run\n  expected: a run that")
    assert told.count("  expected:") == 5
    assert told.endswith(
        "  fix:      correct it\n\n5 problems in 2 files. Nothing was changed.\n"
        "     3  the number stands in no run\n"
        "     2  … prints something else than what is recorded\n"
        "     3  in docs/t/p.en.md\n     2  in x.out"
    )


def test_a_rebuild_is_told_in_one_line(book):
    proof = replace(proof_of(book, 0.44), again=[])
    rest = "2 pages read: everything holds (0.4 s)."
    assert format_recheck(proof, 0) == f"0 snippets run again, {rest}"
    assert (
        format_recheck(replace(proof, again=["b.py", "a.py"]), 0) == f"a.py, b.py run again, {rest}"
    )
    assert (
        format_recheck(replace(proof, again=list("abcdef")), 0) == f"6 snippets run again, {rest}"
    )
    assert format_recheck(proof, 2).endswith("2 pages read: 2 problems (0.4 s).")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def finished() -> Future:
    future: Future = Future()
    future.set_result(None)
    return future


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(summary, "PATIENCE", 0.2)


def test_a_snippet_that_hangs_is_named_while_it_does(book, impatient):
    book.write("snippets/t/hangs.py", "while True:\n    pass\n")
    stream = Terminal()
    with Runner(limit=2) as runner:
        scripts = [book.root / SCRIPT, book.root / "snippets/t/hangs.py"]
        runs = [runner.submit(script) for script in scripts]
        with showing_progress(runs, runner.running, stream):
            results = [run.result(PATIENCE) for run in runs]
        assert runner.running() == []
    assert results[0].refusal is None and "does not end" in results[1].refusal.what
    assert re.search(r"1 of 2 runs, \d+ s; still running: hangs.py \(1 s\)", stream.getvalue())


def test_on_a_terminal_the_summary_stands_alone_at_the_end(book):
    pty = pytest.importorskip("pty")  # Windows has none
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "proofbook", "--root", str(book.root), "check"]
    process = subprocess.Popen(command, stdout=theirs, stderr=theirs, close_fds=True)
    os.close(theirs)
    told = b""
    try:
        while chunk := os.read(ours, 4096):
            told += chunk
    except OSError:  # how a terminal of Linux ends
        pass
    os.close(ours)
    assert process.wait() == 0
    text = told.decode()
    assert re.search(r"\r0 of 1 runs, \d+ s", text)
    assert re.search(r"\r +\r1 snippet run and compared, 2 pages read: everything holds", text)
    assert "\x1b" not in text
