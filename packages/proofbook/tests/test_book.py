"""`proofbook check`: whatever does not hold in a book is told, and nothing else is."""

from __future__ import annotations

import contextlib
import re

import pytest
from proofbook.check.registry import problems_of_page
from proofbook.directives.options import SNIPPET as OPTIONS
from proofbook.model.book import read_book
from proofbook.testing.tiny_book import Book

ZH, EN = "docs/t/p.zh.md", "docs/t/p.en.md"
SCRIPT, OUTPUT = "snippets/t/s.py", "snippets/t/s.out"


def problem(
    place: str, what: str, expected: str, found: str, mend: str, pages: str = f"{EN}, {ZH}"
) -> str:
    told = f"{place}: {what}\n  expected: {expected}\n  found:    {found}\n  mend:     {mend}"
    shown = place.startswith("snippets/") and pages
    return told + (f"\n  shown on: {pages}" if shown else "")


def report(*problems: str) -> str:
    count = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
    return "\n\n".join([*problems, f"{count}. Nothing was changed.\n"])


@pytest.fixture
def refuses(book, proof_command):
    """The check fails, tells these problems and no others, and changes no file."""

    def refuses(*problems: str, of: tuple[str, ...] = ()) -> None:
        before = book.files()
        assert proof_command("check", *of) == (1, "", report(*problems))
        assert book.files() == before

    return refuses


def in_both(book: Book, old: str, new: str) -> None:
    book.change(ZH, old, new)
    book.change(EN, old, new)


def test_a_book_that_holds(proof_command):
    status, out, err = proof_command("check")
    assert (status, err) == (0, "")
    assert out.startswith("1 snippet run and compared, 2 pages read: everything holds (")


CHANGED = {
    "another number": ("y: 7.0\n", 1, "y: 7.0", "y: 6.0"),
    "a line more": ("y: 6.0\nz: 1\n", 2, "z: 1", "(the output ends here)"),
    "a line less": ("", 1, "(the output ends here)", "y: 6.0"),
    "a blank more at the end": ("y: 6.0 \n", 1, "'y: 6.0 '", "'y: 6.0'"),
    "a blank more within": ("y:  6.0\n", 1, "'y:  6.0'", "'y: 6.0'"),
    "no line end": (
        "y: 6.0",
        2,
        "(no line end after the last line)",
        "(a line end after the last line)",
    ),
    "an empty line more": ("y: 6.0\n\n", 3, "(a line end after the last line)", None),
}


@pytest.mark.parametrize("text, line, recorded, printed", CHANGED.values(), ids=CHANGED)
def test_a_changed_output(book, refuses, text, line, recorded, printed):
    book.write(OUTPUT, text)
    refuses(
        problem(
            f"{OUTPUT}:{line}",
            f"{SCRIPT} prints something else than what is recorded",
            f"{recorded}    (recorded; the pages show this)",
            f"{printed or '(no line end after the last line)'}    (what PyTorch prints now)",
            f"if the new output is right: proofbook update {SCRIPT}",
        )
    )


def test_an_output_with_the_line_ends_of_windows_holds(book, proof_command):
    for name in (OUTPUT, SCRIPT, ZH, EN):
        book.write(name, book.read(name).replace("\n", "\r\n"))
    assert proof_command("check")[0] == 0


def test_a_script_that_raises(book, refuses):
    book.change(SCRIPT, "2.0", "None")
    refuses(
        problem(
            f"{SCRIPT}:2",
            "the script raises",
            "no error",
            "TypeError: unsupported operand type(s) for *: 'int' and 'NoneType'",
            "mend the script; if the error is the point, catch it and print it; "
            f"then: proofbook check {SCRIPT}",
        )
    )


def test_a_missing_output(book, refuses):
    book.remove(OUTPUT)
    words = (
        "the snippet has no recorded output",
        f"a file {OUTPUT}",
        "none",
        f"proofbook update {SCRIPT}",
    )
    refuses(problem(f"{EN}:5", *words), problem(f"{ZH}:5", *words))


def test_a_missing_output_that_no_page_shows(book, refuses):
    book.write("snippets/t/new.py", "print(1)\n")
    refuses(
        problem(
            "snippets/t/new.out:1",
            "no output is recorded",
            "a file",
            "none",
            "proofbook update snippets/t/new.py",
            pages="",
        ),
        no_page_shows("snippets/t/new.py"),
    )


