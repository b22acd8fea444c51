"""Cuts a page into blocks, line by line: front matter, fences, directives, comments, HTML.

The text between them is cut into paragraphs, headings, boxes, lists, tables and formulas. The rest
is prose: regions of text, each of which is one paragraph, item of a list, cell of a table or title,
in which `proofbook.markdown.inline` finds code, maths and links. The start and end of each block
are as in Python-Markdown with the extensions of the site; the tests compare the two.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import replace
from itertools import accumulate, pairwise

from markdown.util import BLOCK_LEVEL_ELEMENTS

from proofbook.markdown.inline import CODE, scan_inline
from proofbook.markdown.spans import OPTIONS, SEPARATOR, Blocks, Heading, Reference, Region, Span

_DIRECTIVE = re.compile(r"^(?P<indent> *):::(?P<path>.*)$")
_OPTION = re.compile(r"^(?P<before>\s+(?P<key>[a-z_]+):)(?P<value>.*)$")
# With "`" behind it is code.
_FENCE = re.compile(r"^(?P<indent>[ \t]*)(?P<ticks>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)$")
_HTML = re.compile(r" {0,3}<(?P<close>/?)(?P<tag>[A-Za-z][\w-]*)(?P<rest>(?:\"[^\"]*\"|[^>\"])*)>")
_SEPARATOR = re.compile(r" *\|?[ :-]*-[ :-]*(?:\|[ :-]*-[ :-]*)*\|? *$")
_HEADING = re.compile(
    r"(?P<level>#{1,6})[ \t]*(?P<text>.*?)(?:[ ]*(?P<attributes>\{[^{}]*\}))?[ ]*$"
)
_ANCHOR = re.compile(r"#([A-Za-z][A-Za-z0-9_-]*)(?=[\s}]|$)")
_BOX = re.compile(
    r"(?P<mark>!!!|\?\?\?\+?) ?(?:(?P<kind>[\w-]+(?: +[\w-]+)*)(?: +\"(?P<title>.*)\")?"
    r"|\"(?P<alone>.*)\") *$"
)
# Of a list, a definition list, or a footnote.
_ITEM = re.compile(r" {0,3}(?:(?:[*+-]|\d+\.) +|: {1,3}|\[\^[^\]]*\]: *)")
_ITEM_WITHIN = re.compile(r" *(?:[*+-]|\d+\.) +")
_NOTE = re.compile(r" {0,3}\[\^[^\]]*\]: *")
_ADDRESS = re.compile(
    r" {0,3}\[(?P<label>[^\[\]^][^\[\]]*)\]: *<?(?P<address>[^\s<>]+)>? *"
    r"(?:\"[^\"]*\"|'[^']*'|\([^()]*\))? *$"
)
_RULE = re.compile(r" {0,3}(?:(?:- {0,2}){3,}|(?:_ {0,2}){3,}|(?:\* {0,2}){3,})$")
_QUOTE = re.compile(r"^(?: {0,3}> ?)+", re.MULTILINE)
_DISPLAY = re.compile(
    r"\$\$(?P<dollars>(?:\\.|[^\\])+?)\$\$ *\Z|\\\[(?P<square>(?:\\[^\]]|[^\\])+?)\\\] *\Z"
    r"|(?P<bare>\\begin\{(?P<env>[a-z]+\*?)\}(?:\\.|[^\\])+?\\end\{(?P=env)\}) *\Z",
    re.DOTALL,
)
TAB = 4
"""The indentation of the content of a list item, a box or a footnote, as in Python-Markdown."""
BLOCK_LEVEL = frozenset(BLOCK_LEVEL_ELEMENTS)


def scan_blocks(text: str, whole: bool = True) -> Blocks:
    """The blocks of a page, lines ended by `\\n`. `whole`: the text may begin with front matter."""
    return _Scanner(text).scan(whole)


class _Scanner:
    """The lines of a page, and the spans found in them. Lines count from 0 here."""

    def __init__(self, text: str):
        # A quotation is indented text here.
        text = _QUOTE.sub(lambda found: " " * len(found[0]), text)
        self.lines = text.split("\n")
        self.starts = [0, *accumulate(len(line) + 1 for line in self.lines)]
        self.found = Blocks(text)
        self.containers: list[tuple[int, str]] = []  # the indentation of the content, and its kind
        self.closers = self._closers()
        self.dedents = self._dedents()
        self.text = text

    def scan(self, whole: bool) -> Blocks:
        at = self._front_matter() if whole else 0
        chunk = at
        while at < len(self.lines):
            line = self.lines[at]
            step = 0
            if not line.strip():
                step = 1
            elif ("`" in line or "~" in line) and (fence := _FENCE.match(line)):
                step = self._fence(at, fence)
            elif ":::" in line and (directive := _DIRECTIVE.match(line)):
                step = self._directive(at, directive)
            elif "<" in line and line.lstrip(" ").startswith("<"):
                step = self._html(at)
            if step:
                self._chunk(chunk, at)
                if line.strip():
                    self._leave(at)
                at += step
                chunk = at
            else:
                at += 1
        self._chunk(chunk, at)
        self.found.spans.sort(key=lambda span: span.start)
        return self.found

    def _span(self, kind: str, first: int, last: int, **parts) -> None:
        end = self.starts[last] + len(self.lines[last])
        self.found.spans.append(Span(kind, self.starts[first], end, first + 1, **parts))

    def _front_matter(self) -> int:
        if self.lines[0] != "---" or "---" not in self.lines[1:]:
            return 0
        last = self.lines.index("---", 1)
        self._span("front-matter", 0, last)
        self.found.not_prose.append((1, last + 1))
        return last + 1

    def _closers(self) -> dict[tuple[str, int], list[int]]:
        """The lines that may close a fence, by their text and their indentation."""
        closers: dict[tuple[str, int], list[int]] = {}
        for number, line in enumerate(self.lines):
            if "```" in line or "~~~" in line:
                mark = line.strip()
                if mark and not mark.strip(mark[0]) and mark[0] in "`~":
                    closers.setdefault((mark, _indent(line)), []).append(number)
        return closers

    def _dedents(self) -> list[int]:
        """For each line, the next one with less indentation (blank lines are skipped)."""
        following = [len(self.lines)] * len(self.lines)
        waiting: list[tuple[int, int]] = []
        for number, line in enumerate(self.lines):
            if not line.strip():
                continue
            indent = _indent(line)
            while waiting and waiting[-1][0] > indent:
                following[waiting.pop()[1]] = number
            waiting.append((indent, number))
        return following

    def _fence(self, at: int, fence: re.Match) -> int:
        """The number of lines of a fence; one that is never closed is text, and is reported."""
        candidates = self.closers.get((fence["ticks"], len(fence["indent"])), [])
        index = bisect_left(candidates, at + 1)
        if index == len(candidates) or candidates[index] > self.dedents[at]:
            self.found.unclosed.append(at + 1)
            return 0
        last = candidates[index]
        self._span("fence", at, last, name=fence["info"].strip())
        self.found.not_prose.append((at + 1, last + 1))
        return last - at + 1

    def _directive(self, at: int, directive: re.Match) -> int:
        """The number of lines of a directive: its own, and those indented further below it."""
        options, last = [], at + 1
        path = directive["path"].strip()
        self._span("directive", at, at, name=path)
        self.found.not_prose.append((at + 1, at + 1))
        deeper = re.compile(rf"{directive['indent']}\s+\S")
        while last < len(self.lines) and deeper.match(self.lines[last]):
            line, start = self.lines[last], self.starts[last]
            option = _OPTION.match(line)
            key = option["key"] if option else line.strip()
            options.append((key, option["value"].strip() if option else "", last + 1))
            if option and key in OPTIONS and (part := OPTIONS[key].words):
                cut = line.rfind(SEPARATOR) if part == "last" else -1
                words = start + (option.end("before") if cut < 0 else cut + len(SEPARATOR))
                self.found.regions.append(Region(words, start + len(line), part == "last"))
                self.found.spans.append(Span("option", start, words, last + 1, name=key))
            else:
                self._span("option", last, last, name=key)
                self.found.not_prose.append((last + 1, last + 1))
            last += 1
        reference = Reference(path, at + 1, last, directive["indent"], tuple(options))
        self.found.references.append(reference)
        return last - at

    def _comment(self, at: int, start: int) -> int:
        """The number of lines of a comment at the start of a line; text after it in that line is
        text."""
        end = self.text.find("-->", start)
        if end < 0:
            return 0
        end += 3
        last = bisect_left(self.starts, end) - 1
        self.found.spans.append(Span("comment", start, end, at + 1, self.text[start:end], start))
        if self.text[end : self.starts[last + 1] - 1].strip():
            self.found.regions.append(Region(end, self.starts[last + 1] - 1))
        return last + 1 - at

    def _html(self, at: int) -> int:
        """The number of lines of HTML at the start of a line: 0 if it is a part of a paragraph."""
        line, start = self.lines[at], self.starts[at]
        indent = len(line) - len(line.lstrip(" "))
        if indent >= TAB:
            return 0
        if line.startswith("<!--", indent):
            return self._comment(at, start + indent)
        tag = _HTML.match(line)
        if not tag or tag["tag"].lower() not in BLOCK_LEVEL:
            return 0
        if tag["close"] or re.search(r"\bmarkdown\b(?!=[\"']?0)", tag["rest"]):
            end = start + tag.end()
            self.found.spans.append(Span("tag", start + indent, end, at + 1, tag[0].strip()))
            if line[tag.end() :].strip():
                self.found.regions.append(Region(end, start + len(line)))
            return 1
        return self._raw_html(at, tag)

    def _raw_html(self, at: int, opened: re.Match) -> int:
        """HTML that is not Markdown ends with its closing tag; the text in it is prose."""
        name = opened["tag"]
        tags = re.compile(rf"<(/?){name}\b[^>]*>", re.IGNORECASE)
        depth, start = 0, self.starts[at]
        for found in tags.finditer(self.text, start):
            depth += -1 if found[1] else 0 if found[0].endswith("/>") else 1
            if depth <= 0:
                last = bisect_left(self.starts, found.end()) - 1
                break
        else:
            last = len(self.lines) - 1
        self._span("html-block", at, last)
        self.found.regions.append(
            Region(self.starts[at], self.starts[last + 1] - 1, markdown=False)
        )
        return last - at + 1

    def _chunk(self, first: int, after: int) -> None:
        """Cut lines without a blank one between them into blocks."""
        lines = self.lines
        at = first
        while at < after and not lines[at].strip():
            at += 1
        if at >= after:
            return
        self._run(at, after)

    def _run(self, at: int, after: int) -> None:
        """Cut a chunk into blocks."""
        lines, begins = self.lines, True
        self._leave(at)
        while at < after:
            base = self.containers[-1][0] if self.containers else 0
            line = lines[at]
            indent = len(line) - len(line.lstrip(" "))
            if begins and indent >= base + TAB:
                at = self._indented_code(at, after, base + TAB)
                continue
            shift = min(base, indent)
            inside = line[shift:]
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
                self._leave(at + 1)
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
            span = Span("definition", place, place + len(inside), at + 1, name=address["label"])
            at_address = place + address.start("address")
            span = replace(span, address=address["address"], address_start=at_address)
            self.found.spans.append(span)
            return at + 1, True
        if marked := _ITEM.match(inside):
            return self._item(at, after, place + marked.end(), base, inside[marked.end() :])
        return self._paragraph(at, after, place, base)

    def _item(self, at: int, after: int, place: int, base: int, inside: str) -> tuple[int, bool]:
        """An item of a list, or a footnote: its first line may begin any block."""
        self.containers.append((base + TAB, "item"))
        if inside.startswith("#"):
            self._heading(at, place, inside)
            return at + 1, True
        if inside.startswith(("$$", r"\[", r"\begin{")) and (
            end := self._display(at, after, place)
        ):
            return end, True
        return self._paragraph(at, after, place, base)

    def _leave(self, at: int) -> None:
        """Close the lists and boxes for which a line is not indented enough."""
        indent = len(self.lines[at]) - len(self.lines[at].lstrip(" "))
        while self.containers and indent < self.containers[-1][0]:
            self.containers.pop()

    def _heading(self, at: int, place: int, inside: str) -> None:
        found = _HEADING.match(inside)
        anchor = _ANCHOR.search(found["attributes"] or "")
        level, text = len(found["level"]), found["text"].rstrip("# ")
        start, end = place + found.start("text"), place + len(inside.rstrip())
        self.found.headings.append(Heading(level, anchor and anchor[1], at + 1, text))
        self.found.spans.append(Span("heading", place, end, at + 1, text, start, name=str(level)))
        if inside[start - place :].strip():
            self.found.regions.append(Region(start, place + len(inside), True))

    def _display(self, at: int, after: int, place: int) -> int:
        """The line after a displayed formula, or 0: it must be all of its block."""
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
        """A paragraph continues until a block begins that needs no blank line above it."""
        lines, last = self.lines, at + 1
        listed = bool(self.containers) and self.containers[-1][1] != "box"
        boxed = base if not listed else 0
        begins = False
        while last < after:
            line = lines[last]
            indent = len(line) - len(line.lstrip(" "))
            if listed and _ITEM_WITHIN.match(line):
                self._leave(last)
                begins = True
                break
            if indent < boxed and any(kind == "box" for _, kind in self.containers):
                self._leave(last)
                begins = True
                break
            inside = line[min(base, indent) :]
            if inside.startswith(("#", "!!!", "???", ":   ")):
                begins = True
                break
            if _RULE.match(inside) or _NOTE.match(inside) or _ADDRESS.match(inside):
                begins = True
                break
            last += 1
        end = self.starts[last - 1] + len(lines[last - 1])
        self.found.regions.append(Region(place, end))
        return last, begins


def begins_table(head: str, below: str) -> bool:
    """Whether a line is the head of a table: the line below it separates as many cells."""
    if "|" not in head or "|" not in below or not _SEPARATOR.match(below):
        return False
    return len(cells_of(head)) == len(cells_of(below))


def cells_of(row: str) -> list[tuple[int, int]]:
    """The places of the cells of a row; a pipe within code or after a backslash is text."""
    plain = CODE.sub(lambda found: "x" * len(found[0]), row)
    bars = [found.start() for found in re.finditer(r"\|", plain)]
    if not bars:
        return [(0, len(row))]
    first = len(row) - len(row.lstrip())
    last = len(row.rstrip()) - 1
    edges = bars if bars[0] == first else [first - 1, *bars]
    edges = edges if edges[-1] == last else [*edges, last + 1]
    return [(left + 1, right) for left, right in pairwise(edges)]


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def scan_spans(blocks: Blocks) -> tuple[Span, ...]:
    """All spans of a page in the order of the text: blocks, and the inline spans of prose."""
    starts = [0, *accumulate(len(line) + 1 for line in blocks.text.split("\n"))]

    def line_of(place: int) -> int:
        return bisect_right(starts, place)

    found = list(blocks.spans)
    for region in blocks.regions:
        found += scan_inline(blocks.text, region, line_of)
    return tuple(sorted(found, key=lambda span: (span.start, -span.end)))


def scan(text: str) -> tuple[Span, ...]:
    """All spans of a text of Markdown; its lines end with `\\n`."""
    return scan_spans(scan_blocks(text, whole=False))
