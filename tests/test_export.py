"""The book, as another site generator builds it: Zensical, of what `proofbook export` wrote.

What a page is made of is tested in packages/proofbook/tests/test_zensical.py; here is the whole
book, which takes a minute to prove and is exhaustive.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from proofbook.cli.main import main
from proofbook.html.tree import Tree
from proofbook.testing.browser import needs_browser
from proofbook.testing.server import serve
from proofbook.zensical.export import FOLDER

ROOT = Path(__file__).resolve().parents[1]
pytestmark = pytest.mark.exhaustive
PAGES = ["accumulate/two-losses/", "convolution/max-pool/", "labs/depth/"]
LINKS = "a.run, a.term, a.api"


@pytest.fixture(scope="module")
def built(tmp_path_factory, published) -> Path:
    """The site that Zensical builds; it is strict, so a link that leads nowhere fails."""
    out = tmp_path_factory.mktemp("dist")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SITE_URL", published)
        assert main(["--root", str(ROOT), "export", "-o", str(out)]) == 0
    for settings in ("mkdocs.yml", "mkdocs.en.yml"):
        command = [sys.executable, "-m", "zensical", "build", "--strict", "-f", settings]
        subprocess.run(command, cwd=out / FOLDER, check=True)
    return out / FOLDER / "site"


@pytest.fixture(scope="module")
def address(built, published) -> Iterator[str]:
    with serve(built, urlsplit(published).path, published) as address:
        yield address


def test_each_page_says_what_it_says_on_the_site(built, site_folder):
    names = {file.relative_to(site_folder).as_posix() for file in site_folder.rglob("index.html")}
    assert names == {file.relative_to(built).as_posix() for file in built.rglob("index.html")}
    assert len(names) > 100
    different = [name for name in sorted(names) if _said(built / name) != _said(site_folder / name)]
    assert different == []


def _said(file: Path) -> tuple:
    """The links, formulas, code and figures of a page."""
    text = file.read_text("utf-8")
    assert ":::" not in text and not re.search("[\ue000-\ue002]", text), file
    article = Tree(text).css_first("article")
    for take in article.css("nav.take"):  # of the site, the Markdown of each page is one more
        take.decompose()
    for node in article.css("[data-search-exclude]"):  # Zensical takes it off when it has obeyed
        del node.attrs["data-search-exclude"]
    return (
        [(link.attributes.get("class"), link.text()) for link in article.css(LINKS)],
        [math.html for math in article.css("math")],
        [(line.id, line.text()) for line in article.css("samp")],
        [code.html for code in article.css("pre code")],
        [len(figure.css("svg, button")) for figure in article.css("figure")],
        [text.text() for text in article.css("h1, h2, p, li, td")],
    )


@needs_browser
@pytest.mark.parametrize("language", ["", "en/"])
@pytest.mark.parametrize("name", PAGES)
def test_pages_open_in_a_browser(page, address, language, name):
    page.goto(f"{address}{language}{name}")
    assert ":::" not in page.locator("body").inner_text()
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("article figure svg, article .grids").count()
    page.locator("a.run").first.click()
    assert page.locator(":target").evaluate("line => line.tagName") == "SAMP"
    assert page.complaints == []
