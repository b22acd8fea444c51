"""How much of a part a reader has read: kept by `reader.js` in the browser alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

from proofbook.html.tree import Tree, element
from proofbook.model.config import in_language

TAG = "reader-progress"
_WORDS = {
    "zh": {
        "label": "读过 {read} 页，共 {pages} 页",
        "next": "接着读第 {number} 课",
        "read": "读过",
    },
    "en": {
        "label": "{read} of {pages} lessons read",
        "next": "Go on with lesson {number}",
        "read": "read",
    },
}


def show_progress(
    tree: Tree,
    name: str,
    lessons: Sequence[tuple[str, str]],
    language: str,
    address: Callable[[str], str | None],
) -> None:
    """Put the bar of a part below the line that says where a page is.

    `name`: of the page, one of the lessons or the first page of the part. `lessons`: names and
    files. `address`: of another page by its file, relative to this one.
    """
    where = tree.css_first(".where")
    if where and lessons:
        known = [(lesson, "" if lesson == name else address(file)) for lesson, file in lessons]
        words = {f"data-{key}": text for key, text in in_language(_WORDS, language).items()}
        attributes = {"data-page": name, "data-lessons": json.dumps(known), **words}
        attributes["data-search-exclude"] = None
        where.insert_after(element(tree, TAG, attributes), move=True)
