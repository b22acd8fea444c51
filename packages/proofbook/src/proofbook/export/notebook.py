"""A page as a Jupyter notebook: its prose in Markdown cells, each script one cell with its output.

What only the site understands is told in plain Markdown: boxes become quotations, attribute lists
go, links lead to the page in the web.
"""

from __future__ import annotations

import base64
import json
import os
import posixpath
import re
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

from proofbook.directives import grid, trace_figure
from proofbook.directives.registry import directive_of
from proofbook.markdown.expand import expand
from proofbook.model.older_outputs import older_file, printed
from proofbook.model.page import Page, Reference, parse, read

if TYPE_CHECKING:
    from proofbook.model.book import Book

SITE = "http://127.0.0.1:8000/"
"""Where the book is served when no environment variable SITE_URL says otherwise."""
PREFIX = {"zh": "", "en": "en/"}

_BOX = re.compile(r'^(?P<indent> *)(?:!!!|\?\?\?\+?) +(?P<type>[\w-]+)[^"]*(?:"(?P<title>.*)")? *$')
_STYLED = re.compile(r"^( *`{3,})\{ *\.(\w+)[^}]*\}$")  # a fence that says how it looks
_HTML = re.compile(r"^ *</?div\b[^>]*> *$")
# What is passed over as it stands, and what is changed: code, maths, links, attribute lists.
_SPAN = re.compile(
    r"(?P<kept>^(?P<quote>[> ]*)(?P<fence>```+|~~~+)[^\n]*\n.*?^(?P=quote)(?P=fence)[ \t]*$"
    r"|(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`)|\$\$.*?\$\$|\$[^$\n]+\$)"
    r"|(?<=\])\((?P<target>[^()\s]+(?:\([^()\s]*\)[^()\s]*)*)(?P<title> +\"[^\"]*\")?\)"
    r"|(?P<attributes>[ ]?\{:? *(?:[#.][\w-]|[\w-]+=)(?:\"[^\"]*\"|[^\"{}])*\})",
    re.DOTALL | re.MULTILINE,
)
_WORDS = {
    "zh": {
        "about": "这是[书里的一页]({page})。输出由 PyTorch {torch} 打印，别的版本可能不一样；"
        "要一样的，先运行 `%pip install torch=={torch}`。",
        "older": "PyTorch {version} 打印的：",
        "alt": "这段代码的计算图，每一步都在网页上",
        "figure": "[在网页上一步一步看这段代码的前向和反向]({page}#{identity})",
    },
    "en": {
        "about": "This is [a page of the book]({page}). The outputs are those of PyTorch {torch}; "
        "another version may print something else. To get the same: "
        "`%pip install torch=={torch}`.",
        "older": "PyTorch {version} printed:",
        "alt": "The graph of this code; the page in the web tells every step",
        "figure": "[Step through the forward and backward pass of this code on the web]"
        "({page}#{identity})",
    },
}


