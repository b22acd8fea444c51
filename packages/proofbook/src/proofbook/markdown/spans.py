"""What a page's Markdown is cut into: spans, each with its kind, its place and its parts."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_EXTERNAL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a page's text, `text[start:end]`, that the site renders as one thing.

    kind: what it is rendered as, and what `content`, `name` and `address` are for it

        front-matter, comment, html-block, indented-code
        fence       a fenced code block; name: its info string
        directive   a `:::` line; name: its path
        option      a line below it, without the words that a reader sees; name: its key
        heading     content: its text; name: its level, "1" to "6"
        box         the line that opens an admonition; content: its title; name: its kind
        row         a row of a table
        definition  `[label]: address`; name: the label
        code        content: the code, as it is written between the backticks
        maths       content: the LaTeX; `display` where it has a line of its own
        link, image content: the words between the brackets; address: where it leads
        autolink    `<https://...>`; address: the same
        footnote    `[^1]`; name: its label
        tag         an HTML tag within a paragraph
        attributes  an attribute list, `{ .class #id }`, where one is read

    `content_start` and `address_start` are places in the text of the page. `attributes` is the
    attribute list right behind the span, with its braces; `whole_end` is where that ends. `line`
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
        """Where the span ends together with the attribute list right behind it."""
        return self.end + len(self.attributes)

    @property
    def external(self) -> bool:
        """Whether a link leads out of the book: it names a protocol or a host."""
        return _EXTERNAL.match(self.address) is not None


SEPARATOR = " | "
"""What separates the words of an option from what they are about."""


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

    @property
    def then(self) -> list[str]:
        """The older versions of PyTorch whose output is shown too."""
        return [value for key, value, _ in self.options if key == "then"]

    @property
    def highlights(self) -> list[tuple[str, int]]:
        """The texts to highlight, each with the line of the page that asks for it."""
        return [(value, line) for key, value, line in self.options if key == "highlight"]

    def worded(self, key: str) -> list[tuple[str, str, int]]:
        """The options `key: <what it is about> | <words>`: those two, and the line of the page.

        Where nothing separates the two, the words are empty.
        """
        parts = [(v.rpartition(SEPARATOR), line) for k, v, line in self.options if k == key]
        return [
            (about.strip(), words.strip(), line) if cut else (words.strip(), "", line)
            for (about, cut, words), line in parts
        ]


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading with its level (1 to 6) and its explicit anchor, or None where it has none."""

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

    text: that of the page, with the marks of quotations blanked, each character where it was.
    definitions: the address of each `[label]: address`, by its label in small letters.
    not_prose: first and last lines of front matter, fences and directives. unclosed: the lines of
    fences that are never closed. within_comment: the lines of directives within a comment.
    """

    text: str
    spans: list[Span] = field(default_factory=list)
    regions: list[Region] = field(default_factory=list)
    references: list[Reference] = field(default_factory=list)
    headings: list[Heading] = field(default_factory=list)
    definitions: dict[str, str] = field(default_factory=dict)
    not_prose: list[tuple[int, int]] = field(default_factory=list)
    unclosed: list[int] = field(default_factory=list)
    within_comment: list[int] = field(default_factory=list)
