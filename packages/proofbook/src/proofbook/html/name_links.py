"""Links the first code for each name to the documentation of what it names, in the page's tree."""

from __future__ import annotations

from collections.abc import Callable

from proofbook.html.tree import NOT_PROSE, Tree, element, nodes_outside, only_text, wrap


def link_names(tree: Tree, address: Callable[[str], str | None]) -> None:
    """Link the first code on the page that leads to an address.

    `address` gives the address for a piece of code, or None where it is no name, or nobody can tell
    which. Headings, tables, titles and links stay as they are.
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
