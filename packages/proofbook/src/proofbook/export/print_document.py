"""Binds the pages of the built site to one HTML document: what `proofbook pdf` prints.

Reads nothing but HTML: a page is its `<article>`; `<link rel="next">` leads to the one after it.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from proofbook.model.config import in_language

_STYLE = Path(__file__).with_name("print_document.css")
_LINK = re.compile(r"<link\b[^>]*>")
_TAG = re.compile(r"<[a-zA-Z][^>]*>")
_HEADING = re.compile(r"<(/?)h([1-5])\b")
# What is of use on a screen only: anchors of headings, downloads, what to read on, scripts, styles.
_SCREEN = re.compile(
    r'<a class="(?:headerlink|take-script)".*?</a>|<nav class="take".*?</nav>'
    r'|<aside class="related".*?</aside>'
    r"|<script\b.*?</script>|<link\b[^>]*>",
    re.DOTALL,
)
_STEPS = re.compile(r"<details open><summary>[^<]*</summary><ol>(.*?)</ol></details>", re.DOTALL)
_STEP = re.compile(r'<li id="([^"]*-step-(\d+))".*?</li>', re.DOTALL)
_WORDS = {
    "zh": {"contents": "目录"},
    "en": {"contents": "Contents"},
}


@dataclass(frozen=True)
class Sheet:
    """A page of the book. `key` begins its anchors; `part`: whether it begins a part."""

    path: str
    key: str
    part: bool
    title: str
    content: str

    @property
    def name(self) -> str:
        """The title as text."""
        return html.unescape(re.sub(r"<annotation.*?</annotation>|<[^>]*>", "", self.title))


def sheets(site: Path, start: str) -> list[Sheet]:
    """The pages of an edition in their order. `start` is the path of its first page."""
    found: list[Sheet] = []
    path: str | None = start
    while path and path not in {sheet.path for sheet in found}:
        text = (site / path).read_text("utf-8")
        content = re.search(r"<article\b[^>]*>(.*)</article>", text, re.DOTALL)[1]
        content = _SCREEN.sub("", content)
        title = re.search(r"<h1\b[^>]*>(.*?)</h1>", content, re.DOTALL)[1]
        part = posixpath.basename(path) == "index.html"
        found.append(Sheet(path, f"p{len(found)}", part, re.sub("</?a[^>]*>", "", title), content))
        following = next((_attribute(link, "href") for link in _links(text, "next")), None)
        path = following and posixpath.normpath(posixpath.join(posixpath.dirname(path), following))
    return found


def bound(site: Path, start: str, address: str, license: str, numbers: dict[str, int]) -> str:
    """The document; it belongs beside the page `start`, whose styles it uses.

    `address`: where the book is hosted, for links to what isn't in the document. `license`: a line
    for the title page. `numbers`: the printed page on which each sheet begins, as far as it is
    known.
    """
    home = (site / start).read_text("utf-8")
    language = re.search(r'<html lang="(\w+)', home)[1]
    words, pages = in_language(_WORDS, language), sheets(site, start)
    keys = {page.path: page.key for page in pages}
    pages = [replace(page, content=_moved(page, keys, address)) for page in pages]
    body = "".join(map(_section, pages))
    linked = set(re.findall(r'href="#([^"]*-step-\d+)"', body))
    body = _STEPS.sub(lambda steps: _told(steps[1], linked), body)
    styles = [_attribute(link, "href") for link in _links(home, "stylesheet")]
    styles.append(posixpath.join(posixpath.dirname(styles[-1]), "trace.css"))
    title = re.search(r"<title>(.*?)</title>", home, re.DOTALL)[1]
    about = next(
        _attribute(tag, "content")
        for tag in re.findall("<meta[^>]*>", home)
        if "description" in tag
    )
    return "".join(
        [
            f'<!doctype html><html lang="{language}"><head><meta charset="utf-8">',
            f"<title>{title}</title>",
            *(f'<link rel="stylesheet" href="{style}">' for style in styles),
            f"<style>{_STYLE.read_text('utf-8')}{''.join(_running(pages))}</style></head>",
            re.search(r"<body\b[^>]*>", home)[0],
            _cover(title, about, license),
            f'<main class="md-typeset"><nav class="contents"><h1>{words["contents"]}</h1>',
            *(_entry(page, numbers.get(page.key)) for page in pages),
            f"</nav>{body}</main></body></html>",
        ]
    )


def _links(text: str, relation: str) -> Iterator[str]:
    return (link for link in _LINK.findall(text) if _attribute(link, "rel") == relation)


def _attribute(tag: str, name: str) -> str:
    found = re.search(rf'\b{name}="([^"]*)"', tag)
    return found[1] if found else ""


def _moved(page: Sheet, keys: dict[str, str], address: str) -> str:
    """The content with anchors of its own, so that all pages can stand in one document."""

    def target(found: re.Match) -> str:
        path, _, anchor = html.unescape(found[1]).partition("#")
        if re.match("[a-z]+:", path):
            return found[0]
        whole = posixpath.normpath(posixpath.join(posixpath.dirname(page.path), path))
        key = keys.get(whole if path else page.path)
        if key:
            return f'href="#{key}{f"-{anchor}" if anchor else ""}"'
        return f'href="{html.escape(address + whole + ("#" + anchor) * bool(anchor))}"'

    def tag(found: re.Match) -> str:
        told = re.sub(r'\bid="', f'id="{page.key}-', found[0])
        told = re.sub(r"url\(#", f"url(#{page.key}-", told)
        told = re.sub(
            r'(aria-(?:labelledby|describedby)=")([^"]*)',
            lambda ids: ids[1] + " ".join(f"{page.key}-{one}" for one in ids[2].split()),
            told,
        )
        if told.startswith("<details"):
            told = told.replace(">", " open>") if " open" not in told else told
        return re.sub(r'\bhref="([^"]*)"', target, told)

    return _TAG.sub(tag, page.content)


def _section(page: Sheet) -> str:
    """A chapter's headings stand one level below the title of its part."""
    content = page.content
    if not page.part:
        content = _HEADING.sub(lambda tag: f"<{tag[1]}h{int(tag[2]) + 1}", content)
    kind = "part" if page.part else "chapter"
    return f'<section id="{page.key}" class="{kind}">{content}</section>'


