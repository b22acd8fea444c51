"""What is patched in the files of Material is there; an upgrade that moves it is refused."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path

import material
import pytest
from proofbook.mkdocs.material import PATCHES, patch_theme, show_problems
from proofbook.model.config import BookConfig, Language
from proofbook.model.problem import Problem

ASSETS = Path(material.__file__).parent / "templates/assets"


@pytest.fixture
def edition(tmp_path: Path) -> Path:
    """A site as Material leaves it, with a style sheet of the book."""
    shutil.copytree(ASSETS, tmp_path / "assets", ignore=shutil.ignore_patterns("*.map", "lunr"))
    (tmp_path / "assets/book.css").write_text("/* a\nb */.book { color: red }", encoding="utf-8")
    return tmp_path


def script(edition: Path, name: str) -> Path:
    (found,) = edition.glob(f"assets/javascripts/{name}.*.min.js")
    return found


def test_each_place_is_patched_once(edition):
    patch_theme(edition)
    worker = script(edition, "workers/search").read_text("utf-8")
    assert worker.startswith("//") and "this.index.search(" not in worker
    assert all(worker.count(f"{name}(") == 2 for name in ("answers", "named"))  # told and called
    assert worker.count("new Ranking(") == 1
    bundle = script(edition, "bundle").read_text("utf-8")
    assert bundle.count("new Worker(") == 1 and "late.postMessage" in bundle
    assert '"nav",{class:"md-code' not in bundle and '"div",{class:"md-code__nav"}' in bundle


def test_the_book_has_one_style_sheet_and_its_own_rules_come_last(edition):
    patch_theme(edition)
    whole = (edition / "assets/book.css").read_text("utf-8")
    assert len(whole) > 100_000 and whole.endswith(".book { color: red }")
    assert "sourceMappingURL" not in whole and "/* a" not in whole and '"/* "' in whole


@pytest.mark.parametrize("which", PATCHES, ids=lambda which: which[0])
def test_a_place_that_an_upgrade_has_moved_is_told(edition, which):
    file = script(edition, which[0])
    file.write_bytes(re.sub(which[1], b"", file.read_bytes()))
    with pytest.raises(ValueError, match=r"the place to patch is not there. Has mkdocs-material"):
        patch_theme(edition)


def test_a_book_without_a_style_sheet_is_patched_too(edition):
    (edition / "assets/book.css").unlink()
    patch_theme(edition)
    assert not (edition / "assets/book.css").exists()


def test_the_problems_of_a_page_stand_at_its_top(tmp_path):
    page = tmp_path / "t/p/index.html"
    page.parent.mkdir(parents=True)
    page.write_text("<!doctype html><article class=x><h1>A</h1></article><p>b", "utf-8")
    config = BookConfig(languages=(Language("de", "Deutsch"),))
    problem = Problem("docs/t/p.de.md", 3, "it is wrong", "a < b", "c", "correct it")
    show_problems([replace(problem, pages=("docs/t/p.de.md",))], tmp_path, config)
    shown = page.read_text("utf-8")
    assert '<article class="x"><div class="admonition failure" role="alert"><p' in shown
    assert "Something on this page doesn't hold right now" in shown and "a &lt; b" in shown
    assert shown.startswith("<!DOCTYPE html>") and shown.count("<h1>A</h1>") == 1
