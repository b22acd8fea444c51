"""Figures that scripts draw with Matplotlib: made small, in the colors and the words of the page.

The scripts use Matplotlib as anybody does. The settings in `run/plot.mplstyle` give their figures a
form that fits a page; `fragment` makes of such an SVG what stands in the page: its colors are those
of the theme, its text is text in the page's font, its labels are in the page's language. `html`'s
`fill_figures` puts it there.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from proofbook.model.config import FALLBACK
from proofbook.model.page import Page, Reference
from proofbook.model.problem import Problem
from proofbook.model.snippet import figure_anchor

_SVG = "{http://www.w3.org/2000/svg}"
_LINK = "{http://www.w3.org/1999/xlink}href"
_COLOR = re.compile(r"#1111(0\d)\b")
_LONG = re.compile(r"-?\d+\.\d+")
_USED = re.compile(r"url\(#([\w-]+)\)")
_WORDS = re.compile(r"[A-Za-z]{2}")
_RAISED = str.maketrans("0123456789−-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻")
_OPTIONS = ("alt", "words")
_PAIR = re.compile(
    r"""
    \s* (?P<label> "[^"]*" (?=\s*=) | [^|=]* ) \s*
    (?: = \s* (?P<rendering> "[^"]*" (?=\s*(?:\||$)) | [^|]* ) \s* )?
    (?: \| | $ )
    """,
    re.VERBOSE,
)


def placeholder(reference: Reference, controls: str = "") -> str:
    """The HTML of the expanded page in place of the figure, which `html.figures` puts there.

    `controls`: the HTML above the figure with which a reader changes it.
    """
    values = (reference.path, reference.option("words") or "", reference.option("alt") or "")
    script, words, alt = (html.escape(value) for value in values)
    named = f'role="img" aria-label="{alt}"'
    if controls:
        named += f' id="{figure_anchor(reference)}" data-controls="{html.escape(controls)}"'
    return f'<div class="plot" data-plot="{script}" data-words="{words}" {named}></div>'


def rendered_labels(words: str | None) -> dict[str, str]:
    """The labels in the option `words`, each with its rendering in the language of the page.

    A label or a rendering with "=" or "|" in it stands in double quotes: `"w = 2"=权重是 2`.
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
    """The figure as a part of a page: an `svg` with these attributes, its ids begin with the
    name of the script, its labels are those in `words`."""
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
    """The elements of the page for one of Matplotlib's SVG: nothing, one element, or, for a
    group that says nothing of its own, what it holds."""
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
    empty = name in ("g", "defs") and not len(small) and (name == "g" or not small.attrib)
    return [] if empty else [small]


def _small_attributes(node: ElementTree.Element, prefix: str, used: set[str]) -> dict[str, str]:
    """The attributes with fewer digits, ids that are used, and those unlike all others' ids."""
    attributes = {}
    for key, value in node.attrib.items():
        if key == "id":
            if value in used:
                attributes["id"] = f"{prefix}-{value}"
            continue
        if key == _LINK:
            # Not "href": Material makes each of those absolute, which breaks off at one of SVG.
            key, value = "xlink:href", re.sub("^#", f"#{prefix}-", re.sub(r"\s", "", value))
        attributes[key] = _short(key, _USED.sub(rf"url(#{prefix}-\1)", value))
    return attributes


def _label(node: ElementTree.Element) -> tuple[str, dict[str, str]]:
    """What a text says, and its attributes. A power of ten comes in parts, the small ones up."""
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
    """Where a page does not say a figure in words, or says words that no figure has."""
    figure = reference.option("figure")
    for option in _OPTIONS:
        if reference.option(option) and figure != "plot":
            found = f"figure: {figure}" if figure else "none"
            yield _problem(page, reference, f"{option}: belongs to a plot", "figure: plot", found)
    if figure != "plot":
        return
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
    """Where pages ask for a figure that a script does not draw, or leave a label unrendered.

    `others`: what it draws with other numbers in it.
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
    """Labels that the figure does not have, and those of the figure that a page leaves in English,
    the language of the scripts."""
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
    mend = "correct the options below this line, or the script"
    return page.problem(reference.line, what, expected, found, mend)
