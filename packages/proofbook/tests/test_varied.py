"""The runs of a script with other numbers: written by `update`, compared by `check`, drawn."""

from __future__ import annotations

import json
import re

import pytest
from gradtrace import parse_trace
from proofbook.directives.registry import expand
from proofbook.directives.varied_figure import variants_of
from proofbook.model.book import read_book
from proofbook.model.page import parse
from proofbook.model.varied_runs import VariedScriptRun, format_runs, parse_runs
from proofbook.testing.fixtures import PATIENCE
from proofbook.testing.tiny_book import Book, write

SCRIPT = """\
import torch

w = torch.tensor(2.0, requires_grad=True)
y = torch.relu(3 * w)
y.backward()
print("w.grad:", w.grad)
"""
VARY = "w = 2.0 | -2 to 2 step 2"
VARIED = "snippets/t/s.varied"
FIX = "proofbook update snippets/t/s.py"
OPTIONS = f"    highlight: 3 * w\n    figure: trace\n    vary: {VARY}\n"


@pytest.fixture
def shown(book: Book) -> Book:
    """A book in which both pages let a reader change a number."""
    book.write("snippets/t/s.py", SCRIPT)
    book.write("snippets/t/s.out", "w.grad: tensor(3.)\n")
    for page in ("docs/t/p.zh.md", "docs/t/p.en.md"):
        book.change(page, "    highlight: 3 * w\n", OPTIONS)
        book.change(page, "6" if "en" in page else "是 6", "3" if "en" in page else "是 3")
    return book


def check(proof_command) -> str:
    return proof_command("check", "snippets", "docs")[2]


def data(book: Book, language: str = "en") -> dict:
    from proofbook.directives.trace_figure import data_files

    page = read_book(book.root)
    ((name, text),) = data_files(page.page(f"docs/t/p.{language}.md"), page)
    assert name == "trace-t-s.js"
    return json.loads(text.partition(" = ")[2])


def test_update_writes_them_once(shown, proof_command):
    assert VARIED in check(proof_command) and FIX in check(proof_command)
    status, out, _ = proof_command("update")
    assert status == 0 and f"{VARIED}: 3 runs recorded" in out
    text = shown.read(VARIED)
    varied, runs = parse_runs(text, shown.read("snippets/t/s.trace"))
    assert varied == (VARY,)
    assert [run.values for run in runs] == [("-2.0",), ("0.0",), ("2.0",)]
    assert [run.printed for run in runs] == [f"w.grad: tensor({n}.)\n" for n in (0, 0, 3)]
    assert parse_trace(runs[2].recording).stdout == shown.read("snippets/t/s.out")
    assert runs[2].recording == shown.read("snippets/t/s.trace")
    assert check(proof_command) == ""
    assert "0 outputs recorded, 3 as before" in proof_command("update")[1]
    assert shown.read(VARIED) == text


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("tensor(0.)", "tensor(1.)", "s.py prints something else with -2.0"),
        ('". . . . 0 0"', '". . . . 0 1"', "s.py does something else with -2.0: event "),
        ('"0.0"', '"0.0', "the number cannot be varied"),
        ('"values"', '"value"', "it lacks 'values'"),
        (VARY, "w = 2.0 | 1, 2", "snippets/t/s.varied with these values"),
    ],
)
def test_what_is_kept_is_compared(shown, proof_command, old, new, told):
    proof_command("update")
    kept = shown.read(VARIED)
    assert old in kept
    shown.write(VARIED, kept.replace(old, new, 1))
    said = check(proof_command)
    assert told in said and FIX in said
    assert proof_command("update")[0] == 0
    assert shown.read(VARIED) == kept and check(proof_command) == ""


@pytest.mark.parametrize(
    ("options", "expected", "found"),
    [
        ("    vary: w = 2.0 | 1, 2\n", "figure: trace or figure: plot", "none"),
        ("    figure: trace\n    vary: v = 2.0 | 1, 2\n", "one 2.0 in what is assigned", "none"),
        ("    figure: trace\n    vary: w = 2.0\n", "vary: <name> = <its number>", "vary: w = 2.0"),
        ("    figure: trace\n" + 3 * "    vary: w = 2.0 | 1, 2\n", "at most 2 numbers", "3"),
    ],
)
def test_what_cannot_be_varied_is_refused(shown, proof_command, options, expected, found):
    proof_command("update")
    for page in ("docs/t/p.zh.md", "docs/t/p.en.md"):
        shown.change(page, OPTIONS, options)
    told = check(proof_command)
    assert f"expected: {expected}" in told and f"found:    {found}" in told


def test_too_many_runs_are_refused_before_they_are_run(shown, proof_command):
    proof_command("update")
    many = "    vary: w = 2.0 | -2 to 198 step 1\n    vary: w = 2.0 | -2 to 198 step 1\n"
    for page in ("docs/t/p.zh.md", "docs/t/p.en.md"):
        shown.change(page, f"    vary: {VARY}\n", many)
    told = check(proof_command)
    assert "expected: at most 225 runs in all" in told and "found:    40401" in told


