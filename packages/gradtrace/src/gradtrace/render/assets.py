"""The style and the script of figures, which belong to this package."""

from __future__ import annotations

from pathlib import Path

PLAYER_ASSETS = ("trace.js", "trace.css")
"""What a page with a figure needs; a stand-alone page holds them."""


def asset_path(name: str) -> Path:
    """Where a style or a script of figures lies, for a site that copies it into its own assets."""
    return Path(__file__).with_name(name)


def read_asset(name: str) -> str:
    """The text of a style or a script."""
    return asset_path(name).read_text(encoding="utf-8")
