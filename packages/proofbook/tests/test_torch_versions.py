"""What other versions of PyTorch print: recorded, compared, shown, reported where it is wrong."""

from __future__ import annotations

import json
import os
import re
import sys
from importlib import metadata
from pathlib import Path

import pytest
from proofbook import __main__ as cli
from proofbook.check.registry import problems_in_files
from proofbook.content.torch_versions import (
    REASONS,
    counts,
    other_outputs,
    table,
    versions_of_page,
    wrong_since,
)
from proofbook.directives.registry import expand
from proofbook.html.page import run_with
from proofbook.model.book import read_book
from proofbook.model.problem import Unproved
from proofbook.model.torch_records import GPU_RECORD, record_file
from proofbook.other_python import Drill, drill, write_record
from proofbook.summary import format_drill
from proofbook.testing.tiny_book import Book, recorded

OWN = metadata.version("torch").partition("+")[0]
NOT_A_RECORD = "this is not a record of a version of PyTorch"
PAGE, SCRIPT = "docs/t/p.en.md", "snippets/t/s.py"
REASON = """\
[[difference]]
scripts = ["snippets/t/s.py"]
since = "2.2"
zh = "原因。"
en = "The reason."
source = "https://example.org/1"
"""


@pytest.fixture
def versions(book: Book) -> Book:
    """A book that prints something else with two versions, and that says why."""
    for version in ("2.0.0", "2.1.1"):
        book.write(*recorded(book, version, "y: six\n", whole=True))
    book.write(*recorded(book, "2.2.0", "y: 6.0\n", whole=True))
    book.write(REASONS, REASON)
    return book


def told(book: Book) -> list[str]:
    return [str(problem) for problem in problems_in_files(read_book(book.root))]


def test_versions_with_the_same_output_are_one_group_with_its_reason(versions: Book):
    assert told(versions) == []
    (other,) = other_outputs(read_book(versions.root), SCRIPT)
    assert (other.versions, other.output) == (("2.0.0", "2.1.1"), "y: six\n")
    assert (other.since, other.before) == ("", "2.2")
    assert [reason.en for reason in other.reasons] == ["The reason."]


def test_a_change_that_was_taken_back_is_shown_only_for_the_versions_that_have_it(versions: Book):
    versions.write(*recorded(versions, "1.9.0", "y: 6.0\n"))
    versions.write(REASONS, REASON + REASON.replace("2.2", "2.0").replace("The", "Another"))
    assert told(versions) == []
    (other,) = other_outputs(read_book(versions.root), SCRIPT)
    assert (other.versions, other.since, other.before) == (("2.0.0", "2.1.1"), "2.0", "2.2")
    assert [reason.en for reason in other.reasons] == ["The reason."]


def test_the_page_shows_it_folded_with_what_differs_and_why(versions: Book):
    for language, title, why in (
        ("en", "Before PyTorch 2.2: another output", "The reason ([source]"),
        ("zh", "PyTorch 2.2 之前：输出不同", "原因（[出处]"),
    ):
        book = read_book(versions.root)
        text = expand(book.page(f"docs/t/p.{language}.md"), book)
        assert (
            f'\n??? then "{title}"\n\n'
            '    ```{ .text .output .then title="PyTorch 2.0.0, 2.1.1" hl_lines="1" }\n'
            f"    y: six\n    ```\n\n    {why}(https://example.org/1)"
        ) in text


def test_what_a_page_asks_for_stands_under_its_version_and_needs_no_other_reason(versions: Book):
    for language in ("zh", "en"):
        versions.change(f"docs/t/p.{language}.md", "3 * w\n", "3 * w\n    then: 2.1.1\n")
    versions.remove(REASONS)
    assert told(versions) == []
    book = read_book(versions.root)
    text = expand(book.page(PAGE), book)
    (box,) = re.findall(r"\?\?\? then .*", text)
    assert box in ('??? then "PyTorch 2.1.1: another output"', '??? then "PyTorch 2.1.1：输出不同"')
    assert '    ```{ .text .output .then title="PyTorch 2.1.1" hl_lines="1" }\n    y: six\n' in text


def test_a_newer_version_is_told_from_the_first_that_differs(versions: Book):
    newer = "99.1.0"
    versions.write(*recorded(versions, newer, "y: sechs\n", whole=True))
    versions.write(REASONS, REASON + REASON.replace("2.2", "99.0").replace("The", "A newer"))
    assert told(versions) == []
    book = read_book(versions.root)
    assert 'then "Since PyTorch 99.0: another output"' in expand(book.page(PAGE), book)
    assert versions_of_page(book, PAGE) == ("2.0.0", "2.1.1", "2.2.0", OWN, newer)


