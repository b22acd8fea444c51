"""A page as a Jupyter notebook: its prose in Markdown cells, each script one cell with its output.

Markup that only the site understands becomes plain Markdown: boxes become quotations, attribute
lists are removed, links are absolute.
"""

from __future__ import annotations

import base64
import os
import posixpath
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from proofbook.content.page_summary import packages_of, software
from proofbook.content.torch_versions import folded_outputs
from proofbook.directives import trace_figure
from proofbook.directives.exercise import start_code, to_write
from proofbook.directives.registry import directive_of, expand
from proofbook.directives.snippet import TABLES, code_with_notes
from proofbook.markdown.blocks import scan
from proofbook.markdown.spans import Reference
from proofbook.model.book import Book
from proofbook.model.cache import version_of
from proofbook.model.config import BookConfig, in_language
from proofbook.model.page import Page, language_of, name_of, parse
from proofbook.model.snippet import figure_anchor, output_file
from proofbook.model.torch_records import output_with

if TYPE_CHECKING:
    from nbformat import NotebookNode

SITE = "http://127.0.0.1:8000/"
"""The address of the book if no environment variable SITE_URL is set."""

_BOX = re.compile(r'^(?P<indent> *)(?:!!!|\?\?\?\+?) +(?P<type>[\w-]+)[^"]*(?:"(?P<title>.*)")? *$')
_CLUE = re.compile(r"(?m)^\?\?\? clue\b.*\n(?:(?: {4}.*)?\n)*")
_STYLED = re.compile(
    r'^( *)(`{3,})\{ *\.(\w+)[^}]*?(?: title="(.*)")? *\}$'
)  # a fence with attributes
_HTML = re.compile(r"^ *</?div\b[^>]*> *$")
_WORDS = {
    "zh": {
        "about": "这是[书里的一页]({page})。输出由 {software} 打印，别的版本可能不一样",
        "same": "；要一样的，先运行 `%pip install {pins}`",
        "stop": "。",
        "between": "、",
        "older": "PyTorch {version} 打印的：",
        "start": "轮到你：{name}。把 ... 换成你写的，直到打印出：",
        "check": "核对：先运行上面你的那一格，再运行这一格",
        "missing": "先运行上面你的那一格，它的第一行要留着。",
        "right": "对了。",
        "wrong": "第 {} 行应该是 {}，你的是 {}。",
        "alt": "这段代码的计算图，每一步都在网页上",
        "figure": "[在网页上一步一步看这段代码的前向和反向]({page}#{identity})",
    },
    "en": {
        "about": "This is [a page of the book]({page}). The outputs are those of {software}; "
        "another version may print something else",
        "same": ". To get the same: `%pip install {pins}`",
        "stop": ".",
        "between": ", ",
        "older": "PyTorch {version} printed:",
        "start": "Your turn: {name}. Replace each ... until this is printed:",
        "check": "Check: run your cell above, then this one",
        "missing": "Run your cell above first, and keep its first line.",
        "right": "Right.",
        "wrong": "Line {} should be {}, and yours is {}.",
        "alt": "The graph of this code; the page in the web tells every step",
        "figure": "[Step through the forward and backward pass of this code on the web]"
        "({page}#{identity})",
    },
}


_CHECK = """\
#@title {check}
import contextlib, io, itertools, math, re

expected = {expected!r}
ours = [cell for cell in In[:-1] if cell.startswith({first!r})]
number = re.compile(r"-?\\d+\\.?\\d*(?:e[+-]?\\d+)?")

def same(one, other):
    pairs = zip(number.findall(one), number.findall(other))
    close = all(math.isclose(float(a), float(b), rel_tol=1e-3, abs_tol=1e-6) for a, b in pairs)
    return close and number.sub("#", one).split() == number.sub("#", other).split()

if not ours:
    print({missing!r})
else:
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(ours[-1], {{"__name__": "__main__"}})
    both = (text.rstrip().split("\\n") for text in (expected, printed.getvalue()))
    pairs = enumerate(itertools.zip_longest(*both, fillvalue=""), 1)
    wrong = [(n, *pair) for n, pair in pairs if not same(*pair)]
    print({wrong!r}.format(*wrong[0]) if wrong else {right!r})"""
"""The cell that runs the reader's program again, the last that was run, and compares what it prints
with what is recorded: Python's own libraries and the history of the shell, which Colab has too."""

_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python", "file_extension": ".py", "mimetype": "text/x-python"},
}


