"""The whole book as files, offered on its site where the settings name a folder that has them."""

from __future__ import annotations

import pytest
from proofbook.export.downloads import copy_offered, offered
from proofbook.mkdocs.editions import offered_from
from proofbook.model.book import read_book


@pytest.fixture
def with_files(book):
    book.write("mkdocs.yml", "plugins: [proofbook: {offered: dist, file_name: b}]\n")
    book.write("dist/b-en.pdf", b"x" * 1_340_000)
    book.write("dist/b-offline.zip", b"x" * 60_000)
    book.write("dist/other.pdf", b"x")
    return read_book(book.root)


def test_what_lies_in_the_folder_is_offered_and_nothing_else(with_files, tmp_path):
    names = [("PDF (English)", "1.3 MB"), ("zip", "0.1 MB")]
    assert [(each.name, each.size) for each in offered(with_files)] == names
    copy_offered(with_files, tmp_path / "site")
    found = {file.name for file in (tmp_path / "site/downloads").iterdir()}
    assert found == {"b-en.pdf", "b-offline.zip"}


@pytest.mark.parametrize(
    ("language", "url", "address"),
    [("zh", "", "downloads/b-en.pdf"), ("en", "t/p/", "../../../downloads/b-en.pdf")],
)
def test_the_addresses_are_seen_from_the_page(with_files, language, url, address):
    assert offered_from(url, language, with_files)[0]["href"] == address


def test_without_the_folder_nothing_is_offered(book, tmp_path):
    for folder in ("''", "nowhere"):
        book.write("mkdocs.yml", f"plugins: [proofbook: {{offered: {folder}}}]\n")
        read = read_book(book.root)
        assert offered(read) == []
        copy_offered(read, tmp_path)
    assert not (tmp_path / "downloads").exists()
