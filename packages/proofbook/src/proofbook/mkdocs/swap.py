"""Puts a new site in the place of the old one, which stays until the new one is whole."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path


def take_place(new: Path, site: Path) -> None:
    """Put the new site where the old one is, also where another build does the same."""
    os.chmod(new, 0o755)  # a temporary folder is its owner's alone
    old = Path(f"{new}.last")
    for last_try in (False, False, False, True):
        with contextlib.suppress(FileNotFoundError):
            site.rename(old)
        try:
            new.rename(site)
            break
        except OSError:
            if not site.exists() and old.exists():
                old.rename(site)  # nothing is lost
            if last_try:
                raise
        finally:  # where the site is another build's by now, ours of before is old all the same
            shutil.rmtree(old, ignore_errors=True)
