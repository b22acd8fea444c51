"""Figures that scripts draw with Matplotlib: made small, in the colors and the words of the page.

The scripts use Matplotlib as anybody does. The settings in `book.mplstyle` give their figures a
form that fits a page; `fragment` makes of such an SVG what stands in the page: its colors are those
of the theme, its text is text in the page's font, its labels are in the page's language.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from xml.etree import ElementTree

from proofbook.model.page import Page, Reference
from proofbook.model.problem import Problem

STYLE = Path(__file__).with_name("plot.mplstyle")
DRAWING = {
    "MATPLOTLIBRC": str(STYLE),
    "MPLBACKEND": "agg",
    # What `plt.show()` says where there is a screen and nothing is shown on it.
    "PYTHONWARNINGS": "ignore:FigureCanvasAgg is non-interactive",
}
"""The variables with which a script draws for the book."""

_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"
_COLOR = re.compile(r"#1111(0\d)\b")
_LONG = re.compile(r"-?\d+\.\d+")
_USED = re.compile(r"url\(#([\w-]+)\)")
_WORDS = re.compile(r"[A-Za-z]{2}")
_RAISED = str.maketrans("0123456789−-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻")
_PLACE = re.compile(r'<div class="plot" data-plot="([^"]*)" data-words="([^"]*)" ([^>]*)></div>')
_OPTIONS = ("alt", "words")


def place(reference: Reference) -> str:
    """What stands in the expanded page until the figure is there."""
    told = (reference.path, reference.option("words") or "", reference.option("alt") or "")
    script, words, alt = (html.escape(value) for value in told)
    named = f'role="img" aria-label="{alt}"'
    return f'<div class="plot" data-plot="{script}" data-words="{words}" {named}></div>'


def wanted(page: str) -> list[str]:
    """The scripts of which a page, as HTML, waits for a figure."""
    return [html.unescape(found[1]) for found in _PLACE.finditer(page)]


def with_figures(page: str, figures: dict[str, str]) -> str:
    """The HTML of a page with its figures; `figures` are SVG, by script.

    A figure that isn't there leaves its place empty: what is wrong with its script is told.
    """

    def drawn(found: re.Match) -> str:
        script = html.unescape(found[1])
        if script not in figures:
            return found[0]
        words = dictionary(html.unescape(found[2]))
        return f'<figure class="plot">{fragment(figures[script], script, words, found[3])}</figure>'

    return _PLACE.sub(drawn, page)


def dictionary(words: str | None) -> dict[str, str]:
    """The labels in the option `words`, each with its rendering."""
    pairs = (part.partition("=") for part in (words or "").split("|") if part.strip())
    return {label.strip(): rendering.strip() for label, _, rendering in pairs}


def labels(svg: str) -> list[str]:
    """The texts of a figure, in their order."""
    return [_text(node)[0] for node in ElementTree.fromstring(svg).iter(f"{_SVG}text")]


def fragment(svg: str, script: str, words: dict[str, str], attributes: str) -> str:
    """The figure as it stands in a page: an `svg` with these attributes."""
    root = ElementTree.fromstring(svg)
    prefix = Path(script).stem
    used = {value[1:] for node in root.iter() for key, value in node.items() if key == _LINK}
    used |= {
        name for node in root.iter() for v in node.attrib.values() for name in _USED.findall(v)
    }
    inner = "".join(_told(node, prefix, used, words) for node in root)
    return f'<svg {attributes} viewBox="{root.get("viewBox")}">{inner}</svg>'


def _told(node: ElementTree.Element, prefix: str, used: set[str], words: dict[str, str]) -> str:
    name = node.tag.removeprefix(_SVG)
    if name in ("metadata", "style") or node.tag == name:  # not of SVG
        return ""
    if name == "text":
        text, at = _text(node)
        attributes = "".join(f' {k}="{_short(k, v)}"' for k, v in at.items())
        return f"<text{attributes}>{html.escape(words.get(text, text))}</text>"
    attributes = []
    for key, value in node.attrib.items():
        if key == "id":
            if value in used:
                attributes.append(f' id="{prefix}-{value}"')
            continue
        if key == _LINK:
            # Not "href": Material makes each of those absolute, which breaks off at one of SVG.
            key, value = "xlink:href", re.sub("^#", f"#{prefix}-", re.sub(r"\s", "", value))
        value = _USED.sub(rf"url(#{prefix}-\1)", value)
        attributes.append(f' {key}="{html.escape(_short(key, value))}"')
    inner = "".join(_told(child, prefix, used, words) for child in node)
    if name in ("g", "defs") and not attributes:
        return inner if name == "g" or not inner else f"<defs>{inner}</defs>"
    if name == "g" and not inner:
        return ""
    return f"<{name}{''.join(attributes)}>{inner}</{name}>"


def _text(node: ElementTree.Element) -> tuple[str, dict[str, str]]:
    """What a text says, and its attributes. A power of ten comes in pieces, the small ones up."""
    pieces = list(node)
    if not pieces:
        style = re.sub(r"font(?:-family)?:[^;]*;? ?", "", node.get("style", ""))
        size = re.search(r"(?:font: |font-size: )([\d.]+px)", node.get("style", ""))
        told = {k: v for k, v in node.attrib.items() if k not in ("style", "transform")}
        if (turn := node.get("transform", "")) and not turn.startswith("rotate(-0 "):
            told["transform"] = turn
        style = re.sub(r"font-size: [^;]*; ?", "", style)
        return node.text or "", {**told, "style": f"font-size: {size[1]}; {style}"}
    sizes = [float(re.search(r"font-size: ([\d.]+)px", p.get("style"))[1]) for p in pieces]
    told = "".join(
        p.text if size == max(sizes) else p.text.translate(_RAISED)
        for p, size in zip(pieces, sizes, strict=True)
    )
    style = f"font-size: {max(sizes):g}px; fill: #111100"
    return told, {"style": style}


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


def asked(page: Page) -> Iterator[Reference]:
    """The places of a page at which a script's figure stands."""
    return (r for r in page.references if r.option("figure") == "plot")


