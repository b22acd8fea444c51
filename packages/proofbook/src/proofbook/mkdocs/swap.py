"""Puts what was written in the place of what is there, which stays until the new is whole."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig

from proofbook.export.take_place import take_place


class Target:
    """Where the site goes in the end; it goes there only once it is proved.

    The settings of a build are given a folder beside the site, one for each build: two may run at
    once.
    """

    def __init__(self, config: MkDocsConfig) -> None:
        self.proved = False
        self._config, self._site = config, Path(config.site_dir)
        self._site.parent.mkdir(parents=True, exist_ok=True)
        config.site_dir = tempfile.mkdtemp(prefix=f"{self._site.name}.next-", dir=self._site.parent)

    def finish(self) -> None:
        """Put the new site in its place if it is proved; otherwise nothing is left of it."""
        new = Path(self._config.site_dir)
        if self.proved:
            take_place(new, self._site)
            self._config.site_dir = str(self._site)  # for what comes after: gh-deploy
        shutil.rmtree(new, ignore_errors=True)


def write_whole(file: Path, text: str) -> None:
    """Write a file such that who reads it at any moment reads all of the old one or of the new."""
    beside = file.with_name(f".{file.name}")  # nobody watches files whose names begin so
    beside.write_text(text, "utf-8", newline="\n")
    os.replace(beside, file)
