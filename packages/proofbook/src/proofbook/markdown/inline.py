"""The inline Markdown of a paragraph: code, maths, links, images, tags, attribute lists.

The order is as in Python-Markdown with the extensions of the site: code first, then maths, then
escapes, then links, then tags; nothing is found within an earlier span. Each step
goes once over the text, so that the time is proportional to its length.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from proofbook.markdown.spans import Region, Span

_TICKS = re.compile(r"(?<!\\)(?P<escapes>(?:\\\\)+)(?=`)|(?<!\\)(?P<ticks>`+)")
_RUN = re.compile("`+")


class Delimited(NamedTuple):
    """Places in a text: of the whole span with its marks, and of the content between them."""

    start: int
    end: int
    content_start: int
    content_end: int


def find_code(text: str) -> Iterator[Delimited]:
    """The code in a text. A run of backticks ends at the next run of the same length.

    If all following runs are shorter, the longest of them closes, and the rest of the first belongs
    to the code.
    """
    by_length: dict[int, list[int]] = {}
    for run in _RUN.finditer(text):
        by_length.setdefault(len(run[0]), []).append(run.start())
    at = 0
    while found := _TICKS.search(text, at):
        # Escaped backslashes stand for themselves, and the backticks after them count.
        opened = _RUN.match(text, found.end()) if found["escapes"] else found
        start, end = opened.span()
        length = end - start
        close = _after(by_length.get(length, ()), end)
        if close is None:
            longest = max((n for n, at in by_length.items() if at[-1] >= end), default=length)
            if longest >= length:
                at = end + length  # Python-Markdown skips this much of the following text
                continue
            length = longest
            close = _after(by_length[length], end)
        yield Delimited(start, close + length, start + length, close)
        at = close + length


def find_maths(text: str, opaque: str) -> Iterator[Delimited]:
    """The maths in a text: `$...$`, without blanks inside of its marks, and `\\(...\\)`.

    As in pymdownx.arithmatex: a "$" with a blank inside of it is a dollar; maths holds no code,
    each character of which is `opaque` here.
    """
    marks = list(re.finditer(rf"\\.|\$|{opaque}+", text, re.DOTALL))
    following: list[dict[str, int]] = [{} for _ in marks]
    known: dict[str, int] = {}
    for n in range(len(marks) - 1, -1, -1):
        following[n] = known
        sign = marks[n][0]
        if sign in ("$", r"\)") or sign[0] == opaque:
            known = known | {sign[:2] if sign[0] != opaque else opaque: n}
    n = 0
    while n < len(marks):
        opened = marks[n]
        closes = {"$": "$", r"\(": r"\)"}.get(opened[0])
        last = following[n].get(closes, -1) if closes else -1
        n += 1
        if last < 0 or following[n - 1].get(opaque, len(marks)) < last:
            continue
        start, end = opened.end(), marks[last].start()
        inside = text[start:end]
        if not inside or (closes == "$" and (inside[0].isspace() or inside[-1].isspace())):
            continue
        yield Delimited(opened.start(), marks[last].end(), start, end)
        n = last + 1


def _after(places: Sequence[int], at: int) -> int | None:
    """The first of sorted places that isn't before `at`."""
    index = bisect_right(places, at - 1)
    return places[index] if index < len(places) else None


_ESCAPED = re.compile(r"\\[\\`*_{}\[\]()>#+\-.!$]")
_BRACKETS = re.compile(r"[\[\]()]")
_WITH_TITLE = re.compile(
    r"""\(\s*(?:<(?P<angle>[^<>\n]*)>\s*(?:"[^"\n]*"|'[^'\n]*')?|(?P<plain>[^\s<>"']{1,2000}+)\s+(?:"[^"\n]*"|'[^'\n]*'))\s*\)"""
)
_LABEL = re.compile(r"\s?\[(?P<label>[^\[\]]*)\]")
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


def scan_inline(
    text: str, region: Region, line_of: Callable[[int], int], definitions: Mapping[str, str]
) -> list[Span]:
    """The spans of one region: a paragraph, heading, cell or title.

    `line_of` returns the line of a place; `definitions`: addresses by the label of a reference.
    """
    scanner = _Scanner(text, region.start, region.end, line_of, definitions)
    return scanner.spans(region.ends_line) if region.markdown else scanner.tags()


class _Scanner:
    """The text of one region, in which found spans are made opaque."""

    def __init__(
        self,
        text: str,
        start: int,
        end: int,
        line_of: Callable[[int], int],
        definitions: Mapping[str, str],
    ):
        self.source = text
        self.text = text[start:end]
        self.offset = start
        self.line_of = line_of
        self.definitions = definitions
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
            self._take(self._delimited("code", find_code(text)))
        if "$" in text or r"\(" in text:
            self._take(self._delimited("maths", find_maths(self.text, _OPAQUE)))
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

    def _matches(self, pattern: re.Pattern, kind: str) -> Iterator[Span]:
        for found in pattern.finditer(self.text):
            address = found["address"] if "address" in pattern.groupindex else ""
            yield self._span(
                kind,
                *found.span(),
                content=found[0],
                content_start=found.start(),
                address=address,
                address_start=found.start("address") if address else -1,
            )

    def _delimited(self, kind: str, found: Iterable[Delimited]) -> Iterator[Span]:
        """Spans of delimited text, with their content as in the source."""
        for one in found:
            content = self._written(one.content_start, one.content_end)
            yield self._span(
                kind, one.start, one.end, content=content, content_start=one.content_start
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
            target = self._target(end_of_words, at, closing) if end_of_words else None
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

    def _target(
        self, words_end: int, start: int, closing: Mapping[int, int]
    ) -> tuple[int, str, int] | None:
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
        if not self.definitions:
            return None
        words = self._written(start + 1, words_end)
        if label := _LABEL.match(text, behind):
            address = self.definitions.get(_plain(label["label"] or words))
            if address is not None:
                return label.end(), address, -1
        address = self.definitions.get(_plain(words))
        return None if address is None else (behind, address, -1)

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


def _plain(label: str) -> str:
    """The lookup key of a reference's label."""
    return " ".join(label.lower().split())


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
