"""The names in a piece of code that stands within prose."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from proofbook.api.index import ALIASES

_ENDINGS = {"py", "pyi", "pt", "pth", "md", "txt", "ipynb", "org"}
"""`torch.py` is a file."""
_DOTTED = re.compile(rf"(?<![\w./\"'])(?:{'|'.join(ALIASES)})(?:\.[A-Za-z_]\w*)+")


@dataclass(frozen=True)
class Use:
    """A name in a piece of code, as its parts; one whose owner has no name begins with ''."""

    parts: tuple[str, ...]
    call: bool = False
    keywords: tuple[str, ...] = ()

    @property
    def dotted(self) -> str | None:
        """The full name, where the first part says that it is one of torch's."""
        first, *rest = self.parts
        if first not in ALIASES or not rest or (len(rest) == 1 and rest[0] in _ENDINGS):
            return None
        return ".".join([ALIASES[first], *rest])


@cache
def uses(text: str) -> tuple[Use, ...]:
    """The names that stand in a piece of code, each as long as it is written."""
    return tuple(_uses(text))


def _uses(text: str) -> Iterator[Use]:
    text = text.replace("…", "...")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse("_" + text if re.match(r"\.[A-Za-z]", text) else text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        for found in _DOTTED.finditer(text):  # a part of a statement
            yield Use(tuple(found[0].split(".")))
        return
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
        yield Use(("" if first == "_" and parts else first, *parts), call, keywords)
