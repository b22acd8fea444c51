"""The labs: what their figures show, how one becomes part of a page, how notebooks are read."""

from __future__ import annotations

import io
import re
from base64 import b64decode
from pathlib import Path
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
from nbconvert import HTMLExporter
from nbformat import NotebookNode, v4
from PIL import Image
from proofbook.directives.plot import (
    fragment,
    labels,
    placeholder,
    rendered_labels,
    wrong_figures,
)
from proofbook.html.code import awaited_figures, fill_figures
from proofbook.html.tree import parse as parse_html
from proofbook.html.tree import serialize
from proofbook.mkdocs.labs import cells_of, wrong_cell
from proofbook.model.book import read_book
from proofbook.model.page import parse
from proofbook.run.judge import Result
from second_way.labs import CURVES, MAPS

pytestmark = pytest.mark.upgrade

ROOT = Path(__file__).parent.parent
DRAWING = sorted(
    p.stem for p in (ROOT / "snippets/labs").glob("*.py") if "plt.show()" in p.read_text("utf-8")
)
SVG = "{http://www.w3.org/2000/svg}"
DOWN = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻−", "0123456789--")
COLORS = [f"#11110{n}" for n in range(1, 7)]


@pytest.fixture(scope="module")
def drawn(runner) -> dict[str, ElementTree.Element]:
    """What the scripts draw, by name."""
    scripts = [ROOT / f"snippets/labs/{name}.py" for name in DRAWING]
    results = runner.run(scripts)
    assert [result.refusal for result in results if result.refusal] == []
    return {Path(r.path).stem: ElementTree.fromstring(r.figures[0]) for r in results}


def part(root: ElementTree.Element, name: str) -> ElementTree.Element:
    return next(node for node in root.iter() if node.get("id") == name)


def scale(axis: ElementTree.Element, way: str, base: int | None):
    """From a place in the figure to the number that its axis has there, or to its logarithm."""
    told = []
    for tick in (tick for tick in axis if tick.get("id")[1:].startswith("tick_")):
        if said := labels(ElementTree.tostring(tick, "unicode")):
            place = float(next(tick.iter(f"{SVG}use")).get(way))
            told.append((place, logarithm(said[0], base) if base else float(number(said[0]))))
    slope, start = np.polyfit(*zip(*told, strict=True), 1)
    return lambda at: slope * np.asarray(at) + start


def logarithm(said: str, base: int) -> float:
    """Of 10⁻⁶ it is -6; of 3×10⁴ a little more than 4; of 0.01 it is -2."""
    if re.fullmatch(r"[\d.]+", said):
        return np.log(float(said)) / np.log(base)
    found = re.fullmatch(rf"(?:(\d)\s*×\s*)?{base}([⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+)", said)
    return int(number(found[2])) + np.log(int(found[1] or 1)) / np.log(base)


def number(said: str) -> str:
    return said.translate(DOWN)


def lines(root: ElementTree.Element) -> list[np.ndarray]:
    """The lines within the axes, as places in the figure, in the order of their colors; dots that
    no line joins are one too."""
    found = []
    for color in COLORS:
        drawn = [node for node in root.iter() if f"stroke: {color}" in node.get("style", "")]
        joined = [node for node in drawn if "clip-path" in node.attrib]
        for node in joined:
            numbers = re.findall(r"-?\d+\.?\d*", node.get("d"))
            found.append(np.array(numbers, dtype=float).reshape(-1, 2))
        dots = [
            node for group in root.iter(f"{SVG}g") for node in group if "clip-path" in group.attrib
        ]
        dots = [] if joined else [node for node in dots if node in drawn and node.get("x")]
        if dots:
            found.append(np.array([[node.get("x"), node.get("y")] for node in dots], dtype=float))
    return found


def test_every_figure_is_confirmed():
    assert CURVES.keys() | MAPS.keys() == set(DRAWING)
    assert not CURVES.keys() & MAPS.keys()


@pytest.mark.parametrize("name", CURVES)
def test_the_lines_show_what_was_computed(name, drawn):
    """Each point, read off its axes, is where the second way puts it, to half a pixel."""
    bases = {"spread": (10, 10), "batch_norm_gap": (10, None), "cloud": (None, None)}
    bases = bases.get(name, (None, 10))
    axes = (part(drawn[name], f"matplotlib.axis_{n}") for n in (1, 2))
    scales = [scale(*told) for told in zip(axes, "xy", bases, strict=True)]
    found, expected = lines(drawn[name]), CURVES[name]()
    assert len(found) == len(expected)
    for line, curve in zip(found, expected, strict=True):
        for read, base, at, numbers in zip(scales, bases, line.T, curve, strict=True):
            numbers = np.asarray(numbers, float)
            numbers = np.log(numbers) / np.log(base) if base else numbers
            assert at.shape == numbers.shape
            assert np.abs(read(at) - numbers).max() < 0.5 * abs(read(1) - read(0))