def notebook(page: Page, book: Book, language: str, site: str | None = None) -> NotebookNode:
    """The notebook of a page; its first cell names the page's address, and the versions of what its
    scripts import.

    `site` is the address of the book, ending in a slash; by default SITE_URL. The page must be
    accepted by `expand`.
    """
    import nbformat  # 0.2 s, which a build of unchanged pages does without

    found, words = cells(page, book, language, site, exercises=True), in_language(_WORDS, language)
    address = _web_address(page.file, "", site_of(site), book.config)
    packages = packages_of(page, book)
    pins = " ".join(f"{package}=={version_of(package)}" for package in packages)
    about = words["about"].format(page=address, software=software(packages, words["between"]))
    about += words["same"].format(pins=pins) * bool(pins) + words["stop"]
    title, gap, rest = found[0].source.partition("\n")
    found[0].source = f"{title}\n\n{about}{gap}{rest}"
    return nbformat.from_dict(
        {"cells": found, "metadata": _METADATA, "nbformat": 4, "nbformat_minor": 5}
    )


def notebook_text(book: Book, file: str, language: str, site: str) -> str:
    """The content of the notebook of a page of the book."""
    return to_json(notebook(book.page(file), book, language, site))


def cells(
    page: Page, book: Book, language: str, site: str | None = None, exercises: bool = False
) -> list[NotebookNode]:
    """The cells of a page: each stretch of prose, each script with its recorded output.

    `exercises`: a script with lines to write is left to the reader, with a cell that checks it.
    """
    page = without_clues(page)
    left_out = {r for r in page.references if directive_of(r, book).site_only}
    text = [r for r in page.references if not r.path.endswith(".py") and r not in left_out]
    if text:
        text = expand(replace(page, references=tuple(text)), book)
        page = parse(page.file, text, language=page.language)
        left_out = {r for r in page.references if directive_of(r, book).site_only}
    to_web = partial(_web_address, page.file, site=site_of(site), config=book.config)
    writer = _Writer(to_web, in_language(_WORDS, language))
    lines = page.text.split("\n")
    at = page.blocks[0][1] if lines[0] == "---" and page.blocks else 0
    for reference in page.references:
        writer.prose(lines[at : reference.line - 1])
        if exercises and to_write(reference):
            writer.exercise(reference, book)
        elif reference not in left_out:
            writer.snippet(page, reference, book)
        at = reference.end
    writer.prose(lines[at:])
    writer.flush()
    return writer.cells


def without_clues(page: Page) -> Page:
    """The page without its closed boxes of the kind `clue`, which a notebook could not keep closed.

    They hold what spoils a puzzle: hints and solutions. The site has them.
    """
    text = _CLUE.sub("", page.text)
    return page if text == page.text else parse(page.file, text, language=page.language)


def site_of(site: str | None) -> str:
    """The address of the book, ending in a slash; SITE_URL by default."""
    return site or os.environ.get("SITE_URL") or SITE


def to_json(notebook: NotebookNode) -> str:
    """The content of the file. Raises `NotebookValidationError` if it isn't a valid notebook."""
    import nbformat

    nbformat.validate(notebook)
    # `nbformat.writes` would validate once more, and only log the errors.
    return nbformat.v4.writes(notebook) + "\n"


def file_name(page: str) -> str:
    """The name of a page's notebook: `b.ipynb` for `docs/a/b.zh.md`, `a.ipynb` for its index."""
    folder, _, last = name_of(page).rpartition("/")
    return f"{posixpath.basename(folder) or last if last == 'index' else last}.ipynb"


def _web_address(file: str, target: str, site: str, config: BookConfig) -> str:
    """The address on the web of the target of a link on the page `file`. `site`: of the book."""
    path, _, anchor = target.partition("#")
    if re.match(r"[a-z]+:", path):
        return target
    whole = posixpath.normpath(posixpath.join(posixpath.dirname(file), path)) if path else file
    language = language_of(whole) or config.default.code
    address = whole.removeprefix("docs/")
    if whole.endswith(".md") and language in config.codes:
        name = name_of(whole)
        place = "" if name == "index" else name.removesuffix("/index") + "/"
        address = config.prefix(language) + place
    return site + address + (f"#{anchor}" if anchor else "")


