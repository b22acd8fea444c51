"""Compares the versions of a page: everything but their words must be the same."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from proofbook.content.glossary import Terms, known_terms, names_pattern
from proofbook.directives.options import OPTIONS, Option
from proofbook.directives.registry import declared_options
from proofbook.languages.contents import (
    Contents,
    Item,
    Section,
    contents,
    front_matter,
    paragraphs,
    sections,
)
from proofbook.languages.difference import (
    differing_code,
    differing_formulas,
    differing_items,
    differing_numbers,
    reordered_numbers,
    side_by_side,
)
from proofbook.languages.versions import missing_versions, versions
from proofbook.markdown.spans import Reference
from proofbook.model.book import Book
from proofbook.model.page import Page
from proofbook.model.problem import Problem
from proofbook.model.snippet import snippets_on_page

_KINDS = {
    "equations": "equations",
    "links": "links",
    "figures": "figures",
    "boxes": "boxes",
    "rows": "rows of tables",
}


def problems_of_pair(book: Book, one: str, other: str) -> tuple[Problem, ...]:
    """Where two versions of a page do not agree, by their files; `one`: in the first language."""
    runs = "\n".join(run.text for run in book.fact(snippets_on_page, one))
    terms = book.fact(known_terms)
    options = declared_options(book)
    return tuple(language_differences(book.page(one), book.page(other), terms, runs, options))


def between_languages(book: Book) -> Iterator[Problem]:
    """Where the versions of the book's pages do not agree: each with that in the first language."""
    yield from missing_versions(book)
    first = book.config.default.code
    for files in versions(book).values():
        for other in book.config.codes[1:]:
            if first in files and other in files:
                yield from book.remember(problems_of_pair, files[first], files[other])


def language_differences(
    one: Page,
    other: Page,
    terms: Terms,
    shown: str = "",
    options: Mapping[str, Option] = OPTIONS,
) -> Iterator[Problem]:
    """Where two versions of a page do not agree; `one` is in the first language of the book.

    `shown` is what their snippets say and print: both may use the names in it as they need.
    `options`: those of the directives that the pages may use.
    """
    yield from _order(one, other, options)
    yield from _front_matter(one, other)
    theirs = {section.anchor: section for section in sections(other)}
    known = [" ".join([shown, *(s.one_line for s in page.code_spans)]) for page in (one, other)]
    for here in sections(one):
        if there := theirs.get(here.anchor):
            yield from _section(one, here, other, there, known)
    yield from _terms(one, other, terms)


def _same_options(reference: Reference, options: Mapping[str, Option]) -> Iterator[str]:
    """What of the options is the same in each language: first the values without words."""
    same = [key for key, *_ in reference.options if key in options and options[key].same]
    yield from (v for key, v, _ in reference.options if key in same and not options[key].words)
    for key in sorted({key for key in same if options[key].words == "last"}):
        yield from (about for about, _, _ in reference.worded(key))


def _order(one: Page, other: Page, options: Mapping[str, Option]) -> Iterator[Problem]:
    """The two versions of a page show the same snippets and headings, in the same order."""

    def marks(page: Page) -> list[Item]:
        # Typed code and headings without an anchor are reported by themselves.
        excluded = {*page.typed_python, *(h.line for h in page.headings if not h.anchor)}
        found = [
            Item(" ".join([r.path, *_same_options(r, options)]), r.line) for r in page.references
        ]
        found += [Item(f"{'#' * h.level} {{ #{h.anchor} }}", h.line) for h in page.headings]
        found += [Item(page.line(s.line).strip(), s.line) for s in page.spans_of("fence")]
        return sorted((x for x in found if x.line not in excluded), key=lambda x: x.line)

    ours, theirs = marks(one), marks(other)
    for here, there in side_by_side(ours, theirs):
        if here is None or there is None or here.value != there.value:
            page, at = (one, here) if here else (other, there)
            counterpart = other if page is one else one
            expected = there.value if here and there else "nothing more"
            yield Problem(
                page.file,
                at.line,
                "the two languages of the page part here",
                f"the same as in {counterpart.file}: {expected}",
                at.value,
                f"give {one.file} and {other.file} the same snippets and anchors in the same order",
                (one.file, other.file),
            )
            return


def _front_matter(one: Page, other: Page) -> Iterator[Problem]:
    ours, theirs = front_matter(one), front_matter(other)
    if ours != theirs:
        yield Problem(
            one.file,
            1,
            "the front matter of the two languages differs",
            f"but for title and description, the same as in {other.file}:\n"
            + ("\n".join(theirs) or "none"),
            "\n".join(ours) or "none",
            f"give {one.file} and {other.file} the same front matter",
            (one.file, other.file),
        )


