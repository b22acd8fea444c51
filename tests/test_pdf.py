"""The printed book: every page in its order, an outline, links that lead somewhere, its fonts."""

from __future__ import annotations

import contextlib
import re
import unicodedata
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from proofbook.__main__ import main
from proofbook.export import pdf as printing
from proofbook.export.pdf import bound, installed_browser, sheets
from proofbook.testing.tiny_book import write

ROOT = Path(__file__).resolve().parents[1]

pytestmark = pytest.mark.skipif(installed_browser() is None, reason="no Chromium or Chrome")
SITE = "https://example.org/book/"
STARTS = {"zh": "index.html", "en": "en/index.html"}


@pytest.fixture(scope="module")
def printed(book_as_files, tmp_path_factory) -> Path:
    """The folder with both PDFs, as the command makes them."""
    out = tmp_path_factory.mktemp("dist")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(printing, "built_site", lambda *_: contextlib.nullcontext(book_as_files))
        # In a thread: it drives a browser of its own, and the tests have one in this thread.
        with ThreadPoolExecutor(1) as thread:
            assert thread.submit(main, ["--root", str(ROOT), "pdf", "-o", str(out)]).result() == 0
    assert sorted(file.name for file in out.iterdir()) == ["gradients-en.pdf", "gradients-zh.pdf"]
    return out


@pytest.fixture(params=["zh", "en"])
def edition(request, printed, book_as_files):
    """The reader of a PDF, and the pages of the site that it holds."""
    from pypdf import PdfReader

    reader = PdfReader(printed / f"gradients-{request.param}.pdf")
    return reader, sheets(book_as_files, STARTS[request.param])


def _places(reader) -> dict[str, int]:
    """The anchors of the document, each with the number of its page, from 0."""
    return {
        name.removeprefix("/"): reader.get_destination_page_number(place)
        for name, place in reader.named_destinations.items()
    }


# Where a font has one glyph for a character and a radical, the PDF tells the radical.
_RADICALS = str.maketrans(
    "⻄⻅⻆⻉⻋⻓⻔⻘⻚⻛⻜⻝⻢⻣⻤⻥⻦⻨⻩⻬⻰", "西见角贝车长门青页风飞食马骨鬼鱼鸟麦黄齐龙"
)


def _squeezed(text: str) -> str:
    """Without blanks, ligatures and radicals."""
    return re.sub(r"\s", "", unicodedata.normalize("NFKC", text).translate(_RADICALS))


def test_every_page_of_the_navigation_is_there_in_order_in_the_contents_and_in_the_outline(edition):
    reader, pages = edition
    nav = re.findall(r"- ([\w/-]+)\.md", (ROOT / "mkdocs.yml").read_text("utf-8"))
    assert [re.sub(r"^en/|\.html$", "", page.path) for page in pages] == nav
    places = _places(reader)
    starts = [places[page.key] for page in pages]
    assert starts == sorted(set(starts)) and starts[0] > 1
    contents = _squeezed("|".join(page.extract_text() for page in reader.pages[1 : places["p0"]]))
    outline = []

    def walk(entries: list, level: int) -> None:
        for entry in entries:
            if isinstance(entry, list):
                walk(entry, level + 1)
            else:
                outline.append((level, _squeezed(entry.title)))

    walk(reader.outline, 0)
    for page, start in zip(pages, starts, strict=True):
        name = _squeezed(page.name)
        assert name in _squeezed(reader.pages[start].extract_text()), page.path
        assert re.search(rf"{re.escape(name)}[.·]*{start + 1}(?!\d)", contents), page.path
        assert (0 if page.part else 1, name) in outline, name


