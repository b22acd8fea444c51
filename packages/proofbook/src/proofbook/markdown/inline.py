"""The inline Markdown of a paragraph: code, maths, links, images, tags, attribute lists.

The order is as in Python-Markdown with the extensions of the site: code first, then maths, then
escapes, then links, then tags; nothing is found within an earlier span. Each step
goes once over the text, so that the time is proportional to its length.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

from proofbook.markdown.spans import Region, Span

# A run of backticks ends at the next run of the same length; after a backslash it is text.
CODE = re.compile(r"\\.|(?P<ticks>`++)(?P<content>.+?)(?<!`)(?P=ticks)(?!`)", re.DOTALL)
# As in pymdownx.arithmatex: a "$" with a blank inside of it is a dollar; maths holds no code, each
# character of which is \x02 here.
_MATHS = re.compile(
    r"\$(?!\s)(?P<dollars>(?:\\.|[^\\$\x02])+?)(?<!\s)\$"
    r"|\\\((?P<round>(?:\\[^()]|[^\\\x02])+?)\\\)|\\[^(]",
    re.DOTALL,
)
_ESCAPED = re.compile(r"\\[\\`*_{}\[\]()>#+\-.!$]")
_BRACKETS = re.compile(r"[\[\]()]")
_WITH_TITLE = re.compile(
    r"""\(\s*(?:<(?P<angle>[^<>\n]*)>\s*(?:"[^"\n]*"|'[^'\n]*')?|(?P<plain>[^\s<>"']{1,2000}+)\s+(?:"[^"\n]*"|'[^'\n]*'))\s*\)"""
)
_FOOTNOTE = re.compile(r"\[\^(?P<label>[^\[\]]*)\]")
_AUTOLINK = re.compile(r"<(?P<address>[A-Za-z][A-Za-z0-9+.-]*://[^<>\n]*|[^<> !\n]+@[^@<> \n]+)>")
_TAG = re.compile(
    r"""</?+[a-zA-Z][^\s"'<>@]*+(?:\s+[^\s"'=<>]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s"'=<>]++))?+)*+\s*+/?>"""
)
_COMMENT = re.compile(r"<!--(?:(?!<!--|-->).)*-->", re.DOTALL)
_ATTRIBUTES = re.compile(r"\{:?[ ]*(?=[^}\n ])(?:\"[^\"\n]*\"|[^\"{}\n])*\}")
_LAST_ATTRIBUTES = re.compile(
    r"(?:(?<=[ ])|(?<=\n))\{:?[ ]*[^}\n ](?:\"[^\"\n]*\"|[^\"{}\n])*\}[ ]*$"
)
_OPAQUE = "\x02"
"""Replaces each character of a found span, so that no later pattern matches it."""


def scan_inline(text: str, region: Region, line_of: Callable[[int], int]) -> list[Span]:
    """The spans of one region: a paragraph, heading, cell or title.

    `line_of` returns the line of a place.
    """
    scanner = _Scanner(text, region.start, region.end, line_of)
    return scanner.spans(region.ends_line) if region.markdown else scanner.tags()


class _Scanner:
    """The text of one region, in which found spans are made opaque."""

    def __init__(
        self,
        text: str,
        start: int,
        end: int,
        line_of: Callable[[int], int],
    ):
        self.source = text
        self.text = text[start:end]
        self.offset = start
        self.line_of = line_of
        self.found: list[Span] = []

    def tags(self) -> list[Span]:
        """Only the tags and comments: raw HTML is not Markdown."""
        self._take(self._matches(_COMMENT, "comment"))
        self._take(self._matches(_TAG, "tag"))
        return self.found

    def spans(self, ends_line: bool) -> list[Span]:
        """Everything; `ends_line`: attributes at the end of the last line belong to the region."""
        text = self.text
        if "`" in text:
            self._take(self._matches(CODE, "code", "content"))
        if "$" in text or r"\(" in text:
            self._take(self._matches(_MATHS, "maths", "dollars", "round"))
        if "\\" in self.text:
            self.text = _ESCAPED.sub(_OPAQUE * 2, self.text)
        if "<!--" in self.text:
            self._take(self._matches(_COMMENT, "comment"))
        if "[" in self.text:
            self._take(self._links())
        if "<" in self.text:
            self._take(self._matches(_AUTOLINK, "autolink"))
            self._take(self._matches(_TAG, "tag"))
        self._drop_what_tags_hold()
        if "{" in text:
            self._attributes(ends_line)
        return self.found

    def _drop_what_tags_hold(self) -> None:
        """Drop the spans within a tag or a comment: the site renders none of them."""
        last = -1
        kept = []
        for span in sorted(self.found, key=lambda span: (span.start, -span.end)):
            if span.start >= last:
                kept.append(span)
            if span.kind in ("tag", "comment"):
                last = max(last, span.end)
        self.found = kept

    def _take(self, spans: Iterator[Span]) -> None:
        """Add spans, and hide them (of a link: all but its words) from the next searches."""
        pieces, at = [], 0
        for span in spans:
            self.found.append(span)
            start, end = span.start - self.offset, span.end - self.offset
            if start < at:  # an image within the words of a link
                continue
            if span.kind == "link":
                words, rest = span.content_start - self.offset, span.content_end - self.offset
                pieces += [self.text[at:start], _hidden(self.text[start:words])]
                pieces += [self.text[words:rest], _hidden(self.text[rest:end])]
            else:
                pieces += [self.text[at:start], _hidden(self.text[start:end])]
            at = end
        self.text = "".join([*pieces, self.text[at:]])

    def _span(self, kind: str, start: int, end: int, **parts) -> Span:
        for name in ("content_start", "address_start"):
            if parts.get(name, -1) >= 0:
                parts[name] += self.offset
        place = start + self.offset
        return Span(kind, place, end + self.offset, self.line_of(place), **parts)

    def _matches(self, pattern: re.Pattern, kind: str, *contents: str) -> Iterator[Span]:
        """Spans that match; with names of groups for the content, only those with such a group."""
        for found in pattern.finditer(self.text):
            part = next((name for name in contents if found[name] is not None), 0)
            if contents and not part:
                continue
            address = found["address"] if "address" in pattern.groupindex else ""
            yield self._span(
                kind,
                *found.span(),
                content=self._written(*found.span(part)),
                content_start=found.start(part),
                address=address,
                address_start=found.start("address") if address else -1,
            )

    def _links(self) -> Iterator[Span]:
        """Links and images, the outermost first; an image may be within the words of a link."""
        text = self.text
        closing = _pairs(text)
        at = words_until = link_until = 0
        while (at := text.find("[", at)) >= 0:
            image = at > 0 and text[at - 1] == "!"
            begin = at - image
            if footnote := None if image else _FOOTNOTE.match(text, at):
                yield self._span("footnote", *footnote.span(), name=footnote["label"])
                at = footnote.end()
                continue
            end_of_words = closing.get(at)
            target = self._target(end_of_words, closing) if end_of_words else None
            if target is None or (at < link_until and not (image and at < words_until)):
                at += 1
                continue
            end, address, place = target
            words = self.source[self.offset + at + 1 : self.offset + end_of_words]
            kind = "image" if image else "link"
            yield self._span(
                kind,
                begin,
                end,
                content=words,
                content_start=at + 1,
                address=address,
                address_start=place,
            )
            if image:
                at = end
            else:
                words_until, link_until = end_of_words, end
                at += 1

    def _target(self, words_end: int, closing: Mapping[int, int]) -> tuple[int, str, int] | None:
        """The target of a link whose words end at `words_end`: its end, the address, its place."""
        text, behind = self.text, words_end + 1
        if text.startswith("(", behind):
            if found := _WITH_TITLE.match(text, behind):
                part = "angle" if found["angle"] is not None else "plain"
                if found[part].count("(") == found[part].count(")"):
                    return found.end(), self._written(*found.span(part)), found.start(part)
            if (close := closing.get(behind)) is not None:
                inside = text[behind + 1 : close]
                place = behind + 1 + len(inside) - len(inside.lstrip())
                return close + 1, self._written(place, place + len(inside.strip())), place
        return None

    def _written(self, start: int, end: int) -> str:
        return self.source[self.offset + start : self.offset + end]

    def _attributes(self, ends_line: bool) -> None:
        """Attribute lists right after a span, after emphasis, and at the end of the region."""
        text = self.text
        taken = set()
        for n, span in enumerate(self.found):
            if span.kind in ("comment", "footnote", "tag"):
                continue
            if found := _ATTRIBUTES.match(self.source, span.end, self.offset + len(text)):
                taken.add(found.start())
                self.found[n] = replace(span, attributes=found[0])
                place = found.start() - self.offset
                self.found.append(self._span("attributes", place, place + len(found[0])))
        for found in _ATTRIBUTES.finditer(text):
            before = text[: found.start()][-1:]
            if before in ("*", "_") and found.start() + self.offset not in taken:
                self.found.append(self._span("attributes", *found.span()))
                taken.add(found.start() + self.offset)
        if (last := _LAST_ATTRIBUTES.search(text)) and last.start() + self.offset not in taken:
            row = text[: last.start()].rpartition("\n")
            if ends_line or (row[1] and not row[2].strip(" ")):
                self.found.append(self._span("attributes", *last.span()))


def _pairs(text: str) -> dict[int, int]:
    """For each opening bracket, square or round, the place of the matching closing one."""
    open_brackets: dict[str, list[int]] = {"]": [], ")": []}
    closing: dict[int, int] = {}
    for found in _BRACKETS.finditer(text):
        sign, place = found[0], found.start()
        if sign in "[(":
            open_brackets["]" if sign == "[" else ")"].append(place)
        elif open_brackets[sign]:
            closing[open_brackets[sign].pop()] = place
    return closing


def _hidden(text: str) -> str:
    if "\n" not in text:
        return _OPAQUE * len(text)
    return "\n".join(_OPAQUE * len(row) for row in text.split("\n"))
