"""Checks that links within the book have a target, and images text in the page's language."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from proofbook.check.api_names import wrong_names
from proofbook.content import moved
from proofbook.content.glossary import known_terms, wrong_words
from proofbook.content.questions import as_links, known_questions
from proofbook.content.torch_versions import REASONS, known_reasons
from proofbook.directives import trace_figure
from proofbook.markdown.spans import Span
from proofbook.model.book import Book
from proofbook.model.page import Page, parse
from proofbook.model.problem import Problem, warning
from proofbook.model.snippet import VARIED, snippets_on_page

PageCheck = Callable[[Page, Book], Iterable[Problem]]

_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_STEP = re.compile(r"(?P<figure>trace-[\w-]+)-step-(?P<number>\d+)")
_CODE_NAME = re.compile(r"`(?:[\w.]*\.)?(\w+)(?:\(\))?`")
_API_PAGE = re.compile(r"/generated/torch\.(.+)")
_VALUES = re.compile('data-values="([^"]*)"')


def wrong_links(page: Page, book: Book) -> Iterator[Problem]:
    """The wrong links and images of a page."""
    for link in page.links:
        if link.kind == "image" and (problem := _wrong_text(page, link)):
            yield problem
        if link.external:
            yield from _wrong_name(page, link)
            continue
        yield from _wrong_title(page, link, book)
        target, anchor = page.target(link)
        target = book.shown_page(target)
        known = book.fact(_anchors, target)
        if known is None and not book.has(target):
            expected = "a file below docs/, named as it is seen from this page"
            yield _problem(page, link.line, "the link leads to no file", expected, link.address)
        elif known is not None and (step := _STEP.fullmatch(anchor)):
            figures = dict(book.fact(_steps, target)), dict(book.fact(_varied, target))
            yield from _wrong_step(page, link, step, *figures)
        elif known is not None and anchor and anchor not in known:
            expected = ", ".join(f"#{name}" for name in known)
            yield _problem(page, link.line, "the link leads to no heading", expected, link.address)


def _wrong_title(page: Page, link: Span, book: Book) -> Iterator[Problem]:
    """A link whose words are the title of one page, or a heading of the page to which it leads, and
    which leads to another."""
    said = _plain(link.content)
    named = dict(book.fact(_titles, page.language)).get(said, ())
    target, anchor = page.target(link)
    target = book.shown_page(target)
    if anchor and target in book.page_files:
        deeper = (heading for heading in book.page(target).headings if heading.level > 1)
        headings = [heading for heading in deeper if _plain(heading.text) == said]
        if headings and anchor not in [heading.anchor for heading in headings]:
            what, expected = "the words of the link are another heading", f"#{headings[0].anchor}"
            yield _problem(page, link.line, what, expected, f"[{link.content}]({link.address})")
    if len(named) == 1 and not anchor and target in book.page_files and target != named[0]:
        what = "the words of the link are the title of another page"
        yield _problem(page, link.line, what, named[0], f"[{link.content}]({link.address})")


def _wrong_name(page: Page, link: Span) -> Iterator[Problem]:
    """A name in code that links to the documentation of another name."""
    name, there = _CODE_NAME.fullmatch(link.content.strip()), _API_PAGE.search(link.address)
    if name and there and name[1].lower() not in re.split(r"[.#]", there[1].lower()):
        what = "the link leads to the documentation of another name"
        yield _problem(page, link.line, what, f"an address that ends in {name[1]}", link.address)


def _titles(book: Book, language: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The titles of the pages of a language, without marks, each with the files that have it."""
    files = [file for file in book.page_files if book.page(file).language == language]
    found: dict[str, tuple[str, ...]] = {}
    for file in files:
        text = next((h.text for h in book.page(file).headings if h.level == 1), "")
        found[_plain(text)] = (*found.get(_plain(text), ()), file)
    return tuple(found.items())


def _plain(text: str) -> str:
    return re.sub(r"[^\w.]", "", text).lower()


def wrong_entries(book: Book) -> Iterator[Problem]:
    """The wrong words, names and links in the questions of a book, and in its reasons for
    differences between versions of PyTorch."""
    questions, reasons, file = known_questions(book), known_reasons(book), book.config.questions
    for language in book.config.codes:
        links = as_links(questions, language, book)
        for problem in _in_table(
            book, file, links, language, wrong_words, wrong_names, wrong_links
        ):
            yield replace(problem, pages=book.pages_beside(file))
        texts = {reason.line: reason.text(language) for reason in reasons}
        yield from _in_table(book, REASONS, texts, language, wrong_words, wrong_names)


