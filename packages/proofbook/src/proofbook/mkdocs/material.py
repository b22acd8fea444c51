"""Changes to Material for MkDocs: to its settings, and to the files that it wrote into a site."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig

from proofbook.html.tree import Tree, element, prepend
from proofbook.model.config import in_language
from proofbook.model.problem import Problem, format_problems
from proofbook.model.temporary import write_text

_UNPROVED = {
    "zh": "这一页现在有没被证明的地方",
    "en": "Something on this page doesn't hold right now",
}
_OWN_STYLES = "assets/book.css"
_SHEETS = "assets/stylesheets/*.min.css"
_TABS = "__tabbed_"
_SCRIPT = re.compile(r"<script>(.+?)</script>", re.DOTALL)


def fit_for_files(config: MkDocsConfig) -> None:
    """Change the settings for a book that is read from the file system, without a host."""
    offline = config.plugins.get("material/offline")
    if offline and offline.config.enabled:
        # From the file system a browser fetches no page; the shim is local, not from a CDN.
        features = config.theme["features"]
        config.theme["features"] = [x for x in features if not x.startswith("navigation.instant")]
        config.extra["polyfills"] = ["assets/iframe-worker.js"]


def one_style_sheet(site: Path) -> None:
    """Merge the style sheets of Material into the book's, if it has one: two requests fewer for
    each page. Comments and indentation of the book's are removed."""
    own = site / _OWN_STYLES
    if own.is_file():
        sheets = [sheet.read_text("utf-8") for sheet in sorted(site.glob(_SHEETS))]
        texts = [re.sub(r"/\*# source.*?\*/", "", text) for text in sheets]
        without = re.sub(r"(?s)/\*.*?\*/", "", own.read_text("utf-8"))
        texts.append(re.sub(r"\n\s+", "\n", without))
        own.write_text("\n".join(texts), "utf-8")


def without_inline_scripts(output: str, site: Path, root: str) -> str:
    """A page whose scripts are in a file of the `site`, so that a host may forbid all others; it
    stands where the last of them stood. `root`: the address of the site, from the page."""
    # Material's choice of tabs from the address: most pages have none.
    scripts = [s for s in _SCRIPT.findall(output) if _TABS not in s or output.count(_TABS) > 1]
    if not scripts:
        return _SCRIPT.sub("", output)
    text = "\n".join(scripts)
    name = f"assets/javascripts/{hashlib.sha256(text.encode()).hexdigest()[:12]}.js"
    if not (site / name).exists():
        write_text(site / name, text)
    before, _, after = output.rpartition(f"<script>{scripts[-1]}</script>")
    joined = f'{before}<script src="{root}{name}"></script>{after}'
    return _SCRIPT.sub("", joined)


def with_problems(output: str, problems: Sequence[Problem], language: str) -> str:
    """The HTML of a page of the served site with problems at its top."""
    tree = Tree(output)
    box = element(tree, "div", {"class": "admonition failure", "role": "alert"})
    for tag, attributes, text in (
        ("p", {"class": "admonition-title"}, in_language(_UNPROVED, language)),
        ("pre", {"lang": "en"}, format_problems(problems)),
    ):
        box.insert_child(element(tree, tag, attributes, text), move=True)
    prepend(tree.css_first("article"), box)
    return tree.html
