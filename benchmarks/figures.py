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
from proofbook.directives.registry import traced_scripts, varied_scripts
from proofbook.directives.varied_figure import variants_of
from proofbook.model.book import Book, read_book
from proofbook.run.runner import Runner

ROOT = Path(__file__).resolve().parent.parent

HEAD = ("figure", "boxes", "steps", "width", "height", "picture", "list", "all", "gzip", "ms")


def row(book, page, reference) -> tuple:
    began = time.perf_counter()
    drawn = trace_figure.draw(page, reference, book)
    took = 1000 * (time.perf_counter() - began)
    picture = re.search("<svg.*</svg>", drawn)[0]
    steps = re.search("<ol>.*</ol>", drawn)[0]
    width, height = re.search(r'width="(\d+)" height="(\d+)"', picture).groups()
    sizes = [len(text.encode()) for text in (picture, steps, drawn)]
    counts = picture.count('<g class="card'), steps.count("<li ")
    squeezed = len(gzip.compress(drawn.encode()))
    return (page.file, *counts, width, height, *sizes, squeezed, f"{took:.1f}")


def run_varied(book: Book) -> str:
    """Run the scripts of figures with numbers to change, recorded, with all values."""
    scripts = {s: t for s, t in varied_scripts(book).items() if s in traced_scripts(book)}
    with Runner() as runner:
        runner.run([ROOT / next(iter(scripts))])  # it has torch loaded then
        began = time.perf_counter()
        variants = {script: variants_of(book.text(script), t) for script, t in scripts.items()}
        runs = [runner.submit(ROOT / s, trace=True, variants=v) for s, v in variants.items()]
        for run in runs:
            run.result()
    took = time.perf_counter() - began
    return f"{len(runs)} varied figures, {sum(map(len, variants.values()))} values: {took:.1f} s"


def main() -> None:
    book = read_book(ROOT)
    ran = run_varied(book)
    pages = [book.page(file) for file in sorted(book.page_files)]
    drawn = [(p, r) for p in pages for r in p.references if r.option("figure") == "trace"]
    rows = [row(book, page, reference) for page, reference in drawn]
    first = max(len(cells[0]) for cells in rows)
    for cells in (HEAD, *rows):
        print(f"{cells[0]:{first}}", *(f"{cell:>10}" for cell in cells[1:]))
    heaviest = max(rows, key=lambda cells: cells[-3])
    print(f"{len(rows)} figures; the heaviest is that of {heaviest[0]}, {heaviest[-3]} bytes")
    varied = [
        float(cells[-1]) for cells, (_, r) in zip(rows, drawn, strict=True) if r.option("vary")
    ]
    print(f"{ran} to run, {sum(varied) / 1000:.1f} s to draw in {len(book.config.codes)} languages")


if __name__ == "__main__":
    main()
