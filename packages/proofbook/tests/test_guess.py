"""Guesses: the right answer comes from the run, and the page judges what a reader types."""

from __future__ import annotations

import markdown
import pytest
from proofbook.directives.guess import answer_after
from proofbook.directives.registry import expand
from proofbook.export.notebook import cells
from proofbook.html.code import fold_answers
from proofbook.html.exercises import asset, place_guesses, place_tasks
from proofbook.html.tree import parse as parse_html
from proofbook.html.tree import serialize
from proofbook.model.book import read_book
from proofbook.model.page import parse
from proofbook.model.problem import Unproved
from proofbook.testing.browser import needs_browser

OUTPUT = """\
y: 6.0
w.grad: tensor(-6.) v.grad: None
after step, w.grad: tensor([32., 302.], requires_grad=True)
SGD
  moves w by 0.4000
Adam
  moves w by 0.0100
start: AttributeError: 'int' object has no attribute 'backward'
names: ['a', 'b']
grown by 17%
x.grad:
tensor([[1., 0.],
        [0., 1.]])
many: tensor([1., 2., 3., 4., 5., 6., 7., 8., 9., 10.])
nothing after this:
"""
PAGE = """\
# T { #t }

??? question "Try it"
    What is `w.grad`?

    ::: guess w.grad:
        wrong: 6 | The slope is negative: see `y` < 0.
        wrong: None | It was computed.

    ::: snippets/t/s.py
        write: y = | three times w

    Because.
"""
WRONG = "        wrong: None"
SCRIPT = "    ::: snippets/t/s.py\n        write: y = | three times w\n"
EXTENSIONS = ["admonition", "attr_list", "pymdownx.details", "pymdownx.superfences"]


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("y:", "6"),
        ("w.grad:", "-6"),  # the line that begins with it, not the one that has it
        ("w.grad: tensor(-6.) v.grad:", "None"),
        ("after step, w.grad:", "32, 302"),
        ("Adam ... moves w by", "0.01"),
        ("SGD ... moves w by", "0.4"),
        ("start:", "error"),
        ("names:", "a, b"),
        ("grown by", "17"),
        ("x.grad:", "1, 0, 0, 1"),
        ("moves w by", ""),  # twice
        ("Adam ... y:", ""),  # not after it
        ("many:", ""),  # more than a reader would type
        ("nothing after this:", ""),
        ("not printed:", ""),
    ],
)
def test_the_answer_is_what_the_output_has_after_a_text(text, answer):
    assert ", ".join(answer_after(text, OUTPUT)) == answer


@pytest.fixture
def asked(book):
    """A function that expands a page of a book whose script printed `OUTPUT`."""
    book.write("snippets/t/s.out", OUTPUT)

    def asked(page: str = PAGE) -> str:
        return expand(parse("docs/t/p.en.md", page), read_book(book.root))

    return asked


@pytest.mark.parametrize(
    ("old", "new", "line", "expected", "found"),
    [
        ("guess w.grad:", "guess w.grads:", 6, "right before a value", "'w.grads:'"),
        (SCRIPT, "", 6, "right before a value", "no script below"),
        ("wrong: 6 |", "wrong: -6.001 |", 7, "another value than -6", "-6.001"),
        ("wrong: None |", "wrong: 6.0 |", 8, "one sentence for it", "6.0"),
        (" | It was computed.", "", 8, "wrong: <", "wrong: None"),
        (WRONG, f"        ask: [it](a)\n{WRONG}", 8, "ask: <", "[it](a)"),
        ("It was computed.", "$x$ was.", 8, "plain words", "wrong: None | $x$"),
        (WRONG, f"        options: 6 | None\n{WRONG}", 8, "-6, and others", "6 | None"),
        (WRONG, f"        options: 6 | -6\n{WRONG}", 9, "one of options", "None"),
        (WRONG, f"        right: 3\n{WRONG}", 8, "wrong: <", "right: 3"),
    ],
)  # fmt: skip
def test_a_guess_that_contradicts_the_run_or_itself_is_refused(
    asked, old, new, line, expected, found
):
    asked()
    with pytest.raises(Unproved) as caught:
        asked(PAGE.replace(old, new))
    problem = caught.value.problems[0]
    assert problem.file == "docs/t/p.en.md" and problem.line == line and problem.fix
    assert expected in problem.expected and found in problem.found


def test_the_answer_changes_with_the_run(asked, book):
    assert "&#45;6&#34;" in asked()
    book.write("snippets/t/s.out", OUTPUT.replace("-6.", "-7."))
    assert "&#45;7&#34;" in asked() and "&#45;6&#34;" not in asked()


def test_a_notebook_has_the_question_and_no_form(asked, book):
    asked()
    page = parse("docs/t/p.en.md", PAGE)
    first = cells(page, read_book(book.root), "en")[0].source
    assert first.endswith("> **Try it**\n>\n> What is `w.grad`?")


