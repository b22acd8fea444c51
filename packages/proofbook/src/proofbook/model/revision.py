"""The files of a book at a revision of git, to find the edits since.

A folder without git, or without a commit, has no revision; then there is nothing to compare.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from proofbook.model.page import one_line_end


@dataclass(frozen=True)
class Revision:
    """A commit, relative to the folder of a book: `files` have another text now, are new or
    gone."""

    root: Path
    commit: str
    files: frozenset[str]

    def text(self, file: str) -> str | None:
        """The text of a file at this revision; None where there was no such file."""
        text = _git(self.root, "show", f"{self.commit}:./{file}")
        return None if text is None else one_line_end(text)


def base_revision(root: Path, environment: Mapping[str, str] = os.environ) -> Revision | None:
    """The last commit; in CI, when that is being proved, its merge base with the target branch.

    None without git, or without a commit.
    """
    commit = None
    if environment.get("CI"):
        target = f"origin/{environment.get('GITHUB_BASE_REF') or 'HEAD'}"
        commit = _git(root, "merge-base", "HEAD", target)
    commit = (commit or _git(root, "rev-parse", "--verify", "--quiet", "HEAD") or "").strip()
    edited = _git(root, "diff", "--name-only", "--no-renames", "--relative", "-z", commit)
    if not commit or edited is None:
        return None
    new = _git(root, "ls-files", "--others", "--exclude-standard", "-z") or ""
    return Revision(root, commit, frozenset(filter(None, f"{edited}\0{new}".split("\0"))))


def _git(root: Path, *arguments: str) -> str | None:
    """The output of git, or None if it fails."""
    command = ["git", "-C", str(root), *arguments]
    try:
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else None
