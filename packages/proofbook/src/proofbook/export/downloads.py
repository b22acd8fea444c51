"""What a reader takes along: each script as a file, each page as a notebook. The links to them."""

from __future__ import annotations

import html
import posixpath
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from proofbook.export import notebook
from proofbook.model.book import Book
from proofbook.model.page import Page

BRANCH = "notebooks"
"""The branch of the repository that holds the notebooks, laid out as on the site: Colab opens what
lies on GitHub, and what is generated isn't committed beside the pages."""

_TITLE = re.compile(r'(<span class="filename">)(snippets/[a-z0-9_/]+\.py)(</span>)')
_GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?")
_WORDS = {
    "zh": {
        "script": "下载 {name}",
        "line": "带走这一页",
        "notebook": "下载为 Jupyter 笔记本",
        "colab": "在 Colab 打开",
        "markdown": "Markdown",
    },
    "en": {
        "script": "Download {name}",
        "line": "Take this page along",
        "notebook": "Download as a Jupyter notebook",
        "colab": "Open in Colab",
        "markdown": "Markdown",
    },
}


def with_downloads(content: str, language: str, address: Callable[[str], str]) -> str:
    """The HTML of a page, with a link in the title of each script to its file.

    `address` gives the address of a file by its path in the book.
    """

    def link(found: re.Match) -> str:
        file = found[2]
        told = _WORDS[language]["script"].format(name=posixpath.basename(file))
        return (
            f'{found[1]}{file}<a class="take-script" href="{html.escape(address(file))}" download'
            f' title="{told}" aria-label="{told}"></a>{found[3]}'
        )

    return _TITLE.sub(link, content)


def line(language: str, **links: str | None) -> str:
    """The line that ends a page: links to what the page is besides HTML.

    `links`: addresses by what they lead to, `notebook`, `colab`, `markdown`; None for what isn't.
    """
    words = _WORDS[language]
    told = []
    for what, address in links.items():
        if address:
            download = " download" if what == "notebook" else ""
            told.append(f'<a href="{html.escape(address)}"{download}>{words[what]}</a>')
    if not told:
        return ""
    inside = '<span aria-hidden="true"> · </span>'.join(told)
    return f'<nav class="take" aria-label="{words["line"]}" data-search-exclude>{inside}</nav>'


def colab(repository: str | None, path: str) -> str | None:
    """The address at which Colab opens the notebook that lies at `path` on the site, or None where
    the book has no repository on GitHub."""
    found = _GITHUB.fullmatch(repository or "")
    base = "https://colab.research.google.com/github"
    return f"{base}/{found[1]}/blob/{BRANCH}/{quote(path)}" if found else None


def write_notebook(page: Page, book: Book, language: str, site: str, file: Path) -> None:
    """Write the notebook of a page."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(notebook.text(page, book, language, site), "utf-8", newline="\n")


def copy_scripts(pages: list[Page], root: Path, site: Path) -> None:
    """Put the scripts that the pages show into the site, each where it lies in the book."""
    for script in {r.path for page in pages for r in page.references if r.path.endswith(".py")}:
        if (root / script).is_file():  # a page that names none is told elsewhere
            (site / script).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / script, site / script)
