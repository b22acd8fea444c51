"""What the tests of gradtrace share: writing scripts, and recording them in this process."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import torch._dynamo  # noqa: F401  the first optimizer imports it, which is slow when traced
from gradtrace import Trace, record_script

HEAD = "import torch\nfrom torch import nn\n"


def write(file: Path, text: str) -> Path:
    """Write a file, with the folders above it."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
    return file


def recorded(body: str, folder: Path) -> Trace:
    """Record a script: two imports of torch, the body, and a print."""
    source = HEAD + dedent(body).strip("\n") + '\nprint("end")\n'
    return record_script(write(folder / "script.py", source))
