"""The style and the script of figures, which belong to this package."""

from __future__ import annotations

import re
from pathlib import Path

PLAYER_ASSETS = ("trace.js", "trace-vary.js", "trace.css")
"""What a page with a figure needs; a stand-alone page holds them."""


def asset_path(name: str) -> Path:
    """Where a style or a script of figures lies."""
    return Path(__file__).parent / name


def read_asset(name: str) -> str:
    """The text of a style or a script as a page needs it: without comments that have lines of their
    own, and without indentation."""
    text = asset_path(name).read_text(encoding="utf-8")
    comments = r"/\*.*?\*/" if name.endswith(".css") else r"(?m)^\s*//.*$"
    without = re.sub(comments, "", text, flags=re.DOTALL if name.endswith(".css") else 0)
    return re.sub(r"\n\s*", "\n", without).lstrip()
