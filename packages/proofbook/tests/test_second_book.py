"""Another author's book: three pages in one language, and nothing but what they have to write.

No theme of its own, no second file for MkDocs, no glossary, no list of questions.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from proofbook.cli.main import main
from proofbook.run.runner import Runner
from proofbook.testing.fixtures import lent
from proofbook.testing.tiny_book import write

SETTINGS = """\
site_name: Slopes
site_url: https://example.org/slopes/
theme: material
plugins:
  - search
  - proofbook:
      languages: [en]
markdown_extensions:
  - attr_list
  - pymdownx.highlight
  - pymdownx.superfences
  - pymdownx.arithmatex: { generic: true }
"""
FILES = {
    "mkdocs.yml": SETTINGS,
    "docs/index.en.md": "# Slopes { #slopes }\n\nWhat a slope is. See [doubling](double.en.md).\n",
    "docs/double.en.md": """\
# What is twice three? { #double }

It is 6, as $2 \\times 3 = 6$ says.

::: snippets/double.py
    highlight: 2 * x
""",
    "docs/slope.en.md": """\
# What is the slope of a square? { #slope }

At $w = 3$ the slope of $w^2$ is `6`.

::: snippets/slope.py
    figure: trace
""",
    "snippets/double.py": 'x = 3\nprint("twice:", 2 * x)\n',
    "snippets/slope.py": """\
import torch

w = torch.tensor(3.0, requires_grad=True)
y = w**2
y.backward()
print("w.grad:", w.grad)
""",
}
Command = Callable[..., tuple[int, str, str]]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The book as its author has typed it; the name of its folder has blanks."""
    root = tmp_path / "a second book"
    for name, text in FILES.items():
        write(root / name, text)
    return root


@pytest.fixture
def command(root: Path, runner: Runner, other_runner: Runner, capsys) -> Command:
    """`proofbook ...` in the folder of the book."""

    def command(*arguments: str) -> tuple[int, str, str]:
        with lent(runner, other_runner):
            status = main(["--root", str(root), *arguments])
        return status, *capsys.readouterr()

    return command


def test_its_outputs_are_recorded_and_all_of_it_holds(root, command):
    status, _, err = command("update")
    assert (status, err) == (0, "")
    assert (root / "snippets/double.out").read_text("utf-8") == "twice: 6\n"
    assert (root / "snippets/slope.out").read_text("utf-8") == "w.grad: tensor(6.)\n"
    assert (root / "snippets/slope.trace").is_file()
    status, out, err = command("check")
    assert (status, err) == (0, "")
    assert out.startswith("2 snippets run and compared, 3 pages read: everything holds (")


def test_it_is_built_in_its_language_alone(root, command, build):
    assert command("update")[0] == 0
    status, said = build(root, "--strict")
    assert status == 0, said
    site = root / "site"
    pages = {name: (site / name).read_text("utf-8") for name in PAGES}
    assert all('<html lang="en"' in page for page in pages.values())
    assert "twice: 6" in pages["double/index.html"]
    assert '<figure class="trace"' in pages["slope/index.html"]
    assert (site / "404.html").is_file() and (site / "search/search_index.json").is_file()
    # Nothing of a second language: no edition, no link to one, no word.
    assert not (site / "en").exists() and not (site / "zh").exists()
    assert not any("hreflang" in page for page in pages.values())
    assert not any(re.search("[\u4e00-\u9fff]", page) for page in pages.values())


PAGES = ("index.html", "double/index.html", "slope/index.html")


def test_what_does_not_hold_fails_its_build_too(root, command, build):
    assert command("update")[0] == 0
    assert build(root, "--strict")[0] == 0
    before = (root / "site/double/index.html").read_bytes()
    write(root / "snippets/double.out", "twice: 7\n")
    status, said = build(root, "--strict")
    assert status != 0 and "snippets/double.out:1" in said
    assert "proofbook update snippets/double.py" in said
    assert (root / "site/double/index.html").read_bytes() == before
