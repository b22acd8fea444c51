"""What an older PyTorch printed: `.then` files, which say of which script, so that none goes stale.

The first line of such a file says what it is; the rest is the output.
"""

from __future__ import annotations

import hashlib
import re

VERSION = re.compile(r"\d{1,3}(?:\.\d{1,3}){1,3}")


def older_file(script: str, version: str) -> str:
    """The file with the output of a script under an older version."""
    return f"{script.removesuffix('.py')}.{version}.then"


def then_text(script: str, version: str, output: str) -> str:
    """The text of a `.then` file. `script` and `output` are texts."""
    return f"{_head(script, version, output)}\n{output}"


def output_in(text: str) -> str:
    """The output in the text of a `.then` file."""
    return text.partition("\n")[2]


def why_stale(script: str, version: str, text: str) -> str | None:
    """Why the text of a `.then` file isn't what that version printed for this script, or None."""
    head, _, output = text.partition("\n")
    if not output.strip():
        return "nothing is recorded in it"
    if head == _head(script, version, output):
        return None
    kept = re.fullmatch(r"PyTorch \S+ printed this: script (\w+), output (\w+)", head)
    if not kept:
        return "its first line doesn't say what it is"
    return "the script has changed since" if kept[1] != _hash(script) else "it was edited by hand"


def _head(script: str, version: str, output: str) -> str:
    return f"PyTorch {version} printed this: script {_hash(script)}, output {_hash(output)}"


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:12]
