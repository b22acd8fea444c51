"""The prose of a page: what an author wrote in words, with code, maths and addresses left out."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from proofbook.model.page import Page

_NOT_PROSE = re.compile(
    r"""
      <!--.*?-->                                            # a comment
    | (?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)            # code
    | \$\$.*?\$\$ | (?<![\\$])\$(?!\s)[^$\n]+?(?<!\s)\$     # maths
    | \\\(.*?\\\) | \\\[.*?\\\]
    | (?<=\])\(\s*[^\s()]*(?:\([^\s()]*\)[^\s()]*)*\s*\)    # the address of a link
    | <https?:[^>\s]*> | </?[A-Za-z][^<>]*>                 # an address, a tag
    | (?:(?<=[)\]`*])|(?<=\ ))\{:?\ *[#.][^{}\n]*\}         # attributes
    """,
    re.VERBOSE | re.DOTALL,
)
_CODE = re.compile(r"<!--.*?-->|(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)", re.DOTALL)
# The title of a thread or an article is quoted: its words are not the author's.
_QUOTED = re.compile(
    r"""\[(?:[^\[\]]|\[[^\[\]]*\])*\](?=\(https?:)|「[^「」\n]*」|《[^《》\n]*》|“[^“”\n]*”|"[^"\n]*\""""
)
_OFFICIAL = ("(https://docs.pytorch.org/", "(https://pytorch.org/")
_BOX = re.compile(r" *(?:!!!|\?\?\?\+?) ")


@lru_cache(maxsize=512)
def prose(page: Page) -> str:
    """The text of the page with everything blanked that is not prose, each place where it was.

    Blanked are front matter, code, references to snippets, maths, addresses, tags and attributes.
    """
    lines = page.text.split("\n")
    for start, end in page.blocks:
        lines[start - 1 : end] = [" " * len(line) for line in lines[start - 1 : end]]
    return _NOT_PROSE.sub(_blank, "\n".join(lines))


@lru_cache(maxsize=512)
def without_code(page: Page) -> str:
    """The text of the page with blocks and code blanked: what is left may hold maths."""
    lines = page.text.split("\n")
    for start, end in page.blocks:
        lines[start - 1 : end] = [" " * len(line) for line in lines[start - 1 : end]]
    return _CODE.sub(_blank, "\n".join(lines))


@lru_cache(maxsize=512)
def own_words(page: Page) -> str:
    """The prose without what it quotes: titles of links to other sites, words in quotes."""
    text, told = page.text, list(prose(page))
    for quoted in _QUOTED.finditer(text):
        if quoted[0][0] == '"' and _BOX.match(text, text.rfind("\n", 0, quoted.start()) + 1):
            continue  # the title of a box is the author's own
        told[quoted.start() : quoted.end()] = _blank(quoted)
    return "".join(told)


def _blank(found: re.Match) -> str:
    return "".join(c if c == "\n" else " " for c in found[0])


@dataclass(frozen=True)
class Code:
    """A piece of code within the prose; `quoted` where it stands in somebody else's words."""

    text: str
    line: int
    quoted: bool


@lru_cache(maxsize=512)
def code(page: Page) -> tuple[Code, ...]:
    """The code that stands within the prose of a page."""
    lines = page.text.split("\n")
    for start, end in page.blocks:
        lines[start - 1 : end] = [" " * len(line) for line in lines[start - 1 : end]]
    text = "\n".join(lines)
    spans = [found for found in _NOT_PROSE.finditer(text) if found["ticks"]]
    masked = list(text)  # a quotation mark within code quotes nothing
    for span in spans:
        masked[span.start() : span.end()] = "x" * len(span[0])
    quoted = [
        range(*found.span())
        for found in _QUOTED.finditer("".join(masked))
        if not text.startswith(_OFFICIAL, found.end())
    ]
    told = []
    for span in spans:
        inner = " ".join(span[0].strip("`").split())
        line = text.count("\n", 0, span.start()) + 1
        told.append(Code(inner, line, any(span.start() in place for place in quoted)))
    return tuple(told)