def test_the_output_of_a_gpu_is_folded_below_the_snippet(book: Book):
    def boxes() -> list[str]:
        read = read_book(book.root)
        return re.findall(r"\?\?\? then .*", expand(read.page(PAGE), read))

    name, output = "2.2.0 (NVIDIA H100)", "y: tensor(6., device='cuda:0')\n"
    book.write(GPU_RECORD, recorded(book, name, output)[1])
    assert told(book) == []
    assert boxes() == [f'??? then "PyTorch {name}: another output"']
    assert versions_of_page(read_book(book.root), PAGE) == (OWN,)
    book.write(GPU_RECORD, recorded(book, name, "y: 6.0\n")[1])
    assert boxes() == []
    book.write(GPU_RECORD, recorded(book, name, output)[1].replace("cuda:0", "cuda:1"))
    assert boxes() == []
    (problem,) = told(book)
    assert problem.startswith(f"{GPU_RECORD}:") and "edited by hand" in problem


def test_rounding_and_print_format_make_no_difference(versions: Book):
    versions.write(*recorded(versions, "2.1.1", "y: 6.0000\n", whole=True))
    versions.write(*recorded(versions, "2.0.0", "y: 6.0000\n", whole=True))
    versions.remove(REASONS)
    assert told(versions) == []
    assert other_outputs(read_book(versions.root), SCRIPT) == ()
    assert counts(read_book(versions.root)) == (
        (OWN, 1, 1, 0, 0),
        ("2.2.0", 1, 1, 0, 0),
        ("2.1.1", 1, 0, 1, 0),
        ("2.0.0", 1, 0, 1, 0),
    )


def test_a_changed_script_is_warned_of_once_and_counts_no_longer(versions: Book):
    versions.change(SCRIPT, "3 * w", "w * 3")
    for language in ("zh", "en"):
        versions.change(f"docs/t/p.{language}.md", "3 * w", "w * 3")
    (warning,) = told(versions)
    assert warning.split("\n")[0] == (
        "snippets/versions/2.2.0.json:1: warning: changed since other versions of PyTorch were "
        "recorded: 1 of the scripts"
    )
    assert "found:    snippets/t/s.py (PyTorch 2.0.0, 2.1.1, 2.2.0)" in warning
    assert "fix:      proofbook check --python PYTHON --record" in warning
    book = read_book(versions.root)
    assert "???" not in expand(book.page(PAGE), book)
    assert versions_of_page(book, PAGE) == (OWN,)
    assert [run for _, run, *_ in counts(book)] == [1, 0, 0, 0]


def test_a_difference_without_a_reason_is_told_at_the_output(versions: Book):
    versions.remove(REASONS)
    (problem,) = told(versions)
    assert problem.split("\n") == [
        "snippets/versions/2.1.1.json:11: snippets/t/s.py prints something else with PyTorch 2.2.0 "
        "than with 2.1.1, without a reason",
        '  expected: [[difference]] with scripts, since = "2.2.0", zh, en, source, in '
        "snippets/versions/differences.toml",
        "  found:    none",
        "  fix:      find out which version after 2.1.1 changed it, and add the reason to "
        "snippets/versions/differences.toml",
        "  shown on: docs/t/p.en.md, docs/t/p.zh.md",
    ]


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ('since = "2.2"', 'since = "2.0"', "prints the same before and since PyTorch 2.0"),
        ('since = "2.2"', 'since = "two"', "the since of this reason cannot be right"),
        ('since = "2.2"\n', "", "the entry has no since"),
        ("s.py", "r.py", "the scripts of this reason cannot be right"),
        ("https://", "", "the source of this reason cannot be right"),
        ('"The reason."', '"The reason.', "this is not TOML"),
        ('"The reason."', '"Since `torch.func.hesian`."', "has no such name"),
    ],
)
def test_a_wrong_reason_is_told_with_its_line(versions: Book, old, new, what):
    versions.change(REASONS, old, new)
    found = [problem for problem in told(versions) if what in problem.split("\n")[0]]
    assert len(found) == 1 and found[0].startswith(f"{REASONS}:"), told(versions)
    assert "expected:" in found[0] and "found:" in found[0] and "fix:" in found[0]


@pytest.mark.parametrize(
    ("old", "new", "line", "what"),
    [
        ('"y: six",', '"y: six"', 13, NOT_A_RECORD),
        ('"y: six"', '"y: sex"', 11, "PyTorch 2.1.1 did not print this for snippets/t/s.py"),
        ('"torch": "2.1.1"', '"torch": "2.1.2"', 1, NOT_A_RECORD),
    ],
)
def test_a_record_that_cannot_be_read_or_was_edited(versions: Book, old, new, line, what):
    file = record_file("2.1.1")
    versions.change(file, old, new)
    (problem,) = (one for one in told(versions) if what in one.split("\n")[0])
    assert problem.startswith(f"{file}:{line}: ")
    for part in ("expected:", "found:", "proofbook check --python PYTHON --record"):
        assert part in problem