def test_links_within_the_book_lead_to_places_in_it(edition):
    reader, _ = edition
    within, abroad = set(), set()
    for page in reader.pages:
        for note in page.get("/Annots", []):
            note = note.get_object()
            if note.get("/Subtype") != "/Link":
                continue
            if "/Dest" in note:
                within.add(str(note["/Dest"]).removeprefix("/"))
            else:
                abroad.add(note["/A"].get("/URI"))
    assert len(within) > 200 and within <= _places(reader).keys()
    assert all(re.match(r"https?://(?!127\.)", address or "") for address in abroad), abroad


def test_the_fonts_are_embedded_and_the_text_can_be_read(edition):
    reader, pages = edition
    seen = set()
    for page in reader.pages[:: len(reader.pages) // 12]:
        for font in (page["/Resources"].get("/Font") or {}).values():
            font = font.get_object()
            seen.add(font["/Subtype"])
            if font["/Subtype"] == "/Type3":  # its glyphs are drawn in the file itself
                assert font["/CharProcs"]
                continue
            font = font["/DescendantFonts"][0].get_object() if "/DescendantFonts" in font else font
            assert {"/FontFile", "/FontFile2", "/FontFile3"} & font["/FontDescriptor"].keys()
    assert seen
    two_losses = next(page for page in pages if page.path.endswith("two-losses.html"))
    start = _places(reader)[two_losses.key]
    text = _squeezed("".join(page.extract_text() for page in reader.pages[start : start + 4]))
    for said in ("48+12=60", "loss2.backward(retain_graph=True)", "afterloss3,w.grad:tensor(60.)"):
        assert said in text
    assert "AccumulateGrad" in text  # the figure


@pytest.mark.parametrize("language", ["zh", "en"])
def test_nothing_sticks_out_and_no_link_is_broken(language, book_as_files, browser):
    start = STARTS[language]
    document = (book_as_files / start).with_name("measured.html")
    document.write_text(bound(book_as_files, start, SITE, "Free", {}), "utf-8")
    width = round((210 - 2 * 22) / 25.4 * 96)
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.emulate_media(media="print")
    page.goto(document.as_uri())
    # A blank at the end of a line hangs over, within a box that is drawn around code.
    out = """width => [...document.querySelectorAll("main *")]
        .filter(it => it.getBoundingClientRect().right > width + 8)
        .map(it => it.closest("[id]").id + ": " + it.textContent.slice(0, 60))"""
    assert page.evaluate(out, width) == []
    broken = """() => [...document.querySelectorAll('a[href^="#"]')]
        .map(link => decodeURIComponent(link.getAttribute("href").slice(1)))
        .filter(id => !document.getElementById(id))"""
    assert page.evaluate(broken) == []
    assert page.locator("details:not([open])").count() == 0
    page.close()
    document.unlink()


def test_without_a_browser_or_a_site_nothing_is_written(tmp_path, monkeypatch, capsys):
    (tmp_path / "book").mkdir()
    command = ["--root", str(tmp_path / "book"), "pdf", "-o", str(tmp_path / "out")]
    assert main(command) == 1
    assert "the book could not be built" in capsys.readouterr().err
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("PROGRAMFILES", str(tmp_path))
    assert main(command) == 1
    assert re.search("needs Chromium or Chrome.*chromium-browser", capsys.readouterr().err)
    assert not (tmp_path / "out").exists()
    chrome = write(tmp_path / "Google/Chrome/Application/chrome.exe", "")  # as Windows installs it
    chrome.chmod(0o755)
    assert Path(printing.installed_browser()) == chrome


def test_a_browser_that_dies_leaves_no_half_a_file(book_as_files, tmp_path, monkeypatch):
    def dies(*arguments) -> int:
        *_, target = arguments
        target.write_bytes(b"%PDF-half")
        raise OSError("gone")

    monkeypatch.setattr(printing, "built_site", lambda *_: contextlib.nullcontext(book_as_files))
    monkeypatch.setattr(printing, "_print", dies)
    with pytest.raises(OSError, match="gone"):
        printing.pdf(ROOT, tmp_path, lambda _: None)
    assert list(tmp_path.iterdir()) == []
