"""Runs a check where its scripts reach nothing: for a stranger's pull request.

The sandbox is bubblewrap's, on Linux: no network, an empty home folder, nothing to write to that
outlives the check, and no process of others. It doesn't guard against faults of the kernel.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from proofbook.model.problem import Problem, Unproved


def run_in_sandbox(root: Path, arguments: Sequence[str]) -> int:
    """Run `proofbook` with these arguments in a sandbox; returns its exit status. Raises `Unproved`
    where the system has no bubblewrap."""
    bwrap = shutil.which("bwrap")
    if bwrap is None:
        what, fix = "a sandbox needs bubblewrap, on Linux", "apt install bubblewrap"
        raise Unproved([Problem("proofbook check", 1, what, "the program bwrap", "none", fix)])
    (root / ".cache").mkdir(exist_ok=True)
    # What a check remembers is forgotten: a script could have written it.
    empty = (str(Path.home()), "/tmp", "/run")
    readable = [str(path) for path in (sys.base_prefix, sys.prefix, root)]
    command = [
        *(bwrap, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"),
        *(option for folder in empty for option in ("--tmpfs", folder)),
        *(option for folder in readable for option in ("--ro-bind", folder, folder)),
        *("--tmpfs", str(root / ".cache")),
        *("--unshare-all", "--die-with-parent", "--new-session", "--chdir", str(root)),
        *(sys.executable, "-m", "proofbook", "--root", str(root), *arguments),
    ]
    return subprocess.run(command, check=False).returncode
