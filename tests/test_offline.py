"""The book as a zip: it opens from the file system and asks no network."""

from __future__ import annotations

import contextlib
import io
import re
import zipfile
from pathlib import Path

import pytest
from proofbook.__main__ import main
from proofbook.export.offline import ExportError, offline, replaced_file
from proofbook.testing.browser import needs_browser, watch

ROOT = Path(__file__).resolve().parents[1]
FOLDER, NAME = "gradients", "gradients-offline.zip"


@pytest.fixture(scope="module")
def packed(book_as_files, tmp_path_factory) -> Path:
    """The zip, as the command makes it."""
    out, told = tmp_path_factory.mktemp("dist"), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(told):
        patch.setattr(
            "proofbook.export.offline.built_site", lambda *_: contextlib.nullcontext(book_as_files)
        )
        assert main(["--root", str(ROOT), "offline", "-o", str(out)]) == 0
    assert f"open {FOLDER}/index.html" in told.getvalue()
    assert [file.name for file in out.iterdir()] == [NAME]
    return out / NAME


@pytest.fixture(scope="module")
def unpacked(packed, tmp_path_factory) -> Path:
    """A folder with a name that an address must quote."""
    folder = tmp_path_factory.mktemp("下载 1")
    zipfile.ZipFile(packed).extractall(folder)
    return folder / FOLDER


@pytest.fixture
def page(browser, unpacked):
    """A page of the book, on which nothing may go wrong; what a page still asks for when it is
    left does not count."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    watch(page, own=("file:", "data:"))
    page.goto((unpacked / "index.html").as_uri())
    yield page
    complaints = page.complaints
    page.close()
    assert complaints == []


def _search(page, words: str, expected: str) -> None:
    if not page.locator(".md-search__input").is_visible():
        page.locator("label[for=__search]").first.click()
    page.locator(".md-search__input").fill(words)
    page.keyboard.press("Shift")  # Material listens to keys
    found = page.locator(f".md-search-result__link[href*='{expected}']").first
    found.click()
    page.wait_for_url(re.compile(re.escape(expected)))


@needs_browser
def test_search_finds_in_either_language_and_the_switch_stays_on_the_page(page):
    _search(page, "梯度累加", "accumulate/")
    page.goto(page.url.partition("#")[0].partition("?")[0])
    here = page.url
    page.locator(".language").click()
    page.wait_for_url("**/en/**")
    assert page.locator("html").get_attribute("lang") == "en"
    assert page.url.replace("/en/", "/") == here
    _search(page, "momentum", "updates/")
    page.goto(page.url.partition("#")[0].partition("?")[0])
    page.locator(".language").click()
    page.wait_for_url(lambda url: "/en/" not in url)
    assert page.locator("html").get_attribute("lang") == "zh"


@needs_browser
def test_figures_play_and_files_download(page):
    player = page.locator(".player")
    player.locator("input").first.fill("1")
    first = player.locator("p").inner_text()
    player.locator("button").nth(2).click()
    page.wait_for_function(
        "first => document.querySelector('.player p').innerText != first", arg=first
    )
    for link in (page.locator(".take a").first, page.locator(".take-script").first):
        target = link.evaluate("link => link.href")
        assert link.get_attribute("download") is not None
        assert Path.from_uri(target).is_file() if hasattr(Path, "from_uri") else target


def test_every_link_within_the_book_leads_to_a_file(unpacked):
    missing, seen = [], 0
    for file in unpacked.rglob("*.html"):
        for target in re.findall(r'(?:href|src)="([^"#?]+)', file.read_text("utf-8")):
            if not re.match(r"[a-z]+:", target):
                seen += 1
                if not (file.parent / target).is_file():
                    missing.append(f"{file.relative_to(unpacked)}: {target}")
    assert seen > 5000 and missing == []


def test_nothing_is_fetched_from_elsewhere(unpacked):
    """What a page loads by itself; a link that a reader may follow is another matter."""
    loads = r'<(?:script|img|iframe|link rel="(?:stylesheet|icon|preload)")\b[^>]*?"(https?:[^"]*)'
    for file in unpacked.rglob("*.html"):
        assert re.findall(loads, file.read_text("utf-8")) == [], file


def test_the_same_book_gives_the_same_entries(packed):
    with zipfile.ZipFile(packed) as zipped:
        assert zipped.testzip() is None
        assert {entry.date_time[0] for entry in zipped.infolist()} == {1980}
        assert zipped.namelist() == sorted(zipped.namelist())


def test_a_book_that_cannot_be_built_leaves_what_was_there(tmp_path):
    old = tmp_path / "dist/book-offline.zip"
    old.parent.mkdir()
    old.write_text("old")
    (tmp_path / "book").mkdir()
    with pytest.raises(ExportError, match="could not be built"):
        offline(tmp_path / "book", old.parent, lambda _: None)
    assert old.read_text() == "old" and list(old.parent.iterdir()) == [old]


def test_a_file_is_written_whole_or_not_at_all(tmp_path):
    with pytest.raises(ZeroDivisionError), replaced_file(tmp_path / "a" / "b") as target:
        target.write_text("half")
        1 / 0  # noqa: B018
    assert list((tmp_path / "a").iterdir()) == []
    with replaced_file(tmp_path / "a" / "b") as target:
        target.write_text("whole")
    assert [f.read_text() for f in (tmp_path / "a").iterdir()] == ["whole"]
