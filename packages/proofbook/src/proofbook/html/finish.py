"""All changes to a page's HTML after Markdown, on one tree."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from proofbook.content.glossary import Terms
from proofbook.html.code_lines import mark_lines, place_notes
from proofbook.html.figures import add_player
from proofbook.html.folds import fold_answers, fold_plotting
from proofbook.html.formulas import formula_characters, render_formulas
from proofbook.html.links import link_names, link_scripts, link_terms
from proofbook.html.page_end import run_with, show_tried, show_where, take_along
from proofbook.html.tree import append_html, parse, serialize
from proofbook.html.typography import mark_english, mark_punctuation
from proofbook.html.value_links import PlacedLinks, link_values
from proofbook.html.value_markers import without_markers


@dataclass(frozen=True)
class PageContext:
    """The data with which a page is finished: its place in the book, and its links.

    `name`: as in terms, `basics/leaf`. `values`: its value links. `terms` and `name_address`: the
    link targets of its words and its code; without terms, or None, if they are not linked. All
    addresses are relative to the page: `assets`, of the folder of the site's assets; `glossary`;
    `scripts`, of the scripts that it shows, by their paths in the book; `taken_as`, of its other
    formats, by kind. `where`: its part of the book, and its minutes. `tried`: by the anchor of a
    section, what tests tried against it, and their names, each with its address. `notice`: the text
    above a page that is not in the language of its edition.
    """

    language: str
    name: str
    assets: str
    values: PlacedLinks = field(default_factory=PlacedLinks)
    terms: Terms = field(default_factory=Terms)
    glossary: str = ""
    name_address: Callable[[str], str | None] | None = None
    scripts: Mapping[str, str] = field(default_factory=dict)
    taken_as: Mapping[str, str | None] = field(default_factory=dict)
    versions: Sequence[str] = ()
    differs: bool = False
    where: str = ""
    tried: Mapping[str, tuple[str, Mapping[str, str]]] = field(default_factory=dict)
    notice: str = ""


@dataclass(frozen=True)
class FinishedPage:
    """The HTML of a page, the characters in its formulas, and for each formula that is not valid
    LaTeX its text and the reason."""

    html: str
    formula_characters: frozenset[str]
    wrong_formulas: list[tuple[str, str]]


def finish_page(content: str, context: PageContext | None) -> FinishedPage:
    """Finish the HTML that Markdown produced for a page.

    Without a context, for a page in no language of the book, only formulas are rendered.
    """
    tree = parse(content)
    wrong = render_formulas(tree)
    characters = formula_characters(tree)
    if context:
        if context.name_address:
            link_names(tree, context.name_address)
        language = context.language
        link_terms(tree, context.terms, language, context.name, context.glossary)
        mark_lines(tree)
        link_values(tree, context.values)
        add_player(tree, context.assets)
        link_scripts(tree, context.scripts, language)
        place_notes(tree)
        fold_answers(tree, language)
        fold_plotting(tree, language)
        mark_english(tree, language)
        show_tried(tree, context.tried)
        append_html(tree, take_along(context.taken_as, language))
        append_html(tree, run_with(context.versions, context.differs, language))
        show_where(tree, context.where)
        mark_punctuation(tree)
    html = without_markers(serialize(tree))
    if context and context.notice:
        html = f'{context.notice}\n<div lang="{context.language}">\n{html}\n</div>'
    return FinishedPage(html, characters, wrong)
