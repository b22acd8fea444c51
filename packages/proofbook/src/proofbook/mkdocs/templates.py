"""The templates of the theme: listed without those that no site has, compiled once for all editions
and builds."""

from __future__ import annotations

import os

import jinja2
from jinja2.bccache import Bucket
from mkdocs.theme import Theme

from proofbook.mkdocs.kept import Kept


class CompiledTemplates(jinja2.BytecodeCache):
    """Keeps compiled templates by their text."""

    def __init__(self, kept: Kept) -> None:
        self._kept = kept
        self._options = ""

    def use(self, env: jinja2.Environment) -> None:
        """Have an environment take its templates from here, and put them here."""
        self._options = repr(sorted(env.extensions))
        env.bytecode_cache = self

    def load_bytecode(self, bucket: Bucket) -> None:
        if code := self._kept.get(("template", bucket.key, self._options), bucket.checksum):
            bucket.bytecode_from_string(code)

    def dump_bytecode(self, bucket: Bucket) -> None:
        code = bucket.bytecode_to_string()
        self._kept.put(("template", bucket.key, self._options), bucket.checksum, code)


class ThemeFiles(jinja2.FileSystemLoader):
    """Loads the files of a theme, and lists those that may be part of a site.

    MkDocs leaves out what lies in folders whose names begin with a dot, after it has looked at all
    of it: in Material, 11,000 icons.
    """

    def list_templates(self) -> list[str]:
        found = set()
        for root in self.searchpath:
            for folder, folders, names in os.walk(root):
                folders[:] = [name for name in folders if not name.startswith(".")]
                below = os.path.relpath(folder, root).replace(os.path.sep, "/")
                found.update(name if below == "." else f"{below}/{name}" for name in names)
        return sorted(found)


def list_fewer_files(theme: Theme) -> None:
    """Have the environments of a theme list its files as `ThemeFiles` does."""

    def get_env() -> jinja2.Environment:
        env = Theme.get_env(theme)
        env.loader = ThemeFiles(theme.dirs)
        return env

    theme.get_env = get_env
