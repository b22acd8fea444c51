"""The templates of the theme, compiled once for all editions, rebuilds and later builds."""

from __future__ import annotations

import jinja2
from jinja2.bccache import Bucket

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
