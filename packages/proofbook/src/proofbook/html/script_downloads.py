"""Links the title of each script on a page to its file, in the page's tree."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping

from proofbook.html.tree import Tree, element, only_text
from proofbook.model.config import in_language

_LABEL = {"zh": "下载 {name}", "en": "Download {name}"}


def link_scripts(tree: Tree, scripts: Mapping[str, str], language: str) -> None:
    """Put a link to download it into the title of each block of code that is one of `scripts`:
    their addresses, seen from the page, by their paths in the book."""
    for title in tree.css("span.filename"):
        script = only_text(title) or ""
        if script not in scripts:
            continue
        label = in_language(_LABEL, language).format(name=posixpath.basename(script))
        attributes = {"class": "take-script", "href": scripts[script], "download": None}
        attributes["title"] = label
        title.insert_child(element(tree, "a", attributes), move=True)
