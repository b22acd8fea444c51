"""Runs the scripts of a book with other versions of PyTorch and records what they print.

Each version has an interpreter of its own, which may be made for the purpose and removed again.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path

from gradtrace import same_but_for_rounding

from proofbook.check.outputs import refused
from proofbook.model.book import Book
from proofbook.model.page import one_line_end
from proofbook.model.problem import Problem, Unproved
from proofbook.model.snippet import dtype_of_results, output_file
from proofbook.model.sources import RECORDS
from proofbook.model.temporary import TemporaryFolder
from proofbook.model.version_records import (
    VERSION,
    VersionRecord,
    hashes,
    known_records,
    record_file,
    record_text,
    version_order,
)
from proofbook.run.refusals import LEAVES_THREAD, RAISES, WARNS
from proofbook.run.result import Refusal, Result
from proofbook.run.runner import Runner

CPU_INDEX = "https://download.pytorch.org/whl/cpu"
"""Has builds without CUDA, where there are any; otherwise those of PyPI are taken."""
LIMIT = 120.0
"""Seconds that one script may take: an interpreter on a cold disk is slow."""

_BESIDE = ("numpy", "matplotlib", "pygments")
"""What the scripts and the runner need beside PyTorch; installed in the versions that are here."""
_RUNNER_NEEDS = (3, 11)
# What Python writes of a warning: where, what it says in one line or several, the line that warned.
_WHERE = r"^\S.*?:\d+: (?=\w+Warning: )"
_WARNING = re.compile(rf"{_WHERE}(.*(?:\n(?!  |{_WHERE[1:]}).+)*)\n(?:  .*\n)?", re.MULTILINE)
_SOURCE = re.compile(r" ?\(Triggered internally at [^)]*\)")
# What gloo of PyTorch 2.8 to 2.10 writes when processes connect: two at once, mixed as it happens.
_GLOO = re.compile(
    r"\A(?=.*\[Gloo\])(?:\[Gloo\] Rank|is connected to|peer ranks\.|"
    r"Expected number of connected peer ranks is :|[\d \n])*\n"
)
_INSTALLED = re.compile(r"[^\s'\"]*[/\\]site-packages[/\\]")
_TEXT = {"capture_output": True, "text": True, "encoding": "utf-8", "errors": "replace"}
_ASK = """
import json, platform
from importlib import metadata
import torch
found = {"python": platform.python_version()}
for name in ("numpy", "matplotlib"):
    try:
        found[name] = metadata.version(name)
    except metadata.PackageNotFoundError:
        pass
