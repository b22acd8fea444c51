"""Value links: the values on a page that link to the proving line of a run.

`find_value_links` finds the targets of the statements of a page. `with_markers` encloses the
statements in the Markdown of the page in three characters without a meaning in Markdown, and
`link_values` turns them into links in its HTML. Expansions of a page for other uses, such as a test
or a notebook, contain no marker.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from proofbook.html.code import lines_of
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
from proofbook.maths.numbers import Evidence, Statement, evidence_on_page
from proofbook.model.book import Book
from proofbook.model.config import in_language
from proofbook.model.snippet import VARIED

OPEN, NUMBERED, CLOSE = "\ue000", "\ue001", "\ue002"  # for private use, says Unicode
"""A marker is OPEN, the number of a link, NUMBERED, the linked text, CLOSE."""
_MARKERS = re.compile(f"({OPEN}\\d+{NUMBERED}|{CLOSE})")
_CALL = re.compile(r"(?!(?:torch\.)?tensor\()[a-z_.]+\(")
_NUMBER = re.compile(r"[\d.]+")
_TITLES = {
    "zh": {
        "out": "运行证明：{name} 第 {line} 行输出",
        "varied": "运行证明：{name} 在 {part} 时的输出；点一下，图就变成这一次",
        "older": "运行证明：{name} 在 PyTorch {part} 上的第 {line} 行输出",
    },
    "en": {
        "out": "Proved by line {line} of what {name} prints",
        "varied": "Proved by what {name} prints with {part}; a click shows that run",
        "older": "Proved by line {line} of what {name} prints with PyTorch {part}",
    },
}


FormulaNumbers = dict[float, list[Evidence | None]]
"""The numbers of a formula without their signs, each with its proof, once for each occurrence."""


@dataclass
class PageValueLinks:
    """The value links of one page, and the ids of its lines to which such links point.

    `links`: of places in its text, each with its start, its end, and its proof. `formulas`: by
    LaTeX, the proofs of the numbers of a formula, for each of its occurrences.
    `line_ids`: by script, part ("code", "out", or an older version of PyTorch), and number of the
    line, from 1.
    """

    file: str = ""
    text: str = ""
    links: list[tuple[int, int, Evidence]] = field(default_factory=list)
    formulas: dict[str, list[FormulaNumbers]] = field(default_factory=dict)
    line_ids: dict[tuple[str, str, int], str] = field(default_factory=dict)

    def evidence(self) -> Iterator[Evidence]:
        """The targets of the links of the page."""
        yield from (evidence for *_, evidence in self.links)
        for formulas in self.formulas.values():
            for numbers in formulas:
                yield from (
                    evidence for known in numbers.values() for evidence in known if evidence
                )

    def with_markers(self, markdown: str) -> str:
        """The Markdown of the page, with or without its front matter, with markers in it.

        A text that has changed since it was read is left unchanged.
        """
        if not self.text.endswith(markdown):
            return markdown
        shift, at, parts = len(self.text) - len(markdown), 0, []
        for number, (start, end, _) in enumerate(self.links):
            said = markdown[start - shift : end - shift]
            parts += [markdown[at : start - shift], f"{OPEN}{number}{NUMBERED}", said, CLOSE]
            at = end - shift
        return "".join(parts) + markdown[at:]


def without_markers(text: str) -> str:
    """A text without the markers at places where nothing may be linked."""
    return _MARKERS.sub("", text)


def find_value_links(book: Book, file: str) -> PageValueLinks:
    """The value links of a page, and the ids of its lines to which links of any page point."""
    return replace(book.remember(_links_of_page, file), line_ids=book.fact(_line_ids, file))


def _line_ids(book: Book, file: str) -> dict[tuple[str, str, int], str]:
    """The ids of the lines of a page to which links point, by script, part and line."""
    return dict(book.fact(_line_ids_by_page).get(file, ()))


def _line_ids_by_page(book: Book) -> dict[str, list[tuple[tuple[str, str, int], str]]]:
    found: dict[str, list[tuple[tuple[str, str, int], str]]] = {}
    for page in book.page_files:
        for target, line, name in book.fact(_targets, page):
            found.setdefault(target, []).append((line, name))
    return found


def _targets(book: Book, file: str) -> tuple[tuple[str, tuple[str, str, int], str], ...]:
    """The targets of the value links of a page: page, line of a run, id of the line."""
    known_evidence = book.remember(_links_of_page, file).evidence()
    return tuple(
        dict.fromkeys(
            (p.snippet.page, (p.snippet.script, p.text.part, p.line), line_id(p))
            for p in known_evidence
            if not p.text.part.startswith(VARIED)
        )
    )


def line_id(evidence: Evidence) -> str:
    """The id of a line on its page."""
    return f"{evidence.snippet.name}-{evidence.text.part}-{evidence.line}"


def normalized(latex: str) -> str:
    """The LaTeX of a formula, as a key to find it again in the HTML."""
    return " ".join(latex.split())


def _links_of_page(book: Book, file: str) -> PageValueLinks:
    page = book.page(file)
    by_place: dict[int, list[tuple[Statement, Iterator[Evidence]]]] = {}
    for statement, proving in evidence_on_page(page, book):
        if statement.kind == "name":
            continue  # its documentation says more than the line
        by_place.setdefault(statement.place, []).append((statement, proving))
    links = PageValueLinks(page.file, page.text)
    for maths in page.maths:
        numbers: FormulaNumbers = {}
        for statement, proving in by_place.pop(maths.start, ()):
            evidence = next(proving, None) if statement.bare else None
            known = numbers.setdefault(abs(statement.wanted[0]), [])  # MathML separates the sign
            known.append(evidence if _is_printed(evidence) else None)
        latex = normalized(maths.content)
        links.formulas.setdefault(latex, []).append(numbers)
    unlinked = {n for r in page.references for n in range(r.line, r.end + 1)}
    unlinked |= {heading.line for heading in page.headings}
    for place, statements in sorted(by_place.items()):
        evidence, first = _common([proving for _, proving in statements]), statements[0][0]
        if not _is_printed(evidence) or page.line_of(place) in unlinked:
            continue
        # The number of a call proves nothing of the call.
        if not _CALL.match(first.said) or first.said in evidence.words:
            links.links.append((place, first.end, evidence))
    return links


def _is_printed(evidence: Evidence | None) -> bool:
    """Whether a run printed the value: code that has it proves nothing of it."""
    return bool(evidence and evidence.snippet.script) and evidence.text.part != "code"


def _common(proving: list[Iterator[Evidence]]) -> Evidence | None:
    """The best evidence of the first statement, preferably one that all statements share."""
    if len(proving) == 1:
        return next(proving[0], None)
    first, *others = map(list, proving)
    shared = (evidence for evidence in first if all(evidence in other for other in others))
    return next(shared, first[0] if first else None)


class _Proof(NamedTuple):
    """The line that proves a value: its address and its title. `values`: the numbers of the run
    that printed it, if these aren't the script's own. `says`: the line, if the page doesn't have
    it."""

    address: str
    title: str
    values: str = ""
    says: str = ""


def link_values(
    tree: Tree, links: PageValueLinks, language: str, address: Callable[[str], str | None]
) -> None:
    """Turn the markers on a page and the numbers in its formulas into links, and set an id on each
    line of code or output to which a value link points.

    Existing links stay as they are; headings and titles too, with their markers. `address`: of
    another page by its file, relative to this one.
    """

    def proof(evidence: Evidence) -> _Proof:
        file, part = evidence.snippet.page, evidence.text.part
        page, title = "" if file == links.file else address(file), link_title(evidence, language)
        if part.startswith(VARIED):
            values = part.removeprefix(VARIED)
            figure = f"{page}#{evidence.snippet.figure}"
            return _Proof(figure, title, values, evidence.words)
        return _Proof(f"{page}#{line_id(evidence)}", title, says=evidence.words if page else "")

    places = nodes_outside(tree, NOT_LINKED)
    linked_formulas = {node.mem_id for node in places if node.tag == "math"}
    formulas = {latex: iter(found) for latex, found in links.formulas.items()}
    for math in tree.css("math"):
        annotation = math.css_first("annotation")
        if annotation is None:
            continue
        numbers = next(formulas.get(normalized(annotation.text()), iter(())), {})
        if math.mem_id in linked_formulas:  # one that isn't linked counts as well
            _link_numbers(tree, math, numbers, proof)
    marked = [node for node in places if node.is_text_node and _MARKERS.search(node.text_content)]
    for marker, number in [each for node in marked for each in _split_at_markers(node)]:
        inside: list[Node] = []  # up to the closing marker next to it
        node = marker.next
        while node and node.text_content != CLOSE:
            inside.append(node)
            node = node.next
        if node and inside and not any(one.is_element_node and one.css("a") for one in inside):
            wrap(inside, _link(tree, proof(links.links[number][-1])))
    _number_lines(tree, links.line_ids)


def _link(tree: Tree, proof: _Proof) -> Node:
    # Material handles a link without a target, and highlights no line.
    attributes = {"class": "run", "href": proof.address, "target": "_self", "title": proof.title}
    more = {"data-values": proof.values, "data-says": proof.says.strip()}
    return element(tree, "a", attributes | {key: value for key, value in more.items() if value})


def link_title(evidence: Evidence, language: str) -> str:
    """The proof of a value, in the words of a reader."""
    part, name = evidence.text.part, evidence.snippet.script.rpartition("/")[2]
    titles = in_language(_TITLES, language)
    kind = "varied" if part.startswith(VARIED) else "older"
    title = titles[part if part == "out" else kind]
    part = part.removeprefix(VARIED).replace(VARIED, ", ").replace("=", " = ")
    return title.format(part=part, name=name, line=evidence.line)


def _link_numbers(
    tree: Tree, math: Node, numbers: FormulaNumbers, proof: Callable[[Evidence], _Proof]
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
        if evidence := next(left.get(value, iter(())), None):
            own = proof(evidence)
            first = first or own
            attributes = {"class": "proved"}
            if own != first:
                attributes |= {"title": own.title, "data-to": own.address}
                attributes |= {"data-says": own.says.strip()} if own.says else {}
            wrap([node.first_child], element(tree, "span", attributes))
    if first:
        wrap([math], _link(tree, first))


def _split_at_markers(node: Node) -> list[tuple[Node, int]]:
    """Put each marker of a text into a node of its own; returns the opening ones, with the number
    of the link."""
    parts = [part for part in _MARKERS.split(node.text_content) if part]
    nodes = zip(split_text(node, parts), parts, strict=True)
    return [(piece, int(part[1:-1])) for piece, part in nodes if part.startswith(OPEN)]


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
