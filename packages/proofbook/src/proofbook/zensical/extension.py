"""The Markdown extension that finishes an exported page: formulas, links, downloads, the player.

In MkDocs a hook does this. Any generator that takes extensions of Python-Markdown can use this one;
it needs no book: what a page is finished with stands in the last line of its Markdown.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element

from markdown import Markdown
from markdown.extensions import Extension
from markdown.postprocessors import Postprocessor
from markdown.preprocessors import Preprocessor
from markdown.treeprocessors import Treeprocessor

from proofbook.html.finish import PageContext, finish_page
from proofbook.zensical.page_data import from_json

NAME = __name__
"""How the settings of a site name this extension."""

_BEGIN, _END = "<!-- proofbook: ", " -->"


def with_data(markdown: str, data: str) -> str:
    """The Markdown of a page, with what it is finished with."""
    return f"{markdown.rstrip()}\n\n{_BEGIN}{data}{_END}\n"


class _TakeData(Preprocessor):
    """Takes the last line off a page that has one with its data."""

    context: PageContext | None = None

    def run(self, lines: list[str]) -> list[str]:
        text = "\n".join(lines).rstrip()
        last = text.rpartition("\n")[2]
        has_data = last.startswith(_BEGIN) and last.endswith(_END)
        self.context = from_json(last.removeprefix(_BEGIN).removesuffix(_END)) if has_data else None
        return text.split("\n")[:-1] if has_data else lines


class _TreeDone(Treeprocessor):
    """Notes that what comes now is the page: before, `toc` has each heading processed alone."""

    done = False

    def run(self, root: Element) -> None:
        self.done = True


class _Finish(Postprocessor):
    """Finishes the HTML of a page that had data."""

    def __init__(self, md: Markdown, taken: _TakeData, tree: _TreeDone) -> None:
        super().__init__(md)
        self._taken, self._tree = taken, tree

    def run(self, text: str) -> str:
        if self._taken.context is None or not self._tree.done:
            return text
        self._tree.done = False
        return finish_page(text, self._taken.context).html


class ProofbookExtension(Extension):
    """Finishes the pages that `proofbook export` wrote."""

    def extendMarkdown(self, md: Markdown) -> None:
        """Called by Python-Markdown."""
        taken, tree = _TakeData(md), _TreeDone(md)
        md.preprocessors.register(taken, "proofbook", 100)  # before any other reads the comment
        md.treeprocessors.register(tree, "proofbook", -100)
        md.postprocessors.register(_Finish(md, taken, tree), "proofbook", -100)  # after all others


def makeExtension(**options: object) -> ProofbookExtension:
    """Called by Python-Markdown."""
    return ProofbookExtension(**options)
