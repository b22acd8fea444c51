"""A page of messages, once its HTML is finished: an index, and a page for each message.

The index keeps what each message says of cause and fix; the page of a message has the run, too.
Where only a lesson that it links to runs the message, that run is shown.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from proofbook.content.messages import DATA, Message
from proofbook.content.page_summary import WIDTH, width
from proofbook.directives.paste import NAME, PLACEHOLDER
from proofbook.html.tree import Node, Tree, classes, element, parse, serialize
from proofbook.model.config import in_language

FILTER = "message-filter"
ENTRY = "message-entry"
_HEADINGS = "h1, h2, h3, h4, h5, h6, nav.take, .run-with"
_RUN = "details.example"
_SENTENCE = re.compile(r"(?<=[。！？])|(?<=[.!?]) +(?=[A-Z`])")
_POINTING = ("See ", "见")
"""The beginnings of sentences that only lead to another page."""
_WORDS = {
    "zh": {
        "label": "把整段报错贴在这里",
        "button": "查这条报错",
        "note": "只在你的浏览器里比对，什么都不会发送。",
        "none": "书里没有这条报错。下面几条和它最接近：",
        "nothing": "书里没有这条报错，也没有和它接近的。",
        "search": "在全书里搜索它",
        "more": "这条报错自己的一页：运行和链接",
        "failed": "没有读到报错的数据，请再试一次。",
        "filter": "筛选报错",
        "run": "打印出这条报错的运行",
    },
    "en": {
        "label": "Paste the whole error here",
        "button": "Find this error",
        "note": "It is compared in your browser. Nothing is sent.",
        "none": "The book does not have this message. These are the nearest:",
        "nothing": "The book does not have this message, nor one like it.",
        "search": "Search the whole book for it",
        "more": "This message's own page",
        "failed": "The messages could not be loaded. Please try again.",
        "filter": "Filter the messages",
        "run": "The run that prints it",
    },
}


@dataclass(frozen=True)
class MessagePage:
    """The page of a message. `content`: its HTML, with addresses relative to the index, as has
    `shown`, what the field shows in place."""

    message: Message
    content: str
    shown: str
    description: str


def place_paste(
    tree: Tree, language: str, page: str | None, file_address: Callable[[str], str]
) -> None:
    """Put the field in the place of each placeholder. `page`: the address of the page of messages;
    `file_address(path)`: as of `proofbook.html.page.Place`."""
    words = in_language(_WORDS, language)
    told = ("none", "nothing", "search", "more", "failed")
    for node in tree.css(f"p:has([{PLACEHOLDER}])"):
        addresses = {"data-page": page or "", "data-data": file_address(f"assets/{DATA}")}
        attributes = addresses | {f"data-{key}": words[key] for key in told}
        field = element(tree, NAME, attributes | {"data-search-exclude": None})
        example = "Traceback (most recent call last):&#10;  ...&#10;RuntimeError: ..."
        field.inner_html = (
            f'<form class="paste" action="{html.escape(page or "")}">'
            f'<label><span>{words["label"]}</span><textarea rows="3" required spellcheck="false" '
            f'autocapitalize="off" placeholder="{example}"></textarea></label>'
            f"<button>{words['button']}</button><small>{words['note']}</small></form>"
            f'<div class="pasted" role="status"></div>'
        )
        node.replace_with(field, move=True)


def divide(
    content: str,
    messages: Sequence[Message],
    language: str,
    address: Callable[[str], str],
    run_on: Callable[[Message], str],
    whole: bool = False,
) -> tuple[str, list[MessagePage]]:
    """The HTML of the index, and the page of each message that has a section in `content`.

    `address`: of the page of a message by its anchor; `run_on`: the HTML of the run of a message
    that a lesson prints, or "". All addresses are relative to the index. `whole`: whether the index
    keeps the runs, for a book on paper.
    """
    tree, pages, words = parse(content), [], in_language(_WORDS, language)
    title = tree.css_first("h1")
    kind = re.split("[:：]", title.text(deep=True).removesuffix("#"))[0] if title else ""
    groups = {message.group: tree.css_first(f'[id="{message.group}"]') for message in messages}
    first = next((h for h in groups.values() if h), None)
    headings = [(each, tree.css_first(f'[id="{each.anchor}"]')) for each in messages]
    places = [(message, heading, _section(heading)) for message, heading in headings if heading]
    if not whole:
        _lead_to_runs(tree, {m.anchor: _runs(nodes) for m, _, nodes in places}, address)
    for message, heading, nodes in places:
        runs = _runs(nodes)
        cause = "".join(node.html for node in nodes if node not in runs)
        run = "".join(map(_unfolded, runs)) or _shown_run(run_on(message), words["run"])
        group = groups[message.group]
        name = group.text(deep=True).removesuffix("#") if group else ""
        name = html.escape(f"{kind} · {name}" if name else kind, quote=False)
        where = f'<a href="#{message.group}">{name}</a>'
        code = heading.css_first("code").html
        body = (
            f'<h1 id="{message.anchor}">{code}</h1>'
            f'<div class="where" data-search-exclude>{where}</div>{cause}{run}'
        )
        pages.append(MessagePage(message, body, cause + run, _description(nodes)))
        entry = element(tree, "div", {"class": ENTRY})
        heading.insert_before(entry, move=True)
        for node in (heading, *nodes):
            if node in runs and not whole:
                node.decompose()
            else:
                entry.insert_child(node, move=True)
        link = element(tree, "a", {"href": address(message.anchor)})
        link.inner_html = code
        heading.css_first("code").replace_with(link, move=True)
    if pages and first and tree.css_first(NAME):
        field = element(tree, FILTER, {"data-search-exclude": None})
        field.inner_html = (
            f'<label>{words["filter"]} <input type="search" autocomplete="off" spellcheck="false">'
            f'</label> <span role="status"></span>'
        )
        first.insert_before(field, move=True)
    return serialize(tree), pages


def run_in(content: Tree, script: str) -> str:
    """The HTML of a script and its output, without links, in the finished HTML of a page."""
    for name in content.css(".filename"):
        if name.text(deep=False).strip() == script and "highlight" in classes(name.parent):
            code, output = name.parent, name.parent.next
            while output is not None and not (
                output.is_element_node and "output" in classes(output)
            ):
                output = output.next
            return code.html + (output.html if output is not None else "")
    return ""


def moved(content: str, address: Callable[[str], str]) -> str:
    """HTML with another address in place of each relative one that leaves it."""
    tree = parse(content)
    own = {f"#{node.attributes['id']}" for node in tree.css("[id]")}
    for node in tree.css("[href], [data-to]"):
        for name in ("href", "data-to"):
            if (old := node.attributes.get(name)) and old not in own:
                node.attrs[name] = address(old)
    return serialize(tree)


def _lead_to_runs(
    tree: Tree, runs: Mapping[str, Sequence[Node]], address: Callable[[str], str]
) -> None:
    """Have links to the lines of runs lead to the pages that will have them."""
    of = {
        f"#{line.attributes['id']}": address(anchor)
        for anchor, nodes in runs.items()
        for node in nodes
        for line in node.css("[id]")
    }
    for node in tree.css('[href^="#"], [data-to^="#"]'):
        for name in ("href", "data-to"):
            if (old := node.attributes.get(name)) in of:
                node.attrs[name] = of[old] + old


def _runs(nodes: Sequence[Node]) -> list[Node]:
    """The folded runs among the nodes of a section."""
    return [node for node in nodes if node.is_element_node and node.css_matches(_RUN)]


def _section(heading: Node) -> list[Node]:
    """What stands between a heading and the next one."""
    nodes, node = [], heading.next
    while node is not None and not (node.is_element_node and node.css_matches(_HEADINGS)):
        nodes.append(node)
        node = node.next
    return nodes


def _unfolded(details: Node) -> str:
    """A folded run, shown, with what the fold says as its title."""
    shown, summary = details.clone(), details.css_first("summary")
    shown.css_first("summary").decompose()
    return f"<p><strong>{summary.inner_html}</strong></p>{shown.inner_html}"


def _shown_run(content: str, name: str) -> str:
    """The run of a lesson; links lead to its lines there, not here."""
    if not content:
        return ""
    tree = parse(content)
    for node in tree.css("[id]"):
        del node.attrs["id"]
    return f"<p><strong>{name}</strong></p>{serialize(tree)}"


def _description(nodes: Sequence[Node]) -> str:
    """The first sentences of a section, as many as a search engine shows."""
    first = next((n for n in nodes if n.is_element_node and n.tag == "p"), None)
    said = ""
    for sentence in _SENTENCE.split(" ".join(first.text(deep=True).split())) if first else ():
        if said and (sentence.startswith(_POINTING) or width(said + sentence) > WIDTH):
            break
        said += f" {sentence}" if said and sentence[:1].isascii() else sentence
    return said.strip()
