"""The pages of the book to which gradtrace's doctor links."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from gradtrace.doctor.kinds import KINDS
from gradtrace.doctor.report import page_address

DOCS = Path(__file__).resolve().parents[1] / "docs"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_linked_section_is_in_the_book(language):
    for kind, (_, page) in KINDS.items():
        path, _, section = page.partition("#")
        found = [DOCS / f"{path}.{language}.md", DOCS / path / f"index.{language}.md"]
        files = [file for file in found if file.is_file()]
        assert files, f"{kind}: no page {path} in {language}"
        anchors = re.findall(r"\{ #([\w-]+) \}", files[0].read_text("utf-8"))
        assert not section or section in anchors, f"{kind}: no section {section} in {files[0].name}"


def test_addresses_are_those_of_the_site():
    book = "https://book.example/"
    assert page_address("basics/nan#why", "en", book) == "https://book.example/en/basics/nan/#why"
    assert page_address("basics/nan", "zh", book) == "https://book.example/basics/nan/"
    assert page_address("updates/index", "zh", book) == "https://book.example/updates/"
    assert page_address("basics/nan#why", "en", "") == "basics/nan#why"
