"""Files and folders that are replaced as a whole."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path


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
    with tempfile.TemporaryDirectory(prefix=f"{folder.name}.last-", dir=folder.parent) as beside:
        old = Path(beside, folder.name)
        with contextlib.suppress(FileNotFoundError):
            folder.rename(old)
        try:
            new.rename(folder)
        except OSError:
            if old.exists() and not folder.exists():
                old.rename(folder)
            raise
