"""A page: its Markdown, and all changes to its HTML after Markdown, on one tree.

Around its text are, above it, a notice if it is not translated; below its title, its place in the
book; at the end of a section, what tests tried against it; at the end of the page, its other
formats, and the versions of PyTorch with which its code was run.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from proofbook.api.documentation import known_documentation
from proofbook.api.index import shown_text
from proofbook.content.attacks import Attack, attacks_on, line_of_tried
from proofbook.content.glossary import known_terms
from proofbook.content.lessons import lessons_with_progress, where_in_book
from proofbook.content.messages import PROGRAM
from proofbook.content.torch_versions import other_outputs, own_version, versions_of_page
from proofbook.directives.grid import TAG as GRIDS
from proofbook.directives.paste import NAME as PASTE
from proofbook.directives.registry import expand
from proofbook.html.code import (
    CHOICE,
    add_player,
    choices,
    fold_answers,
    fold_ends,
    mark_lines,
    place_notes,
    show_figure_first,
)
from proofbook.html.exercises import ASSET, TAG, place_guesses, place_tasks
from proofbook.html.formulas import formula_characters, render_formulas
from proofbook.html.messages import place_paste
from proofbook.html.progress import TAG as PROGRESS
from proofbook.html.progress import show_progress
from proofbook.html.text import (
    link_names,
    link_scripts,
    link_terms,
    mark_english,
    mark_punctuation,
)
from proofbook.html.tree import Tree, append_html, element, parse, serialize
from proofbook.html.values import find_value_links, link_values, without_markers
from proofbook.model.book import Book, fill_placeholders
from proofbook.model.config import Language, in_language
from proofbook.model.page import name_of
from proofbook.model.page import parse as parse_page

_NOTICE = {
    "zh": "这一页还没有译成中文，下面是原文（{}）。",
    "en": "This page is not translated yet. It is in {}.",
}
_TAKE_ALONG = {
    "zh": {
        "label": "带走这一页",
        "notebook": "下载为 Jupyter 笔记本",
        "modelscope": "在魔搭（ModelScope）打开",
        "colab": "在 Colab 打开",
        "markdown": "Markdown",
    },
    "en": {
        "label": "Take this page along",
        "notebook": "Download as a Jupyter notebook",
        "colab": "Open in Colab",
        "markdown": "Markdown",
    },
}
_END_OF_SECTION = ":is(h1, h2, h3, h4, h5, h6)[id], .footnote"
_RUN_WITH = {
    "zh": {
        "same": "这一页的代码在 PyTorch {versions} 上运行过，打印的都一样。",
        "other": "这一页的代码在 PyTorch {versions} 上运行过；打印不同的，写在那段代码下面。",
        "between": "、",
        "label": "我的 PyTorch：",
        "own": "{version}（本书）",
        "opened": "打印不同的 {count} 处，上面都展开了。",
        "none": "打印的和这一页一样。",
    },
    "en": {
        "same": "The code of this page was run with PyTorch {versions}; they all print the same.",
        "other": "The code of this page was run with PyTorch {versions}; "
        "where one of them prints something else, that stands below the code.",
        "between": ", ",
        "label": "My PyTorch:",
        "own": "{version} (this book)",
        "opened": "Where it prints something else, that is open above ({count}).",
        "none": "It prints the same on this page.",
    },
}
VERSION = "torch-version"
"""The element in which a reader chooses a version; `reader.js` opens what that one prints."""


@dataclass(frozen=True)
class Place:
    """Where a page lies. `file`: in the book; `language`: the code of its edition, and `url` its
    address there.

    `other_formats`: the addresses of what it is besides HTML, those it has: `notebook`,
    `modelscope`, `colab`, `markdown`. `page_address(file)`: of another page by its file, None where
    the edition has none; `file_address(path)`: of a file in the folder of the edition. Both are
    relative to the page. `repository`: the address of the repository, or "".
    """

    file: str
    language: str
    url: str
    other_formats: dict[str, str]
    page_address: Callable[[str], str | None]
    file_address: Callable[[str], str]
    repository: str = ""


@dataclass(frozen=True)
class FinishedPage:
    """The HTML of a page, the characters in its formulas, and for each formula that is not valid
    LaTeX its text and the reason."""

    html: str
    formula_characters: frozenset[str]
    wrong_formulas: list[tuple[str, str]]


def site_markdown(book: Book, file: str, start: int) -> str:
    """The Markdown of a page from a position of its text on, expanded, with value markers.

    Raises `Unproved` where a directive of the page cannot be shown.
    """
    markdown = fill_placeholders(book.text(file)[start:])
    text = find_value_links(book, file).with_markers(markdown)
    return expand(parse_page(file, text, False, book.language_of(file)), book)


def finish_page(content: str, book: Book, place: Place) -> FinishedPage:
    """Finish the HTML that Markdown produced for a page of a book."""
    page, name = book.page(place.file), name_of(place.file)
    language = page.language if page.language in book.config.codes else place.language
    scripts = sorted({reference.path for reference in page.references})
    glossary_page = book.page_beside(book.config.glossary, language)
    tree = parse(content)
    wrong = render_formulas(tree)
    characters = formula_characters(tree)
    # The first page and the glossary consist of links: their words and names are not linked.
    if name != "index" and place.file != glossary_page:
        if documentation := known_documentation(book):
            snippets = shown_text(page, book)
            link_names(tree, lambda text: documentation.address_of_code(text, snippets))
        if glossary := place.page_address(glossary_page):
            link_terms(tree, book.fact(known_terms), language, name, glossary)
    mark_lines(tree)
    link_values(tree, find_value_links(book, place.file), language, place.page_address)
    add_player(tree, place.file_address("assets/"))
    link_scripts(tree, {script: place.file_address(script) for script in scripts}, language)
    place_notes(tree)
    place_guesses(tree, language)
    place_tasks(tree, place.other_formats, language)
    index = book.page_file(book.config.messages, language)
    place_paste(tree, language, place.page_address(index), place.file_address)
    fold_answers(tree, language)
    fold_ends(tree, language)
    show_figure_first(tree, choices(tree), language)
    mark_english(tree, language)
    show_tried(tree, book.fact(attacks_on, name), place)
    append_html(tree, other_formats(place.other_formats, language))
    versions = book.fact(versions_of_page, place.file)
    others = [other for script in scripts for other in book.fact(other_outputs, script)]
    differs = any(not set(versions).isdisjoint(other.versions) for other in others)
    append_html(tree, run_with(versions, differs, language, own_version()))
    show_where(tree, where_in_book(book, place.file))
    lessons = book.fact(lessons_with_progress, place.file)
    show_progress(tree, name, lessons, language, place.page_address)
    mark_punctuation(tree)
    answering = tree.css_first(f"{TAG}, {PROGRESS}, {GRIDS}, {CHOICE}, {VERSION}, a.run, a.term")
    for needed, asset in ((answering, ASSET), (tree.css_first(PASTE), PROGRAM)):
        if needed:
            script = element(tree, "script", {"src": place.file_address(f"assets/{asset}")})
            tree.body.insert_child(script, move=True)
    text = without_markers(serialize(tree))
    if box := notice(book.config.language(language), place.language):
        text = f'{box}\n<div lang="{language}">\n{text}\n</div>'
    return FinishedPage(text, characters, wrong)


def notice(language: Language, edition: str) -> str:
    """The HTML of the box above a page that is shown in the edition of another language."""
    if language.code == edition:
        return ""
    name = f'<span lang="{language.code}">{html.escape(language.name, quote=False)}</span>'
    text = in_language(_NOTICE, edition).format(name)
    return f'<div class="admonition note untranslated" data-search-exclude><p>{text}</p></div>'


def show_where(tree: Tree, where: str) -> None:
    """Put a line below the title of the page."""
    heading = tree.css_first("h1")
    if where and heading:
        attributes = {"class": "where", "data-search-exclude": None}
        heading.insert_after(element(tree, "div", attributes, where), move=True)


def show_tried(tree: Tree, tried: Mapping[str, Sequence[Attack]], place: Place) -> None:
    """Add an expandable line at the end of each attacked section, by its anchor."""
    source = f"{place.repository.removesuffix('.git').rstrip('/')}/blob/HEAD/"
    for anchor, tests in tried.items():
        if not (heading := tree.css_first(f'[id="{anchor}"]')):
            continue
        words = html.escape(line_of_tried(tests, place.language), quote=False)
        words = re.sub("`([^`]+)`", r"<code>\1</code>", words)
        items = []
        for test in tests:
            code = f"<code>{html.escape(f'{test.file}::{test.test}')}</code>"
            address = html.escape(f"{source}{test.file}#L{test.line}")
            items.append(f'<a href="{address}">{code}</a>' if place.repository else code)
        line = element(tree, "details", {"class": "tried", "data-search-exclude": None})
        line.inner_html = f"<summary>{words}</summary><ul><li>{'<li>'.join(items)}</ul>"
        last = heading
        while (after := last.next) and not (
            after.is_element_node and after.css_matches(_END_OF_SECTION)
        ):
            last = after
        last.insert_after(line, move=True)


def other_formats(addresses: Mapping[str, str], language: str) -> str:
    """The HTML of the line with links to the page's other formats.

    `addresses`: by format, as `Place.other_formats`.
    """
    words = in_language(_TAKE_ALONG, language)
    links = []
    for what, address in addresses.items():
        download = " download" if what == "notebook" else ""
        links.append(f'<a href="{html.escape(address)}"{download}>{words[what]}</a>')
    if not links:
        return ""
    inside = '<span aria-hidden="true"> · </span>'.join(links)
    return f'<nav class="take" aria-label="{words["label"]}" data-search-exclude>{inside}</nav>'


def run_with(versions: Sequence[str], other: bool, language: str, own: str = "") -> str:
    """The HTML of the line with the versions of PyTorch with which the page was run.

    `other`: whether one of them prints another output. `own`: the version of the book. Empty if
    there is only one version.
    """
    if len(versions) < 2:
        return ""
    words = in_language(_RUN_WITH, language)
    text = words["other" if other else "same"].format(versions=words["between"].join(versions))
    known = {"versions": " ".join(versions[::-1]), "of-book": own}
    known |= {key: words[key] for key in ("label", "own", "opened", "none")}
    choice = "".join(f' data-{key}="{html.escape(value)}"' for key, value in known.items())
    text = f"{html.escape(text, quote=False)}<{VERSION}{choice}></{VERSION}>"
    return f'<p class="run-with" data-search-exclude>{text}</p>'
