"""Changes to Material for MkDocs: to its settings, and to the files that it wrote into a site."""

from __future__ import annotations

import re
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig

from proofbook.html.tree import Tree, element, prepend
from proofbook.mkdocs.site_folder import write_atomically
from proofbook.model.config import BookConfig, in_language
from proofbook.model.page import language_of, name_of
from proofbook.model.problem import Problem, format_problems

_UNPROVED = {
    "zh": "这一页现在有没被证明的地方",
    "en": "Something on this page doesn't hold right now",
}
_OWN_STYLES = "assets/book.css"
_SHEETS = "assets/stylesheets/*.min.css"


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


def show_problems(problems: list[Problem], site: Path, config: BookConfig) -> None:
    """While serving, put the problems of each page at its top."""
    by_page: dict[tuple[str, str], list[Problem]] = {}
    for problem in problems:
        for page in problem.pages or [f"docs/index.{language}.md" for language in config.codes]:
            language = language_of(page) or config.default.code
            folder = name_of(page).removesuffix("index")
            by_page.setdefault((language, folder), []).append(problem)
    for (language, folder), here in by_page.items():
        prefix = config.prefix(language) if language in config.codes else ""
        file = site / prefix / folder / "index.html"
        if not file.is_file():
            continue
        tree = Tree(file.read_text("utf-8"))
        if article := tree.css_first("article"):
            box = element(tree, "div", {"class": "admonition failure", "role": "alert"})
            title = in_language(_UNPROVED, language)
            for tag, attributes, text in (
                ("p", {"class": "admonition-title"}, title),
                ("pre", {"lang": "en"}, format_problems(here)),
            ):
                box.insert_child(element(tree, tag, attributes, text), move=True)
            prepend(article, box)
            write_atomically(file, tree.html)
