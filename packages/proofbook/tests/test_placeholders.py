"""`{{ torch.version }}` in a page is the version that is installed, wherever the page is read."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError

import pytest
from proofbook.export.notebook import notebook_text
from proofbook.export.site_files import markdown_copy
from proofbook.html.page import site_markdown
from proofbook.model import book as books
from proofbook.model.book import fill_placeholders, read_book

EN = "docs/t/p.en.md"


@pytest.fixture(autouse=True)
def torch_2_13(monkeypatch):
    def version_of(package: str) -> str:
        if package != "torch":
            raise PackageNotFoundError(package)
        return "2.13.0"

    monkeypatch.setattr(books, "version_of", version_of)


@pytest.mark.parametrize(
    ("text", "filled"),
    [
        ("On {{ torch.version }} and {{torch.version}}.", "On 2.13 and 2.13."),
        ("`torch=={{ torch.version }}`", "`torch==2.13`"),
        ("{{ os.version }}, {{ torch }}, $x_{{t}}$",) * 2,
    ],
)
def test_what_is_filled_in(text, filled):
    assert fill_placeholders(text) == filled


def test_page_site_notebook_and_copy_are_filled_in(book):
    book.write(EN, book.read(EN) + "\nThis is PyTorch {{ torch.version }}.\n")
    now = read_book(book.root)
    texts = [
        now.page(EN).text,
        site_markdown(now, EN, 0),
        json.loads(notebook_text(now, EN, "en", "https://example.org/"))["cells"],
        markdown_copy(now, EN, "en", "https://example.org/", "https://example.org/p/"),
    ]
    for text in map(str, texts):
        assert "This is PyTorch 2.13." in text and "{{" not in text


def test_what_cannot_be_filled_in_is_told(book, proof_command):
    book.write(EN, book.read(EN) + "\nThis is {{ toch.version }}; `{{ toch.version }}` is code.\n")
    told = proof_command("check", EN)[2]
    line = book.read(EN).count("\n")
    assert told.count("nothing can be filled in here") == 1
    assert (
        f"{EN}:{line}: nothing can be filled in here\n"
        "  expected: the name of an installed package, as {{ markdown.version }}" in told
    )
