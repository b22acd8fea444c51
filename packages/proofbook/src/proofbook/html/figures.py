"""Figures in a page's tree: the player of recorded runs, and figures that scripts draw."""

from __future__ import annotations

from collections.abc import Mapping

from proofbook.directives.plot import fragment, rendered_labels
from proofbook.html.tree import Node, Tree, element, prepend, wrap

PLACEHOLDER = "data-plot"
"""The attribute of an element to be filled with the figure of the script that it names."""
CONTROLS = "data-controls"
"""Its attribute with the HTML of the controls above the figure, with which a reader changes
numbers."""
EARLIER = "data-earlier"
"""The attribute of a figure from before the last edit, which `mkdocs/live.js` finds."""


def add_player(tree: Tree, assets: str) -> None:
    """Add the style and the script of the player to a page with the figure of a recorded run, and
    the controls' script to one with variable numbers.

    `assets`: the address of the folder of the site's assets. Both are within the page's content:
    Material's instant navigation replaces that, and runs its scripts.
    """
    plots_vary = tree.css_first(f"[{CONTROLS}]") is not None
    if tree.css_first("figure.trace") is None and not plots_vary:
        return
    for figure in tree.css("figure.trace"):
        _beside_code(tree, figure)
    style = element(tree, "link", {"rel": "stylesheet", "href": f"{assets}trace.css"})
    prepend(tree.body, style)
    varies = plots_vary or tree.css_first("trace-vary") is not None
    scripts = ["trace.js", "trace-vary.js"] if varies else ["trace.js"]
    for name in scripts:
        tree.body.insert_child(element(tree, "script", {"src": f"{assets}{name}"}), move=True)


def _beside_code(tree: Tree, figure: Node) -> None:
    """Put a figure into one element with its code and the output of the code, so that a style can
    place them side by side."""
    above: list[Node] = []
    node = figure.prev
    while node is not None and not (node.is_element_node and node.tag not in ("div", "details")):
        above.insert(0, node)
        names = (node.attributes.get("class") or "").split() if node.is_element_node else []
        if "highlight" in names and "output" not in names:
            both = element(tree, "div", {"class": "traced"})
            wrap([*above, figure], both)
            wrap(above, element(tree, "div", {}))
            return
        node = node.prev


def awaited_figures(tree: Tree) -> list[str]:
    """The scripts whose figures a page needs."""
    return [node.attributes[PLACEHOLDER] or "" for node in tree.css(f"div[{PLACEHOLDER}]")]


def fill_figures(tree: Tree, figures: Mapping[str, str], earlier: bool = False) -> list[Node]:
    """Insert figures, SVG by the script that draws them; returns their elements.

    `earlier`: they were drawn before the last edit, and are marked so. A missing figure leaves its
    place empty: the error of its script is reported as a problem.
    """
    marks, filled = {EARLIER: ""} if earlier else {}, []
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
        picture = fragment(figures[script], script, labels, named)
        if controls := attributes.get(CONTROLS):
            figure.attrs["id"] = attributes["id"]
            picture = f"{controls}<varied-plot>{picture}</varied-plot>"
        figure.inner_html = picture
        # The picture itself says the same to a screen reader.
        caption = element(tree, "figcaption", {"aria-hidden": "true"}, attributes["aria-label"])
        figure.insert_child(caption, move=True)
        node.replace_with(figure, move=True)
        filled.append(figure)
    return filled
