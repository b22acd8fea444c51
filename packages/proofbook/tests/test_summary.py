"""What an author reads: progress while the snippets run, and one screen at the end."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import time
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

import pytest
from proofbook.cli import progress
from proofbook.cli.progress import showing_progress
from proofbook.cli.summary import FEW, SCREEN, format_failures, format_recheck, format_success
from proofbook.model.book import read_book
from proofbook.model.problem import Problem, format_problems
from proofbook.pipeline import Outcome
from proofbook.run.judge import Result
from proofbook.run.runner import Runner
from proofbook.testing.fixtures import PATIENCE
from proofbook.testing.tiny_book import Book

ROOT = Path("/a/book")

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
        "  looked up 1 name of PyTorch",
        "  slowest   snippets/t/s.py 0.7 s",
    ]


def test_equations_that_nobody_evaluated_are_told(book):
    book.change("docs/t/p.en.md", "It is 6.", "It is $f(x) = g(x)$.")
    assert "0 equations; 1 nobody could evaluate (proofbook unproved)" in format_success(
        proof_of(book)
    )


def test_a_few_failures_are_told_as_they_are():
    for count in range(1, FEW + 1):
        problems = [problem(number) for number in range(count)]
        assert format_failures(problems) == format_problems(problems)


def test_several_failures_are_counted_by_kind_and_then_told():
    problems = [problem(number) for number in range(3)]
    problems += [
        problem(1, f"snippets/t/{name}.py prints something else than what is recorded", "x.out")
        for name in "ab"
    ]
    told = format_failures(problems)
    assert told.startswith(
        "5 problems in 2 files:\n"
        "     3  the number stands in no run\n"
        "     2  … prints something else than what is recorded\n\n"
        "docs/t/p.en.md:0: the number stands in no run\n  expected: a run that shows it\n"
    )
    assert told.endswith(format_problems(problems)) and told.endswith(
        "\n5 problems. Nothing was changed."
    )


def test_many_failures_fit_on_a_screen_and_name_the_command_that_shows_the_others():
    problems = [
        problem(number, f"kind {'abcdefghijkl'[number % 12]}", f"docs/t/{number % 20}.en.md")
        for number in range(200)
    ]
    told = format_failures(problems)
    assert len(told.split("\n")) <= SCREEN + 15
    assert told.startswith("200 problems in 20 files:\n")
    assert "of other kinds" in told and "more files" in told
    cut = re.search(r"and (\d+) more; proofbook check FILE shows them:", told)
    assert int(cut[1]) + told.count("  expected:") == 200 and told.count("  expected:") >= FEW
    assert told.endswith("\n\n200 problems. Nothing was changed.")
    whole = format_failures(problems, whole=True)
    assert whole.count("  expected:") == 200 and "more; python" not in whole


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


def test_check_cuts_a_long_list_unless_a_file_is_named(book, proof_command):
    wrong = "\n\n".join(f"It is `{number}.5`." for number in range(40, 60))
    for language in ("zh", "en"):
        file = f"docs/t/p.{language}.md"
        book.write(file, book.read(file) + f"\n{wrong}\n")
    status, out, err = proof_command("check")
    assert (status, out) == (1, "") and err.startswith("40 problems in 2 files:\n")
    assert "more; proofbook check FILE shows them:" in err
    assert len(err.split("\n")) < SCREEN + 15
    status, out, err = proof_command("check", "docs/t/p.en.md")
    assert status == 1 and err.count("  expected:") == 20


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def finished() -> Future:
    future: Future = Future()
    future.set_result(None)
    return future


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", 0.2)


def test_a_terminal_shows_how_far_it_is_and_is_clean_afterwards():
    stream = Terminal()
    with showing_progress([finished(), Future()], lambda: [], ROOT, stream):
        time.sleep(0.5)
    told = stream.getvalue()
    assert "\r1 of 2 runs, 0 s" in told
    assert told.endswith("\r") and told.rstrip("\r").endswith(" " * len("1 of 2 runs, 0 s"))


def test_what_is_slow_is_named_once():
    stream = io.StringIO()
    with showing_progress([Future()], lambda: [(ROOT / SCRIPT, 7.4)], ROOT, stream):
        time.sleep(0.5)
    assert stream.getvalue() == f"still running, after 7 s: {SCRIPT}\n"


def test_a_snippet_that_hangs_is_named_while_it_does(book, impatient):
    book.write("snippets/t/hangs.py", "while True:\n    pass\n")
    stream = Terminal()
    with Runner(limit=2) as runner:
        scripts = [book.root / SCRIPT, book.root / "snippets/t/hangs.py"]
        runs = [runner.submit(script) for script in scripts]
        with showing_progress(runs, runner.running, book.root, stream):
            results = [run.result(PATIENCE) for run in runs]
        assert runner.running() == []
    assert results[0].refusal is None and "does not end" in results[1].refusal.what
    assert re.search(
        r"1 of 2 runs, \d+ s; still running: snippets/t/hangs.py \(1 s\)", stream.getvalue()
    )


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
