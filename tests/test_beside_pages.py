"""The book as it is hosted: every page of both sitemaps, with what its head promises."""

from __future__ import annotations

import re
import struct
import urllib.request
from collections import Counter
from collections.abc import Callable

import pytest
from addresses import MESSAGES


@pytest.fixture
def get(site, published) -> Callable[[str], bytes]:
    """Asks for an address of the published site here; any answer but 200 raises."""

    def get(address: str) -> bytes:
        assert address.startswith(published)
        here = site + address.removeprefix(published)
        with urllib.request.urlopen(here, timeout=120) as answer:
            assert answer.status == 200 and answer.url == here
            return answer.read()

    return get


@pytest.mark.parametrize("edition", ["", "en/"])
def test_every_page_keeps_what_its_head_promises(site_folder, published, get, edition):
    sitemap = (site_folder / edition / "sitemap.xml").read_text("utf-8")
    pages = re.findall(r"<loc>(.*?)</loc>", sitemap)
    assert len(pages) > 50 and all(page.startswith(published + edition) for page in pages)
    answers, pictures, copies = Counter(), set(), 0
    listed = get(f"{published}{edition}llms.txt").decode()
    for page in pages:
        head = get(page).decode().partition("</head>")[0]
        said = dict(re.findall(r'<meta (?:name|property)="([\w:]+)" content="([^"]*)"', head))
        assert f'<link rel="canonical" href="{page}">' in head and said["og:url"] == page
        answers[said["description"]] += 1
        assert said["description"] and said["og:title"]
        pictures.add(said["og:image"])
        if 'type="text/markdown"' in head:
            copies += 1
            assert get(f"{page}index.md").decode().startswith("# ")
            assert page == published + edition or f"({page}index.md)" in listed
        else:  # a message: the Markdown copy of the page of messages has it
            assert page.removeprefix(published) in MESSAGES
    assert [answer for answer, times in answers.items() if times > 1] == []
    (picture,) = pictures  # its width and its height stand at the front of a PNG
    assert struct.unpack(">II", get(picture)[16:24]) == (1200, 630)
    assert len(re.findall(r"\(http[^)]*index\.md\)", listed)) == copies - 1  # all but the home


def test_the_addresses_that_a_sitemap_gives_for_the_other_language_are_answered(site_folder):
    zh, en = ((site_folder / name).read_text("utf-8") for name in ("sitemap.xml", "en/sitemap.xml"))
    assert re.findall(r'hreflang="en" href="(.*?)"', zh) == re.findall(r"<loc>(.*?)</loc>", en)
