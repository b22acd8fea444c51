"""The book for the site generator Zensical: `proofbook export` proves it, then writes a folder.

The folder has the pages of each language as expanded Markdown, all that they show or offer, and the
settings. Zensical builds it without a hook or a plugin of ours; one extension of Python-Markdown,
`proofbook.zensical.extension`, finishes the pages.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml
from gradtrace import PLAYER_ASSETS, read_asset
from pathspec.gitignore import GitIgnoreSpec

from proofbook import pipeline
from proofbook.cli import summary
from proofbook.cli.progress import showing_progress
from proofbook.directives.varied_plot import Variants
from proofbook.export import downloads, notebook
from proofbook.export.offline import ExportError
from proofbook.export.take_place import take_place
from proofbook.html import math_font
from proofbook.model.book import Book, read_book
from proofbook.model.page_file import name_of
from proofbook.model.store import Store
from proofbook.model.temporary import TemporaryFolder
from proofbook.run.kernels import kernel_environment
from proofbook.run.notebooks import Notebooks
from proofbook.run.runs import Runs
from proofbook.zensical.pages import Edition, exported_page
from proofbook.zensical.settings import (
    OVERRIDES,
    docs_folder,
    left_out,
    root_path,
    settings_file,
    settings_of_edition,
    zensical_settings,
)

FOLDER = "zensical"
MARK = ".proofbook-export"
"""The file by which a folder is known as one that may be replaced."""

_NOT_SERVED = (".html", ".xml", ".py", ".yml")
"""Of the book's own theme: templates, and what only the build reads."""


def export(root: Path, out: Path, progress: Callable[[str], None]) -> str:
    """Prove the book and write it into a folder below `out`; gives a summary.

    `progress` is called with messages. What is there already is replaced once all is proved and
    written, and only if it is an export; raises `ExportError` otherwise.
    """
    target = out / FOLDER
    if target.exists() and not _may_be_replaced(target):
        raise ExportError(
            f"{target}: this folder is not replaced\n"
            f"  expected: an empty one, or one that proofbook export wrote (it has a file {MARK})\n"
            "  found:    another one\n"
            "  mend:     move it away, or name another folder: proofbook export -o FOLDER"
        )
    store = Store(root)
    book = read_book(root, store.load_memo())
    with TemporaryFolder() as kernels:
        os.environ |= kernel_environment(kernels)
        runs = Runs(book.root, took=store.load_seconds())
        notebooks = Notebooks(fork=runs.fork_kernel)
        try:
            figures, variants = _prove(book, runs, notebooks, progress)
            store.save_memo(book)
            out.mkdir(parents=True, exist_ok=True)
            with TemporaryFolder(f".{FOLDER}.", out) as new:
                pages, missing = _write(book, figures, variants, new)
                take_place(new, target)
        finally:
            runs.close()
            notebooks.close()
    builds = "; ".join(f"zensical build -f {settings_file(book, c)}" for c in book.config.codes)
    without = f"\nleft out, as Zensical has nothing of the kind: {', '.join(missing)}"
    return f"{target}: {pages} pages; in it: {builds}{without if missing else ''}"


def _may_be_replaced(folder: Path) -> bool:
    """Whether a folder is an export, or empty."""
    return folder.is_dir() and ((folder / MARK).is_file() or not any(folder.iterdir()))


def _prove(
    book: Book, runs: Runs, notebooks: Notebooks, progress: Callable[[str], None]
) -> tuple[dict[str, str], dict[str, Variants]]:
    """Run and check everything; raises `ExportError` where something does not hold.

    Gives the figures that scripts drew, SVG by the script, and what those with other numbers in
    them printed and drew.
    """
    outcome = pipeline.finish(pipeline.start(book, runs, notebooks), showing_progress)
    if outcome.warnings:
        progress(summary.format_warnings(outcome.warnings))
    if outcome.problems:
        text = summary.format_failures(outcome.problems)
        raise ExportError(f"the book does not hold; the last good export stays\n\n{text}")
    progress(summary.format_success(outcome))
    results = [(Path(r.path).relative_to(book.root).as_posix(), r) for r in outcome.results]
    figures = {script: result.figures[0] for script, result in results if result.figures}
    return figures, {script: r.variants for script, r in results if r.variants}


