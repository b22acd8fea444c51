"""The book on paper: `proofbook pdf` prints each language into one PDF, with a browser."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from proofbook.export.offline import Unmade, built, written
from proofbook.export.print_document import bound

EDITIONS = {"zh": "index.html", "en": "en/index.html"}
"""The first page of each edition on the site."""
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
_ADDRESS = "http://127.0.0.1:8000/"


def name(language: str) -> str:
    """What the PDF of a language is called."""
    return f"gradients-{language}.pdf"


def pdf(root: Path, out: Path, tell: Callable[[str], None]) -> str:
    """Write the PDFs into the folder `out`; gives a summary. `tell` is told of the progress."""
    browser = browser_path()
    told = []
    with built(root, tell) as site:
        for language, start in EDITIONS.items():
            with written(out / name(language)) as target:
                tell(f"printing {name(language)} ...")
                pages = _print(site, start, browser, target)
            size = (out / name(language)).stat().st_size / 1e6
            told.append(f"{out / name(language)}: {pages} pages, {size:.1f} MB")
    return "\n".join(told)


def installed_browser() -> str | None:
    """The path of a browser of this machine that can be driven, or None."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


def browser_path() -> str:
    """The browser of this machine; raises `Unmade` where there is none, or nothing to drive it."""
    missing = [module for module in ("playwright", "pypdf") if not find_spec(module)]
    if missing:
        raise Unmade(f"{' and '.join(missing)} missing: pip install -r requirements.txt")
    if not (found := installed_browser()):
        raise Unmade(
            "printing needs Chromium or Chrome, and there is none on the PATH "
            f"(looked for {', '.join(BROWSERS)}); install one, for example: apt install chromium"
        )
    return found


def _print(site: Path, start: str, browser: str, target: Path) -> int:
    """Print an edition twice: after the first time it is known on which page each chapter begins.
    Gives the number of pages."""
    from playwright.sync_api import sync_playwright
    from pypdf import PdfReader

    document = (site / start).with_name("book-to-print.html")
    address = os.environ.get("SITE_URL") or _ADDRESS
    numbers: dict[str, int] = {}
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=browser,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        page = chromium.new_page(java_script_enabled=False)
        for last in (False, True):
            document.write_text(bound(site, start, address, numbers), "utf-8")
            page.goto(document.as_uri())
            page.pdf(
                path=target,
                prefer_css_page_size=True,
                print_background=True,
                outline=last,  # what takes the longest, and most of the file
                tagged=last,
            )
            reader = PdfReader(target)
            places = reader.named_destinations.items()
            numbers = {
                anchor.removeprefix("/"): reader.get_destination_page_number(place) + 1
                for anchor, place in places
            }
        chromium.close()
    return len(reader.pages)
