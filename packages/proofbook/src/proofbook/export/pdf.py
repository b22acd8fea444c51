"""The book on paper: `proofbook pdf` merges the pages of each edition into one HTML document, and
prints it into one PDF, with a browser.

Of the built site it reads only HTML: a page is its `<article>`; `<link rel="next">` links to the
next one.
"""

from __future__ import annotations

import html
import os
import posixpath
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from proofbook.export.offline import ExportError, built_site, replaced_file
from proofbook.html.tree import Node, Tree, inner_text, renamed
from proofbook.model.config import in_language, read_config

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome", "msedge")
_OF_MACOS = ("Google Chrome", "Chromium", "Microsoft Edge")
_OF_WINDOWS = ("Google/Chrome/Application/chrome.exe", "Microsoft/Edge/Application/msedge.exe")
_ADDRESS = "http://127.0.0.1:8000/"
"""The address of the book if its settings have none."""

_STYLE = Path(__file__).with_name("pdf.css")
_SCREEN_ONLY = (
    "a.headerlink, a.md-content__button, a.take-script, nav.take, details.code > summary, "
    "reader-guess, reader-progress, paste-error, message-filter, p.task, script, link"
)
_STEPS = "figure.trace details:has(> ol)"
_CONTENTS = {"zh": "目录", "en": "Contents"}
_LOADS_WITHIN = 600_000
"""The milliseconds that a browser may take to lay out a whole book, on a slow machine."""


def pdf(root: Path, out: Path, progress: Callable[[str], None]) -> str:
    """Write a PDF for each language into the folder `out`; returns a summary."""
    browser, config = browser_path(), read_config(root)
    lines = []
    with built_site(root, progress) as site:
        for language in config.languages:
            file = out / f"{config.file_name}-{language.code}.pdf"
            start = f"{config.prefix(language.code)}index.html"
            with replaced_file(file) as target:
                progress(f"printing {file.name} ...")
                address = config.site_url or _ADDRESS
                pages = _print(site, start, address, language.license, browser, target)
            lines.append(f"{file}: {pages} pages, {file.stat().st_size / 1e6:.1f} MB")
    return "\n".join(lines)


def installed_browser() -> str | None:
    """The path of an installed browser that can be automated, or None."""
    macos = (f"/Applications/{name}.app/Contents/MacOS/{name}" for name in _OF_MACOS)
    folders = (
        os.environ.get(name, "") for name in ("PROGRAMFILES", "PROGRAMFILES(X86)", "LOCALAPPDATA")
    )
    windows = (f"{folder}/{file}" for folder in folders for file in _OF_WINDOWS)
    return next(filter(None, map(shutil.which, (*BROWSERS, *macos, *windows))), None)


def browser_path() -> str:
    """The browser of this machine; raises `ExportError` if there is none, or no driver."""
    missing = [module for module in ("playwright", "pypdf") if not find_spec(module)]
    if missing:
        raise ExportError(f"{' and '.join(missing)} missing: pip install -r requirements.txt")
    if not (found := installed_browser()):
        raise ExportError(
            "printing needs Chromium or Chrome, and none was found "
            f"(on the PATH: {', '.join(BROWSERS)}); install one, for example: apt install chromium"
        )
    return found


def _print(site: Path, start: str, address: str, license: str, browser: str, target: Path) -> int:
    """Print the edition whose first page is `start` into `target`; returns the number of pages.

    It is printed twice: after the first time the page number of each chapter is known.
    """
    from playwright.sync_api import sync_playwright
    from pypdf import PdfReader

    document = (site / start).with_name("book-to-print.html")
    numbers: dict[str, int] = {}
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=browser,
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        page = chromium.new_page(java_script_enabled=False)
        for last in (False, True):
            document.write_text(bound(site, start, address, license, numbers), "utf-8")
            page.goto(document.as_uri(), timeout=_LOADS_WITHIN)
            page.pdf(
                path=target,
                prefer_css_page_size=True,
                print_background=True,
                outline=last,  # it takes the longest, and most of the file
                tagged=last,
            )
            reader = PdfReader(target)
            places = reader.named_destinations.items()
            numbers = {
                anchor.removeprefix("/"): reader.get_destination_page_number(place) + 1
                for anchor, place in places
            }
        chromium.close()
    return len(reader.pages)


@dataclass(frozen=True)
class Sheet:
    """A page of the book.

    `key` is the prefix of its anchors; `part`: whether it begins a part; `title`: its HTML; `name`:
    the same as text; `article`: its content, without elements that are useful only on a screen.
    """

    path: str
    key: str
    part: bool
    title: str
    name: str
    article: Node


def sheets(site: Path, start: str) -> list[Sheet]:
    """The pages of an edition in their order. `start` is the path of its first page."""
    found: list[Sheet] = []
    path: str | None = start
    while path and path not in {sheet.path for sheet in found}:
        tree = Tree((site / path).read_text("utf-8"))
        article = tree.css_first("article")
        for node in article.css(_SCREEN_ONLY):
            node.decompose()
        heading = article.css_first("h1").clone()
        heading.unwrap_tags(["a"])
        part = posixpath.basename(path) == "index.html"
        title, name = heading.inner_html, inner_text(heading, without={"annotation"})
        found.append(Sheet(path, f"p{len(found)}", part, title, name, article))
        following = tree.css_first('link[rel="next"]')
        path = following and _joined(path, following.attributes["href"])
    return found


