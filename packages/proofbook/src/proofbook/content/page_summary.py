"""The title of a page and its answer in plain words, for those who show a page from outside.

A search engine, a chat that unfolds a link, a list of pages: they show no code font and no formula.
"""

from __future__ import annotations

import re

WIDTH = 160
"""How much of an answer is shown elsewhere, in halves of a Chinese character."""

SHORT = 60
"""An answer so short says little alone: "They add up." takes the next sentence, however long."""

_TITLE = re.compile(r"(?m)^# *(?P<title>.*?)(?: *\{[^}]*\})? *$")
_KEPT = re.compile(r"(?P<ticks>`+)(?P<code>.+?)(?P=ticks)|\$(?P<formula>[^$\n]+)\$")
_PLAIN = (
    (re.compile(r"!?\[((?:[^\[\]]|\[[^\[\]]*\])*)\]\([^()\s]*(?:\([^()]*\)[^()\s]*)*\)"), r"\1"),
    (re.compile(r"\{:? *[#.][^{}]*\}|</?[A-Za-z][^<>]*>|\[\^[^\]]*\]"), ""),
    (re.compile(r"(\*\*|__|\*)(?=\S)(.+?)(?<=\S)\1"), r"\2"),
    (re.compile(r"\\([\\`*_{}\[\]()#+.!|-])"), r"\1"),
    (re.compile(r"\s+"), " "),
)
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
# Not what stands within a bracket, or in front of a small letter: "i.e. this".
_SENTENCE = re.compile(r"[。！？](?![”」』）])|[.!?](?= +[^a-z ])|[.!?。！？]$")


def title(markdown: str) -> str:
    """The title of a page, with its code in backticks."""
    found = _TITLE.search(markdown)
    return found["title"] if found else ""


def answer(markdown: str) -> str:
    """What a page answers, in plain words: its first sentence, and those after it while they fit.

    A sentence that only points at what follows (it ends in a colon) is left out. Empty where no
    text stands directly below the title.
    """
    heading = _TITLE.search(markdown)
    below = markdown[heading.end() :].lstrip("\n") if heading else ""
    paragraph = re.split(r"\n[ \t]*\n", below, maxsplit=1)[0]
    if not paragraph or re.match(
        r" *(?:#|:::|!!!|\?\?\?|```|~~~|\||[-*+] |\d+\. |<|\$\$)", paragraph
    ):
        return ""
    told = ""
    for sentence in _sentences(paragraph):
        longer = told + sentence
        pointing = sentence.rstrip().endswith((":", "："))
        if told and (pointing or (width(longer) > WIDTH and width(told) > SHORT)):
            break
        told = longer
    return told.strip()


def _sentences(paragraph: str) -> list[str]:
    """The sentences of a paragraph in plain words; a point within code ends none."""
    kept: list[str] = []

    def keep(found: re.Match) -> str:
        kept.append(found["code"] or unlatexed(found["formula"]))
        return f"\0{len(kept) - 1}\0"

    text = _KEPT.sub(keep, paragraph)
    for pattern, instead in _PLAIN:
        text = pattern.sub(instead, text)
    ends = [found.end() for found in _SENTENCE.finditer(text)]
    if not ends or ends[-1] < len(text.rstrip()):
        ends.append(len(text))
    parts = [text[start:end] for start, end in zip([0, *ends[:-1]], ends, strict=True)]
    return [re.sub(r"\0(\d+)\0", lambda n: kept[int(n[1])], part) for part in parts]


def unlatexed(formula: str) -> str:
    """A short formula as one would type it: `48 + 12 = 60`."""
    for pattern, instead in _LATEX:
        formula = pattern.sub(instead, formula)
    return " ".join(formula.split())


def width(text: str) -> int:
    """How wide a text is: a Chinese character counts twice."""
    return sum(2 if ord(character) > 0x2E7F else 1 for character in text)
