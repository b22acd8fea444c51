"""Cuts lines between blank ones into paragraphs, headings, boxes, lists, tables and formulas."""

from __future__ import annotations

import re

from proofbook.markdown.spans import Blocks, Heading, Region, Span
from proofbook.markdown.tables import begins_table, cells_of

_HEADING = re.compile(
    r"(?P<level>#{1,6})[ \t]*(?P<text>.*?)(?:[ ]*(?P<attributes>\{[^{}]*\}))?[ ]*$"
)
_SETEXT = re.compile(r"(?:=+|-+) *$")
_ANCHOR = re.compile(r"#([A-Za-z][A-Za-z0-9_-]*)(?=[\s}]|$)")
_BOX = re.compile(
    r"(?P<mark>!!!|\?\?\?\+?) ?(?:(?P<kind>[\w-]+(?: +[\w-]+)*)(?: +\"(?P<title>.*)\")?"
    r"|\"(?P<alone>.*)\") *$"
)
_ITEM = re.compile(r" {0,3}(?:[*+-]|\d+\.) +")
_ITEM_WITHIN = re.compile(r" *(?:[*+-]|\d+\.) +")
_DEFINED = re.compile(r" {0,3}: {1,3}")  # of a definition list
_NOTE = re.compile(r" {0,3}\[\^(?P<label>[^\]]*)\]: *")
_ADDRESS = re.compile(
    r" {0,3}\[(?P<label>[^\[\]^][^\[\]]*)\]: *<?(?P<address>[^\s<>]+)>? *"
    r"(?:\"[^\"]*\"|'[^']*'|\([^()]*\))? *$"
)
_RULE = re.compile(r" {0,3}(?:(?:- {0,2}){3,}|(?:_ {0,2}){3,}|(?:\* {0,2}){3,})$")
_QUOTE = re.compile(r"(?: {0,3}> ?)+")
_DISPLAY = re.compile(
    r"\$\$(?P<dollars>(?:\\.|[^\\])+?)\$\$ *\Z|\\\[(?P<square>(?:\\[^\]]|[^\\])+?)\\\] *\Z"
    r"|(?P<bare>\\begin\{(?P<env>[a-z]+\*?)\}(?:\\.|[^\\])+?\\end\{(?P=env)\}) *\Z",
    re.DOTALL,
)
TAB = 4
"""How far the content of a list item, a box or a footnote is indented, says Python-Markdown."""


