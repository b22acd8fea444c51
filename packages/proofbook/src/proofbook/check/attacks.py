"""Tests that attack sections: the ones with errors, and the ones to review after an edit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches

from proofbook.check.translations import visible_sentences
from proofbook.content.attacks import Attack, attacks_in, attacks_on
from proofbook.maths.numbers import statements_of
from proofbook.model.book import Book, fill_placeholders
from proofbook.model.contents import Section, sections
from proofbook.model.page import Page, parse
from proofbook.model.problem import Problem
from proofbook.model.snippet import SnippetText, output_file
from proofbook.model.sources import Revision

READ_TESTS = "read its tests"
"""The end of a warning that only asks for the tests of a section to be read again."""


def wrong_attacks(book: Book) -> Iterator[Problem]:
    """Attacks on sections that don't exist, or without words for readers."""
    known = {section for file in book.page_files for section in book.fact(_addresses, file)}
    for file in book.files(book.config.claims, ".py"):
        for attack in book.fact(attacks_in, file):
            yield from _unknown(attack, known)
            for code in book.config.codes:
                if not attack.tried.get(code, "").strip():
                    what, expected = "readers are not told what was tried", f'{code}="..."'
                    yield _problem(attack, what, expected, f"no text in {code}", "write it")


def sections_to_read(book: Book, since: Revision) -> Iterator[Problem]:
    """Warnings: sections with a changed sentence, script or output, with the tests that attack
    them, and the statements that are no longer printed."""
    told: set[str] = set()
    for page in book.pages:
        scripts = dict.fromkeys(reference.path for reference in page.references)
        if since.files.isdisjoint({page.file, *scripts, *map(output_file, scripts)}):
            continue
        gone = _vanished(page, [*scripts], book, since)
        attacked, now = book.fact(attacks_on, page.name), _said(page)
        before = now
        if page.file in since.files:
            text = fill_placeholders(since.text(page.file) or "")
            before = _said(parse(page.file, text, language=page.language))
        for section in sections(page):
            own = [r.path for r in page.references if r.line in section.lines]
            # It may also say what the script of another section prints.
            missing = sorted(gone | _vanished(page, own, book, since))
            lost = [(line, said) for line, said in missing if line in section.lines]
            read = scripts if lost else own
            changed = [f for s in read for f in (s, output_file(s)) if f in since.files]
            if now.get(section.anchor) != before.get(section.anchor):
                changed.insert(0, page.file)
            address = f"{page.name}#{section.anchor}"
            tests = () if address in told else attacked.get(section.anchor, ())
            if changed and (tests or lost):
                told.add(address)
                yield _to_read(page, section, changed, tests, lost)


def _unknown(attack: Attack, known: set[str]) -> Iterator[Problem]:
    for section in attack.sections or ("",):
        if section not in known:
            near = get_close_matches(section, known, 3, 0.6) or ["page#anchor, as in the address"]
            what = "this test attacks a section that no page has"
            yield _problem(attack, what, " or ".join(near), section or "none", "name that section")


def _addresses(book: Book, file: str) -> tuple[str, ...]:
    page = book.page(file)
    return tuple(f"{page.name}#{section.anchor}" for section in sections(page))


def _said(page: Page) -> dict[str, list[str]]:
    return {section.anchor: visible_sentences(section) for section in sections(page)}


def _vanished(
    page: Page, scripts: Sequence[str], book: Book, since: Revision
) -> set[tuple[int, str]]:
    """Statements of a page that its scripts printed then and no longer print, with lines."""
    outputs = [file for file in map(output_file, scripts) if file in book.sources]
    then = SnippetText("\n".join(since.text(f) or "" for f in outputs if f in since.files))
    now = SnippetText("\n".join(map(book.text_or_empty, (*outputs, *scripts))))
    return {
        (page.line_of(statement.place), statement.said)
        for statement in statements_of(page)
        if not statement.source and statement.lines_in(then) and not statement.lines_in(now)
    }


def _to_read(
    page: Page,
    section: Section,
    changed: Sequence[str],
    tests: Sequence[Attack],
    lost: Sequence[tuple[int, str]],
) -> Problem:
    found = [f"{', '.join(dict.fromkeys(changed))}: not what was committed"]
    found += [f"line {line} says {said}, which is printed no longer" for line, said in lost]
    found += [f"{test.file}:{test.line} {test.test}" for test in tests]
    return Problem(
        page.file,
        lost[0][0] if lost else section.line,
        f"#{section.anchor} has changed: " + ("read what it says" if lost else READ_TESTS),
        "a text that is true, and tests that try what it says now",
        "\n".join(found),
        "read them again; there is nothing else to do",
        (page.file,),
        "warning",
    )


def _problem(attack: Attack, what: str, expected: str, found: str, fix: str) -> Problem:
    return Problem(attack.file, attack.line, what, expected, found, fix)