def test_a_script_that_fails_with_another_number_is_told(shown, proof_command):
    shown.change("snippets/t/s.py", "y.backward()", "assert w > 0\ny.backward()")
    status, _, told = proof_command("update")
    assert status == 1 and not (shown.root / VARIED).exists()
    assert "the script raises, with another number in it" in told
    assert "(with w = -2.0)" in told and "snippets/t/s.py:5" in told


def test_a_script_that_remembers_another_run_is_told(shown, proof_command):
    counts = "import torch\ntorch.seen = getattr(torch, 'seen', 0) + 1\n"
    code = SCRIPT.replace("import torch\n", counts).replace("3 * w", "3 * w * torch.seen")
    shown.write("snippets/t/s.py", code)
    status, _, told = proof_command("update")
    assert status == 1 and "two runs did different things" in told


def test_runs_do_not_touch_each_other(tmp_path, runner, fresh_runner):
    """A seed, a hook, a name of the module `__main__`: each run begins as the first one."""
    code = SCRIPT.replace("y = ", "assert 'y' not in globals()\nn = torch.rand(1)\ny = n * ")
    script = write(tmp_path / "s.py", code)
    variants = variants_of(code, ["w = 2.0 | 2, 1"])
    one, other, alone = (
        runner.submit(script, True, variants=variants),
        fresh_runner.submit(script, True, variants=variants[::-1]),
        runner.submit(script, True),
    )
    one, other, alone = (future.result(PATIENCE) for future in (one, other, alone))
    assert one.refusal is None and one.variants == other.variants[::-1]
    assert one.variants[0] == (alone.stdout, alone.trace) != one.variants[1]


def test_the_figure_holds_all_runs(shown, proof_command):
    proof_command("update")
    book = read_book(shown.root)
    told = expand(parse("docs/t/p.en.md", shown.read("docs/t/p.en.md")), book)
    numbers = json.loads(re.search('data-numbers="([^"]*)"', told)[1].replace("&quot;", '"'))
    assert numbers == [
        {
            "name": "w", "label": "w", "line": 3, "start": 17, "end": 20,
            "values": ["-2.0", "0.0", "2.0"], "own": 2,
        }
    ]  # fmt: skip
    held = data(shown)
    assert len(held["runs"]) == 3
    pictures = [run[0] for run in held["runs"]]
    assert pictures == [-1, -1, -1]
    items = [[held["texts"][n] for n in run[5:]] for run in held["runs"]]
    assert [item in told for item in items[2]] == [True] * len(items[2])
    assert "<code>w.grad</code>" in items[0][-2] and "0" in items[0][-2]
    zh = data(shown, "zh")
    assert len(zh["runs"]) == 3 and zh["texts"] != held["texts"]


def test_a_number_that_another_run_prints_is_proved_by_it(shown, proof_command):
    for page in ("docs/t/p.zh.md", "docs/t/p.en.md"):
        shown.write(page, shown.read(page) + "\n`w = -2.0`: `tensor(0.)`.\n")
    assert "no run shows this" in check(proof_command)
    proof_command("update")
    assert check(proof_command) == ""


def test_the_file_keeps_what_differs():
    own = "a\nb\nc\nd\n"
    runs = [VariedScriptRun((n,), f"{n}\n", own.replace("b", f"{n}\n{n}")) for n in ("1", "b")]
    text = format_runs(["w = 1 | 1, 2"], [*runs, VariedScriptRun(("3",), "", "")], own)
    assert parse_runs(text, own) == (("w = 1 | 1, 2",), [*runs, VariedScriptRun(("3",), "", "")])
    assert "d" not in text.splitlines()[1].partition("changes")[2]


def follow(book: Book, said: str) -> None:
    """Both pages have a number that follows."""
    for page in ("docs/t/p.zh.md", "docs/t/p.en.md"):
        book.write(page, f"{book.read(page)}\n{said}\n")


@pytest.mark.parametrize(
    "said", ["`3`{ .follows }", "`3`{.follows #three}", "`tensor(3.)`{ .follows }"]
)
def test_a_number_that_each_run_prints_may_follow(shown, proof_command, said):
    proof_command("update")
    follow(shown, said)
    assert "cannot follow" not in check(proof_command)


@pytest.mark.parametrize(
    ("printed", "said", "expected", "found"),
    [
        ("print(3.0)", "`0`{ .follows }", "a number that a snippet with vary:", "0"),
        ("print(3.0, 3.0)", "`3`{ .follows }", "one number, which its line has once", "3.0 3.0"),
        ("print(3.0) if w > 1 else print('w', 0)", "`3`{ .follows }", "# in each run", "w 0"),
        ("print(3.0) if w > 1 else w", "`3`{ .follows }", "# in each run", "no such line"),
    ],
)
def test_one_that_cannot_follow_is_refused(shown, proof_command, printed, said, expected, found):
    rest = SCRIPT.replace('print("w.grad:", w.grad)', "print('seen')\n" + printed)
    shown.write("snippets/t/s.py", rest)
    proof_command("update")
    follow(shown, said)
    told = check(proof_command)
    assert "the number cannot follow a figure" in told
    assert expected in told and found in told
