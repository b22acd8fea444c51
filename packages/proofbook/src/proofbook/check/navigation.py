"""The navigation of `mkdocs.yml` names pages that exist, and all of them if the settings ask so.

For a check without a build: MkDocs says the same in a build, which it ends where that is strict.
"""

from __future__ import annotations

from collections.abc import Iterator

from pathspec.gitignore import GitIgnoreSpec

from proofbook.model.book import Book
from proofbook.model.config import FILE
from proofbook.model.page_file import name_of
from proofbook.model.problem import Problem


def wrong_navigation(book: Book) -> Iterator[Problem]:
    """Entries of the navigation without a page, and pages without an entry.

    The latter where `validation: nav: omitted_files` is `warn`, as `mkdocs build --strict` has it.
    Nothing in a book without `nav`.
    """
    navigation = book.config.navigation
    if not navigation.pages:
        return
    named = {name_of(f"docs/{entry}") for entry in navigation.pages}
    files: dict[str, tuple[str, ...]] = {}
    for file in book.page_files:
        files[name_of(file)] = (*files.get(name_of(file), ()), file)
    unreadable = {name_of(problem.file) for problem in book.unreadable}
    for entry in navigation.pages:
        if name_of(f"docs/{entry}") not in files.keys() | unreadable:
            yield Problem(
                FILE,
                _line_of(book, entry),
                "the navigation names a page that does not exist",
                f"a page docs/{entry.removesuffix('.md')}.<language>.md",
                "no such file",
                "correct this line, or write the page",
            )
    if not navigation.complete:
        return
    left_out = GitIgnoreSpec.from_lines(navigation.left_out.splitlines())
    for name, versions in files.items():
        if name not in named and not left_out.match_file(versions[0].removeprefix("docs/")):
            yield Problem(
                versions[0],
                1,
                "the page is not in the navigation",
                f"{name}.md in the nav of {FILE}",
                "no such entry",
                f"add - {name}.md to the nav of {FILE}",
                versions,
            )


def _line_of(book: Book, entry: str) -> int:
    """The line of the settings that holds an entry; 1 if an inherited file holds it."""
    rows = (book.root / FILE).read_text("utf-8").splitlines()
    return next((number for number, row in enumerate(rows, 1) if entry in row), 1)
