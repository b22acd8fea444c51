"""What readers can download: each script as a file, each page as a notebook."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from urllib.parse import quote

from proofbook.export import notebook
from proofbook.model.book import Book
from proofbook.model.page import Page

BRANCH = "notebooks"
"""The branch of the repository that holds the notebooks, laid out as on the site: Colab opens what
lies on GitHub, and what is generated isn't committed beside the pages."""

_GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?")


def colab(repository: str | None, path: str) -> str | None:
    """The address at which Colab opens the notebook that lies at `path` on the site, or None where
    the book has no repository on GitHub."""
    found = _GITHUB.fullmatch(repository or "")
    base = "https://colab.research.google.com/github"
    return f"{base}/{found[1]}/blob/{BRANCH}/{quote(path)}" if found else None


def write_notebook(page: Page, book: Book, language: str, site: str, file: Path) -> None:
    """Write the notebook of a page."""
    file.parent.mkdir(parents=True, exist_ok=True)
    content = book.remember(notebook.notebook_text, page.file, language, notebook.site_of(site))
    file.write_text(content, "utf-8", newline="\n")


def copy_scripts(book: Book, site: Path) -> None:
    """Copy the scripts that the pages show into the site, each to its path in the book."""
    shown = {reference.path for page in book.pages for reference in page.references}
    for script in shown & set(book.scripts):
        (site / script).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(book.root / script, site / script)
