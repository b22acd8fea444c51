"""What a browser is told while the site is served: whether the last edit is checked."""

from __future__ import annotations

import html
import json
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from mkdocs.config.defaults import MkDocsConfig

from proofbook.mkdocs.swap import write_whole
from proofbook.model.config import in_language

STATUS = "proofbook-status.json"
"""The file of the served site that says what is checked; `live.js` reads it."""

_SCRIPT = Path(__file__).with_name("live.js")
_WORDS = {"zh": "这次修改还在核对", "en": "This edit is being checked"}


def write_status(site: Path, edits: int, checked: bool, failing: Sequence[str]) -> None:
    """Say that this many edits were shown, whether the last is checked, and which pages fail, by
    their addresses."""
    said = {"edits": edits, "checked": checked, "failing": failing}
    write_whole(site / STATUS, json.dumps(said))


def with_status(output: str, config: MkDocsConfig, language: str) -> str:
    """The HTML of a page with the script that says whether the last edit is checked."""
    root = urlsplit(config.extra["book_url"] or "/").path or "/"
    words = html.escape(in_language(_WORDS, language))
    script = _SCRIPT.read_text("utf-8")
    tag = f'<script data-status="{root}{STATUS}" data-words="{words}">{script}</script>'
    return output.replace("</body>", f"{tag}</body>", 1)
