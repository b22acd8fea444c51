"""Marks on values: each number or message that a run proves leads to the line that proves it.

Two steps, with the Markdown of the site between them. `insert` encloses what is proved in three
characters that mean nothing to Markdown; `place` turns them into links in the page's HTML, and
gives an id to each line of code or output to which a link leads. What a page is expanded to for
anybody else, a test or a notebook, holds nothing of it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from proofbook.check.numbers import Claim, Proof, proofs
from proofbook.html.term_links import CLOSED, pieces
from proofbook.maths.formulas import maths_of
from proofbook.model.book import Book
from proofbook.model.page import Page

_OPEN, _NUMBERED, _CLOSE = "\ue000", "\ue001", "\ue002"  # for private use, says Unicode
_OPENED = re.compile(f"{_OPEN}(\\d+){_NUMBERED}")
_ANY = re.compile(f"{_OPENED.pattern}|{_CLOSE}")
_LINKED = re.compile(f"{_OPENED.pattern}(?P<inside>[^{_CLOSE}]*<a\\b[^{_CLOSE}]*){_CLOSE}")
_LATEX = re.compile(r"<annotation[^>]*>(.*?)</annotation>", re.DOTALL)
_NUMBER = re.compile(r"<mn>([\d.]+)(?=</mn>)")
_BLOCK = re.compile(
    r"""(?P<head><div\ class="(?P<kind>[a-z ]*)highlight">
        (?:<span\ class="filename">(?P<name>[^<]*)</span>)?<pre><span></span><code>)
        (?P<body>.*?)(?=</code></pre>)""",
    re.DOTALL | re.VERBOSE,
)
_CALL = re.compile(r"(?!(?:torch\.)?tensor\()[a-z_.]+\(")
# A highlighted line holds its own end: what closes it stands at the beginning of the next line.
_ROW = re.compile(r'((?:</span>)?(?:<span class="hll">)?)(.*)', re.DOTALL)

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
class Mark:
    """A place in the text of a page, from `start` to `end`, and what proves what stands there."""

    start: int
    end: int
    proof: Proof


Numbers = dict[float, list[Proof | None]]
"""The numbers of a formula, each with what proves it, once for each time it stands there."""


@dataclass
class Marks:
    """The marks of one page, and the ids of the lines on it to which marks lead.

    `formulas`: by its LaTeX, what proves the numbers of a formula, each time that it stands there.
    `ids`: by script, part ("code", "out", or an older version), and number of the line.
    """

    file: str = ""
    text: str = ""
    spans: list[Mark] = field(default_factory=list)
    formulas: dict[str, list[Numbers]] = field(default_factory=dict)
    ids: dict[tuple[str, str, int], str] = field(default_factory=dict)

    def proofs(self) -> Iterator[Proof]:
        """What the marks of the page lead to."""
        yield from (mark.proof for mark in self.spans)
        for formulas in self.formulas.values():
            known = (known for numbers in formulas for known in numbers.values())
            yield from (proof for proofs in known for proof in proofs if proof)

    def insert(self, markdown: str) -> str:
        """The Markdown of the page, with or without its front matter, with its marks in it."""
        if not self.text.endswith(markdown):
            return markdown  # no longer the text that was read
        shift, at, told = len(self.text) - len(markdown), 0, []
        for number, mark in enumerate(self.spans):
            start, end = mark.start - shift, mark.end - shift
            told += [markdown[at:start], f"{_OPEN}{number}{_NUMBERED}", markdown[start:end], _CLOSE]
            at = end
        return "".join(told) + markdown[at:]

    def place(self, content: str, language: str, address: Callable[[str], str]) -> str:
        """The HTML of the page with its marks as links, and ids at the lines that marks lead to.

        `address` gives the address of another page by its file, seen from this one.
        What is a link already stays that link. Headings and titles of boxes stay as they are.
        """
        formulas = {latex: iter(found) for latex, found in self.formulas.items()}
        told = []

        def link(proof: Proof) -> str:
            there = "" if proof.run.page == self.file else address(proof.run.page)
            to = html.escape(f"{there}#{anchor(proof)}")
            # Material takes over a link without a target, and then may not light the line.
            attributes = f'class="run" href="{to}" target="_self"'
            return f'<a {attributes} title="{title(proof, language)}">'

        def formula(mathml: str) -> str:
            latex = _LATEX.search(mathml)
            proved = next(formulas.get(_plain(html.unescape(latex[1])), iter(())), {})
            told = [float(number) for number in _NUMBER.findall(mathml)]
            left = {n: iter(known) for n, known in proved.items() if len(known) == told.count(n)}

            def number(found: re.Match) -> str:
                proof = next(left.get(float(found[1]), iter(())), None)
                return f"<mn>{link(proof)}{found[1]}</a>" if proof else found[0]

            return _NUMBER.sub(number, mathml)

        def opened(found: re.Match) -> str:
            return link(self.spans[int(found[1])].proof)

        for piece, free in pieces(_LINKED.sub(r"\g<inside>", content), CLOSED - {"code", "table"}):
            if piece.startswith("<math") and _LATEX.search(piece):
                marked = formula(piece)  # where it may not be, it has had its turn all the same
                told.append(marked if free else piece)
            elif free and not piece.startswith("<"):
                told.append(_OPENED.sub(opened, piece).replace(_CLOSE, "</a>"))
            else:
                told.append(_ANY.sub("", piece))
        return _with_ids("".join(told), self.ids)


def marks_of(book: Book) -> dict[str, Marks]:
    """The marks of all pages of a book, by the file of the page."""
    found = {page.file: _of_page(page, book) for page in book.pages}
    for marks in found.values():
        for proof in marks.proofs():
            run = proof.run
            found[run.page].ids[run.script, proof.text.part, proof.line] = anchor(proof)
    return found


def anchor(proof: Proof) -> str:
    """The id of a line on its page."""
    return f"{proof.run.name}-{proof.text.part}-{proof.line}"


def title(proof: Proof, language: str) -> str:
    """What proves a value, in the words of a reader."""
    part, name = proof.text.part, proof.run.script.rpartition("/")[2]
    told = _TITLES[language][part if part in ("code", "out") else "older"]
    return told.format(part=part, name=name, line=proof.line)


def _of_page(page: Page, book: Book) -> Marks:
    told: dict[int, list[tuple[Claim, Iterator[Proof]]]] = {}
    for claim, proving in proofs(page, book.runs):
        told.setdefault(claim.place, []).append((claim, proving))
    silent = {n for r in page.references for n in range(r.line, r.end + 1)}
    silent |= {heading.line for heading in page.headings}
    marks = Marks(page.file, page.text)
    for maths in maths_of(page):
        numbers: Numbers = {}
        for claim, proving in told.pop(maths.start(), ()):
            proof = next(proving, None) if claim.bare else None
            known = numbers.setdefault(claim.wanted[0], [])
            known.append(proof if proof and proof.run.script else None)
        latex = _plain(maths["block"] or maths["inline"])
        marks.formulas.setdefault(latex, []).append(numbers)
    for place, claims in sorted(told.items()):
        proof, first = _common([proving for _, proving in claims]), claims[0][0]
        if not proof or not proof.run.script or page.text.count("\n", 0, place) + 1 in silent:
            continue
        # The number of a call proves nothing of the call.
        if not _CALL.match(first.said) or first.said in proof.words:
            marks.spans.append(Mark(place, first.end, proof))
    return marks


def _common(proving: list[Iterator[Proof]]) -> Proof | None:
    """The best proof of the first claim, one of all claims where there is any."""
    if len(proving) == 1:
        return next(proving[0], None)
    first, *others = map(list, proving)
    shared = (proof for proof in first if all(proof in other for other in others))
    return next(shared, first[0] if first else None)


def _with_ids(content: str, ids: dict[tuple[str, str, int], str]) -> str:
    """The HTML with an id at each of these lines, in the first block that shows its run."""
    left, script = dict(ids), ""

    def numbered(block: re.Match) -> str:
        nonlocal script
        kind, part = block["kind"], "code"
        if "output" in kind:
            part = (block["name"] or "out").removeprefix("PyTorch ")
        else:
            script = block["name"] or ""
        rows = block["body"].splitlines(keepends=True)
        for n, row in enumerate(rows, 1):
            if name := left.pop((script, part, n), None):
                rows[n - 1] = _ROW.sub(rf'\1<samp id="{name}">\2</samp>', row, count=1)
        return block["head"] + "".join(rows)

    return _BLOCK.sub(numbered, content) if ids else content


def _plain(latex: str) -> str:
    return " ".join(latex.split())
