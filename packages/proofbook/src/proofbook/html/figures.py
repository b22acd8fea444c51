"""Figures in a page's tree: the player of recorded runs, and figures that scripts draw."""

from __future__ import annotations

from collections.abc import Mapping

from proofbook.directives.plot import fragment, rendered_labels
from proofbook.html.tree import Tree, element, prepend

PLACEHOLDER = "data-plot"
"""The attribute of an element that waits for the figure of the script that it names."""
EARLIER = "data-earlier"
"""The attribute of a figure from before the last edit; `mkdocs/live.js` looks for it."""


def add_player(tree: Tree, assets: str) -> None:
    """Give a page with the figure of a recorded run the style and the script that play it.

    `assets`: the address of the folder of the site's assets. Both stand within the page's content:
    Material's instant navigation puts that in place of the old, and runs its scripts.
    """
    if tree.css_first("figure.trace") is None:
        return
    style = element(tree, "link", {"rel": "stylesheet", "href": f"{assets}trace.css"})
    prepend(tree.body, style)
    tree.body.insert_child(element(tree, "script", {"src": f"{assets}trace.js"}), move=True)


def awaited_figures(tree: Tree) -> list[str]:
    """The scripts of which a page waits for a figure."""
    return [node.attributes[PLACEHOLDER] or "" for node in tree.css(f"div[{PLACEHOLDER}]")]


def fill_figures(tree: Tree, figures: Mapping[str, str], earlier: bool = False) -> None:
    """Put figures, SVG by the script that draws them, in their places.

    `earlier`: they were drawn before the last edit, and are marked so. A figure that isn't there
    leaves its place empty: what is wrong with its script is a problem.
    """
    marks = {EARLIER: ""} if earlier else {}
    for node in tree.css(f"div[{PLACEHOLDER}]"):
        attributes = node.attributes
        script = attributes[PLACEHOLDER]
        if script not in figures:
            for name, value in marks.items():
                node.attrs[name] = value
            continue
        figure = element(tree, "figure", {"class": "plot", **marks})
        labels = rendered_labels(attributes["data-words"])
        named = {key: attributes[key] for key in ("role", "aria-label")}
        figure.inner_html = fragment(figures[script], script, labels, named)
        node.replace_with(figure, move=True)
