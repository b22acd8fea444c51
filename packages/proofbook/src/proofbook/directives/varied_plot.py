"""`vary:` with `figure: plot`: the figures that a script draws with other numbers in it.

Unlike recordings they are not kept: each is drawn for a build, once for these values, and is put
into a file beside the page.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

from gradtrace import LANGUAGES, number_controls

from proofbook.directives import plot, varied_figure
from proofbook.model.book import Book
from proofbook.model.config import FALLBACK, in_language
from proofbook.model.page import Page, Reference
from proofbook.model.snippet import figure_anchor

Variants = Sequence[tuple[str, str]]
"""What each run of a script with other numbers has printed, and the figure that it has drawn."""

_ALT = {
    "zh": "{numbers} 时的同一幅图。脚本印出：{printed}",
    "en": "The same figure with {numbers}. The script prints: {printed}",
}
"""What a figure with other numbers is called: the words of the page speak of the script's own."""


def controls(page: Page, reference: Reference, book: Book) -> str:
    """The HTML with which a reader changes numbers; nothing where the page asks for none."""
    varied = varied_figure.asked(reference)
    if not varied:
        return ""
    numbers = varied_figure.numbers_of(book.text(reference.path), varied)
    source = varied_figure.data_file(figure_anchor(reference))
    language = page.language if page.language in LANGUAGES else FALLBACK
    return number_controls(numbers, language, source, with_graph=False)


def data_files(page: Page, drawn: Callable[[str], Variants | None]) -> Iterator[tuple[str, str]]:
    """The files with the figures of a page that other numbers give, which lie beside it: name and
    text. `drawn`: what the runs of a script gave; None where that is not known."""
    for reference in plot.plots_of(page):
        varied = varied_figure.asked(reference)
        if varied and (variants := drawn(reference.path)) and all(svg for _, svg in variants):
            identity = figure_anchor(reference)
            text = _data(page, reference, varied_figure.labels_of(varied), variants)
            yield varied_figure.data_file(identity), varied_figure.as_script(text, identity)


def _data(page: Page, reference: Reference, labels: Sequence[str], variants: Variants) -> str:
    """The data of a figure, as `trace-vary.js` reads that of a recorded run."""
    words = plot.rendered_labels(reference.option("words"))
    form, texts = in_language(_ALT, page.language), []
    for numbers, (printed, svg) in zip(labels, variants, strict=True):
        printed = printed.rstrip("\n")
        alt = form.format(numbers=numbers, printed=printed.replace("\n", "; "))
        named = {"role": "img", "aria-label": alt}
        texts += [plot.fragment(svg, reference.path, words, named), printed]
    # The figure of the script as it is stands in the page.
    own = varied_figure.own_run(varied_figure.asked(reference))
    rows = [[-1 if n == own else 2 * n, 2 * n + 1] for n in range(len(variants))]
    texts[2 * own] = ""
    return json.dumps({"texts": texts, "runs": rows}, ensure_ascii=False, separators=(",", ":"))
