"""The numbers that a reader changes: what a page ships is what the script with them does."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest
from gradtrace import parse_trace
from gradtrace.drawing.figure import figure_parts
from gradtrace.words import PLAIN
from proofbook.directives.plot import fragment, rendered_labels
from proofbook.directives.registry import traced_scripts, varied_scripts
from proofbook.directives.trace_figure import passes
from proofbook.directives.varied_figure import data_file, values_of, variants_of
from proofbook.markdown.spans import Reference
from proofbook.model.book import read_book
from proofbook.model.snippet import figure_anchor
from proofbook.testing.fixtures import PATIENCE, sample

ROOT = Path(__file__).resolve().parents[1]
BOOK = read_book(ROOT)
VARIED, TRACED = varied_scripts(BOOK), traced_scripts(BOOK)
HEAVIEST = 37_000
"""Bytes of the data of a figure, as a host sends it once a reader touches it."""


def without_widths(item: str) -> str:
    """A step without how wide streams are drawn: that depends on the gradients of other runs."""
    return re.sub(r"\d+\.\dpx", "px", item)


def places_of(script: str) -> list[tuple[str, str, Reference]]:
    """Where the figure of a script stands on the site: language, folder of its page, reference."""
    pages = [BOOK.page(file) for file in BOOK.pages_showing(script)]
    return [
        (page.language, BOOK.config.prefix(page.language) + page.name.removesuffix("index"), each)
        for page in pages
        for each in page.references
        if each.path == script and each.option("vary")
    ]


@pytest.mark.parametrize("script", sample(sorted(VARIED), 5))
def test_the_site_ships_what_the_script_does(script, site_folder, runner, tmp_path):
    """The first of the values, the last, and one between, each a script of its own. The build runs
    them all and compares what they print."""
    code, varied = BOOK.text(script), VARIED[script]
    variants = variants_of(code, varied)
    assert len(variants) == len(values_of(varied)) >= 3
    chosen = (0, len(variants) // 3, len(variants) - 1)
    runs = {}
    for number in chosen:
        alone = tmp_path / str(number) / Path(script).name
        alone.parent.mkdir()
        alone.write_text(variants[number][1], "utf-8")
        traced = script in TRACED
        runs[number] = runner.submit(alone, trace=traced).result(PATIENCE)
        assert runs[number].refusal is None
    places = places_of(script)
    assert {language for language, *_ in places} == set(BOOK.config.codes)
    for language, folder, reference in places:
        name = figure_anchor(reference)
        text = (site_folder / folder / data_file(name)).read_text("utf-8")
        data = json.loads(text.partition(" = ")[2])
        assert len(data["runs"]) == len(variants)
        for number, run in runs.items():
            if script not in TRACED:
                # As the script alone draws it, but for what it is called.
                picture, printed = data["runs"][number]
                assert data["texts"][printed] == run.stdout.rstrip("\n")
                words = rendered_labels(reference.option("words"))
                if picture >= 0:  # the script's own stands in the page, and a curve is one for all
                    drawn = fragment(run.figures[0], reference.path, words, {})
                    shipped = data["texts"][picture]
                    assert re.sub(' (?:role|aria-label)="[^"]*"', "", shipped) == drawn
                continue
            words = language + (PLAIN if reference.option("names") else "")
            parts = figure_parts(parse_trace(run.trace), name, words, passes(reference))
            shipped = [data["texts"][n] for n in data["runs"][number][1:]]
            expected = [run.stdout.rstrip("\n"), parts.description, parts.summary, parts.words]
            assert list(map(without_widths, shipped)) == [
                *expected,
                *map(without_widths, parts.items),
            ]


def test_the_data_of_a_figure_is_light(site_folder):
    found = (*site_folder.rglob("trace-*.js"), *site_folder.rglob("plot-*.js"))
    files = [file for file in found if file.parent.name != "assets"]
    assert len(files) >= 2 * len(VARIED)
    assert max(len(gzip.compress(file.read_bytes(), 9)) for file in files) <= HEAVIEST
