"""The addresses of the book's pages, below that of the site."""

from __future__ import annotations

from pathlib import Path

_DOCS = Path(__file__).resolve().parents[1] / "docs"
PAGES = sorted(
    p.relative_to(_DOCS).as_posix().removesuffix(".zh.md").removesuffix("index")
    for p in _DOCS.rglob("*.zh.md")
)
ADDRESSES = [
    prefix + (f"{page}/" if page and not page.endswith("/") else page)
    for prefix in ("", "en/")
    for page in PAGES
]
"""Chinese first, then English."""
