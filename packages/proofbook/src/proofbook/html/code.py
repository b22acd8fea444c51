"""Blocks of code and their figures: an element for each line, with its note; folded parts; the
player of recorded runs; figures that scripts draw.

A line is as high as its text, even if that is wrapped. A note is the comment of a line, which a
style sheet shows next to it where there is room, and below it elsewhere: each has the class
`note`, and also `below` if no screen is wide enough. Folds open without JavaScript, and copies and
prints of the code are complete.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from gradtrace.drawing.figure import format_sentence

from proofbook.content.page_summary import width
from proofbook.directives.plot import fragment, rendered_labels
from proofbook.html.exercises import TAG, TASK
from proofbook.html.tree import (
    Node,
    Tree,
    classes,
    element,
    prepend,
    renamed,
    split_text,
    wrap,
)
from proofbook.model.config import in_language

LINE = "code-line"
"""The class of a line of code; gradtrace's player highlights such elements."""
ROOM = 64
"""The number of characters of a line that fit next to a figure."""

_HIGHLIGHTED = "hll"
"""The class of the element that Pygments creates for a line."""
_MARK = "# "
_PIECE = re.compile(r"[^\n]*\n|[^\n]+")

CHOICE = "reader-choice"
"""The element around a figure whose events lead to sections; `reader.js` shows the chosen one."""

FEWEST = 3
"""The minimum number of lines to fold."""

_OWN_CODE = "div.highlight:not(.output)"

_SHOWN, _DRAWS = "plt.show()", "plt."
_STARTS, _LONGEST_START = "init_process_group(", 13
_LABELS = {
    "zh": {"draw": "显示画图的 {lines} 行", "start": "显示启动进程的 {lines} 行"},
    "en": {
        "draw": "Show the {lines} lines that draw",
        "start": "Show the {lines} lines that start the processes",
    },
}
_CODE = {"zh": "看代码", "en": "Show the code"}
_ANSWER = {"zh": "答案", "en": "Answer"}
_WITH_RUN = {"zh": "代码、输出和答案", "en": "Code, output and answer"}

PLACEHOLDER = "data-plot"
"""The attribute of an element to be filled with the figure of the script that it names."""
CONTROLS = "data-controls"
"""Its attribute with the HTML of the controls with which a reader changes numbers."""


def mark_lines(tree: Tree) -> None:
    """Put each line of code into an element of its own, with its indentation."""
    for code in tree.css(f"{_OWN_CODE} pre > code"):
        for blank in code.css("span.w"):  # an invisible color
            blank.replace_with(blank.text())
        for nodes in list(lines_of(code)):
            around = nodes[0].parent
            if _HIGHLIGHTED in classes(around):
                line = around
                line.attrs["class"] = f"{_HIGHLIGHTED} {LINE}"
            else:
                line = element(tree, "span", {"class": LINE})
                wrap(nodes, line)
            text = line.text()
            if text.strip() and (indent := len(text) - len(text.lstrip())):
                line.attrs["style"] = f"--indent:{indent}ch"


def lines_of(code: Node) -> Iterator[list[Node]]:
    """The nodes of each line of a block with its end; those within, if a line is one element."""
    line: list[Node] = []
    for child in list(code.iter(include_text=True)):
        if child.is_text_node:
            parts = _PIECE.findall(child.text_content)
            for part, piece in zip(parts, split_text(child, parts), strict=True):
                line.append(piece)
                if part.endswith("\n"):
                    yield line
                    line = []
        elif not {_HIGHLIGHTED, LINE}.isdisjoint(classes(child)):
            yield from lines_of(child)
        else:
            line.append(child)
    if line:
        yield line


def place_notes(tree: Tree) -> None:
    """Mark the comments at the ends of lines as notes."""
    for line in tree.css(f".{LINE}:has(.c1)"):
        note = line.css_first("span.c1")
        text = note.text()
        before = line.text().partition(text)[0]
        if not text.startswith(_MARK) or not before.strip():
            continue
        fits = width(before) + width(text) <= ROOM
        mark = element(tree, "span", {"class": "mark"}, _MARK)
        note.inner_html = ""
        note.insert_child(mark, move=True)
        note.insert_child(text.removeprefix(_MARK))
        note.attrs["class"] = "c1 note" if fits else "c1 note below"


def fold_answers(tree: Tree, language: str) -> None:
    """In each closed box of the kind `question`, show the title and the first paragraph, which is
    the question, and below it the form for a guess and the link to the notebook; fold the rest,
    which is the answer."""
    for box in tree.css("details.question:not([open])"):
        title, *rest = (node for node in box.iter(include_text=True) if not node.is_empty_text_node)
        if rest and rest[0].tag == "p":
            rest = rest[1:]
        while rest and (rest[0].tag == TAG or TASK in classes(rest[0])):
            rest = rest[1:]
        box = renamed(box, "div")
        box.attrs["class"] = f"admonition {box.attributes['class']}"
        renamed(title, "p").attrs["class"] = "admonition-title"
        if rest:
            run = any(node.is_element_node and node.css_matches("div.highlight") for node in rest)
            words = in_language(_WITH_RUN if run else _ANSWER, language)
            answer = element(tree, "details", {"class": "answer"})
            wrap(rest, answer)
            prepend(answer, element(tree, "summary", {"data-search-exclude": None}, words))


