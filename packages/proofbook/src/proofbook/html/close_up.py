"""Marks code and formulas that stand beside punctuation: style sheets leave no gap between code and
its marks, and no line begins with the mark that follows a formula."""

from __future__ import annotations

from itertools import takewhile

from proofbook.html.tree import Node, Tree, element, split_text, wrap

BEFORE, AFTER = "opens", "ends"
"""The classes of code behind an opening mark, and of code in front of a closing one."""
UNBROKEN = "unbroken"
"""The class of a formula with its marks. A browser may break a line between math and any mark."""

_OPENING = frozenset("([{（「『“‘《〈【")
_CLOSING = frozenset(")]}）」』”’》〉】,.;:!?，。；：、！？…'")
_AROUND = frozenset({"a", "b", "em", "i", "span", "strong"})


def close_up(tree: Tree) -> None:
    """Mark the code and the formulas in the text of a page; not in the steps of a figure, of which
    those of other numbers take the place."""
    steps = {code.mem_id for code in tree.css("trace-player code")}
    for code in tree.css("code"):
        if code.parent.tag == "pre" or code.mem_id in steps:
            continue
        names = [code.attributes.get("class")]
        names += [BEFORE] * (_beside(code, "prev")[-1:] in _OPENING)
        names += [AFTER] * (_beside(code, "next")[:1] in _CLOSING)
        if len(names) > 1:
            code.attrs["class"] = " ".join(filter(None, names))
    for formula in tree.css("span.formula"):
        _keep_with_marks(formula, tree)


def _keep_with_marks(formula: Node, tree: Tree) -> None:
    """Put a formula into one element with the opening mark before it and the marks that follow."""
    together = [formula]
    if (told := _text(formula.prev))[-1:] in _OPENING:
        together.insert(0, split_text(formula.prev, [told[:-1], told[-1]])[-1])
    told = _text(formula.next)
    if marks := "".join(takewhile(_CLOSING.__contains__, told)):
        together.append(split_text(formula.next, [marks, told[len(marks) :]])[0])
    if len(together) > 1:
        wrap(together, element(tree, "span", {"class": UNBROKEN}))


def _beside(node: Node, side: str) -> str:
    """The text right beside an element; what only puts the element in a link is no border."""
    while getattr(node, side) is None and node.parent.tag in _AROUND:
        node = node.parent
    return _text(getattr(node, side))


def _text(node: Node | None) -> str:
    """The text of a node of text; nothing of another one."""
    return node.text_content or "" if node is not None and node.is_text_node else ""
