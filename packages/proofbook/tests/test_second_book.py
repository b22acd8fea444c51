"""Another author's book: three pages in one language, and nothing but what they have to write.

No theme of its own, no second file for MkDocs, no glossary, no list of questions.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from proofbook.__main__ import main
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

It is `6`, as $2 \\times 3 = 6$ says.

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


def test_its_outputs_are_recorded_and_it_is_built_in_its_language_alone(root, command, build):
    status, _, err = command("update")
    assert (status, err) == (0, "")
    assert (root / "snippets/double.out").read_text("utf-8") == "twice: 6\n"
    assert (root / "snippets/slope.out").read_text("utf-8") == "w.grad: tensor(6.)\n"
    status, out, err = command("check")
    assert (status, err) == (0, "")
    assert out.startswith("2 snippets run and compared, 3 pages read: everything holds (")
    status, said = build(root, "--strict")
    assert status == 0, said
    site = root / "site"
    pages = {
        name: (site / name / "index.html").read_text("utf-8") for name in ("", "double", "slope")
    }
    assert all('<html lang="en"' in page for page in pages.values())
    assert "twice: 6" in pages["double"] and '<figure class="trace"' in pages["slope"]
    assert (site / "404.html").is_file() and (site / "search/search_index.json").is_file()
    # Nothing of a second language: no edition, no link to one, no word.
    assert not (site / "en").exists() and not (site / "zh").exists()
    assert not any("hreflang" in page for page in pages.values())
    assert not any(re.search("[\u4e00-\u9fff]", page) for page in pages.values())


def test_a_book_in_one_language_need_not_name_it_in_its_files(root, command, build):
    for file in root.glob("docs/*.en.md"):
        text = file.read_text("utf-8").replace("(double.en.md)", "(double.md)")
        write(file.with_name(file.name.replace(".en.md", ".md")), text)
        file.unlink()
    assert command("update")[0] == 0
    status, out, err = command("check")
    assert (status, err) == (0, "")
    assert out.startswith("2 snippets run and compared, 3 pages read: everything holds (")
    assert build(root, "--strict")[0] == 0
    double = (root / "site/double/index.html").read_text("utf-8")
    assert '<html lang="en"' in double and "twice: 6" in double
    assert "double.ipynb" in double and (root / "site/double/double.ipynb").is_file()
    assert 'href="../slope/"' in double
    status, out, _ = command("new", "curves/cube")
    assert status == 0 and "docs/curves/cube.md\n" in out
    write(root / "docs/double.en.md", FILES["docs/double.en.md"])
    status, _, err = command("check")
    assert status == 1 and "docs/double.md:1: two files are the same page" in err


def test_the_words_of_a_language_without_translation_are_english(root, command, build):
    for file in root.glob("docs/*.en.md"):
        text = file.read_text("utf-8").replace("(double.en.md)", "(double.de.md)")
        write(file.with_name(file.name.replace(".en.md", ".de.md")), text)
        file.unlink()
    settings = SETTINGS.replace("languages: [en]", "languages: [de]")
    write(
        root / "mkdocs.yml",
        settings.replace("theme: material", "theme: { name: material, language: de }"),
    )
    for name, text in GERMAN.items():
        write(root / name, text)
    assert command("update")[0] == 0
    status, _, err = command("check")
    assert (status, err) == (0, "")
    status, said = build(root, "--strict")
    assert status == 0, said
    pages = {f.parent.name: f.read_text("utf-8") for f in root.glob("site/*/index.html")}
    assert all('<html lang="de"' in page for page in pages.values())
    assert "Step" in pages["slope"] and '<table class="grid">' in pages["matrix"]
    assert "Not computed" in pages["report"] and "Python 3" in pages["report"]
    assert "leaf tensor" in pages["glossary"]
    notebook = (root / "site/slope/slope.ipynb").read_text("utf-8")
    assert "This is [a page of the book](https://example.org/slopes/slope/)" in notebook


GERMAN = {
    "docs/matrix.de.md": """\
# Eine Matrix { #matrix }

::: snippets/matrix.py
    figure: grid
    captions: Einheitsmatrix
""",
    "snippets/matrix.py": 'import torch\n\nprint("m:", torch.eye(2))\n',
    "docs/report.de.md": "# Was belegt ist { #report }\n\n::: report\n\n::: versions\n",
    "docs/glossary/index.de.md": """\
# Begriffe { #glossary }

::: docs/glossary/terms.toml
    part: graph
""",
    "docs/glossary/terms.toml": """\
[[term]]
id = "leaf-tensor"
part = "graph"
zh = "叶子张量"
en = "leaf tensor"
page = "slope"
says.zh = "图的起点。"
says.en = "Where the graph begins."
""",
}


def test_the_check_knows_the_navigation_and_how_formulas_are_written(root, command):
    assert command("update")[0] == 0
    nav = "nav: [index.md, double.md, { Curves: [cube.md] }]\n"
    write(root / "mkdocs.yml", SETTINGS + nav)
    status, _, err = command("check")
    assert status == 1
    line = SETTINGS.count("\n") + 1
    assert f"mkdocs.yml:{line}: the navigation names a page that does not exist" in err
    assert "1 problem." in err  # that a page may be left out is what MkDocs has as its default
    complete = "validation: { nav: { omitted_files: warn } }\n"
    write(root / "mkdocs.yml", SETTINGS + nav.replace("cube", "index") + complete)
    status, _, err = command("check")
    assert status == 1
    assert "docs/slope.en.md:1: the page is not in the navigation" in err and "1 problem." in err
    write(root / "mkdocs.yml", SETTINGS + nav.replace("cube", "slope") + complete)
    assert command("check")[0] == 0
    left_out = "not_in_nav: /slope*\n"
    write(root / "mkdocs.yml", SETTINGS + nav.replace("cube", "index") + complete + left_out)
    assert command("check")[0] == 0
    text = FILES["docs/slope.en.md"]
    write(root / "docs/slope.en.md", text.replace("$w^2$", "$\\frac{w$"))
    status, _, err = command("check")
    assert status == 1 and "docs/slope.en.md:3: the formula cannot be set" in err
