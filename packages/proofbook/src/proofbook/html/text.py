"""The text of a page: links of names to their documentation, of terms to the glossary, of scripts
to their files; and marks for browsers and style sheets.

Style sheets leave no gap between code and its marks, and no line begins with the mark after
a formula. English is marked for screen readers on a page in another script (`lang="en"`): code and
its output, the titles of English threads, messages. A name in code font stays as it is: it is
a name in any language.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from itertools import takewhile

from proofbook.content.glossary import Terms, names_pattern, normalized
from proofbook.html.tree import (
    NOT_PROSE,
    Node,
    Tree,
    element,
    nodes_outside,
    only_text,
    replace_text,
    split_text,
    wrap,
)
from proofbook.model.config import in_language

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

_QUOTED = r"「[^「」]*」|“[^“”]*”|\"[^\"]*\"|《[^《》]*》"
_DOWNLOAD = {"zh": "下载 {name}", "en": "Download {name}"}


def first_sentence(text: str) -> str:
    """The first sentence of an explanation."""
    return re.split(r"(?<=。)|(?<=\.) (?=[A-Z`])", text)[0]


def link_names(tree: Tree, address: Callable[[str], str | None]) -> None:
    """Link the first occurrence of each piece of code that has an address.

    `address` returns the address for a piece of code, or None if it is not a name, or ambiguous.
    Headings, tables, titles and links are left unchanged.
    """
    linked: set[str] = set()
    seen: set[str | None] = {None, ""}
    for node in nodes_outside(tree, NOT_PROSE):
        if node.tag != "code" or node.attributes or (text := only_text(node)) in seen:
            continue
        seen.add(text)
        place = address(text)
        if place and place not in linked:
            linked.add(place)
            wrap([node], element(tree, "a", {"class": "api", "href": place}))


def link_terms(tree: Tree, terms: Terms, language: str, page: str, glossary: str) -> None:
    """Link the first use of each term to its place in the glossary.

    `page` is the page's name as in terms (`basics/leaf`): terms that it explains are not linked.
    `glossary` is the glossary's address, relative to the page. A link has the first sentence of the
    term's explanation, for a script. Code, maths, headings, tables,
    titles, links and quotations are left unchanged.
    """
    linked = {term.id for term in terms.all if term.page == page}
    says = {term.id: term.says for term in terms.all}
    # Common terms too, so that no shorter term is found within one of them.
    names = tuple((n, None if t.common else t.id) for t in terms.all for n in t.names(language))
    if not names:
        return
    pattern, ids = _finder(names)
    for node in nodes_outside(tree, NOT_PROSE):
        if not node.is_text_node:
            continue
        text, parts, at = node.text_content, [], 0
        for found in pattern.finditer(text):
            name = ids.get(normalized(found[0]))
            if name is None or name in linked:
                continue
            linked.add(name)
            attributes = {"class": "term", "href": f"{glossary}#{name}"}
            attributes["data-says"] = first_sentence(in_language(says[name], language))
            parts += [text[at : found.start()], element(tree, "a", attributes, found[0])]
            at = found.end()
        if parts:
            replace_text(node, [*parts, text[at:]])


@lru_cache(maxsize=8)
def _finder(names: tuple[tuple[str, str | None], ...]) -> tuple[re.Pattern, dict[str, str | None]]:
    """A pattern for quotations and the names of terms in a text, and the term of each name."""
    pattern = re.compile(
        f"{_QUOTED}|{names_pattern(name for name, _ in names).pattern}", re.IGNORECASE
    )
    return pattern, {normalized(name): term for name, term in names}


def link_scripts(tree: Tree, scripts: Mapping[str, str], language: str) -> None:
    """Add a download link to the title of each code block of one of `scripts`: their addresses,
    relative to the page, by their paths in the book."""
    for title in tree.css("span.filename"):
        script = only_text(title) or ""
        if script not in scripts:
            continue
        label = in_language(_DOWNLOAD, language).format(name=posixpath.basename(script))
        attributes = {"class": "take-script", "href": scripts[script], "download": None}
        attributes["title"] = label
        title.insert_child(element(tree, "a", attributes), move=True)


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
