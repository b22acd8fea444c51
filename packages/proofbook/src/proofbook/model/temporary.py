"""Temporary folders, of which those of killed processes are removed later by another one; files and
folders that are replaced as a whole."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import time
from pathlib import Path

PREFIX = "proofbook-runs-"
"""The prefix of the names in the folder for temporary files."""

ABANDONED = 7 * 24 * 3600
"""Seconds after which an unchanged temporary folder is in no use any more: a site may be served
for days."""


class TemporaryFolder:
    """An empty folder until `remove`; abandoned ones next to it are removed first.

    `prefix`: the prefix of its name and theirs; `within`: its parent, by default the folder for
    temporary files. Use it with `with`, or call `remove`.
    """

    def __init__(self, prefix: str = PREFIX, within: Path | None = None) -> None:
        parent = within or Path(tempfile.gettempdir())
        for left in parent.glob(f"{prefix}*"):
            with contextlib.suppress(OSError):
                if time.time() - left.stat().st_mtime > ABANDONED:
                    shutil.rmtree(left)
        self.path = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))

    def remove(self) -> None:
        """Delete the folder, if it still exists."""
        shutil.rmtree(self.path, ignore_errors=True)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.remove()


def write_text(file: Path, text: str) -> None:
    """Write a file atomically, in its folder: whoever reads it meanwhile, a server perhaps, gets
    either all of the old one or all of the new one."""
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_name(f".{file.name}")
    new.write_text(text, "utf-8", newline="\n")
    os.replace(new, file)


def replace_folder(folder: Path, new: Path) -> None:
    """Replace another folder by the folder `new`; nothing is lost if that fails."""
    os.chmod(new, 0o755)  # a temporary folder is private to its owner
    with TemporaryFolder(f"{folder.name}.last-", folder.parent) as beside:
        old = beside / folder.name
        with contextlib.suppress(FileNotFoundError):
            folder.rename(old)
        try:
            new.rename(folder)
        except OSError:
            if old.exists() and not folder.exists():
                old.rename(folder)
            raise
