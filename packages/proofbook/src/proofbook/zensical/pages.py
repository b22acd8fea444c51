"""A page of the book as a file for Zensical: expanded Markdown, and what finishes it.

`docs/a/b.zh.md` becomes `a/b.md` of the Chinese edition. All addresses in it are those of files,
seen from the page: Zensical makes of them the addresses of the site.
"""

from __future__ import annotations

import html
import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, replace

import yaml

from proofbook.content.glossary import Terms, normalized
from proofbook.content.page_summary import answer
from proofbook.export import downloads, notebook
from proofbook.html.figures import PLACEHOLDER, fill_figures
from proofbook.html.formulas import formula_characters, render_formulas
from proofbook.html.page_context import Place, page_context, site_markdown
from proofbook.html.tree import parse as parse_html
from proofbook.html.tree import serialize
from proofbook.model.book import Book
from proofbook.model.page import Page, parse
from proofbook.model.page_file import name_of
from proofbook.zensical.extension import with_data
from proofbook.zensical.page_data import to_json


@dataclass(frozen=True)
class Edition:
    """One language of the book. `pages`: the names of its pages. `root`: the path of the book on
    its host. `directory_urls`: whether the address of a page is a folder. `repository`: its
    address, or ""."""

    language: str
    pages: frozenset[str]
    root: str = "/"
    directory_urls: bool = True
    repository: str = ""

    def url(self, name: str) -> str:
        """The address of a page below that of its edition, from its name."""
        folder, _, last = name.rpartition("/")
        if self.directory_urls:
            shown = folder if last == "index" else name
            return f"{shown}/" if shown else ""
        return "" if name == "index" else f"{name}.html"

    def notebook(self, file: str) -> str:
        """Where the notebook of a page lies, as on the site that MkDocs builds."""
        url = self.url(name_of(file))
        folder = url if self.directory_urls else posixpath.dirname(url)
        return posixpath.join(folder, notebook.file_name(file))


@dataclass(frozen=True)
class ExportedPage:
    """The text of a page's file, and the characters that its formulas are set with."""

    text: str
    formula_characters: frozenset[str]


def exported_page(
    book: Book, file: str, edition: Edition, figures: Mapping[str, str]
) -> ExportedPage:
    """A page of an edition. `figures`: SVG by the script that draws it."""
    page = book.page(file)
    rows = _front_matter_rows(page)
    start = sum(len(row) + 1 for row in book.text(file).split("\n")[:rows])
    expanded = _with_figures(site_markdown(book, file, start), figures)
    shown = parse(file, expanded, False, edition.language)
    context = page_context(book, _place(page, book, edition))
    names = {}
    if find := context.name_address:
        found = {span.content.strip() for span in shown.code_spans}
        names = {code: address for code in sorted(found) if (address := find(code))}
    context = replace(context, terms=_terms_in(shown.text, context.terms, edition.language))
    own = yaml.safe_load("\n".join(page.lines[1 : rows - 1])) if rows else None
    meta = {"description": answer(page) or None, **(own or {})}
    if len(book.config.languages) > 1:
        meta["editions"] = _editions(page.name, book, edition)
    header = yaml.safe_dump(meta, allow_unicode=True, sort_keys=False, width=1000)
    markdown = with_data(_linked(shown, book), to_json(context, names))
    return ExportedPage(f"---\n{header}---\n\n{markdown.lstrip()}", _characters(shown))


def _place(page: Page, book: Book, edition: Edition) -> Place:
    here = posixpath.dirname(page.name) or "."

    def from_here(path: str) -> str:
        return posixpath.relpath(path, here)

    taken_as: dict[str, str | None] = {}
    if notebook.has_scripts(page):
        path = edition.notebook(page.file)
        prefix = book.config.prefix(edition.language)
        taken_as["notebook"] = from_here(path)
        taken_as["colab"] = downloads.colab(edition.repository, prefix + path)
    return Place(
        page.file,
        page.name,
        edition.language,
        edition.url(page.name),
        taken_as,
        lambda file: from_here(f"{name_of(file)}.md") if name_of(file) in edition.pages else None,
        f"{from_here('assets')}/",
        from_here,
        lambda file: _relative_url(edition.url(name_of(file)), edition.url(page.name)),
        edition.repository,
    )


def _relative_url(url: str, here: str) -> str:
    """The address of a page of an edition, seen from another."""
    path = posixpath.relpath(url or ".", posixpath.dirname(here) or ".")
    return f"{path}/" if url.endswith("/") or not url else path


def _with_figures(markdown: str, figures: Mapping[str, str]) -> str:
    """The Markdown with each figure of a script in the line that waits for it."""
    lines = markdown.split("\n")
    for number, line in enumerate(lines):
        if line.lstrip().startswith("<div") and PLACEHOLDER in line:
            indent = line[: len(line) - len(line.lstrip())]
            tree = parse_html(line.strip())
            fill_figures(tree, figures)
            lines[number] = indent + serialize(tree).replace("\n", " ")
    return "\n".join(lines)


def _linked(page: Page, book: Book) -> str:
    """The Markdown of a page, its links to pages of the book to their files in the edition."""
    text, at, parts = page.text, 0, []
    for link in page.spans_of("link", "image", "definition"):
        start, end = link.address_start, link.address_start + len(link.address)
        if link.external or start < at or text[start:end] != link.address:
            continue
        file, _ = page.target(link)
        if file in book.page_files and not link.address.startswith("#"):
            _, mark, anchor = link.address.partition("#")
            here = posixpath.dirname(page.name) or "."
            address = f"{posixpath.relpath(f'{name_of(file)}.md', here)}{mark}{anchor}"
            parts += [text[at:start], address]
            at = end
    return "".join([*parts, text[at:]])


def _terms_in(text: str, terms: Terms, language: str) -> Terms:
    """The terms that may be found in a text: a page need not carry all of the glossary."""
    words = normalized(text)
    found = (t for t in terms.all if any(normalized(n) in words for n in t.names(language)))
    return Terms(tuple(found))


def _front_matter_rows(page: Page) -> int:
    """How many lines of a page its front matter takes."""
    span = next(iter(page.spans_of("front-matter")), None)
    return page.line_of(span.end) if span else 0


def _editions(name: str, book: Book, edition: Edition) -> list[dict[str, str]]:
    """The page in each language that has it: for the switch, and for search engines."""
    return [
        {
            "lang": language.code,
            "name": language.name,
            "link": edition.root + book.config.prefix(language.code) + edition.url(name),
        }
        for language in book.config.languages
        if book.has(book.page_file(name, language.code))
    ]


def _characters(page: Page) -> frozenset[str]:
    """The characters that the formulas of a page are set with."""
    formulas = (
        f'<span class="arithmatex">\\({html.escape(m.content)}\\)</span>' for m in page.maths
    )
    tree = parse_html("".join(formulas))
    render_formulas(tree)
    return formula_characters(tree)
