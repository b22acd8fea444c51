"""The `.trace` files of a book: written by `update`, compared by `check`, needed by a figure."""

from __future__ import annotations

import pytest
from gradtrace import parse_trace
from proofbook.testing.fixtures import PATIENCE
from proofbook.testing.tiny_book import Book, write

pytestmark = pytest.mark.upgrade

SCRIPT = """\
import torch

w = torch.tensor(2.0, requires_grad=True)
y = 3 * w
y.backward()
print("w.grad:", w.grad)
"""
TRACE = "snippets/t/s.trace"
FIX = "proofbook update snippets/t/s.py"


@pytest.fixture
def shown(book: Book) -> Book:
    """A book in which both pages show the figure of a recording."""
    book.write("snippets/t/s.py", SCRIPT)
    book.write("snippets/t/s.out", "w.grad: tensor(3.)\n")
    for page in ("docs/t/p.zh.md", "docs/t/p.en.md"):
        book.change(page, "    highlight: 3 * w\n", "    highlight: 3 * w\n    figure: trace\n")
    return book


def check(proof_command) -> str:
    return proof_command("check", "snippets")[2]


def test_update_writes_it_once(shown, proof_command):
    status, out, _ = proof_command("update")
    assert status == 0 and f"{TRACE}: recorded" in out
    text = shown.read(TRACE)
    assert parse_trace(text).stdout == "w.grad: tensor(3.)\n"
    assert "0 outputs recorded" in proof_command("update")[1]
    assert shown.read(TRACE) == text
    assert TRACE not in check(proof_command)


def test_the_first_difference_is_told(shown, proof_command):
    proof_command("update")
    shown.change(TRACE, '"gin": [{"s": [], "v": 3}]', '"gin": [{"s": [], "v": 4}]')
    told = check(proof_command)
    assert "snippets/t/s.py does something else than what is recorded: event 4" in told
    assert '"v": 4' in told and '"v": 3' in told and "what PyTorch does now" in told
    assert f"if the new recording is right: {FIX}" in told
    status, out, _ = proof_command("update", "snippets/t/s.trace")
    assert status == 0 and ": event 4\n-" in out
    assert TRACE not in check(proof_command)


def test_the_same_from_another_pytorch_is_no_difference(shown, proof_command):
    proof_command("update")
    now = parse_trace(shown.read(TRACE)).torch
    shown.change(TRACE, f'"torch": "{now}"', '"torch": "2.0.1"')
    assert TRACE not in check(proof_command)
    assert "0 outputs recorded, 2 as before" in proof_command("update")[1]
    assert parse_trace(shown.read(TRACE)).torch == now  # as the figure says


OTHER_TORCH = SCRIPT.replace(
    "torch\n", "torch\ndel torch._C._functorch.peek_interpreter_stack\n", 1
)
"""A script with a PyTorch of which the recorder does not find a private name any more."""


def test_a_fault_of_the_recorder_is_told_once_as_its_own(shown, proof_command):
    shown.write("snippets/t/s.py", OTHER_TORCH)
    for name in ("a", "b"):
        shown.write(f"snippets/t/{name}.py", OTHER_TORCH.replace("2.0", "3.0"))
        shown.write(f"snippets/t/{name}.out", "w.grad: tensor(3.)\n")
        for page in ("docs/t/p.zh.md", "docs/t/p.en.md"):
            shown.write(page, f"{shown.read(page)}\n::: snippets/t/{name}.py\n    figure: trace\n")
    for told in (check(proof_command), proof_command("update")[2]):
        assert told.count(": the recorder of gradtrace failed, and not the snippets") == 1
        assert "peek_interpreter_stack" in told and "s.py:" not in told
        assert "pip install -r requirements.txt" in told
    assert TRACE not in shown.files()


def test_what_goes_wrong_while_a_script_is_recorded_alone_is_not_its_fault(shown, proof_command):
    quiet = "import sys, warnings\nif sys.gettrace():\n    warnings.warn('of the recorder')\n"
    shown.write("snippets/t/s.py", quiet + SCRIPT)
    for told in (check(proof_command), proof_command("update")[2]):
        assert "the script prints to standard error, but only while it is recorded" in told
        assert "the script is right without the recorder" in told


@pytest.mark.parametrize(("text", "why"), [("no\n", "Expecting value"), ("{}", "not a recording")])
def test_what_is_no_recording(shown, proof_command, text, why):
    shown.write(TRACE, text)
    told = check(proof_command)
    assert f"{TRACE}:1: this is not what a recording is" in told and why in told


def test_one_that_nobody_shows_is_a_stray(shown, proof_command):
    proof_command("update")
    shown.change("docs/t/p.zh.md", "    figure: trace\n", "")
    assert "no page shows this recording" not in check(proof_command)  # the other page does
    shown.change("docs/t/p.en.md", "    figure: trace\n", "")
    told = check(proof_command)
    assert f"{TRACE}:1: no page shows this recording" in told
    proof_command("update")
    shown.remove(TRACE)
    assert TRACE not in check(proof_command)


def test_two_recordings_that_differ_are_not_written(shown, proof_command):
    unsteady = SCRIPT.replace("2.0", "float(hash('a'))").replace("w.grad)", "3)")
    shown.write("snippets/t/s.py", unsteady)
    shown.write("snippets/t/s.out", "w.grad: 3\n")
    status, _, err = proof_command("update")
    assert status == 1 and "two runs did different things, so nothing was recorded" in err
    assert TRACE not in shown.files()


def test_a_script_that_cannot_be_recorded_is_told(shown, proof_command):
    deep = "def f():\n    f()\n\n\ntry:\n    f()\nexcept RecursionError:\n    print(1)\n"
    shown.write("snippets/t/s.py", SCRIPT + deep)
    assert "the recorder failed on this script" in proof_command("update")[2]
    assert TRACE not in shown.files()


def test_a_fresh_interpreter_records_the_same(tmp_path, runner, fresh_runner):
    script = write(tmp_path / "script.py", SCRIPT)
    one, other = (by.trace(script).result(PATIENCE).trace for by in (runner, fresh_runner))
    assert one == other is not None