def wrong_moves(book: Book) -> Iterator[Problem]:
    """The lines of `docs/moved.toml` whose old address is in use, or whose new one isn't."""
    found, unread = moved.moves(book)
    form = '"topic/old" = "topic/page#section"'
    for line, text in unread.items():
        yield _move(line, "this is not a page that moved", form, text)
    for move in found:
        if any(book.has(book.page_file(move.old, code)) for code in book.config.codes):
            expected = "an address that no page has any more"
            yield _move(move.line, "the old address is that of a page", expected, move.old)
        for code in book.config.codes:
            known = book.fact(_anchors, book.page_file(move.page, code))
            if known is None or move.anchor not in known:
                expected = "a page of the book" if known is None else ", ".join(known)
                new = f"{move.page}#{move.anchor}"
                yield _move(move.line, "the new address leads to no section", expected, new)
                break


def _move(line: int, what: str, expected: str, found: str) -> Problem:
    return Problem(moved.FILE, line, what, expected, found, "correct this line")


def _in_table(
    book: Book, file: str, texts: Mapping[int, str], language: str, *checks: PageCheck
) -> Iterator[Problem]:
    """The problems of texts, by their lines in a TOML file, as of a page with these lines."""
    lines = [texts.get(line, "") for line in range(1, max(texts, default=0) + 1)]
    page = parse(f"{file}.{language}.md", "\n".join(lines))
    for problem in (problem for check in checks for problem in check(page, book)):
        fix = f"correct this entry of {file}: {problem.fix}"
        yield replace(problem, file=file, fix=fix, pages=())


def _wrong_step(
    page: Page,
    link: Span,
    step: re.Match,
    figures: Mapping[str, int],
    varied: Mapping[str, Sequence[str]],
) -> Iterator[Problem]:
    """The error in a link to a step of a figure: there is no such step, its words name another, or
    the figure has no run with the values that it names: `{ data-values="w=-0.5" }`."""
    number, last = int(step["number"]), figures.get(step["figure"], 0)
    known, found = [f"#{name}-step-1" for name in figures], f"#{step[0]}"
    if step["figure"] not in figures:
        expected = ", ".join(known) or "a figure on the page it leads to"
        yield _problem(page, link.line, "the link leads to no figure", expected, found)
    elif not 1 <= number <= last or step["number"] != str(number):
        what, expected = "the link leads to no step of the figure", f"a step from 1 to {last}"
        yield _problem(page, link.line, what, expected, found)
    elif (values := _VALUES.search(link.attributes)) and values[1] not in varied.get(
        step["figure"], ()
    ):
        what, expected = "the figure has no such values", "values that vary: on its snippet gives"
        yield _problem(page, link.line, what, expected, values[1])
    elif [int(digits) for digits in re.findall(r"\d+", link.content)] not in ([], [number]):
        what, expected = "the link names another step", f"step {number}"
        yield _problem(page, link.line, what, expected, link.content)


def _anchors(book: Book, file: str) -> tuple[str, ...] | None:
    """The anchors of a page; None if there is no such page."""
    if file not in book.page_files:
        return None
    found = tuple(heading.anchor for heading in book.page(file).headings if heading.anchor)
    if file in book.pages_beside(book.config.glossary):
        return (*found, *(term.id for term in book.fact(known_terms).all))
    return found


def _steps(book: Book, file: str) -> tuple[tuple[str, int], ...]:
    """The anchors of the figures on a page, each with its number of steps."""
    return tuple(trace_figure.step_counts(book.page(file), book).items())


def _varied(book: Book, file: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """The anchors of the figures on a page with variable numbers, each with these."""
    parts = (
        (run.figure, tuple(text.part for text in run.texts if text.part.startswith(VARIED)))
        for run in snippets_on_page(book, file)
    )
    return tuple((figure, tuple(p.removeprefix(VARIED) for p in each)) for figure, each in parts)


def _wrong_text(page: Page, image: Span) -> Problem | None:
    chinese = page.language == "zh"
    words = image.content.strip()
    if words and bool(_CHINESE.search(words)) == chinese:
        return None
    language = "Chinese" if chinese else "English"
    expected = f"words in {language} that say what can be seen: ![words](file)"
    what = "the image has no alternative text in the language of the page"
    found = _problem(page, image.line, what, expected, words or "nothing")
    return warning(found) if words else found


def _problem(page: Page, line: int, what: str, expected: str, found: str) -> Problem:
    return page.problem(line, what, expected, found, "correct this line")
