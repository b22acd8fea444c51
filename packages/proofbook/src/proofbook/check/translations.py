"""The files that are one page in several languages: missing, differing, or edited alone."""

from __future__ import annotations

import difflib
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from proofbook.check.languages import problems_of_pair
from proofbook.maths.check import equation_verdicts
from proofbook.model.book import Book
from proofbook.model.cache import Memo
from proofbook.model.contents import Section, paragraphs, sections
from proofbook.model.page import Page, language_of, parse, stem_of
from proofbook.model.problem import Problem
from proofbook.model.snippet import output_file
from proofbook.model.sources import Revision

_LINES = 40  # shown of a difference; after larger changes authors know
_SENTENCE_END = re.compile(r"(?<=[。！？])|(?<=[.!?])\s+")
_BLOCK_START = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+|#]|\d+\.) ?)")


def pages_by_language(book: Book) -> dict[str, dict[str, str]]:
    """The files of the book's pages by their name without language, and by their language."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for file in book.page_files:
        if (language := book.language_of(file)) in book.config.codes:
            found[stem_of(file)][language] = file
    return found


def translated(book: Book) -> Iterator[tuple[str, str]]:
    """The files of each page in the first language of the book and in another one."""
    first, *others = book.config.codes
    for files in pages_by_language(book).values():
        yield from ((files[first], files[c]) for c in others if first in files and c in files)


def misnamed_pages(book: Book) -> Iterator[Problem]:
    """Files whose name lacks the language of their page, and two that are the same page."""
    codes = book.config.codes
    for file in book.page_files:
        default = f"{stem_of(file)}.{codes[0]}.md"
        if not language_of(file) and default in book.page_files:
            what, expected = "two files are the same page", f"one of them: {default}, or {file}"
            yield Problem(file, 1, what, expected, "both", "delete one of them", (file,))
        if book.language_of(file) not in codes:
            what = "the name of the page does not say its language"
            expected = " or ".join(f"{file.removesuffix('.md')}.{code}.md" for code in codes)
            yield Problem(file, 1, what, expected, file, "rename the file", (file,))


def between_languages(book: Book) -> Iterator[Problem]:
    """Differences between the languages of each page; each is compared with the first."""
    yield from misnamed_pages(book)
    for one, other in translated(book):
        yield from book.remember(problems_of_pair, one, other)


def since_revision(book: Book, revision: Revision) -> Iterator[Problem]:
    """Warnings: edits in one language alone, and equations that became open."""
    if revision.files:
        before = book_at(book, revision)
        yield from edited_in_one_language(book, before)
        yield from more_open_equations(book, before)


def book_at(book: Book, revision: Revision) -> Book:
    """The book at a revision, with the pages that are new since."""
    texts = {file: revision.text(file) for file in sorted(revision.files & book.sources.keys())}
    texts = {file: text for file, text in texts.items() if text is not None}
    return replace(book.with_texts(texts), memo=Memo())  # whose memo is for the current book


def edited_in_one_language(book: Book, before: Book) -> Iterator[Problem]:
    """Warnings: sections whose text has changed in one language, but not in the other."""
    changed = book.changed_since(before)
    for files in translated(book):
        if changed.isdisjoint(files) or not all(file in before.sources for file in files):
            continue
        now, then = ([_as_written(b, file) for file in files] for b in (book, before))
        for anchor in _sections(now[0]):
            here, old = ([_sections(page).get(anchor) for page in pages] for pages in (now, then))
            if None in (*here, *old):
                continue
            edited = [
                visible_sentences(a) != visible_sentences(b) for a, b in zip(here, old, strict=True)
            ]
            if edited[0] is not edited[1]:
                order = slice(None, None, -1 if edited[1] else 1)
                yield _edited(now[order], here[order], old[edited.index(True)])


def more_open_equations(book: Book, before: Book) -> Iterator[Problem]:
    """Warnings: pages with more equations than before that are neither proved nor refuted."""
    changed = book.changed_since(before)
    for page in book.pages:
        scripts = {reference.path for reference in page.references}
        if changed.isdisjoint({page.file, *scripts, *map(output_file, scripts)}):
            continue
        found = _open(book, page.file)
        known = _open(before, page.file) if found and page.file in before.sources else ()
        if len(found) > len(known):
            yield Problem(
                page.file,
                page.line_of(found[-1].place),
                "more equations of this page than before can be neither proved nor refuted",
                f"at most {len(known)}, as before",
                f"{len(found)}: {'; '.join(map(str, found))}",
                "write them so that a run, or the page, gives their symbols a value",
                (page.file,),
                "warning",
            )


def _open(book: Book, file: str) -> list:
    judged = book.remember(equation_verdicts, file)
    return [verdict.equality for verdict in judged if verdict.state == "open"]


def _as_written(book: Book, file: str) -> Page:
    """A page with its placeholders: another version of PyTorch doesn't edit a page."""
    return parse(file, book.text_or_empty(file), language=book.language_of(file))


def _sections(page: Page) -> dict[str, Section]:
    return {section.anchor: section for section in sections(page)}


def visible_sentences(section: Section) -> list[str]:
    """The sentences of a section, without invisible text."""
    blocks = (" ".join(block.split()) for block in _BLOCK_START.split(section.text))
    return [
        text for block in blocks for part in _SENTENCE_END.split(block) if (text := part.strip())
    ]


def _edited(pages: Sequence[Page], here: Sequence[Section], old: Section) -> Problem:
    """`pages` and sections `here`: the edited language first."""
    (page, counterpart), now = pages, here[0]
    before, after = visible_sentences(old), visible_sentences(now)
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    edits = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    _, _, _, first, last = edits[0]
    line, there, words = _place(pages, here, after[first:last] or after[first - 1 : first])
    rows = [
        f"{sign} {sentence}"
        for _, a, b, c, d in edits
        for sign, some in (("-", before[a:b]), ("+", after[c:d]))
        for sentence in some
    ]
    return Problem(
        page.file,
        line,
        f"#{now.anchor} was edited in this language only",
        f"the same in {counterpart.file}:{there}:\n{words}",
        "\n".join(rows[:_LINES]),
        "carry it over, if it means something there",
        (page.file, counterpart.file),
        "warning",
    )


def _place(
    pages: Sequence[Page], here: Sequence[Section], edited: Sequence[str]
) -> tuple[int, int, str]:
    """The line of the first paragraph with an edited sentence; the line and the words at its place
    in the other language."""
    parts, others = (paragraphs(*each) for each in zip(pages, here, strict=True))
    for number, part in enumerate(parts):
        if edited and edited[0] in " ".join(part.text.split()):
            if len(parts) == len(others):
                return part.line, others[number].line, others[number].text.strip()
            return part.line, here[1].line, ""
    return here[0].line, here[1].line, ""
