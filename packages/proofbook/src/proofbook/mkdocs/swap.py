"""Puts what was written in the place of what is there, which stays until the new is whole."""

from __future__ import annotations

import os
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig

from proofbook.export.take_place import take_place
from proofbook.model.temporary import TemporaryFolder


class Target:
    """Where the site goes in the end; it goes there only once it is proved.

    The settings of a build are given a folder beside the site, one for each build: two may run at
    once.
    """

    def __init__(self, config: MkDocsConfig) -> None:
        self.proved = False
        self._config, self._site = config, Path(config.site_dir)
        self._site.parent.mkdir(parents=True, exist_ok=True)
        self._new = TemporaryFolder(f"{self._site.name}.next-", self._site.parent)
        config.site_dir = str(self._new.path)

    def finish(self) -> None:
        """Put the new site in its place if it is proved; otherwise nothing is left of it."""
        try:
            if self.proved:
                take_place(self._new.path, self._site)
                self._config.site_dir = str(self._site)  # for what comes after: gh-deploy
        finally:
            self._new.remove()


def write_whole(file: Path, text: str) -> None:
    """Write a file such that who reads it at any moment reads all of the old one or of the new."""
    beside = file.with_name(f".{file.name}")  # nobody watches files whose names begin so
    beside.write_text(text, "utf-8", newline="\n")
    os.replace(beside, file)