def html_of(expanded: str, language: str = "en") -> str:
    tree = parse_html(markdown.markdown(expanded, extensions=EXTENSIONS))
    place_guesses(tree, language)
    place_tasks(tree, {"notebook": "p.ipynb"}, language)
    fold_answers(tree, language)
    return serialize(tree)


def test_the_form_stands_between_the_question_and_the_folded_answer(asked):
    found = html_of(asked())
    shown, _, folded = found.partition("<details")
    assert "What is <code>w.grad</code>?</p>\n<reader-guess" in shown
    assert "The slope is negative: see <code>y</code> &lt; 0." in shown
    assert "SGD" in folded and "reader-guess" not in folded and "p.ipynb" not in folded


def test_no_link_to_a_proof_in_the_question_gives_the_answer_away(asked):
    linked = '<a class="run" href="#s-out-2"><code>-6</code></a>'
    html = markdown.markdown(asked(), extensions=EXTENSIONS)
    html = html.replace("<code>w.grad</code>", linked, 1).replace("Because", linked)
    tree = parse_html(html)
    place_guesses(tree, "en")
    assert [link.parent.text() for link in tree.css("a.run")] == ["-6."]


@pytest.fixture
def reader(page, asked):
    """A function that shows a page, and one that guesses: it returns what the page says to it."""

    def show(text: str = PAGE, language: str = "en") -> None:
        page.set_content(f'<html lang="{language}"><main>{html_of(asked(text), language)}</main>')
        page.add_script_tag(content=asset())

    def guess(typed: str) -> str:
        page.get_by_role("textbox").fill(typed)
        page.keyboard.press("Enter")
        return page.get_by_role("status").inner_text()

    return show, guess


@needs_browser
def test_a_guess_is_compared_with_what_the_run_printed(page, reader):
    show, guess = reader
    show()
    answer = page.locator("details.answer")
    assert page.get_by_role("textbox", name="Your guess: w.grad").count() == 1
    assert guess("") == ""
    assert guess("5") == "No. Think again, or look at the answer."
    assert guess("6.000") == "The slope is negative: see y < 0."
    assert guess("６") == "The slope is negative: see y < 0."
    assert guess("nothing") == guess("7")
    assert guess("没有") == guess("none") == "It was computed."
    assert guess("-60") == guess("-5.9") == guess("error") == guess("5")
    assert not answer.evaluate("box => box.open")
    assert guess("-6") == "Yes, the run prints -6."
    assert answer.evaluate("box => box.open")


@needs_browser
@pytest.mark.parametrize("typed", ["-6", "−6", "－６．０", " -6.004 ", "-12/2", "tensor(-6.)"])
def test_a_number_may_be_typed_in_many_ways(reader, typed):
    show, guess = reader
    show()
    assert guess(typed).startswith("Yes")


@needs_browser
@pytest.mark.parametrize("typed", ["32, 302", "[32.,302.]", "32 302", "（32，302）", "３２、302"])
def test_several_values_are_typed_with_or_without_brackets(reader, typed):
    show, guess = reader
    show(PAGE.replace("guess w.grad:", "guess after step, w.grad:"), "zh")
    assert guess("32") == "这里有 2 个数，用逗号隔开。"
    assert guess("302, 32") == "不对。再想想，或者看答案。"
    assert guess(typed) == "对，运行打印的就是 32, 302。"


@needs_browser
def test_an_error_has_many_names(reader):
    show, guess = reader
    show(PAGE.replace("guess w.grad:", "guess start:"))
    for typed in ("error", "an error", "AttributeError", "报错", "it raises"):
        assert guess("0").startswith("No")
        assert guess(typed) == "Yes, the run ends in an error."


@needs_browser
def test_answers_to_choose_from_are_buttons(page, reader):
    show, _ = reader
    options = "        options: 6 | -6 | None | error\n"
    show(PAGE.replace("        wrong: 6", options + "        wrong: 6"))
    group = page.get_by_role("group", name="Your guess: w.grad")
    assert group.get_by_role("button").all_inner_texts() == ["6", "-6", "None", "an error"]
    status = page.get_by_role("status")
    group.get_by_role("button", name="None").press("Enter")
    assert status.inner_text() == "It was computed."
    assert group.locator("[aria-pressed=true]").all_inner_texts() == ["None"]
    group.get_by_role("button", name="-6").click()
    assert status.inner_text() == "Yes, the run prints -6."


@needs_browser
def test_outside_of_an_exercise_a_button_shows_the_output(page, reader):
    show, _ = reader
    show("# T { #t }\n\n::: guess w.grad:\n\n::: snippets/t/s.py\n")
    form = page.locator("reader-guess")
    assert form.get_attribute("data-ended") is None
    page.get_by_role("button", name="Show the output").click()
    assert form.get_attribute("data-ended") == ""