def _told(steps: str, linked: set[str]) -> str:
    """Of the steps of a figure, those that the words of the book lead to."""
    kept = [
        step[0].replace("<li", f'<li value="{step[2]}"', 1)
        for step in _STEP.finditer(steps)
        if step[1] in linked
    ]
    return f"<ol>{''.join(kept)}</ol>" if kept else ""


def _running(pages: list[Sheet]) -> Iterator[str]:
    """Rules that put the name of its part at the top of each printed page."""
    name = ""
    for page in pages:
        if page.part:
            name = re.split("[：:?？]", page.name)[0].replace("\\", "").replace('"', r"\"")
        yield f"#{page.key} {{ page: {page.key} }}"
        yield f'@page {page.key} {{ @top-left {{ content: "{name}" }} }}\n'


def _cover(title: str, about: str, license: str) -> str:
    name, _, subtitle = title.partition(" - ")
    return (
        f'<header class="title-page"><svg viewBox="0 0 100 100" aria-hidden="true">{_SIGN}</svg>'
        f"<p>{name}</p><p>{subtitle}</p><p>{about}</p><p>{license}</p></header>"
    )


_SIGN = (
    '<path d="M50 24 22 74M50 24l28 50" stroke="#fff" stroke-width="3" fill="none"/>'
    '<circle cx="50" cy="22" r="13" fill="#fff"/><circle cx="21" cy="76" r="11" fill="#f2b705"/>'
    '<circle cx="79" cy="76" r="11" fill="#f2b705"/>'
)


def _entry(page: Sheet, number: int | None) -> str:
    kind = "part" if page.part else "chapter"
    told = "" if number is None else str(number)
    return (
        f'<p class="{kind}"><a href="#{page.key}"><span>{page.title}</span><i></i>'
        f"<b>{told}</b></a></p>"
    )
