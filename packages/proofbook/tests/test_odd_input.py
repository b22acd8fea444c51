"""Odd files, odd disks, odd ends: each is a problem with its place, and never a traceback."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from proofbook.__main__ import main
from proofbook.run.runner import PREFIX, Runner
from proofbook.testing.fixtures import PATIENCE, sample
from proofbook.testing.tiny_book import Book, write

ZH, EN, SCRIPT, OUTPUT = "docs/t/p.zh.md", "docs/t/p.en.md", "snippets/t/s.py", "snippets/t/s.out"
SETTINGS = """\
site_name: Odd
site_url: https://example.org/
theme: material
plugins: [search, proofbook]
markdown_extensions:
  - attr_list
  - md_in_html
  - pymdownx.superfences
  - pymdownx.arithmatex: { generic: true }
"""
Change = Callable[[Book], object]


@pytest.fixture
def site(book: Book, monkeypatch: pytest.MonkeyPatch) -> Book:
    """The tiny book with a home page and all that a build needs."""
    monkeypatch.setenv("NO_MKDOCS_2_WARNING", "1")
    book.write("mkdocs.yml", SETTINGS)
    book.write("docs/index.zh.md", "# 首页 { #home }\n")
    book.write("docs/index.en.md", "# Home { #home }\n")
    return book


def added(text: str) -> Change:
    """Put a text at the end of the page, in both languages."""
    return lambda book: [book.write(page, book.read(page) + text) for page in (ZH, EN)]


def linked(name: str, target: str) -> Change:
    def link(book: Book) -> None:
        try:
            (book.root / name).symlink_to(target)
        except OSError:
            pytest.skip("no symbolic links on this machine")

    return link


def encoded(name: str, encoding: str) -> Change:
    return lambda book: book.write(name, book.read(name).encode(encoding))


DEEP = "[" * 5000 + "]" * 5000
LONG = "x" * 100_000
COMMENT, MATHS, FORMULA = (
    "the comment is never closed",
    "this $$ is no part of a formula",
    "the formula cannot be set",
)
ANCHOR = "two places of the page have the same anchor"
ODD: dict[str, tuple[Change, str, str]] = {
    "UTF-16, a page": (encoded(ZH, "utf-16"), f"{ZH}:1", "the file is not UTF-8"),
    "a formula of 2000 terms": (
        added(f"\n$${'+'.join('1' * 2000)} = 2000$$\n"),
        f"{EN}:8",
        FORMULA,
    ),
    "a formula that nests": (added(f"\n${'{' * 9000}w{'}' * 9000}$\n"), f"{EN}:8", FORMULA),
    "TOML that nests": (
        lambda book: book.write("docs/questions/questions.toml", f"# a\nx = {DEEP}\n"),
        "docs/questions/questions.toml:1",
        "this is not TOML",
    ),
    "JSON that nests": (
        lambda book: book.write("snippets/versions/2.0.0.json", DEEP),
        "snippets/versions/2.0.0.json:1",
        "this is not a record of a version of PyTorch",
    ),
    "a link of many parts": (
        added(f"\n[a]({LONG.replace('xx', 'x/')}.md)\n"),
        f"{EN}:8",
        "the link",
    ),
    "a long snippet": (added(f"\n::: snippets/{LONG}.py\n"), f"{EN}:8", "the page names a snippet"),
    "a comment without end": (added("\n<!-- a\n\n::: snippets/t/s.py\n"), f"{EN}:8", COMMENT),
    "a formula without end": (added("\n$$\nw = 2\n\n## A { #a }\n"), f"{EN}:8", MATHS),
    "an anchor on a paragraph": (added("\n## A { #a }\n\nB\n{ #a }\n"), f"{EN}:11", ANCHOR),
}


@pytest.fixture
def checked(proof_command) -> Callable[[], tuple[int, str]]:
    """What a check says of the book: its exit status and its words."""

    def check() -> tuple[int, str]:
        status, out, err = proof_command("check")
        return status, out + err

    return check


@pytest.mark.parametrize("name", ODD)
def test_odd_input_is_a_problem_with_its_place(site, checked, name):
    change, place, what = ODD[name]
    change(site)
    status, words = checked()
    assert status == 1
    assert "Traceback" not in words and len(words) < 20_000
    assert f"{place}: {what}" in words


@pytest.mark.parametrize("name", sample(ODD, 4))
def test_odd_input_ends_a_build_in_the_same_words(site, build, name):
    change, place, what = ODD[name]
    change(site)
    status, words = build(site.root, "--strict")
    assert status == 1
    assert "Traceback" not in words
    assert f"{place}: {what}" in words


def with_mark(name: str) -> Change:
    return lambda book: book.write(name, "\ufeff" + book.read(name))


READ: dict[str, Change] = {
    "a mark, a page": with_mark(ZH),
    "a mark, a script": with_mark(SCRIPT),
    "a mark, the settings": with_mark("mkdocs.yml"),
    "a mark, TOML": lambda book: book.write("docs/questions/questions.toml", "\ufeff# none\n"),
    "a link within the book": linked("docs/t/a.toml", "../index.zh.md"),
    "comments": added("\n<!-- a\n\nb -->\n\nC <!-- d --> e `<!--`.\n\n    <!--\n"),
    "formulas": added("\n$$\nw = 2\n$$\n\nIn `$$`, \\$\\$.\n\n<pre>\necho $$\n</pre>\n"),
    "anchors": added("\n## A { #a }\n\nB { .a }\n\n`w`{ #b } and [x](#a)\n"),
    "a long address": added(f"\n[a](https://example.org/{LONG})\n"),
    "a long paragraph": added("\nIt is `6`." * 5000),
}


@pytest.mark.parametrize("name", READ)
def test_ordinary_input_is_read(site, checked, name):
    READ[name](site)
    status, words = checked()
    assert status == 0, words


# A disk that is full, or refuses


def full(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device", "/tmp/somewhere")


@pytest.mark.parametrize("where", ["tempfile.mkdtemp", "mkdocs.utils.write_file"])
def test_a_full_disk_ends_a_build_in_words(site, build, monkeypatch, where):
    monkeypatch.setattr(where, full)
    status, words = build(site.root, "--strict")
    assert status == 1
    assert "Traceback" not in words
    assert "/tmp/somewhere:1: the system refuses this file or folder" in words
    assert "No space left on device" in words


def test_a_full_disk_ends_a_check_in_words(book, monkeypatch, capsys):
    monkeypatch.setattr("tempfile.mkdtemp", full)
    assert main(["--root", str(book.root), "check"]) == 1
    assert "/tmp/somewhere:1: the system refuses" in capsys.readouterr().err


def test_a_run_without_a_folder_is_refused_in_words(tmp_path):
    with Runner(PATIENCE) as runner:
        runner.submit(write(tmp_path / "a.py", "print(1)\n")).result(PATIENCE)
        (Path(runner._folder)).rename(tmp_path / "away")
        refusal = runner.submit(tmp_path / "a.py").result(PATIENCE).refusal
        (tmp_path / "away").rename(runner._folder)
    assert refusal.what == "the script cannot be run"
    assert "No such file" in refusal.found


def test_a_cache_that_cannot_be_written_leaves_nothing(book, proof_command, monkeypatch):
    monkeypatch.setattr(Path, "write_bytes", full)
    assert proof_command("check")[0] == 0
    assert not list((book.root / ".cache").rglob("*.pickle*"))


def test_a_damaged_cache_is_computed_again(book, proof_command):
    assert proof_command("check")[0] == 0
    files = list((book.root / ".cache").rglob("*.pickle"))
    for damaged in (b"", b"\x80\x05garbage", files[0].read_bytes()[:-9]):
        for file in files:
            file.write_bytes(damaged)
        assert proof_command("check")[0] == 0
        assert all(file.read_bytes() != damaged for file in files)


# Ends in the middle


@contextlib.contextmanager
def checking(book: Book, temporary: Path) -> Iterator[subprocess.Popen]:
    """`proofbook check` in a session of its own, as a terminal has one."""
    process = subprocess.Popen(
        [sys.executable, "-m", "proofbook", "--root", str(book.root), "check"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "TMPDIR": str(temporary)},
        start_new_session=True,
        # A shell that runs the tests in the background has them, and their children, ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


@pytest.mark.skipif(os.name == "nt", reason="no such signals")
@pytest.mark.parametrize("whom", ["all", "the command alone"])
def test_ctrl_c_ends_a_check_in_one_line(book, tmp_path, whom):
    temporary, mark = tmp_path / "temporary", tmp_path / "began"
    temporary.mkdir()
    source = f"import os, time\nopen({str(mark)!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)\n"
    book.write(SCRIPT, source)
    with checking(book, temporary) as check:
        end = time.monotonic() + PATIENCE
        while not (mark.is_file() and mark.read_text()):
            assert check.poll() is None and time.monotonic() < end
            time.sleep(0.05)
        (os.killpg if whom == "all" else os.kill)(check.pid, signal.SIGINT)
        out, err = check.communicate(timeout=PATIENCE)
    assert check.returncode == 130
    assert out == "" and err.strip().split("\n")[-1] == "stopped"
    assert "Traceback" not in err
    assert not Path(f"/proc/{mark.read_text()}").exists()
    assert not list(temporary.glob(f"{PREFIX}*"))


# What else a check remembers


def test_a_check_of_one_page_forgets_no_other_run(book, proof_command):
    for name, text in {"other.py": 'print("z:", 1)\n', "other.out": "z: 1\n"}.items():
        book.write(f"snippets/t/{name}", text)
    for page in (ZH, EN):
        book.write(page, book.read(page) + "\n::: snippets/t/other.py\n")
    assert proof_command("check")[0] == 0
    assert proof_command("check", SCRIPT)[0] == 0
    assert re.search("not run +2 snippets unchanged", proof_command("check")[1])
    assert proof_command("check", "--fresh", SCRIPT)[0] == 0
    assert re.search("not run +2 snippets unchanged", proof_command("check")[1])
