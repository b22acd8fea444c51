"""Where a page lies in its edition, and the addresses of all else seen from there."""

from __future__ import annotations

import posixpath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from proofbook.export import downloads, markdown_copy, notebook
from proofbook.html.page_context import Place
from proofbook.model.book import Book
from proofbook.model.page_file import name_of


def source_of(file: File) -> str:
    """A file of MkDocs by its path in the book."""
    return f"docs/{file.src_uri}"


def place_of(
    page: Page,
    config: MkDocsConfig,
    files: Files,
    book: Book,
    language: str,
    published: bool,
) -> Place:
    """The place of a page in the edition of a language; `published`: whether a host gets it."""
    source, url = source_of(page.file), page.file.url

    def link(page_file: str) -> str | None:
        found = files.get_file_from_path(page_file.removeprefix("docs/"))
        return get_relative_url(found.url, url) if found else None

    prefix = book.config.prefix(language)
    taken_as: dict[str, str | None] = {}
    if path := notebook_path(page.file, book):
        taken_as["notebook"] = posixpath.basename(path)
        taken_as["colab"] = downloads.colab(config.repo_url, prefix + path)
    if published:
        taken_as["markdown"] = markdown_copy.NAME
    return Place(
        source,
        name_of(source),
        language,
        url,
        taken_as,
        link,
        get_relative_url("assets/", url),
        lambda path: get_relative_url(path, url),
        repository=config.repo_url or "",
    )


def notebook_path(file: File, book: Book) -> str | None:
    """Where the notebook of a page lies in its edition; None for a page without a script."""
    source = source_of(file)
    if source not in book.page_files or not notebook.has_scripts(book.page(source)):
        return None
    return posixpath.join(posixpath.dirname(file.dest_uri), notebook.file_name(source))


def offered_from(url: str, language: str, book: Book) -> list[dict[str, str]]:
    """What the site offers of the whole book, with the addresses seen from a page."""
    here = book.config.prefix(language) + url
    return [
        {"name": each.name, "size": each.size, "href": get_relative_url(each.path, here)}
        for each in downloads.offered(book)
    ]
