"""Checks the reasons for differences between versions of PyTorch as it does pages: words and
names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from proofbook.check.api_names import wrong_names
from proofbook.content.glossary import wrong_words
from proofbook.content.torch_versions import REASONS, known_reasons
from proofbook.model.book import Book
from proofbook.model.page import parse
from proofbook.model.problem import Problem


def wrong_reason_words(book: Book) -> Iterator[Problem]:
    """Words that contradict the glossary, and names that PyTorch doesn't have."""
    reasons = known_reasons(book)
    for language in book.config.codes if reasons else ():
        lines = [""] * reasons[-1].line
        for reason in reasons:
            lines[reason.line - 1] = reason.text(language)
        page = parse(f"{REASONS}.{language}.md", "\n".join(lines))
        for check in (wrong_words, wrong_names):
            for problem in check(page, book):
                fix = f"correct the reason in {REASONS}: {problem.fix}"
                yield replace(problem, file=REASONS, fix=fix, pages=())
