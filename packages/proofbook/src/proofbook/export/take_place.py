"""Puts a folder that was written beside another one in its place, which is whole until then."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from proofbook.model.temporary import TemporaryFolder


def take_place(new: Path, site: Path) -> None:
    """Put the folder `new` where `site` is, also where another process does the same."""
    os.chmod(new, 0o755)  # a temporary folder is its owner's alone
    for last_try in (False, False, False, True):
        with TemporaryFolder(f"{site.name}.last-", site.parent) as folder:
            old = folder / site.name
            with contextlib.suppress(FileNotFoundError):
                site.rename(old)
            try:
                new.rename(site)
                return
            except OSError:
                if not site.exists() and old.exists():
                    old.rename(site)  # nothing is lost
                if last_try:
                    raise
