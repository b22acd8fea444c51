"""The names in a piece of inline code."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from proofbook.api.index import ALIASES

_FILE_ENDINGS = {"py", "pyi", "pt", "pth", "md", "txt", "ipynb", "org"}
"""`torch.py` is a file."""
_DOTTED_NAME = re.compile(rf"(?<![\w./\"'])(?:{'|'.join(ALIASES)})(?:\.[A-Za-z_]\w*)+")

NOT_PYTHON = (SyntaxError, ValueError, MemoryError, RecursionError)
"""What `ast.parse` raises for a text that is no Python, or nests too deep."""


@dataclass(frozen=True)
class CodeName:
    """A name in a piece of code.

    `parts`: the name split at its dots; the first part is '' where the owner is an expression
    without a name, as in `(a + b).grad`. `call`: whether it is called; `keywords`: the names of the
    arguments that the call gives by keyword.
    """

    parts: tuple[str, ...]
    call: bool = False
    keywords: tuple[str, ...] = ()

    @property
    def dotted(self) -> str | None:
        """The full name, where the first part says that it is one of torch's."""
        first, *rest = self.parts
        if first not in ALIASES or not rest or (len(rest) == 1 and rest[0] in _FILE_ENDINGS):
            return None
        return ".".join([ALIASES[first], *rest])


def names_in_code(text: str) -> tuple[CodeName, ...]:
    """The names in a piece of code, each as long as it is written.

    Code that does not parse, such as `with torch.no_grad():`, gives its dotted names alone.
    """
    text = text.replace("…", "...")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse("_" + text if re.match(r"\.[A-Za-z]", text) else text)
    except NOT_PYTHON:
        return tuple(CodeName(tuple(found[0].split("."))) for found in _DOTTED_NAME.finditer(text))
    return tuple(_names_in_tree(tree))


def _names_in_tree(tree: ast.AST) -> Iterator[CodeName]:
    seen: set[int] = set()
    for node in ast.walk(tree):
        call = isinstance(node, ast.Call)
        named = node.func if call else node
        if not isinstance(named, (ast.Attribute, ast.Name)) or id(named) in seen:
            continue
        parts: list[str] = []
        while isinstance(named, ast.Attribute):
            seen.add(id(named))
            parts.insert(0, named.attr)
            named = named.value
        seen.add(id(named))
        first = named.id if isinstance(named, ast.Name) else ""
        keywords = tuple(k.arg for k in node.keywords if k.arg) if call else ()
        yield CodeName(("" if first == "_" and parts else first, *parts), call, keywords)