def _write(
    book: Book, figures: Mapping[str, str], variants: Mapping[str, Variants], new: Path
) -> tuple[int, list[str]]:
    """Write all editions; gives the number of pages, and what they do without."""
    pages, letters, missing = 0, frozenset[str](), []
    for language in book.config.codes:
        site = settings_of_edition(book.root, book, language)
        missing += left_out(site)
        settings = zensical_settings(site, book, language)
        text = yaml.safe_dump(settings, allow_unicode=True, sort_keys=False, width=1000)
        _write_text(new / settings_file(book, language), text)
        _copy_files(book, site, language, new / docs_folder(language))
        files = list(_pages_of(book, site, language))
        edition = _edition(book, site, language, files)
        letters |= _write_pages(book, files, edition, figures, variants, new)
        pages += len(files)
    for language in book.config.codes if letters else ():
        _write_bytes(new / docs_folder(language) / math_font.FILE, math_font.font(letters))
    shutil.copytree(Path(__file__).with_name(OVERRIDES), new / OVERRIDES)
    _write_text(new / MARK, "Written by proofbook export, which replaces this folder.\n")
    return pages, list(dict.fromkeys(missing))


def _edition(book: Book, site: Mapping[str, Any], language: str, files: list[str]) -> Edition:
    """An edition with these pages."""
    names = [name_of(file) for file in files]
    return Edition(
        language,
        frozenset(names),
        root_path(book),
        bool(site.get("use_directory_urls", True)),
        site.get("repo_url") or "",
    )


def _write_pages(
    book: Book,
    files: list[str],
    edition: Edition,
    figures: Mapping[str, str],
    variants: Mapping[str, Variants],
    new: Path,
) -> frozenset[str]:
    """Write the pages of an edition and their notebooks; gives the characters in formulas."""
    docs, letters = new / docs_folder(edition.language), frozenset[str]()
    for file in files:
        page = book.page(file)
        exported = exported_page(book, file, edition, figures)
        _write_text(docs / f"{page.name}.md", exported.text)
        letters |= exported.formula_characters
        if notebook.has_scripts(page):
            place, address = docs / edition.notebook(file), book.config.site_url
            downloads.write_notebook(page, book, edition.language, address, place)
            downloads.write_figure_data(page, book, place.parent)
            downloads.write_plot_data(page, place.parent, variants.get)
    return letters


def _pages_of(book: Book, site: Mapping[str, Any], language: str) -> Iterator[str]:
    """The pages of an edition by their files."""
    unseen = _unseen(site)
    for file in book.pages_in(language):
        if not unseen.match_file(file.removeprefix("docs/")):
            yield file


def _copy_files(book: Book, site: Mapping[str, Any], language: str, docs: Path) -> None:
    """Copy what pages need: the theme's files, those in `docs/`, the player, the scripts."""
    unseen, pages = _unseen(site), {file.removeprefix("docs/") for file in book.page_files}
    if theme := site["theme"].get("custom_dir"):
        _copy(book.root / theme, docs, lambda name: name.endswith(_NOT_SERVED))
    _copy(book.root / "docs", docs, lambda name: name in pages or unseen.match_file(name))
    for name in PLAYER_ASSETS:
        _write_bytes(docs / "assets" / name, read_asset(name).encode())
    downloads.write_scripts(book, language, docs)


def _copy(folder: Path, to: Path, without: Callable[[str], bool]) -> None:
    """Copy the files of a folder, but for those of these names: paths within it."""
    for file in sorted(folder.rglob("*")):
        name = file.relative_to(folder).as_posix()
        if file.is_file() and not without(name):
            _write_bytes(to / name, file.read_bytes())


def _unseen(site: Mapping[str, Any]) -> GitIgnoreSpec:
    """What of the files no site shows: as MkDocs has it."""
    said = "\n".join(site.get(name) or "" for name in ("exclude_docs", "draft_docs"))
    return GitIgnoreSpec.from_lines([".*", "/templates/", *said.splitlines()])


def _write_text(file: Path, text: str) -> None:
    _write_bytes(file, text.encode("utf-8"))


def _write_bytes(file: Path, content: bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content)
