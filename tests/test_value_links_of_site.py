"""Every mark of the built site, checked from the HTML alone: the line is there and says it.

Nothing of the engine is used here: the pages are read as a browser reads them.
"""

from __future__ import annotations

import math
import re
import urllib.request
from collections import Counter
from html.parser import HTMLParser
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest
from addresses import ADDRESSES

NUMBER = re.compile(r"\d+(?:\.\d*)?(?:e[+-]?\d+)?")
VOID = {"area", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "wbr"}
NO_PLACE = {"a", "button", "pre", "summary", *(f"h{n}" for n in range(1, 7))}


class Reader(HTMLParser):
    """Reads a page: its ids, what stands from each on in its block of code, and its marks."""

    def __init__(self, text: str):
        super().__init__()
        self.ids: Counter[str] = Counter()
        self.lines: dict[str, str] = {}
        self.marks: list[tuple[str, str, str]] = []
        self.nested: list[str] = []
        self._open: list[tuple[str, bool]] = []
        self._ids: list[str] = []
        self._proves = False
        self.numbers: list[tuple[str, str, str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        known = dict(attrs)
        if name := known.get("id"):
            self.ids[name] += 1
        mark = tag == "a" and known.get("class") == "run"
        if mark:
            self.nested += [outer for outer, _ in self._open if outer in NO_PLACE]
            self.marks.append((known["href"] or "", known["title"] or "", ""))
        if any(outer == "pre" for outer, _ in self._open) and name:
            self.lines[name] = ""
            self._ids.append(name)
        # Of a formula that is a link, other lines prove the numbers that have a title of their own.
        self._proves = known.get("class") == "proved"
        if self._proves:
            to, title, _ = self.marks[-1]
            self.numbers.append((known.get("data-to") or to, known.get("title") or title, ""))
        if tag not in VOID:
            self._open.append((tag, mark))

    def handle_endtag(self, tag: str) -> None:
        self._proves = False
        while self._open and self._open.pop()[0] != tag:
            pass
        if tag == "pre":
            self._ids = []

    def handle_data(self, data: str) -> None:
        for name in self._ids:
            self.lines[name] += data
        if not any(mark for _, mark in self._open):
            return
        to, title, said = self.marks[-1]
        if not any(tag == "math" for tag, _ in self._open):
            self.marks[-1] = (to, title, said + data)
        elif self._proves:
            self.numbers[-1] = (*self.numbers[-1][:2], data)
            self.marks[-1] = (to, title, said or data)


@pytest.fixture(scope="module")
def pages(site) -> dict[str, Reader]:
    def read(address: str) -> Reader:
        with urllib.request.urlopen(address) as answer:
            return Reader(answer.read().decode("utf-8"))

    return {site + address: read(site + address) for address in ADDRESSES}


def says(line: str, rest: str, said: str) -> bool:
    """Whether a line, which may go on below, says what a mark on a page says."""
    wanted = [float(n) for n in NUMBER.findall(said)]
    if re.match(r"[A-Za-z'][\w'.,:-]*(?: [\w'.,:()\[\]-]+){3,}", said):
        shown = " ".join(rest.split())
        parts = [" ".join(part.split()) for part in re.split(r"\.\.\.|…", said)]
        return all(part in shown for part in parts) and any(p[:20] in line for p in parts)
    if re.search("[a-z]", said) and said in line:
        return True
    have = [float(n) for n in NUMBER.findall(rest)]
    starts = range(len(NUMBER.findall(line)))
    together = any(
        all(map(close, wanted, have[i : i + len(wanted)]))
        for i in starts
        if len(have) - i >= len(wanted)
    )
    return bool(wanted) and together


def close(one: float, other: float) -> bool:
    return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-12)


def test_every_mark_leads_to_a_line_that_says_it(pages):
    wrong = []
    for address, page in pages.items():
        for to, title, said in page.marks + page.numbers:
            there, name = urldefrag(urljoin(address, to))
            if there in pages and name.startswith(("trace-", "plot-")):  # a run with other numbers
                wrong += [] if pages[there].ids[name] == 1 else [(address, to, said, "no figure")]
                continue
            rest = pages[there].lines.get(name) if there in pages else None
            line = (rest or "").partition("\n")[0]
            number = re.search(r"第 (\d+) 行|line (\d+)", title)
            if rest is None or not says(line, rest, said):
                wrong.append((urlsplit(address).path, to, said, line))
            elif not number or name.rpartition("-")[2] not in number.groups():
                wrong.append((address, to, title, "another line than the title says"))
    assert wrong == []


def test_both_editions_have_marks_in_words_code_and_formulas_and_in_no_other_place(pages, site):
    counts = Counter("en" if "/en/" in a else "zh" for a, p in pages.items() for _ in p.marks)
    assert min(counts.values()) > 400
    assert [(a, p.nested) for a, p in pages.items() if p.nested] == []
    for edition in ("", "en/"):
        page = pages[f"{site}{edition}accumulate/two-losses/"]
        assert [said for _, _, said in page.marks][:3] == ["48", "60", "48"]


def test_each_line_has_an_id_of_its_own_and_is_led_to(pages):
    twice = [(a, name) for a, p in pages.items() for name in p.lines if p.ids[name] > 1]
    assert twice == []
    led = {
        urljoin(address, to)
        for address, page in pages.items()
        for to, _, _ in page.marks + page.numbers
    }
    ids = {f"{a}#{name}" for a, p in pages.items() for name in p.lines if "__" not in name}
    assert len(led) > 500 and len(ids - led) < 0.02 * len(ids)


@pytest.mark.parametrize(
    ("line", "rest", "said", "holds"),
    [
        ("w: 48.0", "", "48", True),
        ("w: 48.0", "", "84", False),
        ("w: 148", "", "48", False),
        ("[[1., 2.],", " [3., 4.]]", "[[1, 2], [3, 4]]", True),
        ("[[1., 2.],", " [3., 4.]]", "[3, 4]", False),
        ("E: not of this kind at all", "", "not of ... kind at all", True),
        ("E: something else", "E: not of this kind at all", "not of this kind at all", False),
    ],
)
def test_the_reader_of_lines_is_strict(line, rest, said, holds):
    assert says(line, f"{line}\n{rest}", said) == holds
