"""A book of one snippet and one page in both languages, for the tests of the engine."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

from proofbook.model.torch_records import TorchRecord, hashes, record_file, record_text

ZH = """\
# 三倍是多少？ { #three-times }

是 6。

::: snippets/t/s.py
    highlight: 3 * w
"""
EN = ZH.replace("三倍是多少？", "What is three times w?").replace("是 6。", "It is 6.")
FILES = {
    "snippets/t/s.py": 'w = 2.0\ny = 3 * w\nprint("y:", y)\n',
    "snippets/t/s.out": "y: 6.0\n",
    "docs/t/p.zh.md": ZH,
    "docs/t/p.en.md": EN,
}


def write(file: Path, text: str | bytes) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    return file


def recorded(
    book: Book, version: str, output: str, script: str = "snippets/t/s.py", whole: bool = False
) -> tuple[str, str]:
    """The record file of a version of PyTorch with this output for a script, and its text."""
    printed = {script: hashes(book.read(script), output)}
    outputs: Mapping[str, str] = {script: output}
    if book.read(script.removesuffix(".py") + ".out") == output:
        outputs = {}
    record = TorchRecord(version, {"python": "3.11.7"}, whole, printed, outputs)
    return record_file(version), record_text(record)


def with_site(book: Book, project: Path, nav: str = "[index.md, t/p.md]") -> Book:
    """Copy to a book everything of a project that makes a site, with this navigation."""
    for name in ("theme", "docs/assets", "docs/inventories"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(project / name, book.root / name, ignore=ignored)
    config = (project / "mkdocs.yml").read_text("utf-8").replace("theme, packages", "theme")
    book.write("mkdocs.yml", re.sub(r"(?ms)^nav:\n.*?(?=^\S)", f"nav: {nav}\n", config))
    book.write("mkdocs.en.yml", (project / "mkdocs.en.yml").read_bytes())
    return book


class Book:
    """A book in a folder: one topic with one snippet, and one page in both languages."""

    def __init__(self, root: Path):
        self.root = root
        for name, text in FILES.items():
            self.write(name, text)

    def copied(self, root: Path) -> Book:
        """A copy of the book in another folder, with its site and its cache."""
        shutil.copytree(self.root, root)
        copy = Book.__new__(Book)
        copy.root = root
        return copy

    def write(self, name: str, text: str | bytes) -> None:
        write(self.root / name, text)

    def read(self, name: str) -> str:
        return (self.root / name).read_bytes().decode("utf-8")

    def change(self, name: str, old: str, new: str) -> None:
        text = self.read(name)
        assert old in text
        self.write(name, text.replace(old, new))

    def remove(self, name: str) -> None:
        (self.root / name).unlink()

    def files(self) -> dict[str, bytes]:
        found = (f for f in self.root.rglob("*") if f.is_file() and ".cache" not in f.parts)
        return {f.relative_to(self.root).as_posix(): f.read_bytes() for f in found}