def no_page_shows(script: str) -> str:
    return problem(
        f"{script}:1",
        "no page shows this script",
        f"a page with the line ::: {script}",
        "none",
        "name it on a page in both languages, or delete the script and its .out",
        pages="",
    )


RAW = "correct this line"
STRAYS = {
    "in a list": "- ::: snippets/t/s.py",
    "within a line": "See ::: snippets/t/s.py",
    "in bold": "**::: snippets/t/s.py**",
    "full-width": "：：：snippets/t/s.py",
    "two colons": ":: snippets/t/s.py",
    "in a quote": "> ::: snippets/t/s.py",
    "after a tab": "\t::: snippets/t/s.py",
    "a fence without its end": "```text",
}


@pytest.mark.parametrize("text", STRAYS.values(), ids=STRAYS)
def test_what_would_stand_in_the_page_as_text(book, proof_command, text):
    for name in (ZH, EN):
        book.write(name, book.read(name) + f"\n{text}\n")
    status, _, told = proof_command("check")
    assert status == 1
    assert f"{EN}:8: this would stand in the page as text" in told and RAW in told


def test_an_option_that_is_not_indented(book, proof_command):
    in_both(book, "    highlight: 3 * w", "highlight: 3 * w")
    status, _, told = proof_command("check")
    assert status == 1 and f"{EN}:6: this would stand in the page as text" in told


UNREAD = {
    "vary": "vary: w = 2.0 | -2 to 4 step 0.5",
    "words": "words: loss=损失",
    "of another directive": "about: p | something",
    "indented, after an empty line": "\n    vary: w = 2.0 | 0 to 4 step 1.0",
    "after an empty line": "\nhighlight: 3 * w",
}


@pytest.mark.parametrize("line", UNREAD.values(), ids=UNREAD)
def test_each_option_that_is_not_indented_below_its_directive_is_a_problem(book, line):
    in_both(book, "    highlight: 3 * w", line)
    number = 6 + line.count("\n")
    said = line.strip("\n")
    for file in (ZH, EN):
        told = problems_of_page(read_book(book.root), file)
        (found,) = [one for one in told if "an option of the directive" in one.what]
        assert (found.line, found.found) == (number, said)
        assert said.strip().partition(":")[0] + ":" in found.expected and "indent" in found.mend


PROSE = {
    "elsewhere": "    highlight: 3 * w\n\nSo it is.\n\nvary: this word changes a number",
    "a sentence after an empty line": "\nvary: this word lets a reader change a number.",
    "in Chinese, after an empty line": "\nnote: 这一行是正文。",
    "no name of an option": "colour: red",
}


@pytest.mark.parametrize("text", PROSE.values(), ids=PROSE)
def test_prose_that_begins_like_an_option_is_prose(book, text):
    in_both(book, "    highlight: 3 * w", text)
    assert not problems_of_page(read_book(book.root), EN)


def test_an_option_after_an_empty_line(book, proof_command):
    in_both(book, "    highlight: 3 * w", "\n    highlight: 3 * w")
    status, _, told = proof_command("check")
    assert status == 1 and f"{EN}:7: this would stand in the page as text" in told


def test_a_reference_that_no_reader_sees(book, proof_command):
    in_both(book, "::: snippets", "<!--\n::: snippets")
    in_both(book, "3 * w\n", "3 * w\n\n-->\n")
    status, _, told = proof_command("check")
    assert status == 1 and f"{EN}:6: this would stand in the page as text" in told


def test_an_anchor_that_stands_twice(book, proof_command):
    for name in (ZH, EN):
        book.write(name, book.read(name) + "\n## Again { #three-times }\n")
    status, _, told = proof_command("check")
    assert status == 1 and f"{EN}:8: two places of the page have the same anchor" in told


def test_an_output_without_its_script(book, refuses):
    book.write("snippets/t/old.out", "1\n")
    refuses(
        problem(
            "snippets/t/old.out:1",
            "a recorded output without its script",
            "a file snippets/t/old.py",
            "no such file",
            "delete snippets/t/old.out, or bring the script back",
            pages="",
        )
    )


