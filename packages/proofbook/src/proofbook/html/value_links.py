"""Links each number or message that a run proves to the line that proves it, in a page's tree."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from proofbook.check.numbers import Evidence
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
from proofbook.model.config import in_language

_MARKERS = re.compile(f"({OPEN}\\d+{NUMBERED}|{CLOSE})")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_NUMBER = re.compile(r"[\d.]+")
_TITLES = {
    "zh": {
        "code": "出自 {name} 第 {line} 行代码",
        "out": "运行证明：{name} 第 {line} 行输出",
        "older": "运行证明：{name} 在 PyTorch {part} 上的第 {line} 行输出",
    },
    "en": {
        "code": "From line {line} of {name}",
        "out": "Proved by line {line} of what {name} prints",
        "older": "Proved by line {line} of what {name} prints with PyTorch {part}",
    },
}


@dataclass(frozen=True)
class Proof:
    """The line that proves a value: its address, seen from the page, and what a reader is told."""

    address: str
    title: str


FormulaProofs = Mapping[float, Sequence[Proof | None]]
"""The numbers of a formula, each with what proves it, once for each time it stands there."""


@dataclass(frozen=True)
class PlacedLinks:
    """The value links of a page, as `link_values` writes them.

    `marked`: by the numbers of the markers. `formulas` and `line_ids`: as in `PageValueLinks`.
    """

    marked: Sequence[Proof] = ()
    formulas: Mapping[str, Sequence[FormulaProofs]] = field(default_factory=dict)
    line_ids: Mapping[tuple[str, str, int], str] = field(default_factory=dict)


def placed(links: PageValueLinks, language: str, address: Callable[[str], str]) -> PlacedLinks:
    """The value links of a page, where it lies. `address`: of another page by its file, seen from
    this one."""

    def proof(evidence: Evidence) -> Proof:
        page = "" if evidence.snippet.page == links.file else address(evidence.snippet.page)
        return Proof(f"{page}#{line_id(evidence)}", link_title(evidence, language))

    formulas = {
        latex: [
            {number: [e and proof(e) for e in known] for number, known in numbers.items()}
            for numbers in found
        ]
        for latex, found in links.formulas.items()
    }
    return PlacedLinks([proof(link.evidence) for link in links.links], formulas, links.line_ids)


def link_values(tree: Tree, links: PlacedLinks) -> None:
    """Make links of the markers on a page and of the numbers in its formulas, and give an id to
    each line of code or output to which a value link leads.

    What is a link already stays that link; headings and titles stay as they are, with their
    markers.
    """

    def link(proof: Proof) -> Node:
        attributes = {
            "class": "run",
            "href": proof.address,
            "target": "_self",  # Material takes over a link without a target; the line isn't lit
            "title": proof.title,
        }
        return element(tree, "a", attributes)

    places = nodes_outside(tree, NOT_LINKED)
    linked_formulas = {node.mem_id for node in places if node.tag == "math"}
    formulas = {latex: iter(found) for latex, found in links.formulas.items()}
    for math in tree.css("math"):
        annotation = math.css_first("annotation")
        if annotation is None:
            continue
        numbers = next(formulas.get(normalized(annotation.text()), iter(())), {})
        if math.mem_id in linked_formulas:  # one that isn't linked has had its turn all the same
            _link_numbers(math, numbers, link)
    marked = [node for node in places if node.is_text_node and _MARKERS.search(node.text_content)]
    for marker, number in [each for node in marked for each in _split_at_markers(node)]:
        _link_marked(marker, links.marked[number], link)
    _number_lines(tree, links.line_ids)


def link_title(evidence: Evidence, language: str) -> str:
    """What proves a value, in the words of a reader."""
    part, name = evidence.text.part, evidence.snippet.script.rpartition("/")[2]
    titles = in_language(_TITLES, language)
    title = titles[part if part in ("code", "out") else "older"]
    return title.format(part=part, name=name, line=evidence.line)


def _link_numbers(math: Node, numbers: FormulaProofs, link: Callable[[Proof], Node]) -> None:
    """Link the numbers of a formula, as far as each stands there as often as in its LaTeX."""
    found = [(node, only_text(node) or "") for node in math.css("mn")] if numbers else []
    found = [(node, float(text)) for node, text in found if _NUMBER.fullmatch(text)]
    values = [value for _, value in found]
    left = {n: iter(known) for n, known in numbers.items() if len(known) == values.count(n)}
    for node, value in found:
        if proof := next(left.get(value, iter(())), None):
            wrap([node.first_child], link(proof))


def _split_at_markers(node: Node) -> list[tuple[Node, int]]:
    """Put each marker of a text into a node of its own; gives those that open, with the number of
    the link."""
    parts = [part for part in _MARKERS.split(node.text_content) if part]
    nodes = zip(split_text(node, parts), parts, strict=True)
    return [(piece, int(part[1:-1])) for piece, part in nodes if part.startswith(OPEN)]


def _link_marked(marker: Node, proof: Proof, link: Callable[[Proof], Node]) -> None:
    """Link what stands between an opening marker and the closing one beside it."""
    inside: list[Node] = []
    node = marker.next
    while node and node.text_content != CLOSE:
        inside.append(node)
        node = node.next
    if node and inside and not any(one.is_element_node and one.css("a") for one in inside):
        wrap(inside, link(proof))


def _number_lines(tree: Tree, ids: Mapping[tuple[str, str, int], str]) -> None:
    """Give these ids to their lines, in the first block that shows the code or the output."""
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
        for number, nodes in enumerate(_lines(code) if named else (), 1):
            if number in named:
                wrap(nodes, element(tree, "samp", {"id": named[number]}))


def _lines(code: Node) -> Iterator[list[Node]]:
    """The nodes of each line of a block of code, with its line end; a highlighted line is one
    element of the class `hll`, and its nodes are those within it."""
    line: list[Node] = []
    for child in list(code.iter(include_text=True)):
        if child.is_text_node:
            parts = _LINE.findall(child.text_content)
            for part, piece in zip(parts, split_text(child, parts), strict=True):
                line.append(piece)
                if part.endswith("\n"):
                    yield line
                    line = []
        elif child.attributes.get("class") == "hll":
            yield from _lines(child)
        else:
            line.append(child)
    if line:
        yield line
