"""The files of a book at a revision of git."""

import subprocess

import pytest
from proofbook.model.sources import base_revision


@pytest.fixture
def git(book):
    """Runs git in the folder of the book, where everything has been committed."""

    def run(*arguments: str) -> None:
        who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        subprocess.run(["git", "-C", str(book.root), *who, *arguments], check=True)

    run("init", "-q", "-b", "main")
    run("add", ".")
    run("commit", "-qm", "one")
    return run


def test_nothing_is_compared_without_git_or_without_a_commit(book, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(book.root.parent))
    assert base_revision(book.root) is None
    subprocess.run(["git", "-C", str(book.root), "init", "-q"], check=True)
    assert base_revision(book.root) is None
    monkeypatch.setenv("PATH", "")
    assert base_revision(book.root) is None


def test_edited_new_and_deleted_files_and_their_texts_before(book, git):
    assert base_revision(book.root, {}).files == frozenset()
    before = book.read("docs/t/p.zh.md")
    book.write("docs/t/p.zh.md", before.replace("6", "7"))
    book.write("docs/t/新.zh.md", "# 新\n")
    book.remove("snippets/t/s.out")
    revision = base_revision(book.root, {})
    assert revision.files == {"docs/t/p.zh.md", "docs/t/新.zh.md", "snippets/t/s.out"}
    assert revision.text("docs/t/p.zh.md") == before
    assert revision.text("docs/t/新.zh.md") is None
    assert revision.text("snippets/t/s.out") == "y: 6.0\n"


def test_a_book_in_a_folder_of_its_repository_sees_its_own_files(book, git):
    book.write("docs/t/p.zh.md", "# 三\n")
    assert base_revision(book.root / "docs", {}).files == {"t/p.zh.md"}
    assert base_revision(book.root / "docs", {}).text("t/p.en.md") == book.read("docs/t/p.en.md")


def test_in_ci_a_branch_is_compared_with_where_it_left_its_target(book, git):
    git("update-ref", "refs/remotes/origin/trunk", "HEAD")
    git("checkout", "-qb", "work")
    book.change("docs/t/p.en.md", "It is 6.", "It is 6, as the script prints.")
    git("commit", "-qam", "two")
    assert base_revision(book.root, {}).files == frozenset()
    ci = {"CI": "true", "GITHUB_BASE_REF": "trunk"}
    assert base_revision(book.root, ci).files == {"docs/t/p.en.md"}
    assert base_revision(book.root, {"CI": "true"}).files == frozenset()
