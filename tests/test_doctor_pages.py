"""The pages of the book to which gradtrace's doctor links."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from gradtrace.doctor.diagnosis import KINDS

DOCS = Path(__file__).resolve().parents[1] / "docs"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_linked_section_is_in_the_book(language):
    for kind in KINDS.values():
        page = kind.page
        path, _, section = page.partition("#")
        found = [DOCS / f"{path}.{language}.md", DOCS / path / f"index.{language}.md"]
        files = [file for file in found if file.is_file()]
        assert files, f"{kind.name}: no page {path} in {language}"
        anchors = re.findall(r"\{ #([\w-]+) \}", files[0].read_text("utf-8"))
        assert not section or section in anchors, (
            f"{kind.name}: no section {section} in {files[0].name}"
        )