def test_the_line_at_the_end_of_a_page():
    assert run_with(("2.13.0",), False, "en") == ""
    same, other = (run_with(("2.6.0", "2.13.0"), other, "en") for other in (False, True))
    assert "with PyTorch 2.6.0, 2.13.0; they all print the same." in same
    assert "where one of them prints something else, that stands below the code." in other
    assert 'data-versions="2.13.0 2.6.0"' in same, "a reader chooses one"
    assert "PyTorch 2.6.0、2.13.0 上运行过，打印的都一样。" in run_with(
        ("2.6.0", "2.13.0"), False, "zh"
    )


def test_the_table_of_versions_and_the_list_of_changes(versions: Book):
    lines = table("docs/t/q.en.md", read_book(versions.root))
    assert lines[:3] == [
        "| PyTorch | Scripts run | Same output | Same numbers in another form | Another output |",
        "|---|---:|---:|---:|---:|",
        f"| {OWN} (this edition) | 1 | 1 | 0 | 0 |",
    ]
    assert lines[4:6] == ["| 2.1.1 | 1 | 0 | 0 | 1 |", "| 2.0.0 | 1 | 0 | 0 | 1 |"]
    assert lines[7:] == [
        "- The reason ([source](https://example.org/1); [What is three times w?](p.en.md))."
    ]
    chinese = "\n".join(table("docs/t/q.zh.md", read_book(versions.root)))
    assert "（这一版）" in chinese and "- 原因（[出处]" in chinese
    assert table("docs/notes.md", read_book(versions.root)) == []


# --- the command


OTHER_VERSION = """\
import sys
from importlib.machinery import PathFinder


class Finder:
    def find_spec(name, path=None, target=None):
        if name != "torch.version":
            return None
        spec = PathFinder.find_spec(name, path)
        load = spec.loader.exec_module

        def exec_module(module):
            load(module)
            module.__version__ = "99.1.0+cpu"

        spec.loader.exec_module = exec_module
        return spec


sys.meta_path.insert(0, Finder)
"""
"""Has Python take the PyTorch that is installed for another version."""

OLD_PYTHON = """\
import platform

platform.python_version = lambda: "3.8.20"
"""


def interpreter(folder: Path, **modules: str) -> str:
    """An interpreter that finds these modules first."""
    if os.name == "nt":
        pytest.skip("the interpreter is a script of a shell")
    site = folder / "other torch"
    site.mkdir()
    for name, text in modules.items():
        (site / f"{name}.py").write_text(text)
    file = site / "python"
    file.write_text(f'#!/bin/sh\nPYTHONPATH="{site}:$PYTHONPATH" exec "{sys.executable}" "$@"\n')
    file.chmod(0o755)
    return str(file)


@pytest.fixture
def other_python(tmp_path: Path) -> str:
    """An interpreter with PyTorch 99.1.0."""
    return interpreter(tmp_path, sitecustomize=OTHER_VERSION)


@pytest.fixture
def old_python(tmp_path: Path) -> str:
    """An interpreter that is too old for the runner, with a PyTorch 1.9.1 that can do nothing."""
    return interpreter(tmp_path, sitecustomize=OLD_PYTHON, torch='__version__ = "1.9.1"\n')


def record_with(book: Book, python: str, scripts: list[str] | None = None) -> Drill:
    """Run scripts (by default all) with an interpreter, and record what they print."""
    read = read_book(book.root)
    found = drill(read, python, scripts or read.scripts, scripts is None)
    write_record(read, found.record)
    return found


SCRIPTS = {
    "s": ('import torch\n\nprint("torch:", torch.__version__[:2])\n', "torch: 2.\n"),
    "r": ('print("w:", 0.1 + 0.2)\n', "w: 0.30000000000000004\n"),
    "q": ("import torch\n\nprint(1)\nprint(torch.nothing)\n", "1\n"),
    "w": (
        "import warnings\n\nprint(1)\n"
        'warnings.warn("no\\nnever (Triggered internally at /build/a.cpp:7.)")\n',
        "1\n",
    ),
    "l": ('print(1)\nopen("left", "w").close()\n', "1\n"),
    "p": ("print(\"in '/x/lib/site-packages/a.py'\")\n", "in 'site-packages/a.py'\n"),
    "t": (
        "import threading\n\nt = threading.Timer(9, print)\nt.daemon = True\nt.start()\nprint(1)\n",
        "1\n",
    ),
}
"""Scripts and recorded outputs: s, q and w print something else, l is refused."""


@pytest.fixture
def scripts(book: Book) -> Book:
    for name, (code, output) in SCRIPTS.items():
        book.write(f"snippets/t/{name}.py", code)
        book.write(f"snippets/t/{name}.out", output)
    return book