def test_a_script_that_no_page_shows(book, refuses):
    book.write("snippets/t/alone.py", "print(1)\n")
    book.write("snippets/t/alone.out", "1\n")
    refuses(no_page_shows("snippets/t/alone.py"))


@pytest.mark.parametrize("here, there", [(ZH, EN), (EN, ZH)])
def test_a_page_in_one_language_only_is_counted(book, proof_command, here, there):
    book.remove(there)
    status, out, err = proof_command("check")
    assert (status, err) == (0, "")
    assert f"  missing   1 page to translate: {here}\n" in out


def test_a_page_that_names_a_missing_snippet(book, refuses):
    in_both(book, "t/s.py", "t/z.py")
    words = (
        "the page names a snippet that does not exist",
        "a file snippets/t/z.py",
        "no such file; the nearest is snippets/t/s.py",
        "correct the path on this line, or start the snippet: proofbook new t/z",
    )
    refuses(problem(f"{EN}:5", *words), problem(f"{ZH}:5", *words), no_page_shows(SCRIPT))


@pytest.mark.parametrize(
    "text, found, mend",
    [
        ("4 * w", "'4 * w' stands in no line", "copy the text from the script"),
        ("y", "'y' stands in lines 2, 3", "copy more of the line you mean"),
    ],
)
def test_a_highlight_that_names_no_line_or_two(book, refuses, text, found, mend):
    in_both(book, "highlight: 3 * w", f"highlight: {text}")
    words = (
        "the text to highlight does not name one line",
        f"a text that stands in exactly one line of {SCRIPT}",
        found,
        mend,
    )
    refuses(problem(f"{EN}:6", *words), problem(f"{ZH}:6", *words))


def test_an_unknown_option(book, refuses):
    book.change(EN, "    highlight", "    hl_lines: 2\n    highlight")
    refuses(
        problem(
            f"{EN}:6",
            "unknown option",
            " or ".join(option.form for option in OPTIONS.values()),
            "hl_lines: 2",
            "correct or remove this line",
        )
    )


def test_typed_python(book, refuses):
    book.write(ZH, book.read(ZH) + "\n```python\nprint(1)\n```\n")
    refuses(
        problem(
            f"{ZH}:8",
            "Python code is typed into the page, so nothing runs it",
            "code in a script below snippets/, named with ::: snippets/<topic>/<name>.py",
            "a python fence",
            "move it: proofbook new <topic>/<name>; what cannot run stands in a fence of text",
        )
    )


def test_a_marker_typed_by_hand(book, refuses):
    book.change(EN, "::: ", "<!--pytest-codeblocks:skipfile-->\n\n::: ")
    refuses(
        problem(
            f"{EN}:5",
            "a test marker is typed into the page",
            "no marker: each block is run and compared as it is shown",
            "<!--pytest-codeblocks:skipfile-->",
            "remove this line",
        )
    )


def test_a_heading_without_an_anchor(book, refuses):
    book.write(EN, book.read(EN) + "\n##Why\n")
    refuses(
        problem(
            f"{EN}:8",
            "the heading has no anchor of its own",
            "an English anchor, the same in both languages: ## 标题 { #title }",
            "##Why",
            "add { #anchor } to the end of this line",
        )
    )


def parts(place: str, expected: str, found: str) -> str:
    return problem(
        place,
        "the two languages of the page part here",
        expected,
        found,
        f"give {ZH} and {EN} the same snippets and anchors in the same order",
    )


def test_languages_that_name_different_snippets(book, refuses):
    book.write("snippets/t/other.py", "print('3 * w')\n")
    book.write("snippets/t/other.out", "3 * w\n")
    book.change(EN, "t/s.py", "t/other.py")
    refuses(
        parts(
            f"{ZH}:5",
            f"the same as in {EN}: snippets/t/other.py 3 * w",
            "snippets/t/s.py 3 * w",
        )
    )


def test_languages_that_highlight_different_lines(book, refuses):
    book.change(EN, "highlight: 3 * w", "highlight: w = 2.0")
    refuses(
        parts(
            f"{ZH}:5",
            f"the same as in {EN}: snippets/t/s.py w = 2.0",
            "snippets/t/s.py 3 * w",
        )
    )


