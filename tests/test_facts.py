"""Each fact that the book promises stands on a page in both languages; its snippet prints it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from proofbook.model.page import parse, read

pytestmark = pytest.mark.upgrade

ROOT = Path(__file__).resolve().parents[1]

FACTS = tomllib.loads(read(ROOT / "tests/facts.toml"))
_LAST = {"B": 7, "A": 7, "H": 13, "M": 7, "C": 8}
PROMISED = {f"{row}{number}" for row, last in _LAST.items() for number in range(1, last + 1)}
SHOWN = [(row, place) for row, fact in FACTS.items() for place in fact["shown"]]
NAMES = [f"{row}-{place['snippet']}" for row, place in SHOWN]
THEN_AND_NOW = "docs/then-and-now/index"


DIFFER = {"A5", "A7", "B2", "C7", "C8", "H3", "H7", "H9", "H11", "H12", "M6"}


def test_every_promised_fact_has_its_entry():
    assert FACTS.keys() == PROMISED, "tests/facts.toml does not hold the promised facts"
    assert {row for row, fact in FACTS.items() if fact.get("differs")} == DIFFER


@pytest.mark.parametrize("row", FACTS)
def test_an_entry_says_what_is_shown(row):
    assert FACTS[row].keys() <= {"fact", "differs", "shown"} and FACTS[row]["fact"]
    assert FACTS[row]["shown"], f"{row} is shown nowhere"
    for place in FACTS[row]["shown"]:
        assert place.keys() == {"page", "snippet", "prints"}, row
        # A text that any output could hold would prove nothing.
        assert isinstance(place["prints"], list) and place["prints"], row
        assert all(len(text) > 3 for text in place["prints"]), row


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize(("row", "place"), SHOWN, ids=NAMES)
def test_the_page_of_a_fact_shows_its_snippet(row, place, language):
    file = f"docs/{place['page']}.{language}.md"
    assert (ROOT / file).is_file(), f"{row}: there is no page {file}"
    snippet = f"snippets/{place['snippet']}.py"
    assert snippet in {reference.path for reference in parse(file, read(ROOT / file)).references}, (
        f"{row}: {file} does not show {snippet}"
    )


@pytest.mark.parametrize(("row", "place"), SHOWN, ids=NAMES)
def test_the_snippet_of_a_fact_prints_it(row, place):
    output, at = read(ROOT / f"snippets/{place['snippet']}.out"), 0
    for text in place["prints"]:
        at = output.find(text, at)
        assert at >= 0, f"{row}: {place['snippet']}.out does not print {text!r} (in this order)"
        at += len(text)


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("row", [row for row, fact in FACTS.items() if "differs" in fact])
def test_then_and_now_leads_to_what_differs(row, language):
    page = FACTS[row]["shown"][0]["page"]
    assert f"](../{page}.{language}.md" in read(ROOT / f"{THEN_AND_NOW}.{language}.md"), (
        f"{row}: {THEN_AND_NOW}.{language}.md has no link to {page}.{language}.md"
    )
