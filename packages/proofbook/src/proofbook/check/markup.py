"""The Markdown of a page: no typed code, no directive or fence that would be shown as text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from proofbook.directives.registry import declared_options
from proofbook.model.book import PLACEHOLDER, Book
from proofbook.model.page import Page
from proofbook.model.problem import Problem

_OPTION = re.compile(r"(?P<indent>\s*)(?P<name>[a-z_]+):(?P<value>.*)")
_ACTIVE = re.compile(r"""(?ix) <(script|iframe|object|embed|base|meta|link)\b
    | <[^>]*?[\s"'/](on[a-z]+\s*=) | \{[^}`]*?\s(on[a-z]+\s*=)
    | ["'=\s](javascript:|vbscript:|data:text/html)""")
"""What runs code of its own in the browser of a reader, or loads it."""
_WITH_ATTRIBUTES = ("html-block", "tag", "attributes", "heading")
_STOPS = (".", "!", "?", "。", "！", "？")


def typed_code(page: Page, book: Book) -> Iterator[Problem]:
    """Python and markers of test runners typed into a page, where nothing runs them."""
    for line in page.typed_python:
        yield page.problem(
            line,
            "Python code is typed into the page, so nothing runs it",
            "code in a script below snippets/, named with ::: snippets/<topic>/<name>.py",
            "a python fence",
            "move it: proofbook new <topic>/<name>; what cannot run stands in a fence of text",
        )
    for line in page.markers:
        yield page.problem(
            line,
            "a test marker is typed into the page",
            "no marker: each block is run and compared as it is shown",
            page.line(line).strip(),
            "remove this line",
        )


def active_html(page: Page, book: Book) -> Iterator[Problem]:
    """HTML that runs something in a reader's browser, on a page that isn't listed for it."""
    if page.file in book.config.active_html:
        return
    for span in page.spans:
        text = page.text[span.start : span.end] if span.kind in _WITH_ATTRIBUTES else ""
        for part in (text, span.attributes, f" {span.address}" if span.address else ""):
            if found := _ACTIVE.search(part):
                name = next(filter(None, found.groups()))
                yield page.problem(
                    span.line + part[: found.start()].count("\n"),
                    "this runs code in the browser of a reader",
                    "text, links and figures; or the page in active_html: of mkdocs.yml",
                    name.strip(),
                    "remove it, or list the page if it has to be",
                )


def stray_markup(page: Page, book: Book) -> Iterator[Problem]:
    """Lines meant as a directive, an option or a fence that a reader would see as text."""
    for line in page.strays:
        yield page.problem(
            line,
            "this would stand in the page as text",
            "::: snippets/<topic>/<name>.py in a line of its own, its options indented by four "
            "blanks below it; every code fence closed",
            page.line(line),
            "correct this line",
        )


def unclosed_markup(page: Page, book: Book) -> Iterator[Problem]:
    """Comments and formulas with only one of their ends: they may swallow the following text."""
    for line, mark in page.unclosed:
        comment = mark == "<!--"
        yield page.problem(
            line,
            "the comment is never closed" if comment else "this $$ is no part of a formula",
            "--> in the same paragraph"
            if comment
            else "$$ on both sides of a formula that is a paragraph of its own",
            page.line(line),
            f"correct this line; as code (`{mark}`) it is text",
        )


def unread_options(page: Page, book: Book) -> Iterator[Problem]:
    """Lines below a directive that are meant as its options, and would be shown as text.

    Directly below it, or indented after an empty line, these are all lines that begin with the name
    of an option. After an empty line it may be a sentence: "figure: the loss falls."
    """
    options = declared_options(book)
    for reference in page.references:
        number = reference.end + 1
        while number <= len(page.lines) and not page.line(number).strip():
            number += 1
        apart = number > reference.end + 1
        while number <= len(page.lines) and (found := _OPTION.match(page.line(number))):
            indented = len(found["indent"]) > len(reference.indent)
            sentence = apart and not indented and found["value"].rstrip().endswith(_STOPS)
            if found["name"] not in options or sentence:
                break
            yield page.problem(
                number,
                "this would stand in the page as text: an option of the directive above",
                f"{options[found['name']].form}, indented by four blanks more than `:::`, with no "
                "empty line between the two",
                page.line(number),
                "indent this line, and remove empty lines above it",
            )
            number += 1


def unknown_placeholders(page: Page, book: Book) -> Iterator[Problem]:
    """Placeholders for the version of a package that has none, or is not installed."""
    for found in PLACEHOLDER.finditer(page.blanked(("code", "fence", "indented-code", "maths"))):
        yield page.problem(
            page.line_of(found.start()),
            "nothing can be filled in here",
            "the name of an installed package, as {{ markdown.version }}",
            found[0],
            "correct the name, or install it: python -m pip install -r requirements.txt",
        )


def heading_anchors(page: Page, book: Book) -> Iterator[Problem]:
    """Headings without an anchor, and anchors that are on the page twice."""
    seen: set[str] = set()
    for anchor, line in page.anchors:
        if anchor in seen:
            yield page.problem(
                line,
                "two places of the page have the same anchor",
                "each anchor once",
                page.line(line),
                f"choose another anchor on this line{book.config.everywhere}",
            )
        seen.add(anchor)
    for heading in page.headings:
        if heading.anchor is None:
            yield page.problem(
                heading.line,
                "the heading has no anchor of its own",
                "an anchor of small letters, the same in each language: ## Title { #title }"
                if book.config.everywhere
                else "an anchor of small letters: ## Title { #title }",
                page.line(heading.line),
                "add { #anchor } to the end of this line",
            )