def test_languages_with_different_anchors(book, refuses):
    book.change(EN, "#three-times", "#three")
    refuses(parts(f"{ZH}:1", f"the same as in {EN}: # {{ #three }}", "# { #three-times }"))


def test_languages_with_headings_of_different_levels(book, refuses):
    book.change(EN, "# What", "## What")
    refuses(parts(f"{ZH}:1", f"the same as in {EN}: ## {{ #three-times }}", "# { #three-times }"))


@pytest.mark.parametrize("here, there", [(ZH, EN), (EN, ZH)])
def test_a_language_that_says_more(book, refuses, here, there):
    book.write(here, book.read(here) + "\n## Why { #why }\n")
    refuses(parts(f"{here}:8", f"the same as in {there}: nothing more", "## { #why }"))


@pytest.mark.parametrize("name", ["random", "torch", "numpy", "sympy"])
def test_a_snippet_with_the_name_of_a_module(book, refuses, name):
    for old in (SCRIPT, OUTPUT):
        book.write(old.replace("/s.", f"/{name}."), book.read(old))
        book.remove(old)
    in_both(book, "t/s.py", f"t/{name}.py")
    refuses(
        problem(
            f"snippets/t/{name}.py:1",
            "the script has the name of a Python module",
            "a name that no module has",
            name,
            "rename the script, its .out and the pages' references",
        )
    )


def not_utf8(place: str, found: str) -> str:
    return problem(
        place,
        "the file is not UTF-8",
        "text in UTF-8",
        found,
        "save the file in your editor with the encoding UTF-8",
    )


@pytest.mark.parametrize("name", [ZH, EN, OUTPUT])
def test_a_file_that_is_not_utf8_is_told_once(book, refuses, name):
    raw = (book.root / name).read_bytes() + "梯度\n".encode("gbk")
    book.write(name, raw)
    line, at = raw.count(b"\n"), raw.index(b"\xcc")
    told = not_utf8(f"{name}:{line}", f"the byte 0xcc at position {at}: invalid continuation byte")
    refuses(told)
    refuses(told, of=(name,))


def test_a_script_that_is_not_utf8_is_told_once(book, refuses):
    book.write(SCRIPT, book.read(SCRIPT).encode() + b"# \xff\n")
    refuses(not_utf8(f"{SCRIPT}:4", "the byte 0xff at position 35: invalid start byte"))


@pytest.mark.parametrize("name", ["docs/t/q", "docs/t/q.fr", "docs/v1.zh/q", "docs/index"])
def test_a_page_whose_name_does_not_say_its_language(book, refuses, name):
    book.write(f"{name}.md", "# Q { #q }\n")
    refuses(
        problem(
            f"{name}.md:1",
            "the name of the page does not say its language",
            f"{name}.zh.md or {name}.en.md",
            f"{name}.md",
            "rename the file",
        )
    )


def test_what_belongs_to_an_editor_is_passed_over(book, proof_command):
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
        ([], FIRST | SECOND | {"snippets/t/old.out:1"}),
        (["."], FIRST | SECOND | {"snippets/t/old.out:1"}),
        (["docs"], FIRST | SECOND),
        (["snippets/"], FIRST | SECOND | {"snippets/t/old.out:1"}),
        ([ZH], FIRST),
        ([EN], {f"{OUTPUT}:1"}),
        ([SCRIPT], FIRST),
        ([OUTPUT], FIRST),
        (["docs/t/q.en.md"], SECOND),
        (["docs/t/q.zh.md", ZH], FIRST | {"snippets/t/second.out:1"}),
        (["snippets/t/old.out"], {"snippets/t/old.out:1"}),
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


def test_only_chosen_snippets_are_run(two_pages, proof_command):
    two_pages.write(OUTPUT, "y: 6.0\n")
    status, out, _ = proof_command("check", EN)
    assert status == 0
    assert out.startswith("1 snippet run and compared, 1 page read: everything holds (")


def test_a_name_that_is_not_in_the_book(refuses):
    refuses(
        problem(
            "docs/t/none.md:1",
            "this names nothing in the book",
            "a page, a snippet or a folder",
            "no such file",
            "proofbook check (without a path: everything)",
        ),
        of=("docs/t/none.md",),
    )
