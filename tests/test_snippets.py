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
from proofbook.run.plot_environment import plot_environment
from proofbook.run.shake import ABOUT_LAST_DIGITS
from proofbook.testing.fixtures import PATIENCE
from proofbook.testing.sample import sample

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
    the readers of one only, but for the comment by which `shake` leaves last digits alone; with
    `torch.manual_seed` before random numbers."""
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


# Randomness

DRAWS = {
    *("rand", "randn", "randint", "rand_like", "randn_like", "randint_like", "randperm"),
    *("normal", "bernoulli", "multinomial", "poisson", "dropout"),
    *("uniform_", "normal_", "random_", "bernoulli_", "exponential_", "cauchy_", "geometric_"),
    *("log_normal_", "xavier_uniform_", "xavier_normal_", "kaiming_uniform_", "kaiming_normal_"),
    *("trunc_normal_", "orthogonal_", "sparse_", "sample", "rsample", "random_split"),
    *("Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout"),
}
"""Functions and layers that draw random numbers whenever they are used."""


def calls(source: str) -> list[tuple[int, str]]:
    """Line and full name of every call: `torch.nn.Linear(2, 1)` is `torch.nn.Linear`."""
    found = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return sorted((call.lineno, ast.unparse(call.func)) for call in found)


def unseeded(source: str) -> list[str]:
    """The calls that draw random numbers and have no `torch.manual_seed` on a line before them.

    Seen are the functions of DRAWS, whatever they are called on, and everything in a module named
    `random` (Python's, NumPy's); the last of these need a seed of their own, `random.seed`.
    Not seen: a function under another name, and layers such as Linear, whose first weights are
    random; printed, they differ from run to run, so that the tests of how the scripts run fail.
    """
    found, seeded, random_seeded = [], False, False
    for _, name in calls(source):
        *owners, last = name.split(".")
        seeded |= last == "manual_seed"
        random_seeded |= "random" in owners and last == "seed"
        if not random_seeded if "random" in owners else last in DRAWS and not seeded:
            found.append(name)
    return found


FAULTS = {
    f"more than {MOST_LINES} lines": lambda source: len(source.splitlines()) > MOST_LINES,
    "letters outside ASCII": lambda source: not source.isascii(),
    "comments or docstrings": lambda source: [
        x for x in remarks(source) if not ABOUT_LAST_DIGITS.search(x)
    ],
    "random numbers without torch.manual_seed before them": unseeded,
}
"""What a script must not have, and how it is found."""


def test_fresh_interpreters_draw_different_weights(tmp_path):
    """So the runs above would show first weights that are neither seeded nor overwritten."""
    script = tmp_path / "weights.py"
    script.write_text("from torch import nn\nprint(nn.Linear(9, 1).weight.sum().item())\n")
    one, other = python(str(script)), python(str(script))
    assert one.stdout and other.stdout and one.stdout != other.stdout


@pytest.mark.parametrize(
    ("source", "found"),
    [
        ("x = torch.randn(2)", ["torch.randn"]),
        ("torch.manual_seed(0)\nx = torch.randn(2)", []),
        ("x = torch.randn(2)\ntorch.manual_seed(0)", ["torch.randn"]),
        ("x = torch.empty(2).uniform_()", ["torch.empty(2).uniform_"]),
        ("net = nn.Dropout(0.5)", ["nn.Dropout"]),
        ("torch.manual_seed(0)\nx = np.random.rand(2)", ["np.random.rand"]),
        ("np.random.seed(0)\nx = np.random.rand(2)", []),
        ("x = torch.ones(2)", []),
    ],
)
def test_unseeded_calls_are_seen(source, found):
    assert unseeded(source) == found
