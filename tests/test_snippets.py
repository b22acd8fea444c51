"""The snippets: started by hand they print what the build does; and how they are written."""

import ast
import io
import os
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest
from gradtrace import same_but_for_rounding
from proofbook.model.snippet import dtype_of_results
from proofbook.run.runner import plot_environment
from proofbook.run.shake import ABOUT_LAST_DIGITS
from proofbook.testing.fixtures import PATIENCE, sample

ROOT = Path(__file__).parent.parent
SCRIPTS = sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / "snippets").rglob("*.py"))
MOST_LINES = 50


def recorded(script: str) -> str:
    return (ROOT / script).with_suffix(".out").read_text(encoding="utf-8")


def read(script: str) -> str:
    return (ROOT / script).read_text(encoding="utf-8")


# How they run


def python(script: str) -> subprocess.CompletedProcess[str]:
    """Start an interpreter in the root of the repository, as a reader does."""
    settings = {"OMP_NUM_THREADS": "2", "PYTHONHASHSEED": "4321", "PYTHONUTF8": "1"}
    settings |= plot_environment()  # a window would wait until it is closed
    return subprocess.run(
        [sys.executable, script],
        cwd=ROOT,
        env={**os.environ, **settings},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
    )


@pytest.mark.upgrade
@pytest.mark.parametrize("script", sample(SCRIPTS, 80))
def test_python_prints_what_is_recorded(script):
    """A few of them: the build runs all, each in a fork of one process."""
    run = python(script)
    assert run.stderr == ""
    assert same_but_for_rounding(recorded(script), run.stdout, dtype_of_results(read(script)))
    assert run.returncode == 0


# How they are written


def test_how_they_are_written():
    """Short; one for both languages: a comment, a docstring or a letter outside ASCII would serve
    the readers of one only, but for the comment by which `shake` leaves last digits alone."""
    faults = {
        script: found
        for script in SCRIPTS
        if (found := [what for what, seen in FAULTS.items() if seen(read(script))])
    }
    assert faults == {}


def remarks(source: str) -> list[str]:
    """The comments of a script but for those on last digits, and the strings that stand alone."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    comments = [
        token.string
        for token in tokens
        if token.type == tokenize.COMMENT and not ABOUT_LAST_DIGITS.search(token.string)
    ]
    statements = [node.value for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Expr)]
    alone = [node.value for node in statements if isinstance(node, ast.Constant)]
    return comments + [value for value in alone if isinstance(value, str)]


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("x = 1  # one\n", ["# one"]),
        ("x = 1  # its last digits\n", []),
        ('def f():\n    """Says."""\n', ["Says."]),
        ('print("# no comment")\n', []),
    ],
)
def test_remarks_are_seen(source, found):
    assert remarks(source) == found


FAULTS = {
    f"more than {MOST_LINES} lines": lambda source: len(source.splitlines()) > MOST_LINES,
    "letters outside ASCII": lambda source: not source.isascii(),
    "comments or docstrings": remarks,
}
"""What a script must not have, and how it is found; numbers drawn without a seed differ from run to
run, which `proofbook update` and the runs above show."""
