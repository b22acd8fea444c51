"""What a reader on a phone has to wait for: the weight of a first visit, compressed, and its parts.

Compressed as GitHub Pages does it, with gzip.
"""

from __future__ import annotations

import gzip
import urllib.request

import pytest
from addresses import ADDRESSES
from proofbook.testing.browser import needs_browser

pytestmark = needs_browser

REQUESTS = 14
"""Two more than with inline scripts, which a strict host forbids: their file, and the worker."""
WEIGHT = 136_000
"""Bytes of everything that a page asks for before its reader does anything."""


def compressed(url: str, body: bytes) -> int:
    return len(body) if url.endswith((".woff2", ".png")) else len(gzip.compress(body))


@pytest.fixture
def visit(page):
    """A function that gives what a first visit to a page asks for, with the bytes of each."""
    page.set_viewport_size({"width": 390, "height": 844})
    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.send("Network.setCacheDisabled", {"cacheDisabled": True})

    def visit(url: str) -> dict[str, int]:
        page.goto("about:blank")
        responses = []

        def note(response) -> None:
            if not response.url.startswith("blob:"):  # what the page itself has made
                responses.append(response)

        page.on("response", note)
        page.goto(url)
        page.wait_for_load_state("networkidle")
        page.wait_for_timeout(300)
        page.remove_listener("response", note)
        got = {r.url: compressed(r.url, r.body()) for r in responses}
        assert len(got) == len(responses), "something is asked for twice"
        return got

    yield visit
    session.detach()


@pytest.fixture(scope="module")
def heaviest(site) -> list[str]:
    """The two pages that weigh most by themselves, of all pages of the site."""
    weights = {}
    for address in ADDRESSES:
        with urllib.request.urlopen(site + address) as page:
            weights[address] = len(gzip.compress(page.read()))
    return sorted(weights, key=weights.get, reverse=True)[:2]


@pytest.mark.parametrize("at", [0, 1, ""])
def test_a_first_visit_is_light(site, visit, heaviest, at):
    address = heaviest[at] if isinstance(at, int) else at
    got = visit(site + address)
    assert sum(got.values()) <= WEIGHT, (address, got)
    assert len(got) <= REQUESTS, (address, got)
    assert all(url.startswith(site) for url in got)
    assert not any("search_index" in url for url in got), "the index waits until it is needed"


def test_only_a_page_with_a_formula_asks_for_the_font_of_formulas(site, visit):
    assert any("formulas" in url for url in visit(site + "accumulate/two-losses/"))
    assert not any("formulas" in url for url in visit(site + "module-hooks/"))


def test_the_page_of_questions_is_light(site_folder):
    for edition in ("", "en/"):
        page = site_folder / edition / "questions/index.html"
        assert len(gzip.compress(page.read_bytes())) < 27_000
