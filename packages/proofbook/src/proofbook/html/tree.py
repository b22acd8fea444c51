"""A page's HTML as a tree: parsed once, changed in place by small functions, written once.

The tree is lexbor's, by way of selectolax: an HTML5 parser, which parses the text as a browser
does, including unclosed elements, and preserves SVG and MathML.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from selectolax.lexbor import LexborHTMLParser as Tree
from selectolax.lexbor import LexborNode as Node

_HEADINGS = {f"h{level}" for level in range(1, 7)}
_QUOTED = {"iframe", "kbd", "math", "pre", "script", "style", "svg", "template", "textarea"}
NOT_LINKED = frozenset(
    {"a", "button", "caption", "figure", "select", "summary", *_HEADINGS, *_QUOTED}
)
"""Elements in which no links are inserted. The titles of boxes and of blocks of code are excluded
too; `nodes_outside` recognises them by their classes."""
NOT_PROSE = NOT_LINKED | {"code", "table"}
"""Elements whose text isn't a sentence of the author."""
_TITLES = frozenset({"admonition-title", "filename"})


def parse(html: str) -> Tree:
    """The tree of a page's content; its nodes are in `tree.body`."""
    return Tree(f"<!doctype html><body>{html}")


def serialize(tree: Tree) -> str:
    """The HTML of a page's content."""
    return tree.body.inner_html


def nodes_outside(tree: Tree, closed: frozenset[str]) -> list[Node]:
    """The texts and elements of a page outside of the elements `closed`, in their order.

    Of a closed element only the outermost one is in the list, not its children. The list is
    complete before anything changes, so the nodes in it may be replaced one after another.
    """
    found: list[Node] = []
    stack = _children(tree.body)[::-1]
    while stack:
        node = stack.pop()
        found.append(node)
        opened = node.is_element_node and node.tag not in closed
        if opened and _TITLES.isdisjoint(classes(node)):
            stack += _children(node)[::-1]
    return found


def classes(node: Node) -> list[str]:
    """The classes of an element."""
    return (node.attributes.get("class") or "").split()


def only_text(node: Node) -> str | None:
    """The text of an element that contains one text and nothing else; otherwise None."""
    child = node.first_child
    return child.text_content if child and child.is_text_node and child.next is None else None


def element(tree: Tree, tag: str, attributes: Mapping[str, str | None], text: str = "") -> Node:
    """A new element; an attribute without a value is None."""
    node = tree.create_node(tag)
    for name, value in attributes.items():
        node.attrs[name] = value
    if text:
        node.insert_child(text)
    return node


def wrap(nodes: Sequence[Node], outer: Node) -> None:
    """Replace neighbouring nodes by a new element that contains them."""
    nodes[0].insert_before(outer, move=True)
    for node in nodes:
        outer.insert_child(node, move=True)


def replace_text(node: Node, parts: Sequence[str | Node]) -> None:
    """Replace a text node by texts and new elements."""
    *first, last = (part for part in parts if part)
    for part in first:
        node.insert_before(part, move=not isinstance(part, str))
    node.replace_with(last, move=not isinstance(last, str))


def split_text(node: Node, parts: Sequence[str]) -> list[Node]:
    """Replace a text node by a node for each of its parts; returns these nodes."""
    if len(parts) < 2:
        return [node]
    nodes: list[Node] = []
    for part in parts[:-1]:
        node.insert_before(part)
        nodes.append(node.prev)
    node.replace_with(parts[-1])
    return [*nodes, nodes[-1].next]


def prepend(outer: Node, node: Node) -> None:
    """Insert a new element before all children of another one."""
    if first := outer.first_child:
        first.insert_before(node, move=True)
    else:
        outer.insert_child(node, move=True)


def renamed(node: Node, tag: str) -> Node:
    """Change the tag of an element, and nothing else in it; returns the new element."""
    new = element(node.parser, tag, node.attributes)
    for child in _children(node):
        new.insert_child(child, move=True)
    node.replace_with(new, move=True)
    return new


def inner_text(node: Node, without: Collection[str] = ()) -> str:
    """The text of an element, without elements named in `without` directly around it."""
    texts = (each for each in node.traverse(include_text=True) if each.is_text_node)
    return "".join(text.text_content for text in texts if text.parent.tag not in without)


def append_html(tree: Tree, html: str) -> None:
    """Append a piece of HTML to a page."""
    holder = tree.create_node("div")
    holder.inner_html = html
    for node in _children(holder):
        tree.body.insert_child(node, move=True)


def _children(node: Node) -> list[Node]:
    return list(node.iter(include_text=True))
