"""Marks what a page quotes in English as English, for who has it read aloud: `lang="en"`.

Code and what it printed, the titles of English threads, messages. A name in code font stays as it
is: it is a name in any language.
"""

from __future__ import annotations

import re

from proofbook.html.tree import Tree, only_text

_LETTERS = {"zh": re.compile("[\u4e00-\u9fff]")}
"""The letters of the languages that nobody takes for English."""
_ELSEWHERE = 'a[href^="http"]:not([class]):not([lang])'
_WORD = re.compile("[A-Za-z]{2,}")
_MESSAGE = re.compile("[A-Za-z']{2,} [a-z']{2,} [a-z']{2,}")


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
        # Several words to elsewhere, none of them in the page's letters, are a title in English.
        words = link.text()
        if not _LETTERS[language].search(words) and len(_WORD.findall(words)) > 1:
            link.attrs["lang"] = "en"
