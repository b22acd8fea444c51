"""Cuts a page into blocks, line by line: front matter, fences, directives, comments, HTML.

What stands between them is cut by `proofbook.markdown.paragraphs`. What is left is prose: regions
of text, each of which is one paragraph, item of a list, cell of a table or title, in which
`proofbook.markdown.inline` finds code, maths and links. What begins a block, and where it ends, is
as in Python-Markdown with the extensions of the site.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from itertools import accumulate

from markdown.util import BLOCK_LEVEL_ELEMENTS

from proofbook.directives.options import OPTIONS
from proofbook.markdown.paragraphs import TAB, Paragraphs
from proofbook.markdown.spans import SEPARATOR, Blocks, Reference, Region, Span

_DIRECTIVE = re.compile(r"^(?P<indent> *):::(?P<path>.*)$")
_OPTION = re.compile(r"^(?P<before>\s+(?P<key>[a-z_]+):)(?P<value>.*)$")
_FENCE = re.compile(
    r"^(?P<indent>[> \t]*)(?P<ticks>`{3,}(?=[^`]*$)|~{3,})(?P<info>.*)$"  # with "`" behind: code
)
_HTML = re.compile(r" {0,3}<(?P<close>/?)(?P<tag>[A-Za-z][\w-]*)(?P<rest>(?:\"[^\"]*\"|[^>\"])*)>")
BLOCK_LEVEL = frozenset(BLOCK_LEVEL_ELEMENTS)


def scan_blocks(text: str, whole: bool = True) -> Blocks:
    """The blocks of a page, lines ended by `\\n`. `whole`: the text may begin with front matter."""
    return _Scanner(text).scan(whole)


class _Scanner:
    """The lines of a page, and what has been found in them. Lines count from 0 here."""

    def __init__(self, text: str):
        self.lines = text.split("\n")
        self.starts = [0, *accumulate(len(line) + 1 for line in self.lines)]
        self.found = Blocks(text)
        self.paragraphs = Paragraphs(self.lines, self.starts, self.found)
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
                step = self._directive(at, directive, False)
            elif "<" in line and line.lstrip(" ").startswith("<"):
                step = self._html(at)
            if step:
                self.paragraphs.cut(chunk, at)
                if line.strip():
                    self.paragraphs.leave(at)
                at += step
                chunk = at
            else:
                at += 1
        self.paragraphs.cut(chunk, at)
        self.found.text = "\n".join(self.lines)
        self.found.spans.sort(key=lambda span: span.start)
        return self.found

    def _span(self, kind: str, first: int, last: int, **parts) -> None:
        """Add a span of whole lines."""
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
        """The lines that may close a fence, by what they hold and how far they are indented."""
        closers: dict[tuple[str, int], list[int]] = {}
        for number, line in enumerate(self.lines):
            if "```" in line or "~~~" in line:
                mark = line.strip("> \t")
                if mark and not mark.strip(mark[0]) and mark[0] in "`~":
                    closers.setdefault((mark, _indent(line)), []).append(number)
        return closers

    def _dedents(self) -> list[int]:
        """For each line, the next one that is indented less (blank lines are passed over)."""
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
        """How many lines a fence takes; one that is never closed is text, and is reported."""
        candidates = self.closers.get((fence["ticks"], len(fence["indent"])), [])
        index = bisect_left(candidates, at + 1)
        if index == len(candidates) or candidates[index] > self.dedents[at]:
            self.found.unclosed.append(at + 1)
            return 0
        last = candidates[index]
        self._span("fence", at, last, name=fence["info"].strip())
        self.found.not_prose.append((at + 1, last + 1))
        return last - at + 1

    def _directive(self, at: int, directive: re.Match, commented: bool) -> int:
        """How many lines a directive takes: its own, and those below that are indented deeper."""
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
        if commented:
            self.found.within_comment.append(at + 1)
        return last - at

    def _comment(self, at: int, start: int) -> int:
        """How many lines a comment takes that begins a line; what follows it there is text."""
        end = self.text.find("-->", start)
        if end < 0:
            return 0
        end += 3
        last = bisect_left(self.starts, end) - 1
        self.found.spans.append(Span("comment", start, end, at + 1, self.text[start:end], start))
        number = at + 1
        while number <= last:
            directive = _DIRECTIVE.match(self.lines[number])
            number += self._directive(number, directive, True) if directive else 1
        if self.text[end : self.starts[last + 1] - 1].strip():
            self.found.regions.append(Region(end, self.starts[last + 1] - 1))
        return max(number, last + 1) - at

    def _html(self, at: int) -> int:
        """How many lines HTML takes that begins a line: 0 where it is a part of a paragraph."""
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
        """HTML that is no Markdown goes to the tag that closes it; the text in it is prose."""
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


def _indent(line: str) -> int:
    """How far a line is indented, the marks of quotations included."""
    return len(line) - len(line.lstrip("> \t"))
