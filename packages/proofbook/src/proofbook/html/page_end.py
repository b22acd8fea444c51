"""What stands below the text of each page: what to read on, and what the page can be taken as."""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Mapping

from proofbook.model.config import in_language

_READ_ON = {"zh": "接着读", "en": "Read on"}
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


def read_on(pages: Iterable[tuple[str, str]], language: str) -> str:
    """The HTML of the list of pages to read on, each given as its title and its address."""
    items = [f'<li><a href="{html.escape(to)}">{_inline(title)}</a></li>' for title, to in pages]
    if not items:
        return ""
    label = in_language(_READ_ON, language)
    return (
        f'\n<aside class="related" aria-label="{label}" data-search-exclude="true">'
        f"<p>{label}</p><ul>{''.join(items)}</ul></aside>"
    )


def take_along(addresses: Mapping[str, str | None], language: str) -> str:
    """The HTML of the line with links to what the page is besides HTML.

    `addresses`: by what they lead to, `notebook`, `colab`, `markdown`; None for what isn't there.
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


def _inline(title: str) -> str:
    """The HTML of a title; what stands between backticks is code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(title, quote=False))
