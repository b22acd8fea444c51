"""What is mended in the files of Material is there; an upgrade that moves it is told."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import material
import pytest
from proofbook.mkdocs import material as mkdocs_material
from proofbook.mkdocs.material import mend

ASSETS = Path(material.__file__).parent / "templates/assets"


@pytest.fixture
def edition(tmp_path: Path) -> Path:
    """A site as Material leaves it, with a style sheet of the book."""
    shutil.copytree(ASSETS, tmp_path / "assets", ignore=shutil.ignore_patterns("*.map", "lunr"))
    (tmp_path / "assets/book.css").write_text(".book { color: red }", encoding="utf-8")
    return tmp_path


def script(edition: Path, name: str) -> Path:
    (found,) = edition.glob(f"assets/javascripts/{name}.*.min.js")
    return found


def test_each_place_is_mended_once(edition):
    mend(edition)
    worker = script(edition, "workers/search").read_text("utf-8")
    assert worker.startswith("//") and worker.count("asQuery(") == 2
    bundle = script(edition, "bundle").read_text("utf-8")
    assert bundle.count("new Worker(") == 1 and "late.postMessage" in bundle
    assert '"nav",{class:"md-code' not in bundle and '"div",{class:"md-code__nav"}' in bundle


def test_the_book_has_one_style_sheet_and_its_own_rules_come_last(edition):
    mend(edition)
    whole = (edition / "assets/book.css").read_text("utf-8")
    assert len(whole) > 100_000 and whole.endswith(".book { color: red }")
    assert "sourceMappingURL" not in whole


MENDS = [
    getattr(mkdocs_material, n) for n in ("QUERY", "INDEX_WAITS", "WORKER_WAITS", "COPY_BUTTONS")
]


@pytest.mark.parametrize("which", MENDS, ids=lambda which: which[0])
def test_a_place_that_an_upgrade_has_moved_is_told(edition, which):
    file = script(edition, which[0])
    file.write_bytes(re.sub(which[1], b"", file.read_bytes()))
    with pytest.raises(ValueError, match=r"the place to mend is not there. Has mkdocs-material"):
        mend(edition)
