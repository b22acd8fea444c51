"""The addresses of the book's pages, below that of the site."""

from __future__ import annotations

import re
from pathlib import Path

_DOCS = Path(__file__).resolve().parents[1] / "docs"
_NAMES = (p.relative_to(_DOCS).as_posix().removesuffix(".zh.md") for p in _DOCS.rglob("*.zh.md"))
PAGES = sorted(
    name.removesuffix("index") if name.endswith("index") else f"{name}/" for name in _NAMES
)
"""Those of the Chinese edition; English ones have `en/` before them."""
ADDRESSES = [edition + page for edition in ("", "en/") for page in PAGES]
"""Chinese first, then English."""
_MESSAGE = re.compile(r"^### `.*` \{ #([\w-]+) \}$", re.MULTILINE)
MESSAGES = [
    f"{edition}messages/{anchor}/"
    for edition in ("", "en/")
    for anchor in _MESSAGE.findall((_DOCS / "messages/index.zh.md").read_text("utf-8"))
]
"""Those of the pages that are made of the page of messages."""