def pictures(root: ElementTree.Element) -> list[np.ndarray]:
    """The images of the maps as numbers from 0 to 1, by the colors of viridis."""
    colors = (matplotlib.colormaps["viridis"](range(256))[:, :3] * 255).round()
    found = []
    for node in root.iter(f"{SVG}image"):
        data = node.get("{http://www.w3.org/1999/xlink}href").partition("base64,")[2]
        pixels = np.asarray(Image.open(io.BytesIO(b64decode(data))).convert("RGB"), float)
        off = np.abs(pixels[:, :, None, :] - colors).sum(-1)
        assert off.min(-1).max() < 4, "a color that viridis does not have"
        found.append(off.argmin(-1) / 255)
    return found


@pytest.mark.parametrize("name", MAPS)
def test_the_maps_show_what_was_computed(name, drawn):
    """Each cell has the color of its number, of 256; the last picture is the bar of the colors."""
    *found, bar = pictures(drawn[name])
    expected = MAPS[name]()
    assert len(found) == len(expected) and len(np.unique(bar)) > 240
    for cells, (numbers, low, high) in zip(found, expected, strict=True):
        share = np.clip((numbers - low) / (high - low), 0, 1)
        assert cells.shape == share.shape
        assert np.abs(cells - share).max() <= 3 / 255


# How a figure becomes part of a page


def drawing(text: str = "step", more: str = "") -> str:
    """A small SVG as Matplotlib writes it."""
    return (
        '<svg xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 360 230.4" '
        'xmlns="http://www.w3.org/2000/svg"><metadata>of a day</metadata>'
        '<defs><style type="text/css">*{stroke-linejoin: round}</style></defs>'
        '<g id="axes_1"><path d="M 1.23456 2.000001 \nL 3 4" clip-path="url(#p1)" '
        'style="fill: none; stroke: #111101"/><text style="font-size: 10px; '
        'font-family: \'DejaVu Sans\'; fill: #111100" x="5.5" y="6" '
        f'transform="rotate(-0 5.5 6)">{text}</text>{more}</g>'
        '<defs><clipPath id="p1"><rect x="0" y="0" width="9" height="9"/></clipPath></defs></svg>'
    )


def test_a_figure_takes_the_colors_and_the_words_of_its_page():
    named = {"role": "img", "aria-label": "x"}
    assert fragment(drawing(), "snippets/t/s.py", {"step": "步"}, named) == (
        '<svg role="img" aria-label="x" viewBox="0 0 360 230.4">'
        '<path d="M 1.2 2 L 3 4" clip-path="url(#s-p1)" style="fill:none;stroke:var(--plot-1)">'
        '</path><text x="5.5" y="6" style="font-size:10px;fill:currentColor">步</text>'
        '<defs><clipPath id="s-p1"><rect x="0" y="0" width="9" height="9"></rect></clipPath></defs>'
        "</svg>"
    )


def test_a_power_of_ten_is_one_text():
    pieces = "".join(
        f'<tspan style="font-size: {size}px">{text}</tspan>'
        for size, text in ((10, "1"), (10, "0"), (7, "−"), (7, "6"))
    )
    assert labels(drawing(more=f"<text>{pieces}</text>")) == ["step", "10⁻⁶"]


def plotted(options: str, language: str = "zh"):
    text = f"# T {{ #t }}\n\n::: snippets/t/s.py\n{options}"
    return parse(f"docs/t/p.{language}.md", text)


ASKED = "    figure: plot\n    alt: 一条 <线>\n    words: step=步 | update / weight=更新\n"


def test_a_place_is_filled_and_words_are_escaped():
    page = plotted(ASKED)
    text = placeholder(page.references[0])
    tree = parse_html(f"a{text}b")
    assert awaited_figures(tree) == ["snippets/t/s.py"]
    fill_figures(tree, {})
    assert awaited_figures(tree) == ["snippets/t/s.py"]
    fill_figures(tree, {"snippets/t/s.py": drawing()})
    filled = serialize(tree)
    assert filled.startswith('a<figure class="plot"><svg role="img" aria-label="一条 &lt;线&gt;"')
    assert 'viewBox="0 0 360 230.4"' in filled
    assert ">步</text>" in filled and filled.endswith("一条 &lt;线&gt;</figcaption></figure>b")


def test_words_are_pairs():
    words = "a=b | update / weight = c"
    assert rendered_labels(words) == {"a": "b", "update / weight": "c"}
    assert rendered_labels(None) == {}


@pytest.mark.parametrize(
    ("words", "pairs"),
    [
        ('"w = 2"=权重是 2 | step=步', {"w = 2": "权重是 2", "step": "步"}),
        ('step=步|"lr=0.1" = "学习率=0.1"', {"step": "步", "lr=0.1": "学习率=0.1"}),
        ('"|x|"="x | y"', {"|x|": "x | y"}),
        ('say "a"=说“a” | 5"=五 | 6"=六', {'say "a"': "说“a”", '5"': "五", '6"': "六"}),
        ("a=b=c", {"a": "b=c"}),
    ],
)
def test_a_label_with_signs_of_its_own_stands_in_quotes(words, pairs):
    assert rendered_labels(words) == pairs


