"""Marks for browsers and style sheets: code and formulas next to punctuation, and English.

Style sheets leave no gap between code and its marks, and no line begins with the mark after
a formula. English is marked for screen readers on a page in another script (`lang="en"`): code and
its output, the titles of English threads, messages. A name in code font stays as it is: it is
a name in any language.
"""

from __future__ import annotations

import re
from itertools import takewhile

from proofbook.html.tree import Node, Tree, element, only_text, split_text, wrap

BEFORE, AFTER = "opens", "ends"
"""The classes of code after an opening mark, and of code before a closing one."""
UNBROKEN = "unbroken"
"""The class of a formula with its marks. A browser may break a line between math and any mark."""

_OPENING = frozenset("([{（「『“‘《〈【")
_CLOSING = frozenset(")]}）」』”’》〉】,.;:!?，。；：、！？…'")
_AROUND = frozenset({"a", "b", "em", "i", "span", "strong"})
_LETTERS = {"zh": re.compile("[\u4e00-\u9fff]")}
"""The scripts of the languages that cannot be mistaken for English."""
_WORD = re.compile("[A-Za-z]{2,}")
_MESSAGE = re.compile("[A-Za-z']{2,} [a-z']{2,} [a-z']{2,}")


def mark_punctuation(tree: Tree) -> None:
    """Mark the code and the formulas in the text of a page; not in the steps of a figure, which are
    replaced when a reader changes numbers."""
    steps = {code.mem_id for code in tree.css("trace-player code")}
    for code in tree.css("code"):
        if code.parent.tag == "pre" or code.mem_id in steps:
            continue
        names = [code.attributes.get("class")]
        names += [BEFORE] * (_next_to(code, "prev")[-1:] in _OPENING)
        names += [AFTER] * (_next_to(code, "next")[:1] in _CLOSING)
        if len(names) > 1:
            code.attrs["class"] = " ".join(filter(None, names))
    for formula in tree.css("span.formula"):
        _keep_with_marks(formula, tree)


def _keep_with_marks(formula: Node, tree: Tree) -> None:
    """Put a formula into one element with the opening mark before it and the marks that follow."""
    together = [formula]
    if (before := _text(formula.prev))[-1:] in _OPENING:
        together.insert(0, split_text(formula.prev, [before[:-1], before[-1]])[-1])
    after = _text(formula.next)
    if marks := "".join(takewhile(_CLOSING.__contains__, after)):
        together.append(split_text(formula.next, [marks, after[len(marks) :]])[0])
    if len(together) > 1:
        wrap(together, element(tree, "span", {"class": UNBROKEN}))


def _next_to(node: Node, side: str) -> str:
    """The text right next to an element; an element that only wraps it in a link is ignored."""
    while getattr(node, side) is None and node.parent.tag in _AROUND:
        node = node.parent
    return _text(getattr(node, side))


def _text(node: Node | None) -> str:
    """The text of a text node; empty for another one."""
    return node.text_content or "" if node is not None and node.is_text_node else ""


def mark_english(tree: Tree, language: str) -> None:
    """Mark the English on a page in a language that is not written in Latin letters."""
    if language not in _LETTERS:
        return
    for block in tree.css("div.highlight pre"):
        block.attrs["lang"] = "en"
    for code in tree.css("code"):
        quoted = not code.attributes and code.parent.tag != "pre" and only_text(code)
        if quoted and _MESSAGE.search(quoted):
            code.attrs["lang"] = "en"
    for link in tree.css('a[href^="http"]:not([class], [lang])'):
        # An external link of several words, none in the page's script, is a title in English.
        words = link.text()
        if not _LETTERS[language].search(words) and len(_WORD.findall(words)) > 1:
            link.attrs["lang"] = "en"
