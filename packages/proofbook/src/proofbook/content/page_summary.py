"""The title of a page and its answer in plain text, for previews of the page elsewhere.

Search engines, link previews in chats, and lists of pages show no code font and no formula.
"""

from __future__ import annotations

import ast
import contextlib
import platform
import posixpath
import re
from collections.abc import Sequence
from itertools import pairwise

from proofbook.api.index import NOT_PYTHON
from proofbook.markdown.spans import Span
from proofbook.model.book import Book
from proofbook.model.cache import package_of, title_of
from proofbook.model.page import Page

HOME = {"zh": "首页", "en": "Home"}
"""The title of the first page in the navigation; its own title is the site's."""

SHORT_NAME = "short"
"""The key in the front matter of the first page of a part: the name of the part in menus."""

WIDTH = 160
"""The maximum width of an answer shown elsewhere, in halves of a Chinese character."""

SHORT = 60
"""A shorter answer says little alone: "They add up." is followed by the next sentence."""

_EMPHASIS = re.compile(r"(\*\*|__|\*)(?=\S)(.+?)(?<=\S)\1")
_ESCAPED = re.compile(r"\\([\\`*_{}\[\]()#+.!|-])")
_KEPT = re.compile(r"\0(\d+)\0")
_LATEX = (
    (re.compile(r"\\t?frac\{([^{}]*)\}\{([^{}]*)\}"), r"\1/\2"),
    (re.compile(r"\\(?:text|mathrm|operatorname|mathbf)\{([^{}]*)\}"), r"\1"),
    (re.compile(r"\\(?:times|cdot)\b"), "×"),
    (re.compile(r"\\(?:approx)\b"), "≈"),
    (re.compile(r"\\(?:le|leq)\b"), "≤"),
    (re.compile(r"\\(?:ge|geq)\b"), "≥"),
    (re.compile(r"\\(?:partial)\b ?"), "∂"),
    (re.compile(r"\\(?:infty)\b"), "∞"),
    (re.compile(r"\\[,;: ]|[{}]"), " "),
    (re.compile(r"\\([A-Za-z]+)"), r"\1"),
)
_IN_BOLD = re.compile(r"\*\*(?=\S)(?:`[^`]*`|[^*`])+(?:(?<=[.!?。！？])\*\*|\*\*[.!?。！？])")
_NO_PARAGRAPH = ("heading", "directive", "box", "fence", "row")
# Not within a bracket, or before a small letter: "i.e. this".
_SENTENCE = re.compile(r"[。！？](?![”」』）])|[.!?](?= +[^a-z ])|[.!?。！？]$")


def title(page: Page) -> str:
    """The title of a page, with its code in backticks; empty where it has none."""
    heading = _heading(page)
    return heading.content if heading else ""


def packages_of(page: Page, book: Book) -> list[str]:
    """The installed packages that the scripts of a page import, in the order of the page."""
    scripts = [r.path for r in page.references if r.path.endswith(".py")]
    modules = dict.fromkeys(m for script in scripts for m in book.fact(_imported, script))
    return list(dict.fromkeys(filter(None, map(package_of, modules))))


def software(packages: Sequence[str], between: str) -> str:
    """What printed the outputs of scripts that import these packages, with the versions."""
    return between.join(map(title_of, packages)) or f"Python {platform.python_version()}"


