"""The pages of the book to which gradtrace's doctor links."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.request import urlopen

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


@pytest.mark.parametrize("edition", ["", "en/"])
def test_each_page_says_what_the_doctor_finds(site, edition):
    pages: dict[str, str] = {}
    for name, kind in KINDS.items():
        path = kind["page"].partition("#")[0].removesuffix("index").rstrip("/")
        if name != "known-message":
            pages[path] = pages.get(path) or urlopen(f"{site}{edition}{path}/").read().decode()
            said = re.findall('<p class="found".*?</p>', pages[path])
            assert any(f"<code>{name}</code>" in line for line in said), f"{path}: {name}"
