"""Every mark of the built site, checked from the HTML alone: the line is there and says it.

Nothing of the engine is used here: the pages are read as a browser reads them.
"""

from __future__ import annotations

import math
import re
import urllib.request
from collections import Counter
from typing import NamedTuple
from urllib.parse import urldefrag, urljoin, urlsplit

import pytest
from addresses import ADDRESSES, MESSAGES
from selectolax.lexbor import LexborHTMLParser

NUMBER = re.compile(r"\d+(?:\.\d*)?(?:e[+-]?\d+)?")
NO_PLACE = {"a", "button", "pre", "summary", *(f"h{n}" for n in range(1, 7))}


class Page(NamedTuple):
    """The ids of a page, what stands from each on in its block of code, its marks as triples of
    address, title and text, and what marks must not stand in and do."""

    ids: Counter[str]
    lines: dict[str, str]
    marks: list[tuple[str, str, str]]
    nested: list[str]


def read(text: str) -> Page:
    tree = LexborHTMLParser(text)
    page = Page(Counter(node.attributes["id"] for node in tree.css("[id]")), {}, [], [])
    for block in tree.css("pre"):
        known: list[str] = []
        for node in block.traverse(include_text=True):
            if node.tag == "-text":
                page.lines.update({name: page.lines[name] + node.text_content for name in known})
            elif name := node.attributes.get("id"):
                page.lines[name] = ""
                known.append(name)
    for mark in tree.css("a.run"):
        to, title = mark.attributes["href"], mark.attributes.get("title") or ""
        # Of a formula that is a link, other lines prove the numbers that have a title of their own.
        proved = mark.css("math .proved")
        page.marks.append((to, title, (proved or [mark])[0].text()))
        for number in proved:
            own = number.attributes
            page.marks.append((own.get("data-to") or to, own.get("title") or title, number.text()))
        while mark := mark.parent:
            page.nested.extend({mark.tag} & NO_PLACE)
    return page


@pytest.fixture(scope="module")
def pages(site) -> dict[str, Page]:
    def fetched(address: str) -> Page:
        with urllib.request.urlopen(address) as answer:
            return read(answer.read().decode("utf-8"))

    return {site + address: fetched(site + address) for address in ADDRESSES + MESSAGES}


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
    wrong, reached = [], set()
    for address, page in pages.items():
        for to, title, said in page.marks:
            reached.add(urljoin(address, to))
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
    assert [(a, name) for a, p in pages.items() for name in p.lines if p.ids[name] > 1] == []
    ids = {f"{a}#{name}" for a, p in pages.items() for name in p.lines if "__" not in name}
    # The numbers in a question with a guess are not linked: the lines that say them keep their ids.
    assert len(reached) > 500 and len(ids - reached) < 0.04 * len(ids)


def test_both_editions_have_marks_in_words_code_and_formulas_and_in_no_other_place(pages, site):
    counts = Counter("en" if "/en/" in a else "zh" for a, p in pages.items() for _ in p.marks)
    assert min(counts.values()) > 400
    assert [(a, p.nested) for a, p in pages.items() if p.nested] == []
    for edition in ("", "en/"):
        page = pages[f"{site}{edition}accumulate/two-losses/"]
        assert [said for _, _, said in page.marks][:3] == ["48", "60", "48"]