def _imported(book: Book, script: str) -> tuple[str, ...]:
    """The modules that a script imports, by their first names."""
    names: list[str] = []
    with contextlib.suppress(*NOT_PYTHON):
        for node in ast.walk(ast.parse(book.text_or_empty(script))):
            if isinstance(node, ast.Import):
                names += (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names.append(node.module or "")
    return tuple(dict.fromkeys(name.partition(".")[0] for name in names))


def short_name(page: Page) -> str:
    """The name of a part of the book, of which `page` is the first: its `short`, or its title."""
    return front_matter_value(page, SHORT_NAME) or title(page)


def front_matter_value(page: Page, key: str) -> str:
    """The value of a key in the front matter of a page; empty where it has none."""
    pattern = re.compile(rf"(?m)^{key}: (.*\S)")
    found = (pattern.search(page.text, b.start, b.end) for b in page.spans_of("front-matter"))
    return next((match[1] for match in found if match), "")


def answer(page: Page) -> str:
    """The answer of a page in plain text: a sentence, and following ones while they fit.

    It is the first whole sentence in bold in the paragraphs below the title, so that a page may
    begin with a question; otherwise the first sentence. The opening page of a part has no answer:
    its bold text is labels. A sentence that only introduces the next block (it ends in a colon) is
    left out. Empty if no text follows the title directly.
    """
    if not (heading := _heading(page)):
        return ""
    below = heading.end + len(page.text[heading.end :]) - len(page.text[heading.end :].lstrip())
    paragraph = next((r for r in page.scanned.regions if r.start == below), None)
    begins_there = [span.kind for span in page.spans if span.start == below]
    if (
        not paragraph
        or page.text[below] == "|"
        or {"heading", "box", "row", "html-block", "tag"} & set(begins_there)
    ):
        return ""
    start, end = _bold(page, below) or (paragraph.start, paragraph.end)
    said = ""
    for sentence in _sentences(page, start, end):
        longer = said + sentence
        pointing = sentence.rstrip().endswith((":", "："))
        if said and (pointing or (width(longer) > WIDTH and width(said) > SHORT)):
            break
        said = longer
    return said.strip()


def _bold(page: Page, below: int) -> tuple[int, int] | None:
    """The start of the first sentence in bold, and the end of its paragraph, in the paragraphs from
    a place of the text on; None if there are none."""
    if posixpath.basename(page.name) == "index":
        return None
    blocks = (span for span in page.spans if span.kind in _NO_PARAGRAPH and span.start > below)
    until = min((block.start for block in blocks), default=len(page.text))
    for region in page.scanned.regions:
        within = below <= region.start < until
        if within and (found := _IN_BOLD.search(page.text, region.start, region.end)):
            return found.start(), region.end
    return None


def _heading(page: Page) -> Span | None:
    return next((s for s in page.spans_of("heading") if s.name == "1"), None)


def _sentences(page: Page, start: int, end: int) -> list[str]:
    """The sentences of a paragraph in plain text; a point within code doesn't end one."""
    kept: list[str] = []
    changes: list[tuple[int, int, str]] = []
    for span in page.spans:
        if not start <= span.start < end:
            continue
        if span.kind in ("code", "maths"):
            kept.append(span.content if span.kind == "code" else unlatexed(span.content))
            changes.append((span.start, span.end, f"\0{len(kept) - 1}\0"))
        elif span.kind in ("link", "image"):
            changes.append((span.start, span.content_start, ""))
            changes.append((span.content_end, span.end, ""))
        elif span.kind in ("tag", "attributes", "footnote", "comment"):
            changes.append((span.start, span.end, ""))
    parts, at = [], start
    for first, last, instead in sorted(changes):
        if first >= at:
            parts += [page.text[at:first], instead]
            at = last
    text = _EMPHASIS.sub(r"\2", "".join([*parts, page.text[at:end]]))
    text = re.sub(r"\s+", " ", _ESCAPED.sub(r"\1", text))
    ends = [found.end() for found in _SENTENCE.finditer(text)]
    if not ends or ends[-1] < len(text.rstrip()):
        ends.append(len(text))
    sentences = [text[first:last] for first, last in pairwise([0, *ends])]
    return [_KEPT.sub(lambda n: kept[int(n[1])], sentence) for sentence in sentences]


def unlatexed(formula: str) -> str:
    """A short formula as typed: `48 + 12 = 60`."""
    for pattern, instead in _LATEX:
        formula = pattern.sub(instead, formula)
    return " ".join(formula.split())


def width(text: str) -> int:
    """The width of a text: a Chinese character counts twice."""
    return sum(2 if ord(character) > 0x2E7F else 1 for character in text)
