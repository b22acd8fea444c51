"""What the README says of the package: its three pages, its commands, its files."""

from __future__ import annotations

import re
from pathlib import Path

import proofbook
import pytest
from proofbook.__main__ import main
from proofbook.check.registry import problems_in_files
from proofbook.model.book import read_book
from proofbook.model.problem import errors
from proofbook.testing.tiny_book import write

PACKAGE = Path(proofbook.__file__).parent
README = Path(__file__).resolve().parents[1] / "README.md"
TEXT = README.read_text("utf-8")
OUTPUTS = {"snippets/double.out": "twice: 6\n", "snippets/slope.out": "w.grad: tensor(6.)\n"}


def files() -> dict[str, str]:
    """The files that the README shows, as a reader would type them."""
    settings, shown = re.findall(r"(?s)```(?:yaml|text)\n(.*?)```", TEXT)[:2]
    found = {"mkdocs.yml": settings}
    for start in re.finditer(r"(?m)^(\S+)( +)", shown):
        name, column = start[1], len(start[0])
        rows = shown[start.end() :].split("\n")
        last = next((n for n, row in enumerate(rows) if n and row[:1].strip()), len(rows))
        found[name] = "\n".join([rows[0], *(row[column:] for row in rows[1:last])])
    return {name: f"{text.rstrip()}\n" for name, text in found.items()}


def problems(root: Path, changed: dict[str, str] | None = None) -> list[str]:
    for name, text in (files() | OUTPUTS | (changed or {})).items():
        write(root / name, text)
    found = errors(problems_in_files(read_book(root)))
    return [p.file for p in found if p.what != "the snippet has no recorded trace"]


def test_its_book_of_three_pages_holds(tmp_path):
    assert len(files()) == 6 and problems(tmp_path) == []


@pytest.mark.parametrize(
    ("name", "place"),
    [(n, m.start()) for n, text in files().items() for m in re.finditer(r"6", text)],
)
def test_a_7_where_a_page_says_6_is_reported(tmp_path, name, place):
    text = files()[name]
    assert problems(tmp_path, {name: f"{text[:place]}7{text[place + 1 :]}"}) == [name]


@pytest.mark.parametrize("command", sorted(set(re.findall(r"`proofbook (\w+)", TEXT))))
def test_its_commands_exist(command, capsys):
    with pytest.raises(SystemExit) as ended:
        main([command, "--help"])
    assert ended.value.code == 0 and command in capsys.readouterr().out


def test_its_files_exist():
    table = TEXT.partition("## Where to look")[2]
    named = set(re.findall(r"`((?:\w+/)+(?:\w+\.\w+)?|\w+\.py)`", table)) - {"src/proofbook/"}
    gradtrace = PACKAGE.parents[2] / "gradtrace/src"
    missing = [n for n in named if not any((f / n).exists() for f in (PACKAGE, gradtrace))]
    assert len(named) > 20 and missing == []