def notebook(page: Page, book: Book, language: str, site: str | None = None) -> dict:
    """The notebook of a page (nbformat 4.5).

    `site` is the address of the book, at its end a slash; without it, that of SITE_URL. The page
    must be one that `expand` accepts.
    """
    writer = _written(page, book, language, site)
    return {
        "cells": writer.told(),
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {
                "name": "python",
                "file_extension": ".py",
                "mimetype": "text/x-python",
            },
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def cells(page: Page, book: Book, language: str, site: str | None = None) -> list[dict]:
    """The cells of a page alone, as `notebook` makes them: it has them say where they are from."""
    return _written(page, book, language, site).cells


def _written(page: Page, book: Book, language: str, site: str | None) -> _Writer:
    left_out = {r for r in page.references if directive_of(r, book.directives).site_only}
    text = [r for r in page.references if not r.path.endswith(".py") and r not in left_out]
    if text:
        page = parse(page.file, expand(replace(page, references=tuple(text)), book))
        left_out = {r for r in page.references if directive_of(r, book.directives).site_only}
    address = _Address(page.file, site or os.environ.get("SITE_URL") or SITE)
    writer = _Writer(address, _WORDS[language])
    lines = page.text.split("\n")
    at = page.blocks[0][1] if lines[0] == "---" and page.blocks else 0
    for reference in page.references:
        writer.prose(lines[at : reference.line - 1])
        if reference not in left_out:
            writer.snippet(page, reference, book.root)
        at = reference.end
    writer.prose(lines[at:])
    writer.flush()
    return writer


def text(page: Page, book: Book, language: str, site: str | None = None) -> str:
    """The notebook as its file has it."""
    return json.dumps(notebook(page, book, language, site), ensure_ascii=False) + "\n"


def name(page: str) -> str:
    """The name of a page's notebook: `b.ipynb` for `docs/a/b.zh.md`, `a.ipynb` for its index."""
    folder, _, last = page.removeprefix("docs/").rsplit(".", 2)[0].rpartition("/")
    return f"{posixpath.basename(folder) or last if last == 'index' else last}.ipynb"


@dataclass
class _Address:
    """Where the page and what it links to stand in the web."""

    file: str
    site: str

    def of(self, target: str) -> str:
        """The address of what a link of the page leads to."""
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", path):
            return target
        folder = posixpath.dirname(self.file.removeprefix("docs/"))
        whole = posixpath.normpath(posixpath.join(folder, path)) if path else self.file
        return self._page(whole.removeprefix("docs/")) + (f"#{anchor}" if anchor else "")

    def _page(self, path: str) -> str:
        stem, _, language = path.removesuffix(".md").rpartition(".")
        if not path.endswith(".md") or language not in PREFIX:
            return self.site + path
        place = "" if stem == "index" else stem.removesuffix("/index") + "/"
        return self.site + PREFIX[language] + place


@dataclass
class _Writer:
    """Makes cells, in the order of the page."""

    address: _Address
    words: dict[str, str]
    cells: list[dict] = field(default_factory=list)
    _prose: list[str] = field(default_factory=list)
    _boxes: list[int] = field(default_factory=list)
    """How far the content of each open box is indented, outermost first."""

    def prose(self, lines: list[str]) -> None:
        """Text of the page; its boxes become quotations."""
        for line in lines:
            if not line.strip():
                self._prose.append("")
                continue
            indent = len(line) - len(line.lstrip(" "))
            while self._boxes and indent < self._boxes[-1]:
                self._boxes.pop()
            if _HTML.match(line):
                continue
            line = _STYLED.sub(r"\1\2", line)
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
            # An empty line between two of a box stands within the box too.
            self._prose[-1] = sign[: len(before) - len(before.lstrip(">"))]
        self._prose.append(f"{sign} {line}" if sign else line)

    def snippet(self, page: Page, reference: Reference, root: Path) -> None:
        """A script with its output, then what older versions printed, then its figure."""
        self.flush()
        output = read((root / reference.path).with_suffix(".out"))
        self._cell(
            "code",
            read(root / reference.path).rstrip("\n"),
            Path(reference.path).stem,
            execution_count=1 + sum(cell["cell_type"] == "code" for cell in self.cells),
            outputs=[{"output_type": "stream", "name": "stdout", "text": _lines(output)}],
        )
        for version in reference.then:
            older = printed(older_file(root / reference.path, version)).rstrip("\n")
            told = self.words["older"].format(version=version)
            self._cell("markdown", f"{told}\n\n```text\n{older}\n```", "older")
        if captions := reference.option("captions"):
            drawn = grid.draw(output, [caption.strip() for caption in captions.split("|")])
            # Without its colors, which Jupyter would take away in part.
            plain = re.sub(r' (?:class|style)="[^"]*"', "", "\n".join(drawn[1:-1]))
            self._cell("markdown", plain, "figure")
        if reference.option("figure") == "trace":
            where = {"page": self.address.of(""), "identity": trace_figure.anchor(reference)}
            svg = base64.b64encode(trace_figure.svg_file(page, reference, root).encode()).decode()
            told = self.words["figure"].format(**where)
            # A tag, not Markdown: in that, some readers take no SVG within an address.
            image = f'<img alt="{self.words["alt"]}" src="data:image/svg+xml;base64,{svg}">'
            self._cell("markdown", f"{image}\n\n{told}", "figure")

    def told(self) -> list[dict]:
        """All cells; the first one says where the page stands and which PyTorch printed."""
        torch = _torch()
        title, gap, rest = "".join(self.cells[0]["source"]).partition("\n")
        about = self.words["about"].format(page=self.address.of(""), torch=torch)
        self.cells[0]["source"] = _lines(f"{title}\n\n{about}{gap}{rest}")
        return self.cells

    def flush(self) -> None:
        """Make a cell of the text so far."""
        source = _SPAN.sub(self._plain, "\n".join(self._prose)).strip("\n")
        self._prose = []
        if source:
            self._cell("markdown", source, "text")

    def _plain(self, found: re.Match) -> str:
        if found["attributes"]:
            return ""
        if found["target"]:
            return f"({self.address.of(found['target'])}{found['title'] or ''})"
        return found[0]

    def _cell(self, kind: str, source: str, what: str, **others) -> None:
        # An id may have 64 characters.
        identity = f"{len(self.cells) + 1:02}-{what}"[:64]
        cell = {"cell_type": kind, "id": identity, "metadata": {}, "source": _lines(source)}
        self.cells.append(cell | others)


@cache
def _torch() -> str:
    return metadata.version("torch").partition("+")[0]


def _lines(source: str) -> list[str]:
    return source.splitlines(keepends=True)


def has_scripts(page: Page) -> bool:
    """Whether a page has a notebook: one that shows no script has none."""
    return any(reference.path.endswith(".py") for reference in page.references)
