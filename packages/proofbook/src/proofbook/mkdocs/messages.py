"""The pages of messages as pages of MkDocs: made of the rendered page that has them all, so that no
Markdown is rendered for them."""

from __future__ import annotations

import posixpath
from html import escape
from urllib.parse import urljoin

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import get_toc
from mkdocs.utils import get_relative_url

from proofbook.content.messages import DATA, Message, data, messages_of
from proofbook.html.messages import ENTRY, divide, moved, run_in
from proofbook.html.tree import Tree, parse
from proofbook.mkdocs.editions import source_of
from proofbook.model.book import Book

PART_OF = "part_of"
"""The key in the settings of a page of a message: the file of the page that it is a part of."""

_HOST = "http://book/"


def place_messages(index: File, config: MkDocsConfig, files: Files, book: Book) -> None:
    """Make an index of the rendered page `index`, and a page of each of its messages, among
    `files`; and the program with what the field compares and shows."""
    page, known = index.page, book.remember(messages_of, source_of(index))
    if not known or f'class="{ENTRY}"' in page.content:
        return
    folder, trees = posixpath.dirname(index.src_uri), {}

    def file_of(message: Message) -> File:
        name = f"{folder}/{message.anchor}.md"
        return files.get_file_from_path(name) or File.generated(config, name, content="")

    def run_on(message: Message) -> str:
        lesson = files.get_file_from_path(message.page.removeprefix("docs/"))
        if lesson in (None, index):
            return ""
        tree: Tree = trees.get(lesson.url) or trees.setdefault(
            lesson.url, parse(lesson.page.content)
        )
        return moved(run_in(tree, message.script), lambda to: _address(to, lesson.url, index.url))

    places = {message.anchor: file_of(message) for message in known}
    page.content, parts = divide(
        page.content,
        known,
        config.theme["language"],
        lambda anchor: get_relative_url(places[anchor].url, index.url),
        run_on,
        whole=not config.use_directory_urls,
    )
    shown = {}
    for part in parts:
        file, title = places[part.message.anchor], escape(part.message.text, quote=False)
        own = file.page or Page(title, file, config)
        own.content = moved(part.content, lambda to, url=file.url: _address(to, index.url, url))
        own.toc = get_toc([{"level": 1, "id": part.message.anchor, "name": title, "children": []}])
        own.meta = {"hide": ["toc"], "search": {"exclude": True}, PART_OF: source_of(index)}
        own.meta["description"] = escape(part.description)
        own.parent, own.edit_url = page.parent, page.edit_url
        if file.src_uri not in files:
            files.append(file)
        shown[part.message.anchor] = get_relative_url(file.url, index.url), part.shown
    if f"assets/{DATA}" not in files:
        files.append(File.generated(config, f"assets/{DATA}", content=data(known, shown)))


def _address(to: str, old: str, new: str) -> str:
    """A relative address on the page at `old`, as it is on the page at `new`."""
    whole = urljoin(_HOST + old, to)
    if not whole.startswith(_HOST):
        return to
    path, mark, anchor = whole.removeprefix(_HOST).partition("#")
    return f"{get_relative_url(path or '.', new)}{mark}{anchor}"
