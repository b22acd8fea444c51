"""The lines that answer a page, before and after, to copy: lines of its own scripts, so they ran.

::: do-this
    before: loss3.backward()
    after: (loss2 + loss3).backward()

`before` and `after` name, by a text in it, a line of a script that the page shows, or of one that
`also` names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from proofbook.directives import Directive
from proofbook.markdown.spans import DO_THIS, Reference
from proofbook.model.book import Book
from proofbook.model.config import in_language
from proofbook.model.page import Page
from proofbook.model.problem import Problem, Unproved

_LINES = ("before", "after")
_WORDS = {
    "zh": {"title": "这样改", "before": "改前", "after": "改后"},
    "en": {"title": "Do this", "before": "Before", "after": "After"},
}


def _expand(reference: Reference, page: Page, book: Book) -> list[str]:
    if problems := list(_problems(reference, page, book)):
        raise Unproved(problems)
    words = in_language(_WORDS, page.language)
    lines = [f'!!! do-this "{words["title"]}"', ""]
    for kind in _LINES:
        texts = [value for key, value, _ in reference.options if key == kind]
        if shown := _indented(_lines_with(text, reference, page, book)[0] for text in texts):
            # Without a line before, the label would say nothing.
            title = f' title="{words[kind]}"' if reference.option("before") else ""
            fence = [f"```{{ .python .{kind}{title} }}", *shown, "```"]
            lines += [*(f"    {line}" for line in fence), ""]
    return [reference.indent + line if line else "" for line in lines[:-1]]


def _lines_with(text: str, reference: Reference, page: Page, book: Book) -> list[str]:
    """The lines of the scripts that have a text; equal ones, but for their indentation, once."""
    named = [value for key, value, _ in reference.options if key == "also"]
    scripts = dict.fromkeys([*named, *(r.path for r in page.scanned.references)])
    known = (script for script in scripts if script in book.scripts)
    found: dict[str, str] = {}
    for line in (line for script in known for line in book.text(script).split("\n")):
        if text in line:
            found.setdefault(line.strip(), line)
    return [found[text.strip()]] if text.strip() in found else list(found.values())


def _indented(lines: Iterable[str]) -> list[str]:
    """The lines as they run one after another: further in below a line that opens a block."""
    levels, shown = [(0, 0)], [""]  # how far in a block was in its script, and is here
    for line in lines:
        text = line.strip()
        own, opened = len(line) - len(line.lstrip()), shown[-1].endswith(":")
        if opened:
            levels.append((own, levels[-1][1] + 4))
        while len(levels) > 1 and own < levels[-1][0]:
            levels.pop()
        levels[-1] = own, levels[-1][1]
        shown.append(" " * levels[-1][1] + text)
    return shown[1:]


def _problems(reference: Reference, page: Page, book: Book) -> Iterator[Problem]:
    if reference.option("after") is None:
        expected, found = DO_THIS["after"].form, "none"
        what, fix = "the box has no line to copy", "add it below this line"
        yield page.problem(reference.line, what, expected, found, fix)
    for key, text, line in reference.options:
        if key == "also" and text not in book.scripts:
            what, fix = "this does not name a script", "correct this line"
            yield page.problem(line, what, DO_THIS[key].form, text, fix)
        elif key in _LINES and len(lines := _lines_with(text, reference, page, book)) != 1:
            what = "this does not name one line of the scripts of the page"
            found = " and ".join(each.strip() for each in lines) or f"no line has {text!r}"
            fix = "copy the line from a script that the page shows"
            yield page.problem(line, what, DO_THIS[key].form, found, fix)


DIRECTIVE = Directive("do-this", _expand, DO_THIS)
