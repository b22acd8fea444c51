"""How long the equalities of the whole book take to judge, for each 100 pages.

    python benchmarks/equations.py

The time of the processor, with what importing SymPy takes told apart: it is imported by the first
equality that needs it. The limit is 1 s without the import.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from proofbook.maths.check import verdicts
from proofbook.model.book import read_book
from proofbook.model.snippet import shown_snippets

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 1.0
_IMPORT = (
    "import time; began = time.process_time(); import sympy; print(time.process_time() - began)"
)


def main() -> int:
    book = read_book(ROOT)
    pages = [(page, shown_snippets(page, book)) for page in book.pages]
    importing = float(subprocess.check_output([sys.executable, "-c", _IMPORT]))
    began = time.process_time()
    states = Counter(one.state for page, runs in pages for one in verdicts(page, runs))
    seconds = (time.process_time() - began - importing) / len(pages) * 100
    print(", ".join(f"{number} {state}" for state, number in states.most_common()))
    print(
        f"{len(pages)} pages: {seconds:.2f} s for each 100 (limit {LIMIT} s), "
        f"and {importing:.2f} s to import SymPy"
    )
    return 0 if seconds < LIMIT else 1


if __name__ == "__main__":
    sys.exit(main())
