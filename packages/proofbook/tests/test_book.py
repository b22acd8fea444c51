"""`proofbook check`: whatever does not hold in a book is reported, and nothing else is."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable

import pytest
from proofbook.check.registry import problems_of_page
from proofbook.model.book import read_book
from proofbook.testing.tiny_book import Book

ZH, EN = "docs/t/p.zh.md", "docs/t/p.en.md"
SCRIPT, OUTPUT = "snippets/t/s.py", "snippets/t/s.out"
Change = Callable[[Book], object]


def in_both(old: str, new: str) -> Change:
    return lambda book: [book.change(page, old, new) for page in (ZH, EN)]


def added(text: str, *pages: str) -> Change:
    return lambda book: [book.write(page, book.read(page) + text) for page in pages or (ZH, EN)]


def written(file: str, text: str | bytes) -> Change:
    return lambda book: book.write(file, text)


def changed(file: str, old: str, new: str) -> Change:
    return lambda book: book.change(file, old, new)


def removed(file: str) -> Change:
    return lambda book: book.remove(file)


def another_snippet(book: Book) -> None:
    book.write("snippets/t/other.py", "print('3 * w')\n")
    book.write("snippets/t/other.out", "3 * w\n")
    book.change(EN, "t/s.py", "t/other.py")


def named_like_a_module(book: Book) -> None:
    for old in (SCRIPT, OUTPUT):
        book.write(old.replace("/s.", "/numpy."), book.read(old))
        book.remove(old)
    in_both("t/s.py", "t/numpy.py")(book)


def test_a_book_that_holds(proof_command):
    status, out, err = proof_command("check")
    assert (status, err) == (0, "")
    assert out.startswith("1 snippet run and compared, 2 pages read: everything holds (")


TEXT = "this would stand in the page as text"
PART = "from here on the two languages show other snippets or headings"
HIGHLIGHT = "the text to highlight does not name one line"
NOT_UTF8 = "the file is not UTF-8"
LOST = "the page names a snippet that does not exist"
NO_PAGE = "no page shows this script"
NAMELESS = "the name of the page does not say its language"
WRONG: dict[str, tuple[Change, list[str]]] = {
    "a script that raises": (changed(SCRIPT, "2.0", "None"), [f"{SCRIPT}:2: the script raises"]),
    "a missing output": (
        removed(OUTPUT),
        [f"{page}:5: the snippet has no recorded output" for page in (EN, ZH)],
    ),
    "an output without its script": (
        written("snippets/t/old.out", "1\n"),
        ["snippets/t/old.out:1: a recorded output without its script"],
    ),
    "a missing snippet": (
        in_both("t/s.py", "t/z.py"),
        [f"{EN}:5: {LOST}", f"{ZH}:5: {LOST}", f"{SCRIPT}:1: {NO_PAGE}"],
    ),
    "a highlight of no line": (
        in_both("highlight: 3 * w", "highlight: 4 * w"),
        [f"{EN}:6: {HIGHLIGHT}", f"{ZH}:6: {HIGHLIGHT}"],
    ),
    "an unknown option": (
        changed(EN, "    highlight", "    hl_lines: 2\n    highlight"),
        [f"{EN}:6: unknown option"],
    ),
    "a heading without an anchor": (
        added("\n##Why\n", EN),
        [f"{EN}:8: the heading has no anchor of its own"],
    ),
    "different snippets": (another_snippet, [f"{ZH}:5: {PART}"]),
    "a language that says more": (added("\n## Why { #why }\n", ZH), [f"{ZH}:8: {PART}"]),
    "the name of a module": (
        named_like_a_module,
        ["snippets/t/numpy.py:1: the script has the name of a Python module"],
    ),
    "a page that is not UTF-8": (
        lambda book: book.write(ZH, book.read(ZH).encode() + "梯度\n".encode("gbk")),
        [f"{ZH}:7: {NOT_UTF8}"],
    ),
    "a script that is not UTF-8": (
        lambda book: book.write(SCRIPT, book.read(SCRIPT).encode() + b"# \xff\n"),
        [f"{SCRIPT}:4: {NOT_UTF8}"],
    ),
    "a page without a language": (
        written("docs/t/q.md", "# Q { #q }\n"),
        [f"docs/t/q.md:1: {NAMELESS}"],
    ),
    "an option that is not indented": (
        in_both("    highlight: 3 * w", "highlight: 3 * w"),
        [f"{page}:6: {TEXT}: an option of the directive above" for page in (EN, ZH)],
    ),
    "a reference that no reader sees": (
        lambda book: (
            in_both("::: snippets", "<!--\n::: snippets")(book),
            in_both("3 * w\n", "3 * w\n\n-->\n")(book),
        ),
        [*(f"{page}:6: {TEXT}" for page in (EN, ZH)), f"{SCRIPT}:1: {NO_PAGE}"],
    ),
    **{
        f"a stray reference: {text}": (added(f"\n{text}\n"), [f"{EN}:8: {TEXT}", f"{ZH}:8: {TEXT}"])
        for text in (
            *("- ::: snippets/t/s.py", "：：：snippets/t/s.py", ":: snippets/t/s.py", "```text"),
        )
    },
}


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_hold_is_reported_with_its_place_and_nothing_else(book, proof_command, name):
    change, expected = WRONG[name]
    change(book)
    before = book.files()
    status, out, err = proof_command("check")
    assert (status, out, book.files()) == (1, "", before)
    assert re.findall(r"(?m)^(?:docs|snippets)/\S+:\d+: .*", err) == expected
    assert len(re.findall(r"(?m)^  (?:expected|found|fix): +.*\S", err)) == 3 * len(expected)


def test_a_file_that_cannot_be_read_is_reported(book, proof_command, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("proofbook.model.sources._read", refuse)
    status, _, err = proof_command("check")
    assert status == 1 and f"{SCRIPT}:1: this cannot be read" in err


CHANGED = {
    "another number": ("y: 7.0\n", 1, "y: 7.0", "y: 6.0"),
    "a line more": ("y: 6.0\nz: 1\n", 2, "z: 1", "(the output ends here)"),
    "a blank more": ("y: 6.0 \n", 1, "'y: 6.0 '", "'y: 6.0'"),
    "no line end": (
        "y: 6.0",
        2,
        "(no line end after the last line)",
        "(a line end after the last line)",
    ),
}


@pytest.mark.parametrize("text, line, recorded, printed", CHANGED.values(), ids=CHANGED)
def test_a_changed_output(book, proof_command, text, line, recorded, printed):
    book.write(OUTPUT, text)
    assert proof_command("check")[2] == (
        f"{OUTPUT}:{line}: {SCRIPT} prints something else than what is recorded\n"
        f"  expected: {recorded}    (recorded; the pages show this)\n"
        f"  found:    {printed}    (what it prints now)\n"
        f"  fix:      if the new output is right: proofbook update {SCRIPT}\n"
        f"  shown on: {EN}, {ZH}\n\n1 problem. Nothing was changed.\n"
    )


UNREAD = {
    "vary": "vary: w = 2.0 | -2 to 4 step 0.5",
    "indented, after an empty line": "\n    vary: w = 2.0 | 0 to 4 step 1.0",
    "after an empty line": "\nhighlight: 3 * w",
}
PROSE = {
    "a sentence after an empty line": "\nvary: this word lets a reader change a number.",
    "in Chinese, after an empty line": "\nnote: 这一行是正文。",
    "no name of an option": "colour: red",
}


@pytest.mark.parametrize("line", UNREAD.values(), ids=UNREAD)
def test_an_option_that_would_be_text_is_a_problem(book, line):
    in_both("    highlight: 3 * w", line)(book)
    found = problems_of_page(read_book(book.root), EN)
    (found,) = [one for one in found if "an option of the directive" in one.what]
    assert (found.line, found.found) == (6 + line.count("\n"), line.strip("\n"))


@pytest.mark.parametrize("text", PROSE.values(), ids=PROSE)
def test_prose_that_begins_like_an_option_is_prose(book, text):
    in_both("    highlight: 3 * w", text)(book)
    assert not problems_of_page(read_book(book.root), EN)


@pytest.mark.parametrize("here, there", [(ZH, EN), (EN, ZH)])
def test_a_page_in_one_language_only_is_counted(book, proof_command, here, there):
    book.remove(there)
    status, out, err = proof_command("check")
    assert (status, err) == (0, "")
    assert f"  missing   1 page to translate: {here}\n" in out


def test_files_of_windows_and_of_an_editor_are_no_problem(book, proof_command):
    for name in (OUTPUT, SCRIPT, ZH, EN):
        book.write(name, book.read(name).replace("\n", "\r\n"))
    book.write("docs/t/.ipynb_checkpoints/p-checkpoint.md", "#No page\n")
    book.write("snippets/t/.s.py", "raise ValueError\n")
    with contextlib.suppress(OSError):  # who may not make links on Windows has none of an editor
        (book.root / "docs/t/.#p.zh.md").symlink_to("nobody@nowhere:1")
    (book.root / "snippets/t/folder.py").mkdir()
    assert proof_command("check")[0] == 0


@pytest.fixture
def two_pages(book):
    """A second page with a snippet of its own; both pages have something that does not hold."""
    for name in (ZH, EN, SCRIPT, OUTPUT):
        text = book.read(name).replace("/s.py", "/second.py")
        book.write(name.replace("/s.", "/second.").replace("/p.", "/q."), text)
    for name in (OUTPUT, "snippets/t/second.out"):
        book.write(name, "y: 7.0\n")
    book.write(ZH, book.read(ZH) + "\n## 为什么\n")
    book.write("docs/t/q.en.md", book.read("docs/t/q.en.md") + "\n## Why\n")
    book.write("snippets/t/old.out", "1\n")
    return book


FIRST = {f"{OUTPUT}:1", f"{ZH}:8"}
SECOND = {"snippets/t/second.out:1", "docs/t/q.en.md:8"}


@pytest.mark.parametrize(
    "chosen, told",
    [
        (["docs"], FIRST | SECOND),
        (["snippets/"], FIRST | SECOND | {"snippets/t/old.out:1"}),
        ([EN], {f"{OUTPUT}:1"}),
        ([SCRIPT], FIRST),
        (["docs/t/q.zh.md", ZH], FIRST | {"snippets/t/second.out:1"}),
        (["docs/t/none.md"], {"docs/t/none.md:1"}),
    ],
)
def test_only_what_belongs_to_the_chosen_files_is_told(two_pages, proof_command, chosen, told):
    status, _, err = proof_command("check", *chosen)
    places = set(re.findall(r"(?m)^(\S+:\d+): ", err))
    assert (status, places) == (1, told)


def test_chosen_files_can_be_named_from_where_one_stands(two_pages, proof_command, monkeypatch):
    monkeypatch.chdir(two_pages.root / "docs" / "t")
    for name in ("p.en.md", str(two_pages.root / EN), EN):
        err = proof_command("check", name)[2]
        assert err.startswith(f"{OUTPUT}:1: {SCRIPT} prints something else")
        assert err.endswith("\n\n1 problem. Nothing was changed.\n")
    two_pages.write(OUTPUT, "y: 6.0\n")
    out = proof_command("check", EN)[1]
    assert out.startswith("1 snippet run and compared, 1 page read: everything holds (")
