"""The folded parts of a page: the answer of an exercise, the last lines of a script that only draw,
and in a lab the whole code below its figure.

They open without JavaScript. Copies and prints of the code are complete.
"""

from __future__ import annotations

from collections.abc import Sequence

from proofbook.html.code_lines import LINE
from proofbook.html.tree import Node, Tree, element, renamed, wrap
from proofbook.model.config import in_language

FEWEST = 3
"""The minimum number of lines to fold."""

_OWN_CODE = "div.highlight:not(.output)"

_SHOWN, _DRAWS = "plt.show()", "plt."
_LABEL = {"zh": "显示画图的 {lines} 行", "en": "Show the {lines} lines that draw"}
_CODE = {"zh": "看代码", "en": "Show the code"}
_ANSWER = {"zh": "答案", "en": "Answer"}
_WITH_RUN = {"zh": "代码、输出和答案", "en": "Code, output and answer"}


def fold_answers(tree: Tree, language: str) -> None:
    """In each closed box of the kind `question`, show the title and the first paragraph, which is
    the question, and fold the rest, which is the answer."""
    for box in tree.css("details.question:not([open])"):
        title, *rest = (node for node in box.iter(include_text=True) if not node.is_empty_text_node)
        if rest and rest[0].tag == "p":
            rest = rest[1:]
        box = renamed(box, "div")
        box.attrs["class"] = f"admonition {box.attributes['class']}"
        renamed(title, "p").attrs["class"] = "admonition-title"
        if rest:
            run = any(node.is_element_node and node.css_matches("div.highlight") for node in rest)
            words = in_language(_WITH_RUN if run else _ANSWER, language)
            answer = element(tree, "details", {"class": "answer"})
            wrap(rest, answer)
            summary = element(tree, "summary", {"data-search-exclude": None}, words)
            answer.first_child.insert_before(summary, move=True)


def fold_plotting(tree: Tree, language: str) -> None:
    """Fold the last lines of each script that ends with `plt.show()`, while they begin with
    `plt.`."""
    for code in tree.css("div.highlight pre > code"):
        lines = [line for line in code.iter() if LINE in (line.attributes.get("class") or "")]
        texts = [line.text().removesuffix("\n") for line in lines]
        first = len(lines)
        while first and texts[-1] == _SHOWN and texts[first - 1].startswith(_DRAWS):
            first -= 1
        if len(lines) - first < FEWEST or not first:
            continue
        label = element(tree, "label", {"class": "fold", "data-search-exclude": None})
        label.insert_child(element(tree, "input", {"type": "checkbox"}), move=True)
        label.insert_child(in_language(_LABEL, language).format(lines=len(lines) - first))
        lines[first].insert_before(label, move=True)
        wrap(lines[first:], element(tree, "span", {"class": "folded"}))


def show_figure_first(tree: Tree, figures: Sequence[Node], language: str) -> None:
    """Put each figure before the code that draws it, which is folded whole; the printed output
    stays visible."""
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
        summary = element(tree, "summary", {}, in_language(_CODE, language))
        details.first_child.insert_before(summary, move=True)
