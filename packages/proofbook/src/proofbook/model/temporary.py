"""Temporary folders that are removed even if their process was killed: by the next one.

A folder is locked as long as its process lives, so that abandoned folders are distinguished from
those in use by another build. Where there are no such locks (Windows) it remains.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from pathlib import Path

try:
    import fcntl
except ImportError:
    fcntl = None

PREFIX = "proofbook-run-"
"""The prefix of the names in the folder for temporary files."""


class TemporaryFolder:
    """An empty folder, locked until `remove`; abandoned ones next to it are removed first.

    `prefix`: the prefix of its name and theirs; `within`: its parent, by default the folder for
    temporary files. Use it with `with`, or call `remove`.
    """

    def __init__(self, prefix: str = PREFIX, within: Path | None = None) -> None:
        parent = within or Path(tempfile.gettempdir())
        _remove_left(parent, prefix)
        self._lock = None
        while self._lock is None:
            self.path = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
            self._lock = _locked(self.path) if fcntl else -1

    def remove(self) -> None:
        """Delete the folder, if it still exists, and release its lock."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock is not None and self._lock >= 0:
            os.close(self._lock)
        self._lock = None

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.remove()


def replace_folder(folder: Path, new: Path) -> None:
    """Replace another folder by the folder `new`, atomically, even if another process does the
    same."""
    os.chmod(new, 0o755)  # a temporary folder is private to its owner
    for last_try in (False, False, False, True):
        with TemporaryFolder(f"{folder.name}.last-", folder.parent) as beside:
            old = beside / folder.name
            with contextlib.suppress(FileNotFoundError):
                folder.rename(old)
            try:
                new.rename(folder)
                return
            except OSError:
                if not folder.exists() and old.exists():
                    old.rename(folder)  # nothing is lost
                if last_try:
                    raise


def _remove_left(parent: Path, prefix: str) -> None:
    """Remove the folders in `parent` with this prefix that no process has locked."""
    if fcntl is None:
        return
    with contextlib.suppress(OSError), os.scandir(parent) as entries:
        left = [Path(entry.path) for entry in entries if entry.name.startswith(prefix)]
        for folder in left:
            if (lock := _locked(folder)) is not None:
                shutil.rmtree(folder, ignore_errors=True)
                os.close(lock)


def _locked(folder: Path) -> int | None:
    """A descriptor that locks a folder; None if another process holds it, or it is gone."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        return None
    with contextlib.suppress(OSError):
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if folder.is_dir():  # otherwise another process has removed it
            return descriptor
    os.close(descriptor)
    return None