def _section(
    one: Page, here: Section, other: Page, there: Section, known: Sequence[str]
) -> Iterator[Problem]:
    parts, others = paragraphs(one, here), paragraphs(other, there)
    ours = [contents(one, part) for part in parts]
    theirs = [contents(other, part) for part in others]
    whole, counterpart = Contents.joined(ours), Contents.joined(theirs)
    heads = here.line, there.line
    if alike := len(ours) == len(theirs):
        compared = list(zip(ours, theirs, zip(parts, others, strict=True), strict=True))
    else:
        compared = [(whole, counterpart, (here, there))]
    found = [
        (name, differing_items(kind, whole, counterpart), heads) for kind, name in _KINDS.items()
    ]
    for mine, other_one, at in compared:
        lines = at[0].line, at[1].line
        found.append(("numbers", differing_numbers(mine, other_one), lines))
        found.append(("formulas", differing_formulas(mine, other_one), lines))
        found.append(("code in the text", differing_code(mine, other_one, known), lines))
    differing = [
        _different_items(one, other, here.anchor, name, *both, lines)
        for name, both, lines in found
        if any(both)
    ]
    yield from differing
    if not differing and not alike:
        yield _different_paragraphs(one, parts, other, others, here.anchor)


def reordered_sections(one: Page, other: Page) -> dict[str, Problem]:
    """By anchor: sections with a paragraph whose numbers are others, or in another order.

    That may be right, and may be a slip: `proofbook reconcile` asks for a look at them.
    """
    found: dict[str, Problem] = {}
    theirs = {section.anchor: section for section in sections(other)}
    for here in sections(one):
        parts = paragraphs(one, here)
        others = paragraphs(other, theirs[here.anchor]) if here.anchor in theirs else []
        for part, counterpart in zip(parts, others, strict=False):
            ours, their = reordered_numbers(contents(one, part), contents(other, counterpart))
            if ours or their:
                found.setdefault(
                    here.anchor,
                    Problem(
                        one.file,
                        part.line,
                        f"the numbers of this paragraph stand otherwise in {other.file}",
                        f"as in {other.file}:{counterpart.line}: {_row(their)}",
                        _row(ours),
                        f"read both; if they say the same: proofbook reconcile {one.file}",
                        (one.file, other.file),
                    ),
                )
    return found


def _row(items: Sequence[Item]) -> str:
    return ", ".join(item.value for item in items) or "none"


def _different_paragraphs(
    one: Page, ours: Sequence[Section], other: Page, theirs: Sequence[Section], anchor: str
) -> Problem:
    """A different number of paragraphs, reported at the first one without a counterpart."""

    def marks(page: Page, part: Section) -> set[str]:
        held = contents(page, part)
        return {item.value for item in (*held.code, *held.numbers)}

    (more, longer), (less, shorter) = sorted(
        ((one, ours), (other, theirs)), key=lambda side: len(side[1]), reverse=True
    )
    pairs = enumerate(zip(longer, shorter, strict=False))
    apart = (
        n for n, (part, counterpart) in pairs if not marks(more, part) <= marks(less, counterpart)
    )
    return Problem(
        more.file,
        longer[next(apart, len(shorter))].line,
        f"the two languages of the page have different paragraphs under #{anchor}",
        f"as many as in {less.file}: {len(shorter)}",
        f"{len(longer)} (items of lists, rows of tables and titles of boxes count too)",
        f"cut {one.file} and {other.file} into the same paragraphs",
        (one.file, other.file),
        "warning",  # what stands in the section is the same
    )


def _different_items(
    one: Page,
    other: Page,
    anchor: str,
    name: str,
    more: Sequence[Item],
    less: Sequence[Item],
    lines: tuple[int, int],
) -> Problem:
    """What only `one` has, and what only `other` has; reported on the page that has more."""
    page, counterpart, at = (one, other, lines[1]) if more else (other, one, lines[0])
    here_only, there_only = (more, less) if more else (less, more)
    return Problem(
        page.file,
        min(item.line for item in here_only),
        f"the two languages of the page have different {name} under #{anchor}",
        _list_items(there_only, f"the same as in {counterpart.file}:{at}", "none of these"),
        _list_items(here_only, "here only", ""),
        f"say the same in {one.file} and {other.file}",
        (one.file, other.file),
    )


def _list_items(items: Sequence[Item], before: str, nothing: str) -> str:
    said = ", ".join(dict.fromkeys(item.value for item in items)) or nothing
    return f"{before}: {said}"


def _terms(one: Page, other: Page, terms: Terms) -> Iterator[Problem]:
    """A term introduced in Chinese, as 叶子张量（leaf tensor）, is used in English too."""
    text = one.own_words
    for term in terms.all:
        introduced = re.search(rf"{re.escape(term.zh)}（[A-Za-z][A-Za-z ,/-]*）", text)
        # "A leaf" is a leaf tensor too, and "deepcopy" a deep copy.
        short = re.split(r"[ -]", term.en)[0]
        if not introduced or names_pattern(term.names("en"), "s?").search(other.text):
            continue
        if re.search(rf"(?<![A-Za-z]){re.escape(short)}", other.text, re.IGNORECASE):
            continue
        yield Problem(
            one.file,
            one.line_of(introduced.start()),
            "the page introduces a term that its English version never uses",
            f"{' or '.join(term.names('en'))} in {other.file}",
            introduced[0],
            f"use the term in {other.file}, or do without it here",
            (one.file, other.file),
            "warning",
        )
