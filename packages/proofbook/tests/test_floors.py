"""Each floor of the package uses only those below it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import proofbook
import pytest

PACKAGE = Path(proofbook.__file__).parent
FLOORS = [
    *("markdown", "model", "api", "maths", "content", "directives", "run", "check"),
    *("html", "export", "pipeline", "other_python", "summary", "cli", "__main__", "mkdocs"),
    *("pytest_code_blocks", "pytest_plugin", "testing"),
]
"""From the lowest on: modules, and folders with all that is in them."""


def uses(file: Path) -> Iterator[str]:
    """The floors that a module imports."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom):
            package, _, rest = (node.module or "").partition(".")
            names = [rest.partition(".")[0]] if rest else [alias.name for alias in node.names]
            yield from names if package == "proofbook" else ()


@pytest.mark.parametrize("floor", FLOORS)
def test_a_floor_uses_only_those_below(floor):
    folder = PACKAGE / floor
    files = list(folder.glob("*.py")) if folder.is_dir() else [folder.with_suffix(".py")]
    used = {name for file in files for name in uses(file)} - {floor}
    assert used <= set(FLOORS[: FLOORS.index(floor)])


def test_every_module_is_on_a_floor():
    found = {path.stem for path in PACKAGE.iterdir() if path.suffix == ".py" or path.is_dir()}
    assert found - {"__init__", "__pycache__"} == set(FLOORS)
