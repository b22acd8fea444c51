"""What the figures of traces weigh, and how long each takes to draw.

    python benchmarks/figures.py

One line for each figure of the book: its boxes and steps, the size of its picture and of its list
of steps, the whole fragment that stands in the page, also compressed, and the time to draw it from
the recording. What a recording costs is in `benchmarks/recording.py`.
"""

from __future__ import annotations

import gzip
import re
import time
from pathlib import Path

from proofbook.directives import trace_figure
from proofbook.model.page import parse, read

ROOT = Path(__file__).resolve().parent.parent

HEAD = ("figure", "boxes", "steps", "width", "height", "picture", "list", "all", "gzip", "ms")


def row(page, reference) -> tuple:
    began = time.perf_counter()
    drawn = trace_figure.draw(page, reference, ROOT)
    took = 1000 * (time.perf_counter() - began)
    picture = re.search("<svg.*</svg>", drawn)[0]
    steps = re.search("<ol>.*</ol>", drawn)[0]
    width, height = re.search(r'width="(\d+)" height="(\d+)"', picture).groups()
    sizes = [len(text.encode()) for text in (picture, steps, drawn)]
    counts = picture.count('<g class="card'), steps.count("<li ")
    squeezed = len(gzip.compress(drawn.encode()))
    return (page.file, *counts, width, height, *sizes, squeezed, f"{took:.1f}")


def main() -> None:
    files = sorted((ROOT / "docs").rglob("*.md"))
    pages = [parse(file.relative_to(ROOT).as_posix(), read(file)) for file in files]
    rows = [row(p, r) for p in pages for r in p.references if r.option("figure") == "trace"]
    first = max(len(cells[0]) for cells in rows)
    for cells in (HEAD, *rows):
        print(f"{cells[0]:{first}}", *(f"{cell:>10}" for cell in cells[1:]))
    heaviest = max(rows, key=lambda cells: cells[-3])
    print(f"{len(rows)} figures; the heaviest is that of {heaviest[0]}, {heaviest[-3]} bytes")


if __name__ == "__main__":
    main()