def test_a_version_is_run_compared_and_recorded(scripts: Book, other_python: str):
    found = record_with(scripts, other_python)
    same = ["snippets/t/p.py", "snippets/t/r.py", "snippets/t/t.py"]
    assert (found.record.version, found.same, found.otherwise) == ("99.1.0", same, [])
    files = [problem.file for problem in found.problems]
    assert files == ["snippets/t/l.py", *(f"snippets/t/{name}.out" for name in "qsw")]
    assert str(found.problems[2]) == (
        "snippets/t/s.out:1: snippets/t/s.py prints something else with PyTorch 99.1.0\n"
        "  expected: torch: 2.\n  found:    torch: 99\n"
        "  fix:      to show it to readers: proofbook check --python PYTHON --record "
        "snippets/t/s.py\n"
        "  shown on: docs/t/p.en.md, docs/t/p.zh.md"
    )
    assert format_drill(found).startswith(
        "PyTorch 99.1.0: 6 snippets known, 3 print what is recorded, 0 the same numbers in another "
        "form; 4 files with something else: snippets/t/l.py, "
    )
    text = scripts.read(record_file("99.1.0"))
    assert "snippets/t/l.py" not in text and str(scripts.root) not in text
    assert json.loads(text)["outputs"] == {
        "snippets/t/q.py": ["1", "AttributeError: module 'torch' has no attribute 'nothing'", ""],
        "snippets/t/s.py": ["torch: 99", ""],
        "snippets/t/w.py": ["1", "UserWarning: no", "never", ""],
    }


def test_an_interpreter_that_is_too_old_for_the_runner_runs_each_script(scripts, old_python: str):
    found = record_with(scripts, old_python, ["snippets/t/q.py", "snippets/t/r.py"])
    assert (found.record.version, found.same) == ("1.9.1", ["snippets/t/r.py"])
    kept = json.loads(scripts.read(record_file("1.9.1")))
    assert kept["with"]["python"] == "3.8.20" and list(kept["outputs"]) == ["snippets/t/q.py"]


def test_what_is_not_an_interpreter_with_pytorch_is_reported(book: Book):
    with pytest.raises(Unproved, match="an interpreter with PyTorch"):
        record_with(book, "no-such-python")


def test_recording_some_scripts_keeps_the_others(book: Book, old_python: str):
    book.write("snippets/t/r.py", "print(1)\n")
    book.write("snippets/t/r.out", "1\n")
    record_with(book, old_python)
    before = book.read(record_file("1.9.1"))
    book.write("snippets/t/r.py", "print(1 + 0)\n")
    record_with(book, old_python, ["snippets/t/r.py"])
    changed = [
        (old, new)
        for old, new in zip(
            before.split("\n"), book.read(record_file("1.9.1")).split("\n"), strict=True
        )
        if old != new
    ]
    assert len(changed) == 1 and "snippets/t/r.py" in changed[0][0]


def test_the_command_compares_and_records_where_it_is_asked(
    book: Book, old_python: str, capsys: pytest.CaptureFixture[str]
):
    book.write("snippets/t/s.out", "y: 6.5\n")
    before, check = book.files(), ["--root", str(book.root), "check", "--python", old_python]
    assert cli.main([*check, SCRIPT]) == 1
    out, err = capsys.readouterr()
    assert "1 file with something else: snippets/t/s.out\n" in out
    assert "  expected: y: 6.5\n  found:    y: 6.0\n" in err and book.files() == before
    assert cli.main([*check, "--record"]) == 1
    out, err = capsys.readouterr()
    assert "recorded in snippets/versions/1.9.1.json\n" in out
    assert f"{SCRIPT} prints something else with PyTorch {OWN} than with 1.9.1" in err
    # What is recorded of that version is what is compared with from now on.
    assert cli.main(check) == 0
    assert "1 print what is recorded" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("Since 1.5 it is so.", True),
        ("Before PyTorch 1.9 it was not.", True),
        ("从 1.6 起是这样，1.5.1 之前不是。", True),
        ("It rose from 1.2 to 3.4, and since 2019.", True),
        ("Since 1.4 it is so.", False),
        ("Since 1.10 it is so.", False),
        ("2.14 起是这样。", False),
    ],
)
def test_a_version_in_a_sentence_agrees_with_the_records(book, said, right):
    for version, output in (("1.4.0", "y: 5.0\n"), ("1.9.0", "y: 6.0\n")):
        book.write(*recorded(book, version, output))
    page = "docs/t/p.en.md"
    book.write(page, f"{book.read(page)}\n{said}\n\n## Other {{ #other }}\n\nSince 1.10.\n")
    read = read_book(book.root)
    found = [problem.found for problem in wrong_since(read.page(page), read)]
    assert (found == []) is right
