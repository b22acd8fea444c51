"""The sources of a page: its Markdown, and the data with which it is finished."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from proofbook.api.documentation import known_documentation
from proofbook.api.index import shown_text
from proofbook.content.attacks import attacks_on, line_of_tried
from proofbook.content.glossary import known_terms
from proofbook.content.lessons import where_in_book
from proofbook.content.torch_versions import other_outputs, versions_of_page
from proofbook.directives.registry import expand
from proofbook.html.finish import PageContext
from proofbook.html.page_end import notice
from proofbook.html.value_links import placed
from proofbook.html.value_markers import find_value_links
from proofbook.model.book import Book, fill_placeholders
from proofbook.model.page import parse


@dataclass(frozen=True)
class Place:
    """Where a page lies. `file`: in the book; `name`: without language; `language`: its code;
    `url`: in its edition.

    `taken_as`: what it is besides HTML.
    `page_address(file)`: of another page by its file, None where the edition has none;
    `assets`: of the folder of the edition's assets; `file_address(path)`: of a file of the book
    in the folder of the edition.
    `repository`: the address of the repository, or "".
    """

    file: str
    name: str
    language: str
    url: str
    taken_as: dict[str, str | None]
    page_address: Callable[[str], str | None]
    assets: str
    file_address: Callable[[str], str]
    repository: str = ""


def page_context(book: Book, place: Place) -> PageContext:
    """The data with which a page of a book is finished."""
    page = book.page(place.file)
    language = page.language if page.language in book.config.codes else place.language
    links: dict[str, Any] = {}
    glossary_page = book.page_beside(book.config.glossary, language)
    # The first page and the glossary consist of links: their words and names are not linked.
    if place.name != "index" and place.file != glossary_page:
        if documentation := known_documentation(book):
            snippets = shown_text(page, book)
            links["name_address"] = lambda text: documentation.address_of_code(text, snippets)
        if glossary := place.page_address(glossary_page):
            links |= {"terms": book.fact(known_terms), "glossary": glossary}
    scripts = {reference.path for reference in page.references}
    versions = book.fact(versions_of_page, place.file)
    others = (other for script in scripts for other in book.fact(other_outputs, script))
    return PageContext(
        language,
        place.name,
        place.assets,
        values=placed(find_value_links(book, place.file), language, place.page_address),
        scripts={script: place.file_address(script) for script in sorted(scripts)},
        taken_as=place.taken_as,
        versions=versions,
        where=where_in_book(book, place.file),
        tried=_tried(book, place),
        differs=any(not set(versions).isdisjoint(other.versions) for other in others),
        notice=notice(book.config.language(language), place.language),
        **links,
    )


def _tried(book: Book, place: Place) -> dict[str, tuple[str, dict[str, str]]]:
    """What tests tried against the sections of a page, in the format of `PageContext`."""
    source = f"{place.repository.removesuffix('.git').rstrip('/')}/blob/HEAD/"
    return {
        anchor: (
            line_of_tried(tests, place.language),
            {
                f"{test.file}::{test.test}": f"{source}{test.file}#L{test.line}"
                if place.repository
                else ""
                for test in tests
            },
        )
        for anchor, tests in book.fact(attacks_on, place.name).items()
    }


def site_markdown(book: Book, file: str, start: int) -> str:
    """The Markdown of a page from a position of its text on, expanded, with value markers.

    Raises `Unproved` where a directive of the page cannot be shown.
    """
    markdown = fill_placeholders(book.text(file)[start:])
    text = find_value_links(book, file).with_markers(markdown)
    return expand(parse(file, text, False, book.language_of(file)), book)
