"""The site of the book, built once for all tests."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from proofbook.export.offline import built_site
from proofbook.testing.server import serve

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def site(tmp_path_factory) -> Iterator[str]:
    """The address of the book, built as it is published and served on this machine."""
    folder = tmp_path_factory.mktemp("hosted") / "site"
    with serve(folder) as address:
        subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
            cwd=ROOT,
            env={**os.environ, "SITE_URL": address, "NO_MKDOCS_2_WARNING": "1"},
            check=True,
        )
        yield address


@pytest.fixture(scope="session")
def book_as_files() -> Iterator[Path]:
    """The book as `proofbook offline` and `pdf` have it built, once for all tests."""
    with built_site(ROOT, lambda _: None) as site:
        yield site
