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
    for code in ("en", "zh"):
        page = book.read(f"docs/t/p.{code}.md")
        book.write(f"docs/t/p.{code}.md", f"{page}\n\n## `y: 6.0` {{ #printed }}\n")
    status, said = ready()
    assert status == 0 and "y: 6.0" not in said
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


def test_what_the_other_language_lacks_can_wait(book, ready):
    book.change("docs/t/p.en.md", "It is 6.", "It is 6, as $2 \\times 3 = 6$ says.")
    status, said = ready()
    assert status == 0 and "ready to send: 1 file\n" in said, said
    assert "for a maintainer, who sees to it later:\n  docs/t/p.en.md:3: " in said
    assert "expected:" not in said


@pytest.mark.parametrize("name", ["origin/main", "master", "main"])
def test_the_main_branch_is_found_in_a_clone_that_does_not_name_it(name, book, ready):
    git = ("git", "-C", str(book.root), "-c", "user.name=A", "-c", "user.email=a@example.org")
    kind = "remotes" if "/" in name else "heads"
    for command in (
        "update-ref -d refs/remotes/origin/HEAD",
        "checkout -qb mine",
        f"update-ref refs/{kind}/{name} main",
        *([] if name == "main" else ["branch -D main"]),
    ):
        subprocess.run([*git, *command.split()], check=True, capture_output=True)
    book.change("docs/t/p.en.md", "What is three times w?", "How much is three times w?")
    subprocess.run([*git, "commit", "-qam", "two"], check=True)
    said = ready()[1]
    alone = "docs/t/p.en.md:1: #three-times was edited in this language only\n"
    assert "ready to send: 1 file\n" in said and alone in said
    book.change("docs/t/p.zh.md", "三倍是多少？", "三倍等于多少？")
    subprocess.run([*git, "commit", "-qam", "three"], check=True)
    said = ready()[1]  # both are compared with the main branch, not with the last commit
    assert "ready to send: 2 files\n" in said and "maintainer" not in said
