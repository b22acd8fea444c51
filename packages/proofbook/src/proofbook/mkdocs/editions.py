"""The editions of a book: one for each language, built from the same `docs/` by the same MkDocs.

`docs/a/b.zh.md` and `docs/a/b.en.md` are one page in two languages; each becomes `a/b/` in its
edition. The first language lies at the address of the site, another one at `<code>/` below it; its
`mkdocs.<code>.yml`, if there is one, says what differs.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import urljoin

from mkdocs.config import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from proofbook.content.moved import redirects
from proofbook.content.page_summary import HOME, SHORT_NAME
from proofbook.export import notebook, site_files
from proofbook.html.page import Place
from proofbook.mkdocs.material import without_inline_scripts
from proofbook.model.book import Book
from proofbook.model.config import in_language
from proofbook.model.page import name_of
from proofbook.model.temporary import write_text

EDITION = "edition"
"""The setting in `extra` with the language of an edition; the first one has none."""

SHARED = ("book_url", "root_url")
"""Settings in `extra` that all editions inherit from the first."""


def name_after_first_page(file: File, language: str) -> None:
    """Name a part of the book after its first page, perhaps this one."""
    if file.page.is_homepage:
        file.page.title = in_language(HOME, language)
    elif file.page.is_index and file.page.parent:
        file.page.parent.title = file.page.meta.get(SHORT_NAME) or file.page.title


def nav_in_language(nav: list | dict | str | None, language: str, codes: Sequence[str], root: Path):
    """Replace `a/b.md` in the navigation by the edition's `a/b.zh.md` or `a/b.en.md`.

    If the edition's language has no such page, by the page of another language (`codes`). A title
    may be written in each of the `codes`, with | between them.
    """
    if isinstance(nav, list):
        return [nav_in_language(item, language, codes, root) for item in nav]
    if isinstance(nav, dict):
        titles = {title: dict(zip(codes, title.split(" | "), strict=False)) for title in nav}
        return {
            titles[title].get(language, title): nav_in_language(item, language, codes, root)
            for title, item in nav.items()
        }
    if isinstance(nav, str) and not nav.startswith(("http:", "https:")):
        stem, extension = posixpath.splitext(nav)
        own = f"{stem}.{language}{extension}"
        files = (own, nav, *(f"{stem}.{code}{extension}" for code in codes))
        return next((file for file in files if (root / file).is_file()), own)
    return nav


class EditionFiles(Files):
    """The files of an edition: a link to a page that its language lacks resolves to the page shown
    instead, and a link to a page of another language to its translation."""

    def __init__(self, files: Iterable[File], language: str, book: Book) -> None:
        super().__init__(list(files))
        self._language, self._book = language, book

    def get_file_from_path(self, path: str) -> File | None:
        found = super().get_file_from_path(path)
        if found is None and path.endswith(".md"):
            shown = self._book.page_file(name_of(f"docs/{path}"), self._language)
            found = super().get_file_from_path(shown.removeprefix("docs/"))
        return found


def file_in_edition(file: File, language: str, book: Book, config: MkDocsConfig) -> File | None:
    """The file as it is in the edition of a language; None if it belongs to another one."""
    stem = posixpath.splitext(file.src_uri)[0]
    name, _, own = stem.rpartition(".")
    if not file.is_documentation_page() or own not in book.config.codes:
        return file
    if own != language and book.page_file(name, language) != f"docs/{file.src_uri}":
        return None
    # It keeps its own name in `docs/`; its address is the same in any language.
    plain = File(name + ".md", config.docs_dir, config.site_dir, config.use_directory_urls)
    file.name, file.dest_uri = plain.name, plain.dest_uri
    file.url, file.abs_dest_path = plain.url, plain.abs_dest_path
    return file


def config_of_edition(language: str, first: MkDocsConfig) -> MkDocsConfig:
    """The settings of an edition other than the first one."""
    main = Path(first.config_file_path)
    own = main.with_name(f"{main.stem}.{language}{main.suffix}")
    config = load_config(
        str(own if own.is_file() else main),
        site_dir=os.path.join(first.site_dir, language),
        site_url=posixpath.join(first.site_url, f"{language}/") if first.site_url else None,
        strict=first.strict,
    )
    if not own.is_file():
        config.theme["language"] = language
    config.extra |= {EDITION: language, **{name: first.extra[name] for name in SHARED}}
    return config


def alternates(file: File | None, language: str, book: Book, config: MkDocsConfig) -> list[dict]:
    """A page of the edition of a language in each language: `href` on this host, `whole` with the
    host in front, and whether it is `translated`. Without a file, the first page."""
    name, url = (name_of(source_of(file)), file.page.url) if file else ("index", "")
    page, prefix, found = "" if url == "./" else url, book.config.prefix, []
    for other in book.config.languages:
        path = prefix(other.code) + page
        href = config.extra["root_url"] + path
        if not config.use_directory_urls and page:  # the book as files, in any folder
            href = get_relative_url(path, prefix(language) + page)
        entry = {"language": other.code, "name": other.name, "href": href}
        entry["whole"] = urljoin(config.site_url or "/", href)
        shown = book.language_of(book.page_file(name, other.code))
        found.append(entry | {"translated": shown in (other.code, "")})
    return found


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
    others: dict[str, str] = {}
    if path := notebook_path(page.file, book):
        others["notebook"] = posixpath.basename(path)
        others |= site_files.online_notebooks(config.repo_url, prefix + path, language)
    if published:
        others["markdown"] = site_files.MARKDOWN
    repository = config.repo_url or ""

    def file_address(path: str) -> str:
        return get_relative_url(path, url)

    return Place(source, language, url, others, link, file_address, repository)


def notebook_path(file: File, book: Book) -> str | None:
    """Where the notebook of a page lies in its edition; None for a page without a script."""
    source = source_of(file)
    if source not in book.page_files or not notebook.has_scripts(book.page(source)):
        return None
    return posixpath.join(posixpath.dirname(file.dest_uri), notebook.file_name(source))


def offered_from(url: str, language: str, book: Book) -> list[dict[str, str]]:
    """The downloads of the whole book, with the addresses relative to a page."""
    here = book.config.prefix(language) + url
    return [
        {"name": each.name, "size": each.size, "href": get_relative_url(each.path, here)}
        for each in site_files.offered(book)
    ]


def write_site_files(
    config: MkDocsConfig, nav: Navigation, language: str, book: Book, unshown: set[str]
) -> None:
    """Write the files for hosts and programs next to the pages of an edition; with those of the
    first edition, those for all. `unshown`: pages that could not be expanded."""
    site, folder = config.extra["book_url"] or "/", Path(config.site_dir)
    prefix, pages = book.config.prefix(language), []
    for page in nav.pages:
        source = source_of(page.file)
        if source in book.page_files and source not in unshown:
            part = page.ancestors[-1].title if page.ancestors else ""
            url = page.url.removeprefix("./")
            address = site + prefix + url
            pages.append(site_files.SitePage(book.page(source), url, address, part))
    site_files.write_markdown_copies(pages, language, site, book, folder)
    about = config.site_description or ""
    listed = site_files.llms_txt(pages, language, config.site_name, about)
    write_text(folder / "llms.txt", listed)
    for path, text in redirects(book, language):
        root = get_relative_url(".", path).rstrip("/")
        write_text(folder / path, without_inline_scripts(text, folder, f"{root}/"))
    if not prefix:
        prefixes = [book.config.prefix(code) for code in book.config.codes]
        for name, text in site_files.root_files(site, prefixes).items():
            write_text(folder / name, text)
