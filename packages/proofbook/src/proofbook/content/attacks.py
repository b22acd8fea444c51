"""Tests that try to refute a general statement of a section: each names the sections it attacks.

    @attacks("accumulate/two-losses#limits", zh="四种 dtype", en="four dtypes")
    def test_backward_only_ever_adds(dtype, shape): ...

The decorators are read from the text of the tests: nothing is imported to show or check them.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from proofbook.api.index import NOT_PYTHON
from proofbook.model.book import Book
from proofbook.model.config import in_language

_TRIED = {"zh": "试过：", "en": "Tried with: "}
_T = TypeVar("_T")


def attacks(*sections: str, **tried: str) -> Callable[[_T], _T]:
    """Mark a test that tries to refute a statement of `sections`: `page#anchor`, the page without
    its language. `tried`: by language, a description of the attempt for the readers of these
    sections."""
    return lambda test: test


@dataclass(frozen=True)
class Attack:
    """A decorator `attacks` in the line `line` of `file`, and the name of its test.

    `sections`, `tried`: the arguments that are plain texts.
    """

    file: str
    line: int
    test: str
    sections: tuple[str, ...]
    tried: Mapping[str, str]


def all_attacks(book: Book) -> tuple[Attack, ...]:
    """The attacks of all tests, in their order."""
    files = book.files(book.config.claims, ".py")
    return tuple(attack for file in files for attack in book.fact(attacks_in, file))


def attacks_in(book: Book, file: str) -> tuple[Attack, ...]:
    """The attacks in a file of tests."""
    return tuple(
        Attack(file, call.lineno, test.name, tuple(_texts(call.args)), _tried(call))
        for test in functions_in(book.text_or_empty(file)).values()
        for call in _decorators(test)
    )


def attacks_on(book: Book, page: str) -> Mapping[str, tuple[Attack, ...]]:
    """The attacks on the sections of a page by their anchors; `page`: without its language."""
    found: dict[str, list[Attack]] = defaultdict(list)
    for attack in book.fact(all_attacks):
        for section in attack.sections:
            name, _, anchor = section.partition("#")
            if name == page and attack not in found[anchor]:
                found[anchor].append(attack)
    return {anchor: tuple(each) for anchor, each in found.items()}


def line_of_tried(attacks: Iterable[Attack], language: str) -> str:
    """The line that readers see at the end of a section, about these tests."""
    words = dict.fromkeys(attack.tried.get(language, "") for attack in attacks)
    return in_language(_TRIED, language) + " · ".join(words)


def functions_in(text: str) -> dict[str, ast.FunctionDef]:
    """The functions of a file by name; none if it isn't valid Python, which pytest reports."""
    try:
        body = ast.parse(text).body
    except NOT_PYTHON:
        return {}
    return {node.name: node for node in body if isinstance(node, ast.FunctionDef)}


def _decorators(test: ast.FunctionDef) -> Iterator[ast.Call]:
    for node in test.decorator_list:
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[-1] == "attacks":
            yield node


def _tried(call: ast.Call) -> dict[str, str]:
    return {key.arg: text for key in call.keywords if key.arg for text in _texts([key.value])}


def _texts(nodes: list[ast.expr]) -> Iterator[str]:
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
