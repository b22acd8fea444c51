"""The downloads for readers: each script as a file, each page as a notebook, the whole book."""

from __future__ import annotations

import re
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from proofbook.directives import plot
from proofbook.directives.snippet import code_with_notes
from proofbook.directives.trace_figure import data_files
from proofbook.export import notebook
from proofbook.model.book import Book
from proofbook.model.page import Page

BRANCH = "notebooks"
"""The branch of the repository with the notebooks, laid out as on the site: Colab opens files from
GitHub, and generated files aren't committed next to the pages."""

OFFERED = "downloads"
"""The folder of the site with the downloads of the whole book."""

_GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?")


def colab(repository: str | None, path: str) -> str | None:
    """The address at which Colab opens the notebook at `path` on the site, or None if the book has
    no repository on GitHub."""
    found = _GITHUB.fullmatch(repository or "")
    base = "https://colab.research.google.com/github"
    return f"{base}/{found[1]}/blob/{BRANCH}/{quote(path)}" if found else None


def write_notebook(page: Page, book: Book, language: str, site: str, file: Path) -> None:
    """Write the notebook of a page."""
    file.parent.mkdir(parents=True, exist_ok=True)
    content = book.remember(notebook.notebook_text, page.file, language, notebook.site_of(site))
    file.write_text(content, "utf-8", newline="\n")


def write_figure_data(page: Page, book: Book, folder: Path) -> None:
    """Write the data of the figures with variable numbers next to their page."""
    _write(folder, book.remember(figure_data, page.file))


def write_plot_data(
    page: Page, folder: Path, drawn: Callable[[str], plot.DrawnRuns | None]
) -> None:
    """Write the figures that scripts have drawn with other numbers next to their page. `drawn`: by
    script."""
    _write(folder, plot.data_files(page, drawn))


def _write(folder: Path, files: Iterable[tuple[str, str]]) -> None:
    for name, text in files:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, "utf-8", newline="\n")


def figure_data(book: Book, file: str) -> list[tuple[str, str]]:
    """The names and the texts of these files of a page."""
    return list(data_files(book.page(file), book))


@dataclass(frozen=True)
class Download:
    """A file that contains the whole book. `path`: on the site; `name`: the name for the reader."""

    path: str
    name: str
    size: str


def offered(book: Book) -> list[Download]:
    """The PDFs and the archive of the book that the site offers, according to its settings."""
    config, found = book.config, []
    names = [
        (f"{config.file_name}-{each.code}.pdf", f"PDF ({each.name})") for each in config.languages
    ]
    for file, name in [*names, (f"{config.file_name}-offline.zip", "zip")]:
        source = book.root / config.offered / file
        if config.offered and source.is_file():
            size = f"{source.stat().st_size / 1e6:.1f} MB"
            found.append(Download(f"{OFFERED}/{file}", name, size))
    return found


def copy_offered(book: Book, site: Path) -> None:
    """Copy these files into the site."""
    for download in offered(book):
        (site / OFFERED).mkdir(parents=True, exist_ok=True)
        file = Path(download.path).name
        shutil.copyfile(book.root / book.config.offered / file, site / OFFERED / file)


def write_scripts(book: Book, language: str, edition: Path) -> None:
    """Write the scripts that the pages of a language show into the folder of its edition, each to
    its path in the book, with the notes of the page that has the most as comments."""
    pages = map(book.page, book.pages_in(language))
    shown = [each for page in pages for each in page.references if book.text_or_empty(each.path)]
    for reference in sorted(shown, key=lambda each: len(each.worded("note"))):
        file = edition / reference.path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(code_with_notes(reference, book), "utf-8", newline="\n")
