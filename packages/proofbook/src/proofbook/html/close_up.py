"""Marks code that stands beside punctuation, so that style sheets leave no gap between them."""

from __future__ import annotations

from proofbook.html.tree import Node, Tree

BEFORE, AFTER = "opens", "ends"
"""The classes of code behind an opening mark, and of code in front of a closing one."""

_OPENING = frozenset("([{（「『“‘《〈【")
_CLOSING = frozenset(")]}）」』”’》〉】,.;:!?，。；：、！？…'")
_AROUND = frozenset({"a", "b", "em", "i", "span", "strong"})


def close_up(tree: Tree) -> None:
    """Mark the code in the text of a page; not in the steps of a figure, of which those of other
    numbers take the place."""
    steps = {code.mem_id for code in tree.css("trace-player code")}
    for code in tree.css("code"):
        if code.parent.tag == "pre" or code.mem_id in steps:
            continue
        names = [code.attributes.get("class")]
        names += [BEFORE] * (_beside(code, "prev")[-1:] in _OPENING)
        names += [AFTER] * (_beside(code, "next")[:1] in _CLOSING)
        if len(names) > 1:
            code.attrs["class"] = " ".join(filter(None, names))


def _beside(node: Node, side: str) -> str:
    """The text right beside an element; what only puts the element in a link is no border."""
    while getattr(node, side) is None and node.parent.tag in _AROUND:
        node = node.parent
    found = getattr(node, side)
    return found.text_content or "" if found is not None and found.is_text_node else ""
