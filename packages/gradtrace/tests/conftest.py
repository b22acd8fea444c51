"""What the tests of pages in a browser share."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def axe() -> str:
    """axe-core, which finds what keeps people out of a page; for `page.evaluate`."""
    return (ROOT / "tests/axe-core/axe.min.js").read_text("utf-8")
