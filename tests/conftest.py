"""The site of the book, built once for all tests."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from filelock import FileLock
from proofbook.export.offline import built_site
from proofbook.testing.browser import serve

ROOT = Path(__file__).resolve().parents[1]
ADDRESS = "https://example.org/book/"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The book as files is a second build of the whole book, and its PDFs take minutes."""
    for item in items:
        if "book_as_files" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.exhaustive)


@pytest.fixture(scope="session")
def site_folder(tmp_path_factory) -> Path:
    """The site as it is published: that in the folder BOOK_SITE, or one that is built here."""
    if given := os.environ.get("BOOK_SITE"):
        return Path(ROOT, given)
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # the folder that all workers have in common
    site = folder / "site"
    with FileLock(folder / "site.lock"):
        if not site.is_dir():
            subprocess.run(
                [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)],
                cwd=ROOT,
                env={**os.environ, "SITE_URL": ADDRESS},
                check=True,
            )
    return site


@pytest.fixture(scope="session")
def published(site_folder) -> str:
    """The address at which the site says that it is published, with a slash at its end."""
    return re.search("<loc>(.*?)</loc>", (site_folder / "sitemap.xml").read_text("utf-8"))[1]


@pytest.fixture(scope="session")
def site(site_folder, published) -> Iterator[str]:
    """The address at which the site is served on this machine, with a slash at its end."""
    with serve(site_folder, urlsplit(published).path, published) as address:
        yield address


@pytest.fixture(scope="session")
def book_as_files() -> Iterator[Path]:
    """The book as `proofbook offline` and `pdf` have it built; who uses it is exhaustive."""
    with built_site(ROOT, lambda _: None) as site:
        yield site
