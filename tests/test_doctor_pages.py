"""The pages of the book to which gradtrace's doctor links."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from gradtrace.doctor import KINDS

DOCS = Path(__file__).resolve().parents[1] / "docs"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_linked_section_is_in_the_book(language):
    for name, kind in KINDS.items():
        if name == "known-message":  # a page of a message is made of a section of the index
            continue
        path, _, section = kind["page"].partition("#")
        files = [DOCS / f"{path}.{language}.md", DOCS / path / f"index.{language}.md"]
        file = next((file for file in files if file.is_file()), None)
        assert file, f"{name}: no page {path} in {language}"
        anchors = re.findall(r"\{ #([\w-]+) \}", file.read_text("utf-8"))
        assert not section or section in anchors, f"{name}: no section {section} in {file.name}"
