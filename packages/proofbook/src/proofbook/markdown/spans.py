"""The spans of a page's Markdown, each with its kind, its place and its parts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from gradtrace.vary import FORM

_EXTERNAL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a page's text, `text[start:end]`, that the site renders as a unit.

    kind: its rendering, and the meaning of `content`, `name` and `address` for it

        front-matter, comment, html-block, indented-code
        fence       a fenced code block; name: its info string
        directive   a `:::` line; name: its path
        option      a line below it, without the words that a reader sees; name: its key
        heading     content: its text; name: its level, "1" to "6"
        box         the line that opens an admonition; content: its title; name: its kind
        row         a row of a table
        definition  `[label]: address`; name: the label
        code        content: the code, as written between the backticks
        maths       content: the LaTeX; `display` if it has its own line
        link, image content: the words between the brackets; address: its target
        autolink    `<https://...>`; address: the same
        footnote    `[^1]`; name: its label
        tag         an HTML tag within a paragraph
        attributes  an attribute list, `{ .class #id }`, where one is read

    `content_start` and `address_start` are places in the text of the page. `attributes` is the
    attribute list right after the span, with its braces; `whole_end` is where that ends. `line`
    counts from 1.
    """

    kind: str
    start: int
    end: int
    line: int
    content: str = ""
    content_start: int = -1
    name: str = ""
    address: str = ""
    address_start: int = -1
    attributes: str = ""
    display: bool = False

    @property
    def content_end(self) -> int:
        """Where the content ends in the text of the page."""
        return self.content_start + len(self.content)

    @property
    def one_line(self) -> str:
        """The content in one line, without blanks around it."""
        return " ".join(self.content.split())

    @property
    def whole_end(self) -> int:
        """The end of the span together with the attribute list right after it."""
        return self.end + len(self.attributes)

    @property
    def external(self) -> bool:
        """Whether a link leaves the book: it has a protocol or a host."""
        return _EXTERNAL.match(self.address) is not None


SEPARATOR = " | "
"""Separates the words of an option from their subject."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A place in a page that names a snippet. `line` and `end`: its first and last line, from 1."""

    path: str
    line: int
    end: int
    indent: str
    options: tuple[tuple[str, str, int], ...]

    def option(self, key: str) -> str | None:
        """The value of an option, or None where it isn't given."""
        return next((value for name, value, _ in self.options if name == key), None)

    def listed(self, key: str) -> list[str]:
        """The values of an option that stand between |; [] where it isn't given."""
        given = self.option(key)
        return [part.strip() for part in given.split("|")] if given else []

    @property
    def then(self) -> list[str]:
        """The older versions of PyTorch whose output is shown too."""
        return [value for key, value, _ in self.options if key == "then"]

    @property
    def highlights(self) -> list[tuple[str, int]]:
        """The texts to highlight, each with the line of the page that requests it."""
        return [(value, line) for key, value, line in self.options if key == "highlight"]

    def worded(self, key: str) -> list[tuple[str, str, int]]:
        """The options `key: <subject> | <words>`: those two, and the line of the page.

        Without a separator, the words are empty.
        """
        parts = [(v.rpartition(SEPARATOR), line) for k, v, line in self.options if k == key]
        return [
            (about.strip(), words.strip(), line) if cut else (words.strip(), "", line)
            for (about, cut, words), line in parts
        ]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading with its level (1 to 6) and its explicit anchor, or None without one."""

    level: int
    anchor: str | None
    line: int
    text: str = ""


@dataclass(frozen=True, slots=True)
class Region:
    """A piece of prose, `text[start:end]`.

    ends_line: see `proofbook.markdown.inline`. markdown: False for the text within raw HTML.
    """

    start: int
    end: int
    ends_line: bool = False
    markdown: bool = True


@dataclass
class Blocks:
    """The blocks of a page.

    text: the page's text, with the marks of quotations blanked, each character where it was.
    not_prose: first and last lines of front matter, fences and directives. unclosed: the lines of
    fences that are never closed.
    """

    text: str
    spans: list[Span] = field(default_factory=list)
    regions: list[Region] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    not_prose: list[tuple[int, int]] = field(default_factory=list)
    unclosed: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Option:
    """An option of a directive.

    `form`: its form in a page. `words`: the part of its value that a reader sees: "" for nothing,
    "all", or "last", the text after the last separator. `same`: whether the rest of the value is
    the same in each language. `repeatable`: whether it may be set more than once.
    """

    form: str
    words: str = ""
    same: bool = True
    repeatable: bool = False


SNIPPET_OPTIONS = {
    "highlight": Option("highlight: <text that stands in one line of the code>", repeatable=True),
    "note": Option(
        "note: <text that stands in one line of the code> | <what that line does>",
        words="last",
        repeatable=True,
    ),
    "write": Option(
        "write: <text that stands in one line of the code> | <what that line is to do>",
        words="last",
        repeatable=True,
    ),
    "figure": Option("figure: curve, grid, plot, strip, timeline, or trace"),
    "captions": Option(
        "captions: <one for each tensor of the grid, with | between them>", words="all", same=False
    ),
    "links": Option("links: <for each tensor its indices, as [i+a, j+b] * [a, b] = [i, j]>"),
    "lit": Option("lit: <the cell that is chosen at first: 1[0, 2] is of the first tensor>"),
    "alt": Option("alt: <what the plot shows, in words>", words="all", same=False),
    "caption": Option("caption: <what to notice in the figure>", words="all", same=False),
    "curve": Option("curve: <label of a printed number>, or <label> | <label of its slope>"),
    "words": Option("words: <label of the figure>=<in the language of the page> | ...", same=False),
    "lanes": Option("lanes: <how lines of the output begin, before a colon> | ..."),
    "back": Option("back: <the second lane of the timeline, which goes up>"),
    "across": Option("across: <the lane of what happens in all the others>"),
    "leads": Option("leads: <an event of the timeline>=<an anchor of this page> | ..."),
    "vary": Option(FORM, repeatable=True),
    "names": Option("names: plain, for a figure without PyTorch's names for nodes"),
    "passes": Option("passes: <the backward passes that the trace shows, as 1 or 2-3>"),
    "then": Option("then: <another version of PyTorch, as 1.12.1>", repeatable=True),
}
LESSONS = {
    "about": Option(
        "about: <a lesson, as in slope.en.md: slope> | <what a reader learns there>",
        words="last",
        repeatable=True,
    )
}
GUESS = {
    "ask": Option("ask: <what is to be guessed, in a few words>", words="all", same=False),
    "wrong": Option(
        "wrong: <a wrong answer that many give> | <the mistake behind it>",
        words="last",
        repeatable=True,
    ),
    "options": Option("options: <the answers to choose from, with | between them>"),
}
DO_THIS = {
    key: Option(f"{key}: <text that stands in one line of a script of the page>", repeatable=True)
    for key in ("before", "after")
} | {"also": Option("also: <another script of the book>", repeatable=True)}
PART = {"part": Option("part: <a part that stands in the file>")}
OPTIONS = {**SNIPPET_OPTIONS, **LESSONS, **GUESS, **DO_THIS, **PART}
"""The options of proofbook's own directives, each declared once: the scanner reads which words a
reader sees, the comparison of languages which parts must be the same, each directive its
options."""
