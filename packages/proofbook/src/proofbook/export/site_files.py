"""The files of the site besides its pages. For readers: each script as a file, each page as
a notebook, the data of figures, the whole book. For programs, in each edition: Markdown copies and
llms.txt. For the host of all editions: robots.txt, the list of sitemaps and .nojekyll.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlsplit
from xml.sax.saxutils import escape

from proofbook.content.attacks import attacks_on, line_of_tried
from proofbook.content.page_summary import answer, packages_of, software, title
from proofbook.directives import curve, trace_figure
from proofbook.directives.snippet import code_with_notes
from proofbook.export import notebook
from proofbook.model.book import Book
from proofbook.model.config import in_language
from proofbook.model.contents import sections
from proofbook.model.page import Page, parse
from proofbook.model.temporary import write_text

BRANCH = "notebooks"
"""The branch of the repository with the notebooks, laid out as on the site: Colab and ModelScope
open files from GitHub, and generated files aren't committed next to the pages."""

_COLAB = "https://colab.research.google.com/github"
_HOSTS = {
    "zh": {"modelscope": "https://modelscope.cn/notebook/share/github", "colab": _COLAB},
    "en": {"colab": _COLAB},
}
"""Where a notebook on GitHub opens. From China one reaches ModelScope, and not Colab."""

OFFERED = "downloads"
"""The folder of the site with the downloads of the whole book."""

_GITHUB = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+?)(?:\.git)?/?")

SITEMAPS = "sitemaps.xml"
MARKDOWN = "index.md"
"""The file name of the Markdown copy of a page, in the folder of its page."""

_SOURCE = {"zh": "出处：<{page}>。", "en": "Source: <{page}>."}
_PROVED = {
    "zh": "代码和输出都核对过：输出由 {} 打印。",
    "en": " Code and output are checked: {} printed the output.",
}
_BETWEEN = {"zh": "、", "en": ", "}
_TAG = re.compile(r"</?(?:span|div)\b[^<>]*>|<img\b[^<>]*>")
_OUTPUT = {"zh": "输出：", "en": "Output:"}
_OTHER_PAGES = {"zh": "还有", "en": "And"}


def online_notebooks(repository: str | None, path: str, language: str) -> dict[str, str]:
    """The addresses at which the notebook at `path` on the site opens for readers of a language,
    by host, the best one first. Empty if the book has no repository on GitHub."""
    if not (found := _GITHUB.fullmatch(repository or "")):
        return {}
    rest = f"{found[1]}/blob/{BRANCH}/{quote(path)}"
    return {host: f"{base}/{rest}" for host, base in in_language(_HOSTS, language).items()}


def write_data(folder: Path, files: Iterable[tuple[str, str]]) -> None:
    """Write the data of figures with variable numbers, by file name, next to their page."""
    for name, text in files:
        write_text(folder / name, text)


def figure_data(book: Book, file: str) -> list[tuple[str, str]]:
    """The names and the texts of these files for the recorded runs on a page."""
    page = book.page(file)
    return [*trace_figure.data_files(page, book), *curve.data_files(page, book)]


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
        write_text(edition / reference.path, code_with_notes(reference, book))


@dataclass(frozen=True)
class SitePage:
    """A page on the site: its folder below the edition, its whole address, the title of its part
    or ""."""

    page: Page
    folder: str
    address: str
    part: str


def write_markdown_copies(
    pages: Sequence[SitePage], language: str, site: str, book: Book, folder: Path
) -> None:
    """Write the Markdown copies of the pages of an edition, which `expand` accepts, into its
    `folder`. `site`: the address of the book."""
    for page in pages:
        own = page.page.language or language
        text = book.remember(markdown_copy, page.page.file, own, site, page.address)
        write_text(folder / page.folder / MARKDOWN, text)


def markdown_copy(book: Book, file: str, language: str, site: str, address: str) -> str:
    """The Markdown copy of a page: for pasting into a chat, or for programs.

    It has the text of the page, with the code and the output of each script, without its graphics:
    a figure is a link, and the numbers of a grid are in the output. `site`: the address of the
    book; `address`: the address of this page.
    """
    parts = []
    for cell in notebook.cells(_with_tried(book.page(file), book), book, language, site):
        if cell.cell_type == "code":
            output = cell.outputs[0].text.rstrip("\n")
            label = in_language(_OUTPUT, language)
            parts += [_fence("python", cell.source), label, _fence("text", output)]
        elif not cell.source.startswith("<table"):
            parts.append(_TAG.sub("", cell.source).strip())
    title, gap, rest = parts[0].partition("\n")
    source = in_language(_SOURCE, language).format(page=address)
    if notebook.has_scripts(page := book.page(file)):
        printed = software(packages_of(page, book), in_language(_BETWEEN, language))
        source += in_language(_PROVED, language).format(printed)
    parts[0] = f"{title}\n\n{source}{gap}{rest}"
    return "\n\n".join(parts) + "\n"


def _with_tried(page: Page, book: Book) -> Page:
    """The page with a line at the end of each attacked section: what the tests tried."""
    attacked, parts = book.fact(attacks_on, page.name), []
    for section in sections(page):
        tests = attacked.get(section.anchor)
        said = f"\n\n{line_of_tried(tests, page.language)}\n" if tests else ""
        parts.append(f"{section.text}{said}")
    return parse(page.file, "\n".join(parts), language=page.language) if attacked else page


def _fence(language: str, text: str) -> str:
    ticks = "`" * 3
    while ticks in text:
        ticks += "`"
    return f"{ticks}{language}\n{text}\n{ticks}"


def llms_txt(pages: Sequence[SitePage], language: str, name: str, about: str) -> str:
    """The list of pages for programs, by parts of the book: https://llmstxt.org"""
    parts: dict[str, list[str]] = {}
    for page in pages:
        if page.folder:  # the first page of all is the book itself
            words = title(page.page).replace("[", r"\[").replace("]", r"\]")
            line, summary = f"- [{words}]({page.address}{MARKDOWN})", answer(page.page)
            parts.setdefault(page.part, []).append(f"{line}: {summary}" if summary else line)
    others = parts.pop("", [])
    lines = [f"# {name}", *(["", f"> {about}"] if about else [])]
    rest = in_language(_OTHER_PAGES, language) if parts else ""
    for part, entries in [*parts.items(), (rest, others)]:
        if entries:
            lines += [*(["", f"## {part}"] if part else []), "", *entries]
    return "\n".join(lines) + "\n"


def root_files(site: str, prefixes: Sequence[str]) -> dict[str, str]:
    """The files at the root of the book, by name. `site`: its address; `prefixes`: the paths of the
    editions below it, each with a sitemap, which its instant navigation reads too."""
    rows = [
        f"  <sitemap><loc>{escape(site + prefix)}sitemap.xml</loc></sitemap>" for prefix in prefixes
    ]
    head = '<?xml version="1.0" encoding="UTF-8"?>'
    name = "http://www.sitemaps.org/schemas/sitemap/0.9"
    sitemaps = [head, f'<sitemapindex xmlns="{name}">', *rows, "</sitemapindex>", ""]
    files = {".nojekyll": "", SITEMAPS: "\n".join(sitemaps)}
    if urlsplit(site).path in ("", "/"):  # it is only read at the root of a host
        files["robots.txt"] = f"User-agent: *\nAllow: /\nSitemap: {site.rstrip('/')}/{SITEMAPS}\n"
    return files
