"""How long the checks of all files take without running a snippet, for each 100 pages.

    python benchmarks/checks.py

With nothing remembered, and with everything remembered: read again from the disk, as the next
command does. What is measured is the time of the processor, so that other work on the machine does
not count much; what torch offers is read before.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from pathlib import Path

from proofbook.check.registry import problems_in_files
from proofbook.directives.registry import read_with_results
from proofbook.model.book import Book, read_book
from proofbook.model.cache import Store
from proofbook.model.problem import errors, format_problems

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 2.0
"""Seconds for each 100 pages with nothing remembered."""


def checked(store: Store | None) -> tuple[float, Book]:
    """The seconds for the whole book, from reading it; with the results kept in a file."""
    began = time.process_time()
    book = read_with_results(ROOT, store) if store else read_book(ROOT)
    if problems := errors(problems_in_files(book)):
        sys.exit(format_problems(problems))
    return time.process_time() - began, book


def main() -> int:
    checked(None)
    nothing, book = checked(None)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(ROOT / "mkdocs.yml", folder)
        store = Store(Path(folder))
        store.save_memo(book)
        everything, _ = checked(store)
        size = next(Path(folder).rglob("*.pickle")).stat().st_size / 1024 / 1024
    hundreds = len(book.pages) / 100
    print(f"{len(book.pages)} pages, seconds for each 100:")
    print(f"nothing remembered      {nothing / hundreds:6.2f}   (limit {LIMIT})")
    print(f"everything remembered   {everything / hundreds:6.2f}   ({size:.1f} MiB)")
    return 0 if nothing / hundreds < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
