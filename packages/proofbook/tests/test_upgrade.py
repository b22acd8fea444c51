"""`proofbook upgrade`: what another PyTorch changes, from what cause, and what to read again."""

from __future__ import annotations

import os
import sys

import pytest
from proofbook.cli.main import main
from proofbook.model.book import read_book
from proofbook.testing.tiny_book import Book, recorded, write
from proofbook.upgrade.differences import OUTPUT, RECORDING, Difference, differences
from proofbook.upgrade.drill import Drill
from proofbook.upgrade.report import by_cause, format_drill
from proofbook.upgrade.reread import to_reread

SCRIPT, ZH, EN = "snippets/t/s.py", "docs/t/p.zh.md", "docs/t/p.en.md"


def found(old: str, new: str, script: str = SCRIPT, part: str = OUTPUT) -> list[Difference]:
    return list(differences(script, part, old, new))


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        ("node: <ViewBackward0>", "node: <UnsafeViewBackward0>", "node"),
        ("w.grad: tensor([0., 1.])", "w.grad: tensor([0., 0.])", "behaviour"),
        ("w.grad: None", "w.grad: tensor(0.)", "behaviour"),
        ("w: tensor(2.)", "w: tensor([2.])", "format"),
        ("ok", "FutureWarning: `torch.jit.script` is deprecated.", "warning"),
        ("UserWarning: old", "nothing to say", "warning"),
        ("ok: 3", "AttributeError: module 'torch' has no attribute 'x'", "removed"),
        ("ok: 3", "RuntimeError: not any more", "raises"),
        (
            "RuntimeError: you can make a clone to get a tensor",
            "RuntimeError: clone it first, or use torch.no_grad() instead of it",
            "message",
        ),
    ],
)
def test_what_sort_of_difference_it_is(old, new, kind):
    assert [d.kind for d in found(f"first: 1\n{old}\n", f"first: 1\n{new}\n")] == [kind]
    assert [d.line for d in found(f"first: 1\n{old}\n", f"first: 1\n{new}\n")] == [2]


def test_rounding_is_no_difference():
    assert found("w: tensor([3.0000, 0.5000])\n", "w: tensor([3.0000, 0.5])\n") == []
    assert found("a: 1.5\nw: tensor(3.)\n", "a: 2.5\nw: tensor(3.0000)\n")[0].new == ("a: 2.5",)


def test_a_recording_is_compared_without_its_versions():
    old = '{\n"torch": "2.13.0",\n"events": [\n{"op": "MulBackward0"}\n]\n}\n'
    assert found(old, old.replace("2.13.0", "2.15.0"), part=RECORDING) == []
    changed = found(old, old.replace("Mul", "Product"), part=RECORDING)
    assert [(d.kind, d.line) for d in changed] == [("node", 4)]


def test_one_change_of_pytorch_is_one_group():
    one = found("last node: ViewBackward0\n", "last node: UnsafeViewBackward0\n")
    other = found("(<ViewBackward0>)\n", "(<UnsafeViewBackward0>)\n", "snippets/t/b.py")
    third = found("w.grad: 1\n", "w.grad: 2\n", "snippets/t/c.py")
    assert by_cause([*third, *one, *other]) == [[*one, *other], third]


def test_what_to_read_again(book: Book):
    for file, words in ((ZH, "又是 `6.0`。"), (EN, "Again `6.0`.")):
        book.write(file, f"{book.read(file)}\nAfter.\n\nFar away.\n\n## B {{ #b }}\n\n{words}\n")
    book.write("docs/t/q.en.md", "# Q { #q }\n\nIt is 6.0 [there](p.en.md).\n\nNot here.\n")
    book.write("docs/t/q.zh.md", "# Q { #q }\n\n[那里](p.zh.md)是 6.0。\n\n这里没有。\n")
    places = [(one.file, one.line, one.shares) for one in to_reread(read_book(book.root), CHANGED)]
    for page, other in ((ZH, "docs/t/q.zh.md"), (EN, "docs/t/q.en.md")):
        assert [place[1:] for place in places if place[0] == page] == [
            (3, ()),
            (8, ()),
            (14, ("6",)),
        ]
        assert [place[1:] for place in places if place[0] == other] == [(3, ("6",))]


CHANGED = found("y: 6.0\n", "y: 7.0\n")


def test_the_report_says_since_when_and_what_to_do(book: Book):
    for version, output in (("2.12.1", "y: 6.0\n"), ("2.14.1", "y: 7.0\n"), ("2.15.0", "y: 7.0\n")):
        book.write(*recorded(book, version, output))
    text = format_drill(read_book(book.root), Drill("2.13.0", "2.15.0", [SCRIPT], [], CHANGED))
    assert "since: 2.14.1, of the versions that the book has recorded" in text
    assert "snippets/t/s.out:1\n     - y: 6.0\n     + y: 7.0\n" in text
    assert f"{ZH}:3: " in text and f"{EN}:3: " in text
    assert f"proofbook update {SCRIPT}\n" in text


def test_the_report_where_nothing_differs(book: Book):
    text = format_drill(read_book(book.root), Drill("2.13.0", "2.15.0", [SCRIPT], []))
    assert text.endswith("Nothing differs: every output and every recording holds.")


@pytest.mark.skipif(os.name == "nt", reason="the other interpreter is a shell script")
def test_the_command_runs_both_and_leaves_this_machine_out(book: Book, tmp_path, capsys):
    other = write(tmp_path / "new venv/python", f'#!/bin/sh\nNEW=1 exec "{sys.executable}" "$@"\n')
    other.chmod(0o755)
    show = "import os\nw = 7.0 if 'NEW' in os.environ else 6.0\nprint('y:', w)\n"
    warn = "import os, warnings\nif 'NEW' in os.environ:\n    warnings.warn('old')\nprint(1)\n"
    book.write("snippets/t/warns.py", warn)
    book.write("snippets/t/warns.out", "1\n")
    book.write(SCRIPT, show)
    book.write("snippets/t/here.py", "print('here: 5')\n")
    book.write("snippets/t/here.out", "here: 4\n")
    before = book.files()
    assert main(["--root", str(book.root), "upgrade", str(other)]) == 0
    told = capsys.readouterr().out
    assert "prints something else than is recorded: snippets/t/here.py. Another machine" in told
    assert "     - y: 6.0\n     + y: 7.0\n" in told and "here: 5" not in told
    assert "  2. mend what raises or warns now: snippets/t/warns.py\n" in told
    assert "(nothing)  ->  UserWarning: old\n" in told
    assert book.files() == before


def test_what_is_no_interpreter_is_told(book: Book, capsys):
    assert main(["--root", str(book.root), "upgrade", "no/such/python"]) == 1
    told = capsys.readouterr().err
    assert "no/such/python" in told and "an interpreter with PyTorch, as venv/bin/python" in told
