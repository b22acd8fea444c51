"""A book about NumPy, in English alone, where nothing of the extras is installed: no torch."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from proofbook.testing.tiny_book import write

# Python runs this when it starts, in the runner's processes too: what it names cannot be found.
SITECUSTOMIZE = """\
from importlib.machinery import PathFinder

MISSING = {"fontTools", "jieba", "latex2sympy2_extended", "matplotlib", "sympy", "torch", "ziamath"}
real = PathFinder.find_spec
PathFinder.find_spec = lambda name, *others: None if name in MISSING else real(name, *others)
"""
# All in one process: starting it takes as long as what it does.
COMMANDS = """\
import sys
from mkdocs.__main__ import cli
from proofbook.__main__ import main

statuses = [main([command]) for command in sys.argv[2:]]
try:
    cli(["build", "--quiet"]) if sys.argv[1] == "build" else None
except SystemExit as end:
    statuses.append(end.code or 0)
print(statuses)
"""
FILES = {
    "mkdocs.yml": """\
site_name: Arrays
site_url: https://example.org/arrays/
theme: material
plugins:
  - search
  - proofbook:
      languages: [en]
      names: [numpy]
markdown_extensions: [attr_list, pymdownx.highlight, pymdownx.superfences]
""",
    "docs/index.md": "# Arrays { #arrays }\n\nFirst [add up](sum.md), then [look](plain.md).\n",
    "docs/sum.md": """\
# What is the mean? { #mean }

It is `3.0`, says `np.mean()` of NumPy {{ numpy.version }}. The columns add up to `9.0`.

::: snippets/mean.py
    highlight: x.mean()
""",
    "docs/plain.md": "# And without NumPy? { #plain }\n\nIt is `3.5`.\n\n::: snippets/plain.py\n",
    "docs/glossary/index.md": "# Words { #words }\n\n::: docs/glossary/terms.toml\n    part: all\n",
    "docs/glossary/terms.toml": """\
[[term]]
id = "mean"
part = "all"
en = "mean"
page = "sum"
says.en = "The sum, divided by how many there are."
""",
    "snippets/mean.py": """\
import numpy as np

x = np.array([1.0, 3.0, 5.0])
print("mean:", x.mean())
print("sum:", x.sum())
""",
    "snippets/plain.py": 'from math import sqrt\n\nprint("root:", sqrt(12.25))\n',
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The book, as its author has written it."""
    for name, text in FILES.items():
        write(tmp_path / "book" / name, text)
    write(tmp_path / "start" / "sitecustomize.py", SITECUSTOMIZE)
    return tmp_path / "book"


def run(root: Path, *arguments: str) -> tuple[list[int], str]:
    """The exit statuses of the commands, and all that they said."""
    path = os.pathsep.join([str(root.parent / "start"), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-c", COMMANDS, *arguments],
        cwd=root,
        env={**os.environ, "PYTHONPATH": path, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
    )
    said = done.stdout + done.stderr
    assert "Traceback" not in said and done.returncode == 0, said
    return json.loads(done.stdout.strip().split("\n")[-1]), said


def test_a_book_about_numpy_is_proved_and_built_and_says_nothing_of_torch(root):
    statuses, said = run(root, "build", "update", "check")
    assert statuses == [0, 0, 0], said
    assert "2 snippets run and compared, 4 pages read: everything holds" in said
    assert re.search(r"looked up 1 name of NumPy \d+\.\d+", said)
    pages = [p for p in (root / "site").rglob("*") if p.suffix in (".html", ".md", ".ipynb")]
    texts = {page.relative_to(root / "site").as_posix(): page.read_text("utf-8") for page in pages}
    for text in [said, *texts.values()]:
        assert not re.search("torch|both languages|[\u4e00-\u9fff]", text, re.IGNORECASE)
    version = re.search(r"NumPy (\d+\.\d+\.\d+) printed the output", texts["sum/index.md"])[1]
    notebook = "".join(json.loads(texts["sum/sum.ipynb"])["cells"][0]["source"])
    assert f"The outputs are those of NumPy {version};" in notebook
    assert f"`%pip install numpy=={version}`" in notebook
    assert f"of NumPy {version.rpartition('.')[0]}." in texts["sum/index.html"]
    assert re.search(r"checked: Python 3\.\d+\.\d+ printed", texts["plain/index.md"])
    assert "%pip" not in texts["plain/plain.ipynb"] and "printed" not in texts["index.md"]


def test_what_is_wrong_or_missing_is_told_in_its_line(root):
    text = FILES["docs/sum.md"].replace("np.mean()", "np.maen()").rstrip()
    write(root / "docs/sum.md", f"{text}\n    figure: trace\n\n# Again {{ #mean }}\n\n$x^2 = 9$\n")
    statuses, said = run(root, "", "update", "check", "shake")
    assert statuses == [1, 1, 0]
    assert "docs/sum.md:3: NumPy 2" in said and "expected: mean" in said
    assert "docs/sum.md:11: the formulas of this page are not checked" in said
    assert "python -m pip install 'proofbook[maths]'" in said
    assert "snippets/mean.py:1: a figure of this script needs PyTorch" in said
    assert "each anchor once" in said and "both languages" not in said
