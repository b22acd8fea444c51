"""What a page is finished with: what it knows of the book, and addresses seen from its place."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from proofbook.api.documentation import known_documentation
from proofbook.check.api_names import shown
from proofbook.content.glossary import known_terms
from proofbook.content.related import related
from proofbook.html.finish import PageContext
from proofbook.html.value_markers import find_value_links
from proofbook.markdown.expand import expand
from proofbook.model.book import Book
from proofbook.model.page import parse


@dataclass(frozen=True)
class Place:
    """Where a page lies. `file`: in the book; `name`: without language; `language`: its code.

    `beside`: the names of the pages before and after it; `taken_as`: what it is besides HTML.
    `page_address(file)`: of another page by its file, None where the edition has none;
    `asset_address(path)`: of an asset of the edition; `file_address(path)`: of a file of the book.
    """

    file: str
    name: str
    language: str
    beside: tuple[str, ...]
    taken_as: dict[str, str | None]
    page_address: Callable[[str], str | None]
    asset_address: Callable[[str], str]
    file_address: Callable[[str], str]


def page_context(book: Book, place: Place) -> PageContext:
    """What a page of a book is finished with."""
    page, language = book.page(place.file), place.language
    links: dict[str, Any] = {}
    glossary_page = book.page_beside(book.config.glossary, language)
    # The first page and the glossary are there to lead on: their words and names are not linked.
    if place.name != "index" and place.file != glossary_page:
        if documentation := known_documentation(book):
            snippets = shown(page, book)
            links["name_address"] = lambda text: documentation.address_of_code(text, snippets)
        if glossary := place.page_address(glossary_page):
            links |= {"terms": book.fact(known_terms), "glossary": glossary}
    near = book.fact(related)
    names = [n for n in near.to(place.name, place.beside) if (n, language) in near.titles]
    return PageContext(
        language,
        place.name,
        place.page_address,
        place.file_address,
        place.asset_address,
        values=find_value_links(book, place.file),
        scripts={reference.path for reference in page.references},
        related=[
            (near.titles[name, language], place.page_address(book.page_file(name, language)))
            for name in names
        ],
        taken_as=place.taken_as,
        **links,
    )


def site_markdown(book: Book, file: str, start: int) -> str:
    """The Markdown of a page from a position of its text on, expanded, its values marked.

    Raises `Unproved` where a directive of the page cannot be shown.
    """
    text = find_value_links(book, file).with_markers(book.text(file)[start:])
    return expand(parse(file, text, False, book.language_of(file)), book)
