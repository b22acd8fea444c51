"""Starts a snippet and the page that shows it, in each language of the book."""

from __future__ import annotations

import re
from pathlib import Path

from proofbook.check.files import MODULE_NAMES
from proofbook.model.config import FILE, in_language, read_config
from proofbook.model.problem import Problem, Unproved

_SNIPPET = """\
import torch

w = torch.tensor(1.0, requires_grad=True)
y = 2 * w
y.backward()
print("w.grad:", w.grad)
"""

_PAGES = {
    "zh": """\
# {title} {{ #{anchor} }}

第一句话回答读者的问题。

::: {script}
    highlight: y.backward()

## 为什么 {{ #why }}

写出推导，让读者能自己算一遍。
""",
    "en": """\
# {title} {{ #{anchor} }}

The first sentence answers the reader's question.

::: {script}
    highlight: y.backward()

## Why {{ #why }}

Give the derivation, so that a reader can do the sum.
""",
}


def create_page(root: Path, name: str, only: str | None = None) -> list[str]:
    """Write `snippets/<topic>/<name>.py` and its page in each language; returns the files written.

    `only`: the only language in which to write the page.

    In a book of one language whose first page is `docs/index.md`, the page's file has no language
    code either. Raises `Unproved` if the name is invalid or one of the files exists; then nothing
    is written.
    """
    name = name.removeprefix("snippets/").removesuffix(".py")
    problems = []
    if not re.fullmatch(r"[a-z][a-z0-9_]*/[a-z][a-z0-9_]*", name):
        problems.append(
            _refuse(name, "<topic>/<name> of small letters, digits and _: sharing/two_inputs")
        )
    elif name.split("/")[1] in MODULE_NAMES:
        problems.append(_refuse(name, "a name that no Python module has"))
    page = name.replace("_", "-")
    script = f"snippets/{name}.py"
    title = page.split("/")[-1].replace("-", " ").capitalize()
    texts = {script: _SNIPPET}
    codes = read_config(root).codes
    plain = len(codes) == 1 and (root / "docs/index.md").is_file()
    if only and only not in codes:
        what, fix = "the book has no such language", f"proofbook new {name}"
        problems.append(Problem(FILE, 1, what, " or ".join(codes), only, fix))
    for language in (only,) if only else codes:
        file = f"docs/{page}.md" if plain else f"docs/{page}.{language}.md"
        texts[file] = in_language(_PAGES, language).format(
            title=title, anchor=page.split("/")[-1], script=script
        )
    for file in (*texts, f"snippets/{name}.out"):
        if (root / file).exists():
            problems.append(
                Problem(file, 1, "the file exists", "no such file", file, "take another name")
            )
    if problems:
        raise Unproved(problems)
    for file, text in texts.items():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        (root / file).write_text(text, encoding="utf-8", newline="\n")
    return list(texts)


def _refuse(name: str, expected: str) -> Problem:
    return Problem(
        f"snippets/{name}.py",
        1,
        "this name will not do",
        expected,
        name,
        "proofbook new <topic>/<name>",
    )
