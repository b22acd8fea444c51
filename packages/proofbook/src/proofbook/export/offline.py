"""The book as a folder of files: `proofbook offline` packs it into one zip.

It opens from the file system with a double click, in all its languages, and needs no network.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from proofbook.model.config import read_config

_NOT_NEEDED = {"404.html", "sitemap.xml", "sitemap.xml.gz", "search_index.json"}
_EPOCH = (1980, 1, 1, 0, 0, 0)
"""The timestamp in the zip, fixed so that the same book yields the same bytes."""


class ExportError(Exception):
    """Raised if the book could not be exported; says why, and how to fix it."""


@contextmanager
def built_site(root: Path, progress: Callable[[str], None]) -> Iterator[Path]:
    """The site as files, built and checked, in a folder that is deleted afterwards."""
    progress("building all languages and running every snippet; this takes about half a minute ...")
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder, "site")
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(site)]
        environment = {**os.environ, "OFFLINE": "true", "NO_MKDOCS_2_WARNING": "1"}
        done = subprocess.run(
            command, cwd=root, env=environment, capture_output=True, text=True, encoding="utf-8"
        )
        if done.returncode or not (site / "index.html").is_file():
            raise ExportError(f"the book could not be built; nothing was written\n\n{done.stderr}")
        yield site


@contextmanager
def replaced_file(file: Path) -> Iterator[Path]:
    """A temporary path to write to; it becomes `file` only when it is complete."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{file.name}.", dir=file.parent) as folder:
        yield Path(folder, file.name)
        os.replace(Path(folder, file.name), file)


def offline(root: Path, out: Path, progress: Callable[[str], None]) -> str:
    """Write the zip into the folder `out`; returns a summary. `progress` is called with messages.

    The zip contains one folder; its `index.html` is the start page.
    """
    folder = read_config(root).file_name
    archive = out / f"{folder}-offline.zip"
    with built_site(root, progress) as site, replaced_file(archive) as target:
        files = sorted(f for f in site.rglob("*") if f.is_file() and f.name not in _NOT_NEEDED)
        progress(f"packing {len(files)} files ...")
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as packed:
            for file in files:
                name = f"{folder}/{file.relative_to(site).as_posix()}"
                entry = zipfile.ZipInfo(name, _EPOCH)
                entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
                packed.writestr(entry, file.read_bytes())
    size = archive.stat().st_size / 1e6
    return f"{archive}: {size:.1f} MB, {len(files)} files; unzip it and open {folder}/index.html"
