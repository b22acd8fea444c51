"""`proofbook update` and `new`, and the commands as a maintainer types them."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from proofbook import cli
from proofbook.run.runner import RunnerError

ZH, EN = "docs/t/p.zh.md", "docs/t/p.en.md"
SCRIPT, OUTPUT = "snippets/t/s.py", "snippets/t/s.out"
AGAIN = f"then: proofbook update {SCRIPT}"


def test_update_records_a_new_output_and_shows_the_difference(book, proof_command):
    book.change(SCRIPT, "2.0", "5.0")
    assert proof_command("update") == (
        0,
        f"--- {OUTPUT}\n+++ {OUTPUT}\n@@ -1 +1 @@\n-y: 6.0\n+y: 15.0\n\n"
        "1 output recorded, 0 as before. Read what shows them: docs/t/p.en.md, docs/t/p.zh.md\n",
        "",
    )
    assert book.files()[OUTPUT] == b"y: 15.0\n"
    assert proof_command("check")[0] == 0


UNSTEADY = {
    "numbers without a seed": "import torch\nprint('same')\nprint('w:', torch.randn(3))\n",
    "the date": "import datetime\nprint('day:', datetime.date.today().day)\n",
    "the temporary folder": "import os\nprint(os.getcwd()[-8:])\n",
}


@pytest.mark.parametrize("source", UNSTEADY.values(), ids=UNSTEADY)
def test_update_refuses_what_differs_from_run_to_run(book, proof_command, source):
    book.write(SCRIPT, source)
    before = book.files()
    status, out, err = proof_command("update")
    assert (status, out) == (1, "0 outputs recorded, 0 as before.\n")
    found = re.fullmatch(
        f"{SCRIPT}:1: two runs printed different things, so nothing was recorded\n"
        "  expected: the same output every time\n"
        r"  found:    (.*)    \(first run\)\n +(.*)    \(second run\)\n"
        rf"  fix:      fix the seed .* or dates; {AGAIN}\n\n1 problem.\n",
        err,
    )
    assert found[1] != found[2]
    assert book.files() == before


REFUSED = {
    "raises the second time": (
        "import os\nassert os.environ['PYTHONHASHSEED'] == '0'\nprint(1)\n",
        "the script raises",
    ),
    "is not UTF-8": (b"print(1)  # \xff\n", "the file is not UTF-8"),
}


@pytest.mark.parametrize("source, what", REFUSED.values(), ids=REFUSED)
def test_update_leaves_the_output_of_a_refused_run_as_it_was(book, proof_command, source, what):
    book.write(SCRIPT, source)
    before = book.files()
    status, out, err = proof_command("update")
    assert (status, out) == (1, "0 outputs recorded, 0 as before.\n")
    assert f": {what}" in err.split("\n")[0] and f"proofbook check {SCRIPT}" in err
    assert book.files() == before


def test_new_starts_a_page_that_holds_at_once(book, proof_command):
    before = book.files()
    status, out, err = proof_command("new", "another/two_inputs")
    assert (status, err) == (0, "")
    assert "  1. write the snippet, then: proofbook update snippets/another/two_inputs.py\n" in out
    assert "  3. add another/two-inputs.md to the nav of mkdocs.yml\n" in out
    assert book.files().keys() - before.keys() == {
        "snippets/another/two_inputs.py",
        "snippets/another/two_inputs.out",
        "docs/another/two-inputs.zh.md",
        "docs/another/two-inputs.en.md",
    }
    assert "# Two inputs { #two-inputs }\n" in book.read("docs/another/two-inputs.en.md")
    assert book.read("snippets/another/two_inputs.out") == "twice: 6\n"
    status, out, _ = proof_command("check")
    assert status == 0
    assert out.startswith("2 snippets run and compared, 4 pages read: everything holds (")


def test_new_leaves_nothing_where_the_start_cannot_be_run(book, proof_command, monkeypatch):
    def fails(*_):
        raise RunnerError("no torch here")

    monkeypatch.setattr(cli, "record", fails)
    before = book.files()
    assert proof_command("new", "another/two_inputs") == (1, "", "no torch here\n")
    assert book.files() == before


@pytest.mark.parametrize(
    "name",
    [
        *("one", "T/one", "t/1st", "../t/one", "", "t/random", "t/torch"),
    ],
)
def test_new_refuses_a_bad_name(book, proof_command, name):
    before = book.files()
    status, out, err = proof_command("new", name)
    assert (status, out, book.files()) == (1, "", before)
    assert err.startswith(f"snippets/{name}.py:1: this name will not do\n  expected: ")
    assert f"  found:    {name}\n  fix:      proofbook new <topic>/<name>\n" in err


@pytest.mark.parametrize("file", ["snippets/t/one_two.out", "docs/t/one-two.en.md"])
def test_new_overwrites_nothing(book, proof_command, file):
    book.write(file, "mine\n")
    before = book.files()
    status, out, err = proof_command("new", "snippets/t/one_two.py")
    assert (status, out, book.files()) == (1, "", before)
    assert err.startswith(f"{file}:1: the file exists\n")


def test_the_commands_as_they_are_typed(book, tmp_path):
    """With runners of their own, from another folder, also where a terminal knows no Chinese."""
    book.change(SCRIPT, "print(", "print('梯度', ")
    environment = {**os.environ, "PYTHONIOENCODING": "ascii:strict"}

    def typed(*arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run(
            [sys.executable, "-m", "proofbook", "--root", str(book.root), *arguments],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=environment,
        )

    check, update = typed("check"), typed("update")
    assert (check.returncode, check.stdout) == (1, "")
    assert "\\u68af\\u5ea6 y: 6.0    (what it prints now)" in check.stderr
    assert (update.returncode, update.stderr) == (0, "")
    assert "\n+\\u68af\\u5ea6 y: 6.0\n" in update.stdout
    assert book.read(OUTPUT) == "梯度 y: 6.0\n"


def test_new_writes_the_page_in_one_language_where_one_is_named(book, proof_command):
    status, out, _ = proof_command("new", "t/some-more", "--language", "en")
    assert status == 0 and "  1. write the snippet" in out and "  2. write the page\n" in out
    assert "docs/t/some-more.en.md" in book.files() and "docs/t/some-more.zh.md" not in book.files()
    status, out, err = proof_command("check")
    assert (status, err) == (0, "") and "1 page to translate: docs/t/some-more.en.md\n" in out
    before = book.files()
    status, _, err = proof_command("new", "t/again", "--language", "de")
    assert status == 1 and "expected: zh or en\n  found:    de\n" in err
    assert book.files() == before
