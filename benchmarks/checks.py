"""How long the checks of the whole book take without running a snippet, for each 100 pages.

    python benchmarks/checks.py

The limit is 2 s. What is measured is the time of the processor, so that other work on the machine
does not count; the first round writes down what torch offers where that was not done yet.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from proofbook.check.registry import problems_in_files  # noqa: E402
from proofbook.model.book import read_book  # noqa: E402
from proofbook.model.problem import report  # noqa: E402

LIMIT = 2.0


def main() -> int:
    if problems := problems_in_files(read_book(ROOT)):
        sys.exit(report(problems))
    began = time.process_time()
    book = read_book(ROOT)
    problems_in_files(book)
    seconds = (time.process_time() - began) / len(book.pages) * 100
    print(f"{len(book.pages)} pages: {seconds:.2f} s for each 100 (limit {LIMIT} s)")
    return 0 if seconds < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
