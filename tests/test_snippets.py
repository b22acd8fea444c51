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
WHOLE_PROGRAMS = {  # what several lessons have built, all of it together
    "snippets/gradient/value_network.py": 70,
    "snippets/gradient/value_check.py": 80,
    "snippets/gradient/transformer.py": 90,
    "snippets/fine_tuning/transformer.py": 111,
}


@pytest.mark.upgrade
@pytest.mark.parametrize("script", sample(SCRIPTS, 80))
def test_python_prints_what_is_recorded(script):
    """A few of them, each in an interpreter of its own as a reader starts it: the build runs all in
    forks of one process."""
    settings = {"OMP_NUM_THREADS": "2", "PYTHONHASHSEED": "4321", "PYTHONUTF8": "1"}
    settings |= plot_environment()  # a window would wait until it is closed
    run = subprocess.run(
        [sys.executable, script],
        cwd=ROOT,
        env={**os.environ, **settings},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
    )
    assert (run.stderr, run.returncode) == ("", 0)
    recorded = (ROOT / script).with_suffix(".out").read_text(encoding="utf-8")
    dtype = dtype_of_results((ROOT / script).read_text(encoding="utf-8"))
    assert same_but_for_rounding(recorded, run.stdout, dtype)


def faults(source: str, most: int = MOST_LINES) -> list[str]:
    """What a script must not have. It is short, and serves both languages: a comment, a docstring
    or a letter outside ASCII would serve the readers of one only, but for the comment by which
    `shake` leaves last digits alone. Numbers drawn without a seed are shown by the runs."""
    comments = [
        token.string
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT and not ABOUT_LAST_DIGITS.search(token.string)
    ]
    alone = [n.value for n in ast.walk(ast.parse(source)) if isinstance(n, ast.Expr)]
    alone = [node.value for node in alone if isinstance(node, ast.Constant)]
    long = [f"more than {most} lines"] if source.count("\n") > most else []
    foreign = [] if source.isascii() else ["letters outside ASCII"]
    return [*long, *foreign, *comments, *(value for value in alone if isinstance(value, str))]


def test_how_they_are_written():
    found = {
        script: faults(
            (ROOT / script).read_text(encoding="utf-8"), WHOLE_PROGRAMS.get(script, MOST_LINES)
        )
        for script in SCRIPTS
    }
    assert {script: each for script, each in found.items() if each} == {}
