"""The versions of a page: the files that are the same page in different languages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from proofbook.model.book import Book
from proofbook.model.page import Page
from proofbook.model.page_file import language_of, stem_of
from proofbook.model.problem import Problem


def versions(book: Book) -> dict[str, dict[str, str]]:
    """The files of the book's pages by their name without language, and by their language."""
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for file in book.page_files:
        if (language := book.language_of(file)) in book.config.codes:
            found[stem_of(file)][language] = file
    return found


def pairs(book: Book) -> dict[str, tuple[Page, Page]]:
    """The pages in the first two languages of the book, by their name without language."""
    codes = book.config.codes[:2]
    return {
        stem: tuple(book.page(files[code]) for code in codes)
        for stem, files in versions(book).items()
        if len(codes) == 2 and files.keys() >= set(codes)
    }


def missing_versions(book: Book) -> Iterator[Problem]:
    """Pages that some language lacks, and files that are no version of any page."""
    codes, unreadable = book.config.codes, {problem.file for problem in book.unreadable}
    for file in book.page_files:
        if not language_of(file) and f"{stem_of(file)}.{codes[0]}.md" in book.page_files:
            yield Problem(
                file,
                1,
                "two files are the same page",
                f"one of them: {stem_of(file)}.{codes[0]}.md, or {file}",
                "both",
                "delete one of them",
                (file,),
            )
        if book.language_of(file) not in codes:
            yield Problem(
                file,
                1,
                "the name of the page does not say its language",
                " or ".join(f"{file.removesuffix('.md')}.{code}.md" for code in codes),
                file,
                "rename the file",
                (file,),
            )
    for stem, files in versions(book).items():
        for missing in sorted(set(codes) - set(files)):
            file = next(iter(files.values()))
            if f"{stem}.{missing}.md" in unreadable:
                continue
            yield Problem(
                file,
                1,
                "the page exists in one language only"
                if len(codes) == 2
                else "the page does not exist in all languages",
                f"{stem}.{missing}.md beside it",
                "no such file",
                f"write {stem}.{missing}.md with the same snippets and anchors",
                (file,),
            )
