"""Links each number or message that a run proves to the line of the run, in a page's tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from proofbook.html.code_lines import lines_of
from proofbook.html.tree import (
    NOT_LINKED,
    Node,
    Tree,
    element,
    nodes_outside,
    only_text,
    split_text,
    wrap,
)
from proofbook.html.value_markers import (
    CLOSE,
    NUMBERED,
    OPEN,
    PageValueLinks,
    line_id,
    normalized,
)
from proofbook.maths.numbers import Evidence
from proofbook.model.config import in_language
from proofbook.model.snippet import VARIED

_MARKERS = re.compile(f"({OPEN}\\d+{NUMBERED}|{CLOSE})")
_NUMBER = re.compile(r"[\d.]+")
_TITLES = {
    "zh": {
        "code": "出自 {name} 第 {line} 行代码",
        "out": "运行证明：{name} 第 {line} 行输出",
        "varied": "运行证明：{name} 在 {part} 时的输出；点一下，图就变成这一次",
        "older": "运行证明：{name} 在 PyTorch {part} 上的第 {line} 行输出",
    },
    "en": {
        "code": "From line {line} of {name}",
        "out": "Proved by line {line} of what {name} prints",
        "varied": "Proved by what {name} prints with {part}; a click shows that run",
        "older": "Proved by line {line} of what {name} prints with PyTorch {part}",
    },
}


@dataclass(frozen=True)
class Proof:
    """The line that proves a value: its address, relative to the page, and its title for the
    reader.

    `values`: the numbers of the run that printed it, if these aren't the script's own.
    """

    address: str
    title: str
    values: str = ""


FormulaProofs = Mapping[float, Sequence[Proof | None]]
"""The numbers of a formula, each with its proof, once for each occurrence."""


@dataclass(frozen=True)
class PlacedLinks:
    """The value links of a page, as `link_values` writes them.

    `marked`: by the numbers of the markers. `formulas` and `line_ids`: as in `PageValueLinks`.
    """

    marked: Sequence[Proof] = ()
    formulas: Mapping[str, Sequence[FormulaProofs]] = field(default_factory=dict)
    line_ids: Mapping[tuple[str, str, int], str] = field(default_factory=dict)


def placed(links: PageValueLinks, language: str, address: Callable[[str], str]) -> PlacedLinks:
    """The value links of a page at its place. `address`: of another page by its file, relative to
    this one."""

    def proof(evidence: Evidence) -> Proof:
        file, own = evidence.snippet.page, evidence.snippet.page == links.file
        title, part = link_title(evidence, language), evidence.text.part
        varied = part.startswith(VARIED)
        line = f"#{evidence.snippet.figure if varied else line_id(evidence)}"
        values = part.removeprefix(VARIED) if varied else ""
        return Proof(f"{'' if own else address(file)}{line}", title, values)

    formulas = {
        latex: [
            {number: [e and proof(e) for e in known] for number, known in numbers.items()}
            for numbers in found
        ]
        for latex, found in links.formulas.items()
    }
    return PlacedLinks([proof(link.evidence) for link in links.links], formulas, links.line_ids)


def link_values(tree: Tree, links: PlacedLinks) -> None:
    """Turn the markers on a page and the numbers in its formulas into links, and set an id on each
    line of code or output to which a value link points.

    Existing links stay as they are; headings and titles too, with their markers.
    """

    def link(proof: Proof) -> Node:
        attributes = {
            "class": "run",
            "href": proof.address,
            "target": "_self",  # Material handles a link without one, and highlights no line
            "title": proof.title,
        }
        if proof.values:
            attributes["data-values"] = proof.values
        return element(tree, "a", attributes)

    places = nodes_outside(tree, NOT_LINKED)
    linked_formulas = {node.mem_id for node in places if node.tag == "math"}
    formulas = {latex: iter(found) for latex, found in links.formulas.items()}
    for math in tree.css("math"):
        annotation = math.css_first("annotation")
        if annotation is None:
            continue
        numbers = next(formulas.get(normalized(annotation.text()), iter(())), {})
        if math.mem_id in linked_formulas:  # one that isn't linked counts as well
            _link_numbers(tree, math, numbers, link)
    marked = [node for node in places if node.is_text_node and _MARKERS.search(node.text_content)]
    for marker, number in [each for node in marked for each in _split_at_markers(node)]:
        _link_marked(marker, links.marked[number], link)
    _number_lines(tree, links.line_ids)


def link_title(evidence: Evidence, language: str) -> str:
    """The proof of a value, in the words of a reader."""
    part, name = evidence.text.part, evidence.snippet.script.rpartition("/")[2]
    titles = in_language(_TITLES, language)
    kind = "varied" if part.startswith(VARIED) else "older"
    title = titles[part if part in ("code", "out") else kind]
    part = part.removeprefix(VARIED).replace(VARIED, ", ").replace("=", " = ")
    return title.format(part=part, name=name, line=evidence.line)


def _link_numbers(
    tree: Tree, math: Node, numbers: FormulaProofs, link: Callable[[Proof], Node]
) -> None:
    """Link a formula to the line that proves the first of its numbers, and mark each proved number
    that occurs as often as in its LaTeX. A number proved by another line has its own title, and the
    address of that line for a script.

    A screen reader reads a formula as a whole, so it is one link, and contains none.
    """
    found = [(node, only_text(node) or "") for node in math.css("mn")] if numbers else []
    found = [(node, float(text)) for node, text in found if _NUMBER.fullmatch(text)]
    values = [value for _, value in found]
    left = {n: iter(known) for n, known in numbers.items() if len(known) == values.count(n)}
    first = None
    for node, value in found:
        if proof := next(left.get(value, iter(())), None):
            first = first or proof
            attributes = {"class": "proved"}
            if proof != first:
                attributes |= {"title": proof.title, "data-to": proof.address}
            wrap([node.first_child], element(tree, "span", attributes))
    if first:
        wrap([math], link(first))


def _split_at_markers(node: Node) -> list[tuple[Node, int]]:
    """Put each marker of a text into a node of its own; returns the opening ones, with the number
    of the link."""
    parts = [part for part in _MARKERS.split(node.text_content) if part]
    nodes = zip(split_text(node, parts), parts, strict=True)
    return [(piece, int(part[1:-1])) for piece, part in nodes if part.startswith(OPEN)]


def _link_marked(marker: Node, proof: Proof, link: Callable[[Proof], Node]) -> None:
    """Link the nodes between an opening marker and the closing one next to it."""
    inside: list[Node] = []
    node = marker.next
    while node and node.text_content != CLOSE:
        inside.append(node)
        node = node.next
    if node and inside and not any(one.is_element_node and one.css("a") for one in inside):
        wrap(inside, link(proof))


def _number_lines(tree: Tree, ids: Mapping[tuple[str, str, int], str]) -> None:
    """Set these ids on their lines, in the first block that shows the code or the output."""
    wanted: dict[tuple[str, str], dict[int, str]] = {}
    for (script, part, line), name in ids.items():
        wanted.setdefault((script, part), {})[line] = name
    script = ""
    for block in tree.css("div.highlight") if wanted else ():
        title, code = block.css_first("span.filename"), block.css_first("pre > code")
        name = title.text() if title else ""
        if "output" in (block.attributes["class"] or "").split():
            part = name.removeprefix("PyTorch ") or "out"
        else:
            script, part = name, "code"
        named = wanted.pop((script, part), {}) if code else {}
        for number, nodes in enumerate(lines_of(code) if named else (), 1):
            if number in named:
                wrap(nodes, element(tree, "samp", {"id": named[number]}))
