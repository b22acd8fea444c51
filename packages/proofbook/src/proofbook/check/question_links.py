"""The list of questions is checked as pages are: its words, its names of PyTorch, its links."""

from __future__ import annotations

from collections.abc import Iterator

from proofbook.check.api_names import wrong_names
from proofbook.check.links import wrong_links
from proofbook.content.glossary import wrong_words
from proofbook.content.questions import as_pages, in_the_file, known_questions
from proofbook.model.book import Book
from proofbook.model.problem import Problem


def wrong_question_links(book: Book) -> Iterator[Problem]:
    """What is wrong with the questions of a book as texts with links."""
    for page in as_pages(known_questions(book), book):
        for check in (wrong_words, wrong_names, wrong_links):
            yield from (in_the_file(problem, book) for problem in check(page, book))