def wrong_options(page: Page, reference: Reference) -> Iterator[Problem]:
    """Where a page does not say a figure in words, or says words that no figure has."""
    for option in _OPTIONS:
        told, given = reference.option("figure") == "plot", reference.option(option)
        if given and not told:
            found = (
                f"figure: {reference.option('figure')}" if reference.option("figure") else "none"
            )
            yield _problem(page, reference, f"{option}: belongs to a plot", "figure: plot", found)
    if reference.option("figure") != "plot":
        return
    if not reference.option("alt"):
        expected = "alt: <what the figure shows, in the words of this page>"
        yield _problem(page, reference, "the figure has no alternative text", expected, "none")
    for label, rendering in dictionary(reference.option("words")).items():
        if not label or not rendering:
            expected, found = "words: label=rendering | label=rendering", f"{label}={rendering}"
            yield _problem(page, reference, "a label has no rendering", expected, found)


def wrong_figures(
    pages: Iterable[Page], script: str, figures: tuple[str, ...] | list[str]
) -> Iterator[Problem]:
    """Where pages ask for a figure that a script does not draw, or leave its words untold."""
    for page in pages:
        shown = [reference for reference in page.references if reference.path == script]
        for reference in shown:
            plotted = reference.option("figure") == "plot"
            if plotted and len(figures) != 1:
                what, expected = "there is no figure to show", f"one figure, drawn by {script}"
                yield _problem(page, reference, what, expected, f"{len(figures)} figures")
            elif plotted:
                yield from _untold(page, reference, labels(figures[0]))
        if figures and shown and not any(r.option("figure") == "plot" for r in shown):
            what = "the script draws, and the page doesn't show it"
            yield _problem(page, shown[0], what, "figure: plot", "none")


def _untold(page: Page, reference: Reference, texts: list[str]) -> Iterator[Problem]:
    told = dictionary(reference.option("words"))
    for label in told.keys() - set(texts):
        found = ", ".join(sorted(text for text in set(texts) if _WORDS.search(text)))
        yield _problem(page, reference, "no label of the figure says this", found, label)
    if page.file.endswith(".en.md"):
        return  # the scripts speak English
    for label in dict.fromkeys(text for text in texts if _WORDS.search(text)):
        if label not in told:
            what, expected = "a label of the figure is not in the language of the page", "words: "
            yield _problem(page, reference, what, f"{expected}{label}=<in Chinese>", "not there")


def _problem(page: Page, reference: Reference, what: str, expected: str, found: str) -> Problem:
    mend = "correct the options below this line, or the script"
    return Problem(page.file, reference.line, what, expected, found, mend, (page.file,))
