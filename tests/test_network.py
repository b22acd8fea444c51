"""A network is drawn with a circle for each neuron and a line for each weight."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from proofbook.directives.registry import expand
from proofbook.model.book import read_book
from proofbook.model.page import parse
from proofbook.model.problem import Unproved

DIRECTIVES = Path(__file__).resolve().parent.parent / "theme/directives"


def drawn(book, options: str) -> str:
    book.write("mkdocs.yml", f"plugins: {{proofbook: {{directives: [{DIRECTIVES}]}}}}\n")
    page = parse("docs/t/p.en.md", f"# T {{ #t }}\n\n::: network\n{options}")
    return expand(page, read_book(book.root))


def test_each_neuron_is_connected_with_the_next_layer(book):
    said = drawn(book, '    layers: 2, 3, 1\n    alt: two & "three"\n')
    svg = ElementTree.fromstring(said[said.index("<svg") : said.index("</svg>") + 6])
    circles = [(c.get("cx"), c.get("cy")) for c in svg.iter("circle")]
    ends = [tuple(d.get("d")[1:].split("L")) for d in svg.iter("path")]
    assert svg.get("aria-label") == 'two & "three"'
    assert len(set(circles)) == 6 and len(set(ends)) == 2 * 3 + 3 * 1
    assert {tuple(end.split()) for pair in ends for end in pair} == set(circles)


@pytest.mark.parametrize(
    "options",
    ["    layers: 2, 3\n", "    layers: 2\n    alt: a\n", "    layers: 2, b\n    alt: a\n"],
)
def test_a_network_without_layers_or_words_is_refused(book, options):
    with pytest.raises(Unproved, match=r"docs/t/p.en.md:3: a network needs its layers"):
        drawn(book, options)