def fold_ends(tree: Tree, language: str) -> None:
    """Fold the last lines of a script that only draw or only start its processes.

    The former begin with `plt.`, up to `plt.show()`; the latter are the function that calls
    `init_process_group` and all below it, if that is short and nothing in it is pointed at.
    """
    for code in tree.css("div.highlight pre > code"):
        lines = [line for line in code.iter() if LINE in classes(line)]
        texts = [line.text().removesuffix("\n") for line in lines]
        first, kind = len(lines), "draw"
        while first and texts[-1] == _SHOWN and texts[first - 1].startswith(_DRAWS):
            first -= 1
        if start := next((n for n, text in enumerate(texts) if _STARTS in text), 0):
            start = max(n for n in range(start) if n == 0 or texts[n].startswith("def "))
            pointed = any(n.css(".note") or _HIGHLIGHTED in classes(n) for n in lines[start:])
            if len(lines) - start <= _LONGEST_START and not pointed:
                first, kind = start, "start"
        if len(lines) - first < FEWEST or not first:
            continue
        label = element(tree, "label", {"class": "fold", "data-search-exclude": None})
        label.insert_child(element(tree, "input", {"type": "checkbox"}), move=True)
        words = in_language(_LABELS, language)[kind]
        label.insert_child(words.format(lines=len(lines) - first))
        while not texts[first - 1].strip():
            first -= 1
        lines[first].insert_before(label, move=True)
        wrap(lines[first:], element(tree, "span", {"class": "folded"}))


def choices(tree: Tree) -> list[Node]:
    """Wrap each figure whose events lead to sections into an element; returns those elements."""
    for figure in tree.css("figure.timeline:has(a)"):
        wrap([figure], element(tree, CHOICE, {"class": "traced"}))
    return tree.css(CHOICE)


def show_figure_first(tree: Tree, figures: Sequence[Node], language: str) -> None:
    """Put each figure before its code, which is folded whole; the output stays visible."""
    for figure in figures:
        code = figure.prev
        while code is not None and not (code.is_element_node and code.css_matches(_OWN_CODE)):
            code = code.prev
        if code is None:
            continue
        code.insert_before(figure, move=True)
        for label in code.css("label.fold"):
            label.decompose()
        details = element(tree, "details", {"class": "code"})
        wrap([code], details)
        prepend(details, element(tree, "summary", {}, in_language(_CODE, language)))


def add_player(tree: Tree, assets: str) -> None:
    """Add the style and the script of the player to a page with the figure of a recorded run, and
    the controls' script to one with variable numbers.

    `assets`: the address of the folder of the site's assets. Both are within the page's content:
    Material's instant navigation replaces that, and runs its scripts.
    """
    varies = tree.css_first(f"[{CONTROLS}], trace-vary") is not None
    if tree.css_first("figure.trace") is None and not varies:
        return
    for figure in tree.css("figure.trace, figure.beside"):
        _beside_code(tree, figure)
    style = element(tree, "link", {"rel": "stylesheet", "href": f"{assets}trace.css"})
    prepend(tree.body, style)
    scripts = ["trace.js", "trace-vary.js"] if varies else ["trace.js"]
    for name in scripts:
        tree.body.insert_child(element(tree, "script", {"src": f"{assets}{name}"}), move=True)


def _beside_code(tree: Tree, figure: Node) -> None:
    """Put a figure into one element with its code and the output of the code, so that a style can
    place them side by side."""
    above: list[Node] = []
    node = figure.prev
    while node is not None and not (node.is_element_node and node.tag not in ("div", "details")):
        above.insert(0, node)
        names = classes(node) if node.is_element_node else []
        if "highlight" in names and "output" not in names:
            both = element(tree, "div", {"class": "traced"})
            wrap([*above, figure], both)
            wrap(above, element(tree, "div", {}))
            return
        node = node.prev


def awaited_figures(tree: Tree) -> list[str]:
    """The scripts whose figures a page needs."""
    return [node.attributes[PLACEHOLDER] or "" for node in tree.css(f"div[{PLACEHOLDER}]")]


def fill_figures(tree: Tree, figures: Mapping[str, str]) -> list[Node]:
    """Insert figures, SVG by the script that draws them; returns their elements.

    A missing figure leaves its place empty: the error of its script is reported as a problem.
    """
    filled = []
    for node in tree.css(f"div[{PLACEHOLDER}]"):
        attributes = node.attributes
        script = attributes[PLACEHOLDER]
        if script not in figures:
            continue
        figure = element(tree, "figure", {"class": "plot"})
        labels = rendered_labels(attributes["data-words"])
        named = {key: attributes[key] for key in ("role", "aria-label")}
        picture = fragment(figures[script], script, labels, named)
        if controls := attributes.get(CONTROLS):
            figure.attrs["id"] = attributes["id"]
            picture = f"{controls}<varied-plot>{picture}</varied-plot>"
        figure.inner_html = picture
        # Without a caption, what the picture itself says to a screen reader.
        hidden = {} if attributes["data-caption"] else {"aria-hidden": "true"}
        says = attributes["data-caption"] or attributes["aria-label"]
        caption = element(tree, "figcaption", hidden)
        caption.inner_html = format_sentence(says)
        figure.insert_child(caption, move=True)
        node.replace_with(figure, move=True)
        filled.append(figure)
    return filled