class Paragraphs:
    """Cuts the lines of a page, and adds what it finds to `found`. Lines count from 0 here.

    lines: those of the page; the marks of quotations are blanked in them. starts: where each line
    begins in the text.
    """

    def __init__(self, lines: list[str], starts: list[int], found: Blocks):
        self.lines = lines
        self.starts = starts
        self.found = found
        self.containers: list[tuple[int, str]] = []  # how far the content is indented, and of what

    def cut(self, first: int, after: int) -> None:
        """Cut lines without a blank one between them into blocks."""
        lines = self.lines
        at = first
        while at < after and not lines[at].strip():
            at += 1
        if at >= after:
            return
        if quote := _QUOTE.match(lines[at]):
            self._quotation(at, after, quote.end())
        else:
            self._run(at, after, 0)

    def _quotation(self, first: int, after: int, indent: int) -> None:
        """Blank the marks of a quotation, and cut what is left of its lines into chunks."""
        for at in range(first, after):
            if quote := _QUOTE.match(self.lines[at]):
                self.lines[at] = " " * quote.end() + self.lines[at][quote.end() :]
        begins = first
        for at in range(first, after + 1):
            if at == after or not self.lines[at].strip():
                if begins < at:
                    self._run(begins, at, indent)
                begins = at + 1

    def _run(self, at: int, after: int, quoted: int) -> None:
        """Cut a chunk into blocks; `quoted`: how far a quotation indents it."""
        lines, begins = self.lines, True
        self.leave(at)
        while at < after:
            base = max(quoted, self.containers[-1][0] if self.containers else 0)
            line = lines[at]
            indent = len(line) - len(line.lstrip(" "))
            if begins and indent >= base + TAB:
                at = self._indented_code(at, after, base + TAB)
                continue
            shift = min(base, indent)
            inside = line[shift:]
            if quote := _QUOTE.match(inside):
                self._quotation(at, after, shift + quote.end())
                return
            at, begins = self._block(at, after, inside, shift, base)

    def _indented_code(self, first: int, after: int, indent: int) -> int:
        last = first
        while last < after and self.lines[last].startswith(" " * indent):
            last += 1
        self._span("indented-code", first, last - 1)
        return last

    def _block(self, at: int, after: int, inside: str, shift: int, base: int) -> tuple[int, bool]:
        """One block that begins in a line: the line behind it, and whether a block begins there.

        inside: the line without the indent of its container; shift: how long that indent is.
        """
        place = self.starts[at] + shift
        if box := _BOX.match(inside):
            part = "title" if box["title"] is not None else "alone"
            title = box[part]
            begin = place + box.start(part) if title is not None else -1
            self.found.spans.append(
                Span(
                    "box",
                    place,
                    place + len(inside.rstrip()),
                    at + 1,
                    title or "",
                    begin,
                    name=f"{box['mark']} {box['kind'] or ''}".strip(),
                )
            )
            if title:
                self.found.regions.append(Region(begin, begin + len(title)))
            self.containers.append((base + TAB, "box"))
            if at + 1 < after:
                self.leave(at + 1)
            return at + 1, True
        if inside.startswith("#"):
            self._heading(at, place, inside)
            return at + 1, True
        if inside.startswith(("$$", r"\[", r"\begin{")) and (
            end := self._display(at, after, place)
        ):
            return end, True
        if at + 1 < after and begins_table(self.lines[at], self.lines[at + 1]):
            return self._table(at, after), True
        if _RULE.match(inside):
            return at + 1, True
        if address := _ADDRESS.match(inside):
            label = " ".join(address["label"].lower().split())
            self.found.definitions[label] = address["address"]
            self.found.spans.append(
                Span(
                    "definition",
                    place,
                    place + len(inside),
                    at + 1,
                    name=label,
                    address=address["address"],
                    address_start=place + address.start("address"),
                )
            )
            return at + 1, True
        for pattern, kind in ((_ITEM, "item"), (_NOTE, "note"), (_DEFINED, "item")):
            if marked := pattern.match(inside):
                return self._item(
                    at, after, place + marked.end(), base, kind, inside[marked.end() :]
                )
        return self._paragraph(at, after, place, base)

    def _item(
        self, at: int, after: int, place: int, base: int, kind: str, inside: str
    ) -> tuple[int, bool]:
        """An item of a list, or a footnote: its first line may begin any block."""
        self.containers.append((base + TAB, kind))
        if inside.startswith("#"):
            self._heading(at, place, inside)
            return at + 1, True
        if inside.startswith(("$$", r"\[", r"\begin{")) and (
            end := self._display(at, after, place)
        ):
            return end, True
        return self._paragraph(at, after, place, base)

    def leave(self, at: int) -> None:
        """Close the lists and boxes to which a line is not indented far enough."""
        indent = len(self.lines[at]) - len(self.lines[at].lstrip(" "))
        while self.containers and indent < self.containers[-1][0]:
            self.containers.pop()

    def _heading(self, at: int, place: int, inside: str) -> None:
        found = _HEADING.match(inside)
        text, attributes = found["text"].rstrip("# "), found["attributes"] or ""
        anchor = _ANCHOR.search(attributes)
        level, start = len(found["level"]), place + found.start("text")
        self.found.headings.append(Heading(level, anchor and anchor[1], at + 1, text))
        self.found.spans.append(
            Span(
                "heading",
                place,
                place + len(inside.rstrip()),
                at + 1,
                text,
                start,
                name=str(level),
            )
        )
        if inside[found.start("text") :].strip():
            self.found.regions.append(Region(start, place + len(inside), True))

    def _display(self, at: int, after: int, place: int) -> int:
        """The line behind a displayed formula, or 0: it must be all of its block."""
        end = self.starts[after - 1] + len(self.lines[after - 1])
        block = "\n".join([self.lines[at][place - self.starts[at] :], *self.lines[at + 1 : after]])
        found = _DISPLAY.match(block)
        if not found:
            return 0
        part = next(p for p in ("dollars", "square", "bare") if found[p] is not None)
        latex, start = found[part], place + found.start(part)
        end = place + len(block.rstrip())
        self.found.spans.append(Span("maths", place, end, at + 1, latex, start, display=True))
        return after

    def _table(self, first: int, after: int) -> int:
        columns = len(cells_of(self.lines[first]))
        for at in range(first, after):
            cells = cells_of(self.lines[at])
            self._span("row", at, at, name=str(len(cells)))
            if at != first + 1:
                for start, end in cells[:columns]:
                    place = self.starts[at]
                    self.found.regions.append(Region(place + start, place + end, True))
        return after

    def _paragraph(self, at: int, after: int, place: int, base: int) -> tuple[int, bool]:
        """A paragraph goes on until something begins that needs no blank line above it."""
        lines, last = self.lines, at + 1
        listed = bool(self.containers) and self.containers[-1][1] != "box"
        boxed = base if not listed else 0
        begins = False
        while last < after:
            line = lines[last]
            indent = len(line) - len(line.lstrip(" "))
            if listed and _ITEM_WITHIN.match(line):
                self.leave(last)
                begins = True
                break
            if indent < boxed and any(kind == "box" for _, kind in self.containers):
                self.leave(last)
                begins = True
                break
            inside = line[min(base, indent) :]
            if inside.startswith(("#", "!!!", "???", ":   ")) or _QUOTE.match(inside):
                begins = True
                break
            if _RULE.match(inside) or _NOTE.match(inside) or _ADDRESS.match(inside):
                begins = True
                break
            if last == at + 1 and _SETEXT.match(inside) and not listed:
                return self._underlined(at, place, inside), True
            last += 1
        end = self.starts[last - 1] + len(lines[last - 1])
        self.found.regions.append(Region(place, end))
        return last, begins

    def _underlined(self, at: int, place: int, line: str) -> int:
        """A heading with a row of = or - below it."""
        text = self.lines[at][place - self.starts[at] :]
        found = _HEADING.match("# " + text)
        attributes = found["attributes"] or ""
        anchor = _ANCHOR.search(attributes)
        level = 1 if line[0] == "=" else 2
        self.found.headings.append(Heading(level, anchor and anchor[1], at + 1, found["text"]))
        self.found.spans.append(
            Span("heading", place, place + len(text), at + 1, found["text"], place, name=str(level))
        )
        self.found.regions.append(Region(place, place + len(text), True))
        return at + 2

    def _span(self, kind: str, first: int, last: int, **parts) -> None:
        """Add a span of whole lines."""
        end = self.starts[last] + len(self.lines[last])
        self.found.spans.append(Span(kind, self.starts[first], end, first + 1, **parts))
