"""The options of proofbook's own directives, each declared once.

The scanner of pages reads from here which words a reader sees, the comparison of languages what is
the same in each, and each directive what it knows. A book declares those of its own directives
with the same class.
"""

from __future__ import annotations

from dataclasses import dataclass

from gradtrace.vary.variation import FORM


@dataclass(frozen=True)
class Option:
    """An option of a directive.

    `form`: how a page writes it. `words`: which part of its value a reader sees: "" for nothing,
    "all", or "last", what stands behind the last separator. `same`: whether the rest of the value
    is the same in each language. `repeatable`: whether it may be given more than once.
    """

    form: str
    words: str = ""
    same: bool = True
    repeatable: bool = False


SNIPPET = {
    "highlight": Option("highlight: <text that stands in one line of the code>", repeatable=True),
    "note": Option(
        "note: <text that stands in one line of the code> | <what that line does>",
        words="last",
        repeatable=True,
    ),
    "figure": Option("figure: grid, figure: trace, or figure: plot"),
    "captions": Option(
        "captions: <one for each matrix of the grid, with | between them>", words="all", same=False
    ),
    "alt": Option("alt: <what the plot shows, in words>", words="all", same=False),
    "words": Option("words: <label of the plot>=<in the language of the page> | ...", same=False),
    "vary": Option(FORM, repeatable=True),
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
PART = {"part": Option("part: <a part that stands in the file>")}
OPTIONS = {**SNIPPET, **LESSONS, **PART}
