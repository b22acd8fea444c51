"""The folder of the site, which a new one replaces once it is proved."""

from __future__ import annotations

import os
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig

from proofbook.model.temporary import TemporaryFolder, replace_folder


class SiteFolder:
    """The folder of a site, which is replaced once the new one is proved; until then, and after a
    failure, the last one remains.

    The settings of a build point to a folder next to it, one for each build: two may run at once.
    """

    def __init__(self, config: MkDocsConfig) -> None:
        self.proved = False
        self._config, self._site = config, Path(config.site_dir)
        self._site.parent.mkdir(parents=True, exist_ok=True)
        self._new = TemporaryFolder(f"{self._site.name}.next-", self._site.parent)
        config.site_dir = str(self._new.path)

    def finish(self) -> None:
        """Replace the old site if the new one is proved; otherwise delete the new one."""
        try:
            if self.proved:
                replace_folder(self._site, self._new.path)
                self._config.site_dir = str(self._site)  # for later steps: gh-deploy
        finally:
            self._new.remove()


def write_atomically(file: Path, text: str) -> None:
    """Write a file atomically: readers get either all of the old one or all of the new one."""
    new = file.with_name(f".{file.name}")  # files with this prefix are not watched
    new.write_text(text, "utf-8", newline="\n")
    os.replace(new, file)