@dataclass
class _Writer:
    """Makes cells, in the order of the page. `to_web`: the web address of a link's target."""

    to_web: Callable[[str], str]
    words: dict[str, str]
    cells: list[NotebookNode] = field(default_factory=list)
    _prose: list[str] = field(default_factory=list)
    _boxes: list[int] = field(default_factory=list)
    """The indentation of each open box's content, outermost first."""

    def prose(self, lines: list[str]) -> None:
        """SnippetText of the page; its boxes become quotations."""
        for line in lines:
            if not line.strip():
                self._prose.append("")
                continue
            indent = len(line) - len(line.lstrip(" "))
            while self._boxes and indent < self._boxes[-1]:
                self._boxes.pop()
            if _HTML.match(line):
                continue
            if styled := _STYLED.match(line):
                if styled[4]:
                    self._line(f"{styled[4]}:")
                line = f"{styled[1]}{styled[2]}{styled[3]}"
            if box := _BOX.match(line):
                title = box["title"] if box["title"] is not None else box["type"].capitalize()
                self._boxes.append(len(box["indent"]) + 4)
                self._line(f"**{title}**")
                self._prose.append(">" * len(self._boxes))
            else:
                self._line(line[self._boxes[-1] if self._boxes else 0 :])

    def _line(self, line: str) -> None:
        sign = ">" * len(self._boxes)
        if len(self._prose) > 1 and not self._prose[-1]:
            before = self._prose[-2]
            # An empty line between two lines of a box is within the box too.
            self._prose[-1] = sign[: len(before) - len(before.lstrip(">"))]
        self._prose.append(f"{sign} {line}" if sign else line)

    def snippet(self, page: Page, reference: Reference, book: Book) -> None:
        """A script with its output, then the outputs of older versions, then its figure."""
        self.flush()
        script = reference.path
        output = book.text(output_file(script))
        self._cell(
            "code",
            code_with_notes(reference, book).rstrip("\n"),
            PurePosixPath(script).stem,
            execution_count=1 + sum(cell.cell_type == "code" for cell in self.cells),
            outputs=[{"output_type": "stream", "name": "stdout", "text": output}],
        )
        for version in reference.then:
            older = (output_with(book, script, version) or "").rstrip("\n")
            heading = self.words["older"].format(version=version)
            self._markdown(f"{heading}\n\n```text\n{older}\n```", "older")
        for other in folded_outputs(book, reference):
            printed = f"```text\n{other.output.rstrip()}\n```"
            parts = [other.title(page.language), printed, *other.why(page.language)]
            self._markdown("\n\n".join(parts), "version")
        tables = TABLES.get(reference.option("figure") or "")
        drawn = "\n".join(tables.draw(reference, output, page.language)) if tables else ""
        if found := re.findall(r"(?s)<table.*?</table>", drawn):
            # Without its colors, which Jupyter would remove in part.
            plain = re.sub(r' (?:class|style|scope)="[^"]*"', "", "\n".join(found))
            self._markdown(plain, "figure")
        if reference.option("figure") == "trace":
            where = {"page": self.to_web(""), "identity": figure_anchor(reference)}
            svg = base64.b64encode(trace_figure.svg_file(page, reference, book).encode()).decode()
            link = self.words["figure"].format(**where)
            # A tag, not Markdown, in which some viewers reject SVG within an address.
            image = f'<img alt="{self.words["alt"]}" src="data:image/svg+xml;base64,{svg}">'
            self._markdown(f"{image}\n\n{link}", "figure")

    def exercise(self, reference: Reference, book: Book) -> None:
        """A script without the lines that the reader writes, and the cell that checks them."""
        self.flush()
        name = PurePosixPath(reference.path).stem
        expected = book.text(output_file(reference.path)).rstrip()
        first = f"# {self.words['start'].format(name=name)}"
        code = start_code(book.text(reference.path).rstrip("\n"), to_write(reference))
        shown = [f"#     {line}".rstrip() for line in expected.split("\n")]
        # An unfinished program ends in an error, and the cells after it are still run.
        unfinished = {"tags": ["exercise", "raises-exception"]}
        self._cell("code", "\n".join([first, *shown, code]), name, metadata=unfinished, outputs=[])
        check = _CHECK.format(expected=expected, first=first, **self.words)
        hidden = {**unfinished, "cellView": "form", "jupyter": {"source_hidden": True}}
        self._cell("code", check, f"check-{name}", metadata=hidden, outputs=[])

    def flush(self) -> None:
        """Make a cell of the text so far."""
        source = self._plain("\n".join(self._prose)).strip("\n")
        self._prose = []
        if source:
            self._markdown(source, "text")

    def _plain(self, source: str) -> str:
        """Markdown with absolute links, without its attribute lists."""
        parts, at = [], 0
        for span in scan(source):
            if span.kind == "attributes":
                start, end, instead = span.start, span.end, ""
                start -= source[:start].endswith(" ")
            elif span.kind in ("link", "image") and span.address_start >= 0:
                start = span.address_start
                end, instead = start + len(span.address), self.to_web(span.address)
            else:
                continue
            parts += [source[at:start], instead]
            at = end
        return "".join([*parts, source[at:]])

    def _markdown(self, source: str, kind: str) -> None:
        self._cell("markdown", source, kind)

    def _cell(self, kind: str, source: str, name: str, **outputs: object) -> None:
        from nbformat import from_dict

        # nbformat allows 64 characters, of these kinds. Its `v4.new_code_cell` validates each cell
        # alone, which takes longer than all else here; `to_json` validates the whole.
        known = re.sub(r"[^\w-]", "-", f"{len(self.cells) + 1:02}-{name}", flags=re.ASCII)[:64]
        cell = {"cell_type": kind, "id": known, "metadata": {}, "source": source, **outputs}
        if kind == "code":
            cell.setdefault("execution_count", None)
        self.cells.append(from_dict(cell))


def has_scripts(page: Page) -> bool:
    """Whether a page has a notebook: one that shows no script has none."""
    return any(reference.path.endswith(".py") for reference in page.references)
