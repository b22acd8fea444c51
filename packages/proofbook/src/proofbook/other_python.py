"""Runs the scripts of a book with another interpreter and its PyTorch, and reports differences.

`proofbook check --python PYTHON` reports them, `--record` stores them for readers.
"""

from __future__ import annotations

import json
import re
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field

from gradtrace import same_but_for_rounding

from proofbook.check.outputs import problems_in_run
from proofbook.directives.registry import traced_scripts
from proofbook.model.book import Book
from proofbook.model.page import one_line_end
from proofbook.model.problem import Problem, Unproved
from proofbook.model.snippet import dtype_of_results, first_different_line, output_file
from proofbook.model.torch_records import (
    COMMAND,
    VERSION,
    TorchRecord,
    hashes,
    known_records,
    record_file,
    record_text,
    version_order,
)
from proofbook.pipeline import Watch
from proofbook.run.judge import LEAVES_THREAD, RAISES, WARNS, Refusal, Result, refused
from proofbook.run.runner import Runner

LIMIT = 120.0
"""The maximum number of seconds of one script: an interpreter on a cold disk is slow."""

_RUNNER_NEEDS = (3, 11)
# The text of a Python warning: the place, the message in one line or several, the source line.
_WHERE = r"^\S.*?:\d+: (?=\w+Warning: )"
_WARNING = re.compile(rf"{_WHERE}(.*(?:\n(?!  |{_WHERE[1:]}).+)*)\n(?:  .*\n)?", re.MULTILINE)
_SOURCE = re.compile(r" ?\(Triggered internally at [^)]*\)")
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
class Drill:
    """The results of another PyTorch for the scripts of a book.

    `same` and `otherwise` match the recorded outputs, of that version if it was recorded, or of the
    book; `otherwise` in another format. `problems`: differences, and runs that do not count.
    `record`: its outputs.
    """

    record: TorchRecord
    same: list[str] = field(default_factory=list)
    otherwise: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


def drill(
    book: Book,
    python: str,
    scripts: Sequence[str],
    whole: bool = False,
    watch: Watch = lambda *_: nullcontext(),
) -> Drill:
    """Run the scripts with an interpreter, and compare; `whole`: they are all scripts of the book.

    Raises `Unproved` if it is not an interpreter with PyTorch.
    """
    version, packages = ask_interpreter(python)
    known = next((r for r in book.remember(known_records) if r.version == version), None)
    known = known or TorchRecord(version, packages, False, {}, {})
    others = {s: known.printed[s] for s in known.printed if s in book.scripts and s not in scripts}
    outputs = {script: known.outputs[script] for script in others if script in known.outputs}
    found = Drill(TorchRecord(version, packages, whole or known.whole, others, outputs))
    warm = version_order(packages["python"])[:2] >= _RUNNER_NEEDS
    results = (_run_warm if warm else _run_each)(book, python, scripts, watch)
    for script, result in zip(scripts, results, strict=False):
        recorded, code = book.text_or_empty(output_file(script)), book.text(script)
        expected, pages = known.output(script, book) or recorded, book.pages_showing(script)
        if (printed := seen_by_reader(result)) is None:
            found.problems.append(refused(script, result, pages))
            continue
        others[script] = hashes(code, printed)
        if printed != recorded:
            outputs[script] = printed
        if printed == expected:
            found.same.append(script)
        elif same_but_for_rounding(expected, printed, dtype_of_results(code)):
            found.otherwise.append(script)
        else:
            line, said, prints = first_different_line(expected, printed)
            what = f"{script} prints something else with PyTorch {version}"
            fix = f"to show it to readers: {COMMAND} {script}"
            wrong = Problem(output_file(script), line, what, said, prints, fix, pages)
            found.problems.append(wrong)
    right = {str(book.root / script) for script in (*found.same, *found.otherwise)}
    for result in results[len(scripts) :]:
        if result.path in right and not known.printed:  # figures are of the book's version
            found.problems += problems_in_run(book, result, only_recorded=True)
    return found


def write_record(book: Book, record: TorchRecord) -> str:
    """Write the record of a version; returns its file."""
    file = record_file(record.version)
    (book.root / file).parent.mkdir(parents=True, exist_ok=True)
    (book.root / file).write_text(record_text(record), encoding="utf-8", newline="\n")
    return file


def ask_interpreter(python: str) -> tuple[str, dict[str, str]]:
    """The version of PyTorch of an interpreter, and the versions of Python and other packages."""
    try:
        asked = subprocess.run([python, "-c", _ASK], **_TEXT)
        if asked.returncode:
            raise OSError((asked.stderr.strip().splitlines() or ["nothing"])[-1])
    except OSError as error:
        what, expected = "this is not an interpreter with PyTorch", "a path as ../new/bin/python"
        fix = "make one: python3 -m venv new && new/bin/pip install torch numpy matplotlib"
        raise Unproved([Problem(python, 1, what, expected, str(error), fix)]) from error
    said, packages = json.loads(asked.stdout.strip().splitlines()[-1])
    release = VERSION.match(said)
    return release[0] if release else said, packages


def _run_warm(book: Book, python: str, scripts: Sequence[str], watch: Watch) -> list[Result]:
    """The runs of the scripts, then the recordings of the ones with figures."""
    traced = book.fact(traced_scripts)
    jobs = [(s, False) for s in scripts] + [(s, True) for s in scripts if s in traced]
    with Runner(LIMIT, python=python) as runner:
        waiting = [runner.submit(book.root / script, recorded) for script, recorded in jobs]
        with watch(waiting, runner.running):
            return [future.result() for future in waiting]


def _run_each(book: Book, python: str, scripts: Sequence[str], watch: Watch) -> list[Result]:
    """The same for an interpreter that is too old for the runner: a process for each script."""
    results = []
    for script in scripts:
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([python, str(book.root / script)], cwd=folder, **_TEXT)
        said, why = done.stderr.strip(), None
        if done.returncode:
            why = Refusal(RAISES, "no error", said.splitlines()[-1] if said else "", "")
        elif said:
            why = Refusal(WARNS, "nothing there", said, "")
        results.append(Result(str(book.root / script), done.stdout, 0.0, why))
    return results


def seen_by_reader(result: Result) -> str | None:
    """The output of a run that a reader sees, with the error or the warnings below it.

    Without the folder in which packages are installed on this machine. A thread that another
    version of PyTorch leaves running is not the script's fault. None if the run was refused for
    another reason.
    """
    printed, why = _INSTALLED.sub("site-packages/", one_line_end(result.stdout)), result.refusal
    if why is None or why.what == LEAVES_THREAD:
        return printed
    if why.what == RAISES:
        return f"{printed}{why.found}\n"
    if why.what != WARNS or _WARNING.sub("", f"{why.found}\n"):
        return None
    warnings = (_SOURCE.sub("", said[1]) for said in _WARNING.finditer(f"{why.found}\n"))
    return printed + "".join(f"{warning}\n" for warning in warnings)
