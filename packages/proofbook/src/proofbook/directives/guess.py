"""The directive of a guess: a reader says what a script will print before seeing it.

::: guess after step, w:
    ask: `w` after the step
    wrong: 30 | Both branches counted; the second is under `no_grad()`.
    options: 0 | 15 | 30 | None | error

The right answer is never written down: it is the value that the next script of the page prints
right after the text that the directive names. `proofbook.html.exercises` makes the form of it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator

from proofbook.directives import Directive
from proofbook.markdown.spans import GUESS, SEPARATOR, Reference
from proofbook.model.book import Book
from proofbook.model.page import Page
from proofbook.model.problem import Problem, Unproved
from proofbook.model.snippet import output_file

NAME = "guess "
MOST = 9
"""The most values that a reader is asked for at once."""
PLACEHOLDER = "data-guess"
"""The attribute of the element that becomes the form."""

_ELLIPSIS = " ... "
_PRINTED = re.compile(r"tensor\(([^)]*)\)|(\[.*\])|\(([^)]*)\)|(\S+)")
_ABOUT_TENSOR = re.compile(r",\s*\w+=.*", re.DOTALL)
_NAME = re.compile(r"[\w.]+(?:\[\w+\])?(?=:?$)")
_BETWEEN = re.compile(r"[\s,\[\]()'\"]+")
_PLAIN = re.compile(r"(?:[^`$\[\]]|`[^`]+`)+")
"""Words in which nothing is marked but code."""


def answer_after(text: str, output: str) -> tuple[str, ...]:
    """The values that an output has right after a text, as a reader would type them.

    The text stands at the beginning of one line, or else in one place; ` ... ` in it leaves out
    what is between. Empty if there is no such place, no value, or more than `MOST`.
    """
    first, *others = text.split(_ELLIPSIS)
    at_start = re.findall(rf"(?m)^ *{re.escape(first)}", output)
    places = [found.end() for found in re.finditer(re.escape(first), output)]
    if len(at_start) == 1:
        places = [output.index(at_start[0]) + len(at_start[0])]
    if len(places) != 1:
        return ()
    [place] = places
    for other in others:
        found = output.find(other, place)
        if found < 0:
            return ()
        place = found + len(other)
    printed = _PRINTED.match(output[place:].lstrip())
    inside = next(filter(None, printed.groups()), "") if printed else ""
    found = values(_ABOUT_TENSOR.sub("", inside))
    return found if len(found) <= MOST else ()


def values(text: str) -> tuple[str, ...]:
    """The values in a text, in their shortest form: numbers as `4` and `0.25`, and words, among
    them `error` for the name of any error."""
    return tuple(_value(part.strip(":;%")) for part in _BETWEEN.split(text) if part.strip(":;%"))


def _value(word: str) -> str:
    try:
        return f"{float(word):.10g}"
    except ValueError:
        return "error" if re.fullmatch(r"\w*(?:Error|Exception)", word) else word


def same(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether two answers count as one; `reader.js` compares in the same way."""
    return len(one) == len(other) and all(map(_same, one, other))


def _same(one: str, other: str) -> bool:
    if one.casefold() == other.casefold():  # not a number is a word, too
        return True
    try:
        return math.isclose(float(one), float(other), rel_tol=5e-3)
    except ValueError:
        return False


def _script_below(reference: Reference, page: Page) -> str:
    """The next script of the page, or ""."""
    below = (r for r in page.references if r.line > reference.line and r.path.endswith(".py"))
    return next((r.path for r in below), "")


def _expand(reference: Reference, page: Page, book: Book) -> list[str]:
    text = reference.path.removeprefix(NAME).strip()
    script = _script_below(reference, page)
    right = answer_after(text, book.text_or_empty(output_file(script))) if script else ()
    if not right:
        what = "this names no value that the script below prints"
        expected = f"{NAME}<a text that stands in one line of its output, right before a value>"
        found = f"{text!r}, and {script} prints no single place with a value after it"
        fix = "copy the text from the output, with more of it if it stands there twice"
        found = found if script else "no script below this line"
        raise Unproved([page.problem(reference.line, what, expected, found, fix)])
    chosen = [values(each) for each in (reference.option("options") or "").split("|")]
    options = [each for each in chosen if each]
    if problems := list(_problems(reference, page, right, options)):
        raise Unproved(problems)
    wrong = [[values(value), words] for value, words, _ in reference.worded("wrong")]
    named = _NAME.match(text)
    ask = reference.option("ask") or (f"`{named[0]}`" if named else "")
    known = {"ask": ask, "answer": right, "options": options, "wrong": wrong}
    data = json.dumps(known, ensure_ascii=False)
    # No character that Markdown would read.
    quiet = re.sub(r"[!-/:-@\[-`{-~]", lambda sign: f"&#{ord(sign[0])};", data)
    return [f'{reference.indent}<span {PLACEHOLDER}="{quiet}"></span>']


def _problems(
    reference: Reference, page: Page, right: tuple[str, ...], options: list[tuple[str, ...]]
) -> Iterator[Problem]:
    """The answers that contradict what is printed, or each other."""
    printed = ", ".join(right)

    def problem(line: int, what: str, expected: str, found: str) -> Problem:
        return page.problem(line, what, expected, found, "correct or remove this line")

    for key, ask, line in reference.options:
        if key == "ask" and not _PLAIN.fullmatch(ask):
            yield problem(line, "this does not say what is to be guessed", GUESS[key].form, ask)
    seen: list[tuple[str, ...]] = []
    for value, words, line in reference.worded("wrong"):
        wrong = values(value)
        if not wrong or not _PLAIN.fullmatch(words):
            what, found = "this is not a wrong answer with a sentence", f"wrong: {value}"
            form = f"{GUESS['wrong'].form}, in plain words and code"
            yield problem(line, what, form, f"{found}{SEPARATOR}{words}")
        elif same(wrong, right):
            what = "the wrong answer is what the script prints"
            yield problem(line, what, f"another value than {printed}", value)
        elif any(same(wrong, other) for other in seen):
            yield problem(line, "the wrong answer stands twice", "one sentence for it", value)
        elif options and not any(same(wrong, option) for option in options):
            yield problem(line, "nobody can choose this answer", "one of options:", value)
        seen.append(wrong)
    times = sum(same(option, right) for option in options)
    twice = any(same(a, b) for i, a in enumerate(options) for b in options[:i])
    if options and (times != 1 or twice):
        what = "the right answer is not one of the options, or one stands twice"
        line = next(line for key, _, line in reference.options if key == "options")
        yield problem(line, what, f"{printed}, and others", reference.option("options") or "")


DIRECTIVE = Directive(re.compile(rf"{NAME}.+"), _expand, GUESS, site_only=True)