print(json.dumps([torch.__version__, found]))
"""


@dataclass
class Comparison:
    """What a version prints, compared with the outputs of the book, by script.

    `same`: the same text; `otherwise`: the same numbers in another form; `different`: anything
    else. `refused`: runs that do not count, so that nothing is recorded of them.
    """

    version: str
    same: list[str] = field(default_factory=list)
    otherwise: list[str] = field(default_factory=list)
    different: list[str] = field(default_factory=list)
    refused: list[Problem] = field(default_factory=list)


def record_version(book: Book, python: str, scripts: Collection[str] | None = None) -> Comparison:
    """Run scripts (by default all) with an interpreter, and write the record of its PyTorch.

    What is recorded of other scripts stays. Raises `Unproved` where it is no interpreter with
    PyTorch.
    """
    version, packages = ask_interpreter(python)
    chosen = list(book.scripts if scripts is None else scripts)
    run = _run_warm if version_order(packages["python"])[:2] >= _RUNNER_NEEDS else _run_each
    before = next((r for r in known_records(book) if r.version == version), None)
    kept = [s for s in (before.printed if before else ()) if s in book.scripts and s not in chosen]
    printed = {script: before.printed[script] for script in kept}
    outputs = {script: before.outputs[script] for script in kept if script in before.outputs}
    found = Comparison(version)
    for script, result in zip(chosen, run(python, book.root, chosen), strict=True):
        if (output := seen_by_reader(result)) is None:
            found.refused.append(refused(script, result))
            continue
        recorded = book.text_or_empty(output_file(script))
        printed[script] = hashes(book.text(script), output)
        if output == recorded:
            found.same.append(script)
            continue
        outputs[script] = output
        alike = same_but_for_rounding(recorded, output, dtype_of_results(book.text(script)))
        (found.otherwise if alike else found.different).append(script)
    whole = scripts is None or bool(before and before.whole)
    record = VersionRecord(version, packages, whole, printed, outputs)
    file = book.root / record_file(version)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(record_text(record), encoding="utf-8", newline="\n")
    return found


@contextlib.contextmanager
def installed(version: str) -> Iterator[str]:
    """An interpreter like ours with this version of PyTorch; it is removed in the end.

    Raises `Unproved` where there is no such version for this machine.
    """
    with TemporaryFolder() as folder:
        python = str(Path(folder, "Scripts/python.exe" if os.name == "nt" else "bin/python"))
        torch, pip = f"torch=={version}", [python, "-m", "pip", "install", "-q", "--no-cache-dir"]
        beside = [f"{name}=={metadata.version(name)}" for name in _BESIDE]
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        if subprocess.run([*pip, torch, "--index-url", CPU_INDEX], **_TEXT).returncode:
            beside.insert(0, torch)
        done = subprocess.run([*pip, *beside], **_TEXT)
        if done.returncode:
            said = "\n".join((done.stderr or done.stdout).strip().splitlines()[-4:])
            raise _unusable(torch, "a version that pip can install here", said)
        yield python


def ask_interpreter(python: str) -> tuple[str, dict[str, str]]:
    """The version of PyTorch that an interpreter has, and those of Python and other packages."""
    expected = "an interpreter with PyTorch, as venv/bin/python"
    try:
        asked = subprocess.run([python, "-c", _ASK], **_TEXT)
    except OSError as error:
        raise _unusable(python, expected, str(error)) from error
    if asked.returncode:
        raise _unusable(python, expected, (asked.stderr.strip().splitlines() or ["nothing"])[-1])
    said, packages = json.loads(asked.stdout.strip().splitlines()[-1])
    version = said.partition("+")[0]
    if not VERSION.fullmatch(version):
        raise _unusable(python, "a release of PyTorch, as 2.15.0", version)
    return version, packages


def _run_warm(python: str, root: Path, scripts: Sequence[str]) -> list[Result]:
    with Runner(LIMIT, python=python) as runner:
        return runner.run(root / script for script in scripts)


def _run_each(python: str, root: Path, scripts: Sequence[str]) -> list[Result]:
    """The same for an interpreter that is too old for the runner: a process for each script."""
    results = []
    for script in scripts:
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([python, str(root / script)], cwd=folder, **_TEXT)
        said, why = done.stderr.strip(), None
        if done.returncode:
            why = Refusal(RAISES, "no error", said.splitlines()[-1] if said else "", "")
        elif said:
            why = Refusal(WARNS, "nothing there", said, "")
        results.append(Result(str(root / script), done.stdout, 0.0, why))
    return results


def seen_by_reader(result: Result) -> str | None:
    """What a reader sees of a run: what was printed, and the error or the warnings below it.

    Without the lines in which gloo says who is connected, and without the folder in which packages
    are installed on this machine. A thread that another version of
    PyTorch leaves running is not the script's doing. None where the run was refused for something
    else.
    """
    printed, why = _GLOO.sub("", one_line_end(result.stdout)), result.refusal
    printed = _INSTALLED.sub("site-packages/", printed)
    if why is None or why.what == LEAVES_THREAD:
        return printed
    if why.what == RAISES:
        return f"{printed}{why.found}\n"
    if why.what != WARNS or _WARNING.sub("", f"{why.found}\n"):
        return None
    warnings = (_SOURCE.sub("", said[1]) for said in _WARNING.finditer(f"{why.found}\n"))
    return printed + "".join(f"{warning}\n" for warning in warnings)


def _unusable(name: str, expected: str, found: str) -> Unproved:
    mend = "proofbook versions --help"
    what = f"with this nothing can be recorded in {RECORDS}"
    return Unproved([Problem(name, 1, what, expected, found, mend)])
