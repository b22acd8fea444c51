"""Each floor of the package uses only those below it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import gradtrace
import pytest

PACKAGE = Path(gradtrace.__file__).parent
FLOORS = [
    *("trace", "values", "tolerance", "recording", "graph", "words", "story", "drawing"),
    *(
        "options",
        "run_notes",
        "vary",
        "doctor",
        "api",
        "monitor",
        "lightning",
        "transformers",
        "cli",
    ),
    "pytest_plugin",
]
"""From the lowest on: modules, and folders with all that is in them."""


def uses(file: Path) -> Iterator[str]:
    """The floors that a module imports; not what only a type checker does."""
    tree = ast.parse(file.read_text("utf-8"))
    hints = [node for node in ast.walk(tree) if isinstance(node, ast.If)]
    hints = [node for node in hints if ast.unparse(node.test) == "TYPE_CHECKING"]
    ignored = {id(inner) for node in hints for inner in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and id(node) not in ignored:
            package, _, rest = (node.module or "").partition(".")
            names = [rest.partition(".")[0]] if rest else [alias.name for alias in node.names]
            yield from names if package == "gradtrace" else ()


@pytest.mark.parametrize("floor", FLOORS)
def test_a_floor_uses_only_those_below(floor):
    folder = PACKAGE / floor
    files = list(folder.glob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]
    used = {name for file in files for name in uses(file)} - {floor}
    assert used <= set(FLOORS[: FLOORS.index(floor)])


def test_every_module_is_on_a_floor():
    found = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert found - {"__init__", "__main__", "__pycache__"} == set(FLOORS)
    assert not found & set(gradtrace.__all__)  # a module hides the name of its package
