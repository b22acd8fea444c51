"""Puts a folder that was written beside another one in its place, which is whole until then."""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path


def take_place(new: Path, site: Path) -> None:
    """Put the folder `new` where `site` is, also where another process does the same."""
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
