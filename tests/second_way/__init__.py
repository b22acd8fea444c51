"""The numbers that the snippets print, found a second time without autograd.

For numbers that no equation of a page works out, and that no test in `claims/` derives: a function
here finds them by another method than the script's, and doesn't repeat its arithmetic.

One module per topic, one function per snippet, with the snippet's name: a function that returns
`Pairs`. These are, in the order of the output, pairs of a label (the text right before a number)
and what must stand after it: a number, an array, a truth value or None; the rest of the output is
not compared. Gradients are central differences of the formula on the page, in float64; where the
number is not a gradient, its formula is written out. A number that the script rounds to fewer than
four decimals is rounded here too.
"""

import importlib
from collections.abc import Callable
from pathlib import Path

from second_way.tools import Pairs

_FILES = sorted(p for p in Path(__file__).parent.glob("[a-z]*.py") if p.stem != "tools")
TOPICS = {file.stem: importlib.import_module(f"second_way.{file.stem}") for file in _FILES}

SECOND_WAY: dict[str, Callable[[], Pairs]] = {
    f"{topic}/{name}": value
    for topic, module in TOPICS.items()
    for name, value in vars(module).items()
    if getattr(value, "__annotations__", {}) == {"return": Pairs}
}
"""The snippets that print numbers, and how to find them again."""
