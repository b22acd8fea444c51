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
    content = notebook.to_json(notebook.notebook(page, book, language, site))
    file.write_text(content, "utf-8", newline="\n")


def copy_scripts(pages: list[Page], root: Path, site: Path) -> None:
    """Copy the scripts that the pages show into the site, each to its path in the book."""
    for script in {r.path for page in pages for r in page.references if r.path.endswith(".py")}:
        if (root / script).is_file():  # a missing script is a problem of its page
            (site / script).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / script, site / script)
