"""The elements around the text of each page: above it, a notice if it is not translated; below its
title, its place in the book; at the end of a section, what tests tried against it; at the end of
the page, its other formats, and the versions of PyTorch with which its code was run."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence

from proofbook.html.tree import Tree, element
from proofbook.model.config import Language, in_language

_NOTICE = {
    "zh": "这一页还没有译成中文，下面是原文（{}）。",
    "en": "This page is not translated yet. It is in {}.",
}
_TAKE_ALONG = {
    "zh": {
        "label": "带走这一页",
        "notebook": "下载为 Jupyter 笔记本",
        "colab": "在 Colab 打开",
        "markdown": "Markdown",
    },
    "en": {
        "label": "Take this page along",
        "notebook": "Download as a Jupyter notebook",
        "colab": "Open in Colab",
        "markdown": "Markdown",
    },
}
_END_OF_SECTION = ":is(h1, h2, h3, h4, h5, h6)[id], .footnote"
_RUN_WITH = {
    "zh": {
        "same": "这一页的代码在 PyTorch {versions} 上运行过，打印的都一样。",
        "other": "这一页的代码在 PyTorch {versions} 上运行过；打印不同的，写在那段代码下面。",
        "between": "、",
    },
    "en": {
        "same": "The code of this page was run with PyTorch {versions}; they all print the same.",
        "other": "The code of this page was run with PyTorch {versions}; "
        "where one of them prints something else, that stands below the code.",
        "between": ", ",
    },
}


def notice(language: Language, edition: str) -> str:
    """The HTML of the box above a page that is shown in the edition of another language."""
    if language.code == edition:
        return ""
    name = f'<span lang="{language.code}">{html.escape(language.name, quote=False)}</span>'
    text = in_language(_NOTICE, edition).format(name)
    return f'<div class="admonition note untranslated" data-search-exclude><p>{text}</p></div>'


def show_where(tree: Tree, where: str) -> None:
    """Put a line below the title of the page."""
    heading = tree.css_first("h1")
    if where and heading:
        attributes = {"class": "where", "data-search-exclude": None}
        heading.insert_after(element(tree, "div", attributes, where), move=True)


def show_tried(tree: Tree, tried: Mapping[str, tuple[str, Mapping[str, str]]]) -> None:
    """Add an expandable line at the end of each attacked section.

    `tried`: by the anchor of the section, the words of the line, and the names of the tests, each
    with its address or "".
    """
    for anchor, (words, tests) in tried.items():
        if not (heading := tree.css_first(f'[id="{anchor}"]')):
            continue
        words = re.sub("`([^`]+)`", r"<code>\1</code>", html.escape(words, quote=False))
        items = []
        for test, address in tests.items():
            code = f"<code>{html.escape(test)}</code>"
            items.append(f'<a href="{html.escape(address)}">{code}</a>' if address else code)
        line = element(tree, "details", {"class": "tried", "data-search-exclude": None})
        line.inner_html = f"<summary>{words}</summary><ul><li>{'<li>'.join(items)}</ul>"
        last = heading
        while (after := last.next) and not (
            after.is_element_node and after.css_matches(_END_OF_SECTION)
        ):
            last = after
        last.insert_after(line, move=True)


def take_along(addresses: Mapping[str, str | None], language: str) -> str:
    """The HTML of the line with links to the page's other formats.

    `addresses`: by format, `notebook`, `colab`, `markdown`; None for a missing one.
    """
    words = in_language(_TAKE_ALONG, language)
    links = []
    for what, address in addresses.items():
        if address:
            download = " download" if what == "notebook" else ""
            links.append(f'<a href="{html.escape(address)}"{download}>{words[what]}</a>')
    if not links:
        return ""
    inside = '<span aria-hidden="true"> · </span>'.join(links)
    return f'<nav class="take" aria-label="{words["label"]}" data-search-exclude>{inside}</nav>'


def run_with(versions: Sequence[str], other: bool, language: str) -> str:
    """The HTML of the line with the versions of PyTorch with which the page was run.

    `other`: whether one of them prints another output. Empty if there is only one version.
    """
    if len(versions) < 2:
        return ""
    words = in_language(_RUN_WITH, language)
    text = words["other" if other else "same"].format(versions=words["between"].join(versions))
    return f'<p class="run-with" data-search-exclude>{html.escape(text, quote=False)}</p>'