@pytest.mark.parametrize(
    ("options", "language", "figures", "told"),
    [
        (ASKED.replace(" | update / weight=更新", ""), "zh", [drawing()], []),
        ("    figure: plot\n    alt: a\n", "en", [drawing()], []),
        ("    figure: plot\n    alt: a\n", "zh", [drawing()], ["words: step=<in Chinese>"]),
        ("    figure: plot\n    alt: a\n", "zh", [drawing("3 × 10⁴")], []),
        (ASKED, "zh", [drawing()], ["update / weight"]),
        (ASKED, "zh", [], ["0 figures"]),
        (ASKED, "zh", [drawing(), drawing()], ["2 figures"]),
        ("", "zh", [drawing()], ["doesn't show it"]),
        ("", "zh", [], []),
    ],
)
def test_a_figure_that_a_page_does_not_tell_is_refused(options, language, figures, told):
    problems = list(wrong_figures([plotted(options, language)], "snippets/t/s.py", figures))
    assert len(problems) == len(told)
    for problem, words in zip(problems, told, strict=True):
        assert words in str(problem) and problem.line == 3


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ("    figure: plot\n", "no alternative text"),
        ("    alt: a\n", "alt: belongs to a plot"),
        ("    figure: grid\n    captions: a\n    words: a=b\n", "words: belongs to a plot"),
        ("    figure: plot\n    alt: a\n    words: a | b=c\n", "a label has no rendering"),
    ],
)
def test_options_that_say_nothing_are_refused(book, options, told):
    book.change("docs/t/p.zh.md", "    highlight: 3 * w\n", options)
    from proofbook.check.registry import problems_in_files

    problems = [str(p) for p in problems_in_files(read_book(book.root)) if told in str(p)]
    assert problems and "docs/t/p.zh.md:5" in problems[0]


# What an executed notebook is read for


def stream(text: str, name: str = "stdout") -> NotebookNode:
    return v4.new_output("stream", name=name, text=text)


def image(svg: str) -> NotebookNode:
    return v4.new_output("display_data", {"image/svg+xml": svg, "text/plain": "<Figure>"})


@pytest.mark.parametrize(
    ("outputs", "words"),
    [
        ([stream("y: 6.0 < 7\n"), image(drawing())], []),
        ([stream("y: 6.0"), image(drawing()), stream(" < 7\n")], []),
        ([stream("y: 6.1\n"), image(drawing())], ["snippets/t/s.out:1", "y: 6.0 < 7", "y: 6.1"]),
        ([stream("y: 6.0 < 7\n")], ["snippets/t/s.py:1", "draws something else", "0 figures"]),
        ([stream("y: 6.0 < 7\n"), image(drawing("x"))], ["draws something else"]),
        (
            [stream("y: 6.0 < 7\n"), stream("oh", "stderr"), image(drawing())],
            ["snippets/t/s.py:1", "complains", "oh"],
        ),
        (
            [
                stream("y: 6.0 < 7\n"),
                image(drawing()),
                v4.new_output("execute_result", {"text/plain": "6"}, execution_count=1),
            ],
            ["snippets/t/s.out:2", "prints something else", "6"],
        ),
    ],
)
def test_what_a_notebook_does_is_compared_with_the_script(book, outputs, words):
    """As nbconvert shows it, whose HTML mkdocs-jupyter makes too."""
    script = "snippets/t/s.py"
    book.write("snippets/t/s.out", "y: 6.0 < 7\n")
    notebook = v4.new_notebook(cells=[v4.new_markdown_cell("a"), v4.new_code_cell("1", id="b")])
    notebook.cells[1].outputs = outputs
    cells = cells_of(HTMLExporter().from_notebook_node(notebook)[0], [script])
    run = Result("", "", 0.0, figures=[drawing()])
    problems = list(wrong_cell(script, cells[script], run, read_book(book.root)))
    assert len(problems) == bool(words)
    for word in words:
        assert word in str(problems[0])
    if not words:
        assert cells[script].figures == (drawing(),)


# The colors


def luminance(color: str) -> float:
    parts = [int(color[n : n + 2], 16) / 255 for n in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


@pytest.mark.parametrize(("number", "background"), [(0, "#ffffff"), (1, "#10181f")])
def test_lines_are_legible_on_either_background(number, background):
    css = (ROOT / "docs/assets/book.css").read_text("utf-8")
    rule = [line for line in css.split("\n") if "--plot-1:" in line][number]
    colors = re.findall(r"--plot-\d: (#\w{6})", rule)
    assert len(colors) == 6
    for color in colors:
        low, high = sorted((luminance(color), luminance(background)))
        assert (high + 0.05) / (low + 0.05) >= 3, color
