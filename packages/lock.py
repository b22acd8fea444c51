"""Writes `constraints.txt`: one version of every package that the book's environment is made of.

    python packages/lock.py                     after a change in requirements.txt: what it asks for
    python packages/lock.py --upgrade           the newest version of everything it does not pin
    python packages/lock.py --upgrade-package jedi

It holds for every system and each Python from 3.11 on: a package that only some of them need has a
condition in its line. uv finds the versions, and knows the options; PyPI is asked, or the index in
`UV_DEFAULT_INDEX`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
COMMAND = "python packages/lock.py"
OPTIONS = [
    *("--universal", "--python-version", "3.11", "--no-python-downloads"),
    # One version for all, where a newer one would do for some.
    *("--fork-strategy", "fewest"),
    *("--no-emit-package", "gradtrace", "--no-emit-package", "proofbook"),
    *("--no-annotate", "--custom-compile-command", COMMAND),
    *("--output-file", "packages/constraints.txt"),
]


def main() -> int:
    """Lock what requirements.txt asks for, without the lock that it names; the status is uv's."""
    lines = (ROOT / "requirements.txt").read_text("utf-8").splitlines()
    wanted = "\n".join(line for line in lines if not line.startswith("-c "))
    command = [sys.executable, "-m", "uv", "pip", "compile", "-", *OPTIONS, *sys.argv[1:]]
    done = subprocess.run(
        command, cwd=ROOT, input=wanted, encoding="utf-8", stdout=subprocess.DEVNULL
    )
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
