"""`proofbook ready`: a branch is checked, and what only a person can judge is listed."""

from __future__ import annotations

import subprocess

import pytest
from proofbook.__main__ import main


@pytest.fixture
def ready(book, monkeypatch, capsys):
    """Runs the command on a branch whose first commit is that of the main branch; returns its
    status and what it says."""
    monkeypatch.delenv("CI", raising=False)
    book.write(".gitignore", ".cache\n")
    for command in (
        "init -q -b main",
        "add .",
        "-c user.name=A -c user.email=a@example.org commit -qm one",
        "update-ref refs/remotes/origin/HEAD main",
    ):
        subprocess.run(["git", "-C", str(book.root), *command.split()], check=True)

    def run() -> tuple[int, str]:
        status = main(["--root", str(book.root), "ready"])
        return status, "".join(capsys.readouterr())

    return run


def test_a_correct_change_is_ready_and_what_nothing_proves_is_listed(book, ready):
    assert ready() == (0, "nothing differs from the main branch\n")
    book.change("docs/t/p.en.md", "What is three times w?", "How much is three times w?")
    book.change("docs/t/p.zh.md", "三倍是多少？", "三倍等于多少？")
    status, said = ready()
    assert status == 0 and said.endswith("ready to send: 2 files\n")
    assert "  docs/t/p.en.md:1: # How much is three times w?" in said
    git = ("git", "-C", str(book.root), "-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run([*git, "commit", "-qam", "two"], check=True)
    assert ready()[1].splitlines()[-3:] == said.splitlines()[-3:]


def test_a_wrong_number_and_an_untidy_script_are_not(book, ready):
    book.change("docs/t/p.en.md", "It is 6", "It is 7")
    status, said = ready()
    assert status == 1 and "docs/t/p.en.md:3" in said and "ready" not in said
    book.change("docs/t/p.en.md", "It is 7", "It is 6")
    book.change("snippets/t/s.py", "w = 2.0", "w  =  2.0")
    status, said = ready()
    assert status == 1 and "fix:      ruff format snippets/t/s.py" in said
