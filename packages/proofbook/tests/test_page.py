"""Pages: what is read from them, and the plain Markdown that they become."""

from __future__ import annotations

import pytest
from proofbook.directives.registry import expand
from proofbook.model.book import read_book
from proofbook.model.page import parse
from proofbook.model.problem import Unproved
from proofbook.testing.tiny_book import Book, recorded

PAGE = "docs/t/p.en.md"
OUTPUT = "<!--pytest-codeblocks:expected-output-->"


def expanded(book: Book, text: str) -> str:
    return expand(parse(PAGE, text), read_book(book.root))


def test_a_reference_becomes_the_code_and_its_output(book):
    text = "# T { #t }\n\nBefore.\n\n::: snippets/t/s.py\n    highlight: 3 * w\n\nAfter.\n"
    assert expanded(book, text) == (
        "# T { #t }\n\nBefore.\n\n"
        '```python title="snippets/t/s.py" hl_lines="2"\n'
        'w = 2.0\ny = 3 * w\nprint("y:", y)\n'
        "```\n\n"
        f"{OUTPUT}\n\n"
        "```{ .text .output }\n"
        "y: 6.0\n"
        "```\n\nAfter.\n"
    )


@pytest.mark.parametrize("indent", [1, 2, 3, 4, 8])
def test_options_stand_deeper_than_their_reference_however_far(book, indent):
    text = f"::: snippets/t/s.py\n{' ' * indent}highlight: print(\n\nAfter.\n"
    assert expanded(book, text).startswith('```python title="snippets/t/s.py" hl_lines="3"\n')
    assert expanded(book, text).endswith("```\n\nAfter.\n")


def test_a_reference_within_a_box_keeps_its_indent(book):
    book.write("snippets/t/s.py", "w = 2.0\n\nif w:\n    print(6)\n")
    book.write("snippets/t/s.out", "6\n\n7\n")
    text = (
        '!!! trap "Title"\n    Before.\n\n    ::: snippets/t/s.py\n        highlight: if w\n\nX\n'
    )
    assert expanded(book, text) == (
        '!!! trap "Title"\n    Before.\n\n'
        '    ```python title="snippets/t/s.py" hl_lines="3"\n'
        "    w = 2.0\n\n    if w:\n        print(6)\n    ```\n\n"
        f"    {OUTPUT}\n\n"
        "    ```{ .text .output }\n    6\n\n    7\n    ```\n\nX\n"
    )


@pytest.mark.parametrize("name", ["snippets/t/s.py", "snippets/t/s.out"])
@pytest.mark.parametrize("ticks", ["```", "`````"])
def test_fences_are_longer_than_those_in_the_code_and_the_output(book, name, ticks):
    book.write(name, f"{book.read(name)}# {ticks}\n")
    lines = expanded(book, "::: snippets/t/s.py\n").split("\n")
    fences = [line for line in lines if line.startswith("`")]
    assert fences == [
        f'{ticks}`python title="snippets/t/s.py"',
        f"{ticks}`",
        f"{ticks}`{{ .text .output }}",
        f"{ticks}`",
    ]
    assert f"# {ticks}" in lines


@pytest.mark.parametrize(
    "opens, closes", [("```", "```"), ("```text", "```"), ("~~~", "~~~"), ("````md", "````")]
)
def test_a_reference_within_a_fence_is_left_alone(book, opens, closes):
    text = f"{opens}\n::: snippets/t/none.py\n# no heading\n{closes}\n"
    assert expanded(book, text) == text
    page = parse(PAGE, text + "# T { #t }\n")
    assert (page.references, [h.anchor for h in page.headings]) == ((), ["t"])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# T { #t }\n\n\nProse: a ::: b.\n\n",
        "A page\x0c with\x0b strange\u2028 line\x85 ends \x1c.\n",
        "中文，公式 $x^2$。\n\n$$\ny = 2\n$$\n",
    ],
)
def test_text_without_references_comes_back_unchanged(book, text):
    assert expanded(book, text) == text


def older(book: Book, version: str, output: str) -> None:
    book.write(*recorded(book, version, output))


def test_an_older_output_that_is_not_what_that_version_printed_for_this_script(book):
    def why(text: str = "::: snippets/t/s.py\n    then: 1.4.0\n") -> str:
        with pytest.raises(Unproved) as refused:
            expanded(book, text)
        (problem, *_) = refused.value.problems
        assert problem.line == 2
        return problem.found

    record, unknown = "snippets/versions/1.4.0.json", "not run, changed since, or edited by hand"
    assert why() == "no such record"
    older(book, "1.4.0", "y: 6\n")
    book.change(record, "y: 6", "y: 7")
    assert why() == unknown
    older(book, "1.4.0", "y: 6.0\n")
    assert why() == "that version prints the same"
    book.change("snippets/t/s.out", "y: 6.0", "y: 7.0")
    assert why() == unknown
    older(book, "1.4.0", "y: 6\n")
    book.change("snippets/t/s.py", "3 * w", "w * 3")
    assert why() == unknown
    book.change(record, "snippets/t/s.py", "snippets/t/r.py")
    assert why() == unknown
    assert why("::: snippets/t/s.py\n    then: ../x\n") == "../x"
    book.write(record, b"\xff")
    assert why() == "no such record"


@pytest.mark.parametrize(
    "heading, anchor",
    [
        ("## T { #why }", "why"),
        ("## T {: #why .x }", "why"),
        ("##T { .x #why }", "why"),
        ("## T", None),
        ("## T { #为什么 }", None),
        ("## T { #60 }", None),
    ],
)
def test_the_anchor_of_a_heading_is_explicit_and_english(heading, anchor):
    (found,) = parse(PAGE, heading + "\n").headings
    assert (found.level, found.anchor, found.line) == (2, anchor, 1)


@pytest.mark.parametrize(
    "info", ["python", "py", "Python", "python3", "pycon", "{ .python .x }", "{.py}", "{python}"]
)
def test_a_fence_of_python_is_seen_however_it_is_written(info):
    assert parse(PAGE, f"Text.\n\n```{info}\nx = 1\n```\n").typed_python == (3,)
    assert parse(PAGE, f"!!! trap\n\n    ~~~ {info}\n    x = 1\n    ~~~\n").typed_python == (3,)


@pytest.mark.parametrize("info", ["", "text", "sh", "pytb", "cpp", "{ .text .output }", "pyramid"])
def test_other_fences_are_no_python(info):
    assert parse(PAGE, f"```{info}\nx = 1\n```\n").typed_python == ()


@pytest.mark.parametrize(
    "marker",
    ["<!--pytest-codeblocks:skip-->", "<!-- pytest-codeblocks:cont -->", "<!--pytest.mark.skip-->"],
)
def test_a_marker_typed_by_hand_is_seen(marker):
    assert parse(PAGE, f"Text.\n\n{marker}\n").markers == (3,)


def test_all_problems_of_a_page_are_told_at_once(book):
    text = (
        "::: snippets/t/s.py\n    highlight: 4 * w\n    highlight: y\n    highlight:\n"
        "    colour: red\n    what is this\n\n::: snippets/t/ss.py\n\n::: snippets/../t/s.py\n"
    )
    with pytest.raises(Unproved) as raised:
        expanded(book, text)
    assert [(problem.line, problem.found) for problem in raised.value.problems] == [
        (2, "'4 * w' stands in no line"),
        (3, "'y' stands in lines 2, 3"),
        (4, "'' stands in no line"),
        (5, "colour: red"),
        (6, "what is this"),
        (8, "no such file; the nearest is snippets/t/s.py"),
        (10, "::: snippets/../t/s.py"),
    ]
