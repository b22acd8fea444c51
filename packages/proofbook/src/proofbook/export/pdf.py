"""The book on paper: `proofbook pdf` prints each language into one PDF, with a browser."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

from proofbook.export.offline import ExportError, built_site, replaced_file
from proofbook.export.print_document import bound
from proofbook.model.config import read_config

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
_OF_MACOS = ("Google Chrome", "Chromium", "Microsoft Edge")
_OF_WINDOWS = ("Google/Chrome/Application/chrome.exe", "Microsoft/Edge/Application/msedge.exe")
_ADDRESS = "http://127.0.0.1:8000/"
"""The address of the book if its settings have none."""


def pdf(root: Path, out: Path, progress: Callable[[str], None]) -> str:
    """Write a PDF for each language into the folder `out`; returns a summary. `progress` is called
    with messages."""
    browser, config = browser_path(), read_config(root)
    lines = []
    with built_site(root, progress) as site:
        for language in config.languages:
            file = out / f"{config.file_name}-{language.code}.pdf"
            start = f"{config.prefix(language.code)}index.html"
            with replaced_file(file) as target:
                progress(f"printing {file.name} ...")
                address = config.site_url or _ADDRESS
                pages = _print(site, start, address, language.license, browser, target)
            lines.append(f"{file}: {pages} pages, {file.stat().st_size / 1e6:.1f} MB")
    return "\n".join(lines)


def installed_browser() -> str | None:
    """The path of an installed browser that can be automated, or None."""
    on_path = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    return on_path or next((str(file) for file in _outside_of_path() if file.is_file()), None)


def _outside_of_path() -> Iterator[Path]:
    """Installation paths of browsers on systems where these are not in the PATH."""
    if sys.platform == "darwin":
        for name in _OF_MACOS:
            yield Path(f"/Applications/{name}.app/Contents/MacOS/{name}")
    if sys.platform == "win32":
        for variable in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA"):
            for file in _OF_WINDOWS:
                yield Path(os.environ.get(variable, ""), file)


def browser_path() -> str:
    """The browser of this machine; raises `ExportError` if there is none, or no driver."""
    missing = [module for module in ("playwright", "pypdf") if not find_spec(module)]
    if missing:
        raise ExportError(f"{' and '.join(missing)} missing: pip install -r requirements.txt")
    if not (found := installed_browser()):
        raise ExportError(
            "printing needs Chromium or Chrome, and none was found "
            f"(on the PATH: {', '.join(BROWSERS)}); install one, for example: apt install chromium"
        )
    return found


def _print(site: Path, start: str, address: str, license: str, browser: str, target: Path) -> int:
    """Print the edition whose first page is `start` into `target`; returns the number of pages.

    It is printed twice: after the first time the page number of each chapter is known.
    """
    from playwright.sync_api import sync_playwright
    from pypdf import PdfReader

    document = (site / start).with_name("book-to-print.html")
    numbers: dict[str, int] = {}
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=browser,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        page = chromium.new_page(java_script_enabled=False)
        for last in (False, True):
            document.write_text(bound(site, start, address, license, numbers), "utf-8")
            page.goto(document.as_uri())
            page.pdf(
                path=target,
                prefer_css_page_size=True,
                print_background=True,
                outline=last,  # it takes the longest, and most of the file
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
