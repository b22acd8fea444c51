"""Figures that scripts draw with Matplotlib: minified, in the colors and the language of the page.

The scripts use Matplotlib as usual. The settings in `plot.mplstyle` fit their figures to a
page; `fragment` turns such an SVG into an element of the page: with the colors of the theme, text
in the page's font, and labels in the page's language. `html`'s `fill_figures` inserts it.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from gradtrace import LANGUAGES, number_controls

from proofbook.directives import varied_figure
from proofbook.markdown.spans import Reference
from proofbook.model.book import Book
from proofbook.model.config import FALLBACK, in_language
from proofbook.model.page import Page
from proofbook.model.problem import Problem
from proofbook.model.snippet import figure_anchor

STYLE = Path(__file__).with_name("plot.mplstyle")
_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"
_COLOR = re.compile(r"#1111(0\d)\b")
_LONG = re.compile(r"-?\d+\.\d+")
_USED = re.compile(r"url\(#([\w-]+)\)")
_WORDS = re.compile(r"[A-Za-z]{2}")
_RAISED = str.maketrans("0123456789−-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻")
_PAIR = re.compile(
    r"""
    \s* (?P<label> "[^"]*" (?=\s*=) | [^|=]* ) \s*
    (?: = \s* (?P<rendering> "[^"]*" (?=\s*(?:\||$)) | [^|]* ) \s* )?
    (?: \| | $ )
    """,
    re.VERBOSE,
)


def placeholder(reference: Reference, controls: str = "") -> str:
    """The HTML placeholder of a figure in the expanded page, which `html.figures` fills.

    `controls`: the HTML above the figure with which a reader changes it.
    """
    values = (reference.path, *(reference.option(o) or "" for o in ("words", "alt", "caption")))
    script, words, alt, caption = (html.escape(value) for value in values)
    named = f'role="img" aria-label="{alt}" data-caption="{caption}"'
    if controls:
        named += f' id="{figure_anchor(reference)}" data-controls="{html.escape(controls)}"'
    return f'<div class="plot" data-plot="{script}" data-words="{words}" {named}></div>'


def rendered_labels(words: str | None) -> dict[str, str]:
    """The labels in the option `words`, each with its rendering in the language of the page.

    A label or a rendering that contains "=" or "|" is in double quotes: `"w = 2"=权重是 2`.
    """
    pairs = (found for found in _PAIR.finditer(words or "") if found[0].strip(" |"))
    return {_unquoted(pair["label"]): _unquoted(pair["rendering"] or "") for pair in pairs}


def _unquoted(text: str) -> str:
    text = text.strip()
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] == '"' else text


def labels(svg: str) -> list[str]:
    """The texts of a figure, in their order."""
    return [_label(node)[0] for node in ElementTree.fromstring(svg).iter(f"{_SVG}text")]


def fragment(svg: str, script: str, words: Mapping[str, str], attributes: Mapping[str, str]) -> str:
    """The figure as a part of a page: an `svg` with these attributes, whose ids begin with the name
    of the script, and whose labels are in `words`."""
    root = ElementTree.fromstring(svg)
    used = {value[1:] for node in root.iter() for key, value in node.items() if key == _LINK}
    used |= {
        name for node in root.iter() for v in node.attrib.values() for name in _USED.findall(v)
    }
    figure = ElementTree.Element("svg", {**attributes, "viewBox": root.get("viewBox", "")})
    for node in root:
        figure.extend(_small(node, Path(script).stem, used, words))
    return ElementTree.tostring(figure, encoding="unicode", short_empty_elements=False)


def _small(
    node: ElementTree.Element, prefix: str, used: set[str], words: Mapping[str, str]
) -> list[ElementTree.Element]:
    """The page's elements for one of Matplotlib's SVG: none, one, or, for a group without a meaning
    of its own, its children."""
    name = node.tag.removeprefix(_SVG)
    if name in ("metadata", "style") or node.tag == name:  # not of SVG
        return []
    if name == "text":
        text, attributes = _label(node)
        label = ElementTree.Element("text", {k: _short(k, v) for k, v in attributes.items()})
        label.text = words.get(text, text)
        return [label]
    small = ElementTree.Element(name, _small_attributes(node, prefix, used))
    small.extend(each for child in node for each in _small(child, prefix, used, words))
    if name == "g" and not small.attrib:
        return list(small)
    if small.get("class") == "ball" and (marker := small.find(".//use")) is not None:
        place = {"cx": marker.get("x", ""), "cy": marker.get("y", "")}
        small.append(ElementTree.Element("circle", {"class": "reach", "r": "16", **place}))
    empty = name in ("g", "defs") and not len(small) and (name == "g" or not small.attrib)
    return [] if empty else [small]


def _small_attributes(node: ElementTree.Element, prefix: str, used: set[str]) -> dict[str, str]:
    """The attributes with fewer digits, only used ids, and ids made unique on the page."""
    attributes = {}
    for key, value in node.attrib.items():
        if key == "id":
            if value == "ball":
                attributes["class"] = value
            if value in used:
                attributes["id"] = f"{prefix}-{value}"
            continue
        if key == _LINK:
            # Not "href": Material makes each of those absolute, which breaks off at one of SVG.
            key, value = "xlink:href", re.sub("^#", f"#{prefix}-", re.sub(r"\s", "", value))
        attributes[key] = _short(key, _USED.sub(rf"url(#{prefix}-\1)", value))
    return attributes


def _label(node: ElementTree.Element) -> tuple[str, dict[str, str]]:
    """The text of a label, with a raised exponent of a power of ten, and its attributes."""
    parts = list(node)
    if not parts:
        style = re.sub(r"font(?:-family)?:[^;]*;? ?", "", node.get("style", ""))
        size = re.search(r"(?:font: |font-size: )([\d.]+px)", node.get("style", ""))
        attributes = {k: v for k, v in node.attrib.items() if k not in ("style", "transform")}
        if (turn := node.get("transform", "")) and not turn.startswith("rotate(-0 "):
            attributes["transform"] = turn
        style = re.sub(r"font-size: [^;]*; ?", "", style)
        return node.text or "", {**attributes, "style": f"font-size: {size[1]}; {style}"}
    sizes = [float(re.search(r"font-size: ([\d.]+)px", p.get("style"))[1]) for p in parts]
    text = "".join(
        p.text if size == max(sizes) else p.text.translate(_RAISED)
        for p, size in zip(parts, sizes, strict=True)
    )
    style = f"font-size: {max(sizes):g}px; fill: #111100"
    return text, {"style": style}


def _short(key: str, value: str) -> str:
    if key == "style":
        return _COLOR.sub(_color, value).replace(": ", ":").replace("; ", ";").rstrip(";")
    if key in ("d", "x", "y", "width", "height"):
        value = _LONG.sub(lambda number: f"{float(number[0]):.1f}".removesuffix(".0"), value)
        return " ".join(value.split())
    if key == "transform":
        return _LONG.sub(lambda number: f"{float(number[0]):.4g}", value)
    return value


def _color(found: re.Match) -> str:
    return "currentColor" if found[1] == "00" else f"var(--plot-{int(found[1])})"


def plots_of(page: Page) -> Iterator[Reference]:
    """The references of a page that ask for the figure of a script."""
    return (r for r in page.references if r.option("figure") == "plot")


def wrong_options(page: Page, reference: Reference) -> Iterator[Problem]:
    """Plots that aren't described in words, or whose words lack a rendering."""
    if not reference.option("alt"):
        expected = "alt: <what the figure shows, in the words of this page>"
        yield _problem(page, reference, "the figure has no alternative text", expected, "none")
    for label, rendering in rendered_labels(reference.option("words")).items():
        if not label or not rendering:
            expected, found = "words: label=rendering | label=rendering", f"{label}={rendering}"
            yield _problem(page, reference, "a label has no rendering", expected, found)


def wrong_figures(
    pages: Iterable[Page], script: str, figures: Sequence[str], others: Sequence[str] = ()
) -> Iterator[Problem]:
    """Pages that show a figure that a script does not draw, or leave a label untranslated.

    `others`: the figures with other numbers.
    """
    more = [label for each in others for label in labels(each)]
    for page in pages:
        shown = [reference for reference in page.references if reference.path == script]
        for reference in shown:
            plotted = reference.option("figure") == "plot"
            if plotted and len(figures) != 1:
                what, expected = "there is no figure to show", f"one figure, drawn by {script}"
                yield _problem(page, reference, what, expected, f"{len(figures)} figures")
            elif plotted:
                yield from _wrong_labels(page, reference, [*labels(figures[0]), *more])
        if figures and shown and not any(r.option("figure") == "plot" for r in shown):
            what = "the script draws, and the page doesn't show it"
            yield _problem(page, shown[0], what, "figure: plot", "none")


def _wrong_labels(page: Page, reference: Reference, texts: list[str]) -> Iterator[Problem]:
    """Labels that the figure does not have, and its labels that a page leaves in English, the
    language of the scripts."""
    words = rendered_labels(reference.option("words"))
    for label in words.keys() - set(texts):
        known = ", ".join(sorted(text for text in set(texts) if _WORDS.search(text)))
        what = 'no label of the figure says this (one with "=" stands in double quotes)'
        yield _problem(page, reference, what, known, label)
    language = page.language
    if language == FALLBACK:
        return
    name = {"zh": "Chinese"}.get(language, f"the language {language!r}")
    for label in dict.fromkeys(text for text in texts if _WORDS.search(text)):
        if label not in words:
            what, expected = "a label of the figure is not in the language of the page", "words: "
            yield _problem(page, reference, what, f"{expected}{label}=<in {name}>", "not there")


def _problem(page: Page, reference: Reference, what: str, expected: str, found: str) -> Problem:
    fix = "correct the options below this line, or the script"
    return page.problem(reference.line, what, expected, found, fix)


DrawnRuns = Sequence[tuple[str, str]]
"""The output and the figure of each run of a script with other numbers."""

_ALT = {
    "zh": "{numbers} 时的同一幅图。脚本印出：{printed}",
    "en": "The same figure with {numbers}. The script prints: {printed}",
}
"""The title of a figure with other numbers: the words of the page describe the script's own."""


def controls(page: Page, reference: Reference, book: Book) -> str:
    """The HTML with which a reader changes numbers; empty if the page has none."""
    varied = varied_figure.asked(reference)
    if not varied:
        return ""
    numbers = varied_figure.numbers_of(book.text(reference.path), varied)
    source = varied_figure.data_file(figure_anchor(reference))
    language = page.language if page.language in LANGUAGES else FALLBACK
    return number_controls(numbers, language, source, with_graph=False)


def data_files(page: Page, drawn: Callable[[str], DrawnRuns | None]) -> Iterator[tuple[str, str]]:
    """The data files of a page's figures with other numbers, which are next to it: name and text.
    `drawn`: the outputs and figures of the scripts' runs; None if not known."""
    for reference in plots_of(page):
        varied = varied_figure.asked(reference)
        if varied and (variants := drawn(reference.path)) and all(svg for _, svg in variants):
            identity = figure_anchor(reference)
            text = _data(page, reference, varied_figure.labels_of(varied), variants)
            yield varied_figure.data_file(identity), varied_figure.as_script(text, identity)


def _data(page: Page, reference: Reference, labels: Sequence[str], variants: DrawnRuns) -> str:
    """The data of a figure, in the format of a recorded run for `trace-vary.js`."""
    words = rendered_labels(reference.option("words"))
    form, texts = in_language(_ALT, page.language), []
    for numbers, (printed, svg) in zip(labels, variants, strict=True):
        printed = printed.rstrip("\n")
        alt = form.format(numbers=numbers, printed=printed.replace("\n", "; "))
        named = {"role": "img", "aria-label": alt}
        texts += [fragment(svg, reference.path, words, named), printed]
    # The figure of the unchanged script is in the page.
    own = varied_figure.own_run(varied_figure.asked(reference))
    rows = [[-1 if n == own else 2 * n, 2 * n + 1] for n in range(len(variants))]
    texts[2 * own] = ""
    places = [_ball(svg) for _, svg in variants]
    at = {"at": places} if all(places) else {}
    data = {"texts": texts, "runs": rows, **at}
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def _ball(svg: str) -> list[float]:
    """Where the marker is that the script names "ball" (`gid="ball"`), which a reader can drag."""
    marker = ElementTree.fromstring(svg).find(f".//{_SVG}g[@id='ball']//{_SVG}use")
    return [] if marker is None else [float(marker.get(axis)) for axis in "xy"]
