"""What an exercise asks a reader to do: to guess what a script will print, to write it.

`reader.js` judges a guess. Each reply is a paragraph of the form, and all are hidden until it
shows one of them.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Mapping
from pathlib import Path

from proofbook.directives.exercise import PLACEHOLDER as WRITE
from proofbook.directives.guess import PLACEHOLDER
from proofbook.html.tree import Tree, element
from proofbook.model.config import in_language

TAG = "reader-guess"
TASK = "task"
"""The class of the paragraph that leads to the notebook."""
ASSET = "reader.js"
_WORDS = {
    "zh": {
        "label": "你猜",
        "ask": "你猜：{ask}",
        "button": "核对",
        "show": "看输出",
        "error": "报错",
        "right": "对，运行打印的就是 {answer}。",
        "right error": "对，运行时会报错。",
        "other": "不对。再想想，或者看答案。",
        "write": "动手写：{notebook}里空着 {lines} 行，你来补上，下一个格子核对它打印的结果。",
        "one": "动手写：{notebook}里空着一行，你来补上，下一个格子核对它打印的结果。",
        "modelscope": "魔搭（ModelScope）笔记本",
        "colab": "Colab 笔记本",
        "notebook": "笔记本",
        "count": "这里有 {count} 个数，用逗号隔开。",
    },
    "en": {
        "label": "Your guess",
        "ask": "Your guess: {ask}",
        "button": "Check",
        "show": "Show the output",
        "error": "an error",
        "right": "Yes, the run prints {answer}.",
        "right error": "Yes, the run ends in an error.",
        "other": "No. Think again, or look at the answer.",
        "write": "Write it: {notebook} leaves {lines} lines to you, "
        "and its next cell checks what they print.",
        "one": "Write it: {notebook} leaves a line to you, "
        "and its next cell checks what it prints.",
        "colab": "the notebook in Colab",
        "notebook": "the notebook",
        "count": "There are {count} values; put commas between them.",
    },
}


def asset() -> str:
    """The script of what answers a reader in the browser."""
    return Path(__file__).with_name(ASSET).read_text("utf-8")


def place_guesses(tree: Tree, language: str) -> None:
    """Make a form of each placeholder, in place of the paragraph around it.

    Within an exercise the answer is folded below the form; elsewhere the form has a button that
    shows the output.
    """
    for node in tree.css(f"span[{PLACEHOLDER}]"):
        paragraph = node.parent
        boxed = paragraph.parent.tag == "details"
        data = json.loads(node.attributes[PLACEHOLDER])
        attributes = {"data-answer": _joined(data["answer"]), "data-search-exclude": None}
        form = element(tree, TAG, attributes)
        form.inner_html = _form(data, boxed, in_language(_WORDS, language))
        # A link to the line that proves a number of the question would give the answer away.
        question = paragraph.prev if boxed else None
        while question is not None:
            for link in question.css("a.run") if question.is_element_node else ():
                link.unwrap()
            question = question.prev
        paragraph.replace_with(form, move=True)


def place_tasks(tree: Tree, formats: Mapping[str, str], language: str) -> None:
    """Make of each placeholder of a script to write a line that leads to the page's notebook,
    online where it opens there. `formats`: as `proofbook.html.page.Place.other_formats`."""
    words = in_language(_WORDS, language)
    kind = next((kind for kind in ("modelscope", "colab", "notebook") if kind in formats), None)
    for node in tree.css(f"span[{WRITE}]"):
        count, paragraph = node.attributes[WRITE], node.parent
        if kind is None:
            paragraph.decompose()
            continue
        download = " download" if kind == "notebook" else ""
        link = f'<a href="{html.escape(formats[kind])}"{download}>{words[kind]}</a>'
        said = words["one" if count == "1" else "write"].format(notebook=link, lines=count)
        task = element(tree, "p", {"class": TASK, "data-search-exclude": None})
        task.inner_html = said
        paragraph.replace_with(task, move=True)


def _form(data: dict, boxed: bool, words: dict[str, str]) -> str:
    answer, label = data["answer"], words["label"]
    if data["ask"]:
        label = words["ask"].format(ask=_inline(data["ask"]))
    if data["options"]:
        chosen = [
            f'<button name="guess" value="{html.escape(_joined(option))}">'
            f"{html.escape(_said(option, words))}</button>"
            for option in data["options"]
        ]
        asked, box = f"<legend>{label}</legend>{''.join(chosen)}", "fieldset"
    else:
        field = '<input name="guess" autocomplete="off" autocapitalize="off" spellcheck="false">'
        asked, box = f"<label>{label} {field}</label><button>{words['button']}</button>", "div"
    show = "" if boxed else f'<button type="button" class="show">{words["show"]}</button>'
    kind = "right error" if answer == ["error"] else "right"
    shown = f"<code>{html.escape(_joined(answer))}</code>"
    replies = [_reply("right", words[kind].format(answer=shown))]
    for value, sentence in data["wrong"]:
        attribute = f' data-guess="{html.escape(_joined(value))}"'
        replies.append(_reply("wrong", _inline(sentence), attribute))
    replies.append(_reply("other", words["other"]))
    if len(answer) > 1:
        replies.append(_reply("count", words["count"].format(count=len(answer))))
    status = f'<div role="status">{"".join(replies)}</div>'
    return f'<form method="dialog"><{box} class="asked">{asked}{show}</{box}>{status}</form>'


def _reply(kind: str, text: str, more: str = "") -> str:
    return f'<p class="{kind}"{more} hidden>{text}</p>'


def _inline(words: str) -> str:
    return re.sub("`([^`]+)`", r"<code>\1</code>", html.escape(words, quote=False))


def _joined(values: list[str]) -> str:
    return ", ".join(values)


def _said(values: list[str], words: dict[str, str]) -> str:
    return words["error"] if values == ["error"] else _joined(values)