def bound(site: Path, start: str, address: str, license: str, numbers: Mapping[str, int]) -> str:
    """The document; it belongs next to the page `start`, whose styles it uses.

    `address`: where the book is hosted, for links to pages outside the document. `license`: a line
    for the title page. `numbers`: the printed page on which each sheet begins, if known.
    """
    home = Tree((site / start).read_text("utf-8"))
    language = home.root.attributes["lang"]
    pages = sheets(site, start)
    keys = {page.path: page.key for page in pages}
    linked = {link for page in pages for link in _make_one_document(page, keys, address)}
    for page in pages:
        _keep_linked_steps(page.article, linked)
    links = home.css('link[rel="stylesheet"]')
    styles = [html.escape(link.attributes["href"]) for link in links]
    styles.append(posixpath.join(posixpath.dirname(styles[-1]), "trace.css"))
    about = home.css_first('meta[name="description"]').attributes["content"]
    contents = in_language(_CONTENTS, language)
    title = home.css_first("title").text()
    body = "".join(f' {k}="{html.escape(v or "")}"' for k, v in home.body.attributes.items())
    return "".join(
        [
            f'<!doctype html><html lang="{language}"><head><meta charset="utf-8">',
            f"<title>{html.escape(title)}</title>",
            *(f'<link rel="stylesheet" href="{style}">' for style in dict.fromkeys(styles)),
            f"<style>{_STYLE.read_text('utf-8')}{''.join(_page_headers(pages))}</style></head>",
            f"<body{body}>",
            _title_page(title, about, license),
            f'<main class="md-typeset"><nav class="contents"><h1>{contents}</h1>',
            *(_entry(page, numbers.get(page.key)) for page in pages),
            f"</nav>{''.join(map(_section, pages))}</main></body></html>",
        ]
    )


def _joined(path: str, to: str) -> str:
    """The path of a page's relative address."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), to))


def _make_one_document(page: Sheet, keys: Mapping[str, str], address: str) -> Iterator[str]:
    """Prefix the anchors of a page, so that all pages can be in one document, and make links to
    pages internal. Returns the anchors that the page links to."""
    for node in list(page.article.traverse()):
        for name, value in node.attributes.items():
            value = (value or "").replace("url(#", f"url(#{page.key}-")
            if name == "id":
                value = f"{page.key}-{value}"
            elif name in ("aria-labelledby", "aria-describedby"):
                value = " ".join(f"{page.key}-{one}" for one in value.split())
            elif name in ("href", "xlink:href"):
                value = _target(page, value, keys, address)
                if value.startswith("#"):
                    yield value[1:]
                elif value.startswith(_ADDRESS):  # the book has no host: nobody else gets there
                    del node.attrs[name]
                    continue
            if value != (node.attributes[name] or ""):
                node.attrs[name] = value
        if node.tag == "details":
            node.attrs["open"] = None


def _target(page: Sheet, link: str, keys: Mapping[str, str], address: str) -> str:
    """The target of a page's link in the document, or on the hosted site."""
    path, _, anchor = link.partition("#")
    if re.match("[a-z]+:", path):
        return link
    whole = _joined(page.path, path)
    if key := keys.get(whole if path else page.path):
        return f"#{key}-{anchor}" if anchor else f"#{key}"
    if whole.endswith(".html"):  # on the host, each page has a folder
        whole = whole.removesuffix("index.html").replace(".html", "/")
    return f"{address}{whole}#{anchor}" if anchor else address + whole


def _keep_linked_steps(article: Node, linked: set[str]) -> None:
    """Remove the steps of a figure, except those that the book links to, with their numbers."""
    for details in article.css(_STEPS):
        steps = details.css_first("ol")
        for number, step in enumerate(steps.css("li"), 1):
            if step.id in linked:
                step.attrs["value"] = str(number)
            else:
                step.decompose()
        if steps.css_first("li"):
            details.replace_with(steps, move=True)
        else:
            details.decompose()


def _section(page: Sheet) -> str:
    """A page's HTML; a chapter's headings are one level below the title of its part."""
    if not page.part:
        for heading in page.article.css("h1, h2, h3, h4, h5"):
            renamed(heading, f"h{int(heading.tag[1]) + 1}")
    kind = "part" if page.part else "chapter"
    return f'<section id="{page.key}" class="{kind}">{page.article.inner_html}</section>'


def _page_headers(pages: list[Sheet]) -> Iterator[str]:
    """Rules that put the name of its part at the top of each printed page."""
    name = ""
    for page in pages:
        if page.part:
            name = re.split("[：:?？]", page.name)[0].replace("\\", "").replace('"', r"\"")
        yield f"#{page.key} {{ page: {page.key} }}"
        yield f'@page {page.key} {{ @top-left {{ content: "{name}" }} }}\n'


def _title_page(title: str, about: str, license: str) -> str:
    name, _, subtitle = title.partition(" - ")
    lines = "".join(f"<p>{html.escape(line)}</p>" for line in (name, subtitle, about, license))
    return (
        '<header class="title-page">'
        f'<svg viewBox="0 0 100 100" aria-hidden="true">{_SIGN}</svg>{lines}</header>'
    )


_SIGN = (
    '<path d="M50 24 22 74M50 24l28 50" stroke="#fff" stroke-width="3" fill="none"/>'
    '<circle cx="50" cy="22" r="13" fill="#fff"/><circle cx="21" cy="76" r="11" fill="#f2b705"/>'
    '<circle cx="79" cy="76" r="11" fill="#f2b705"/>'
)


def _entry(page: Sheet, number: int | None) -> str:
    """A line of the table of contents."""
    kind = "part" if page.part else "chapter"
    printed = "" if number is None else str(number)
    return (
        f'<p class="{kind}"><a href="#{page.key}"><span>{page.title}</span><i></i>'
        f"<b>{printed}</b></a></p>"
    )
