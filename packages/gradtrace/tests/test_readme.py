"""The README says what is so. What other tests try already is not tried here once more."""

from __future__ import annotations

import os
import pydoc
import re
import runpy
from pathlib import Path

import gradtrace
import pytest
from forked_command import run_command
from gradtrace.doctor import KINDS, command
from gradtrace.doctor.known_messages import known_messages
from gradtrace.graph.passes import MAX_PASSES
from gradtrace.monitor import FIRST, JUMP
from gradtrace.recording.recorder import MAX_EVENTS
from gradtrace.recording.tensor_values import MAX_FULL
from gradtrace.vary import MAX_RUNS
from recording import write

README = " ".join((Path(__file__).parents[1] / "README.md").read_text("utf-8").split())
NUMBERS = (
    f"It knows {len(KINDS)} kinds of findings",
    f"It looks at the first {command.PASSES} backward passes",
    f"among {len(known_messages())} messages of PyTorch",
    f"once {MAX_PASSES} backward passes (or those asked for) or {MAX_EVENTS} events are recorded",
    f"{MAX_RUNS} runs are the most",
    f"at the first {FIRST} steps",
    f"suddenly {JUMP} times as large",
    f"Tensors of more than {MAX_FULL} elements are summed up",
)
HEAD = "import sys, torch\nw = torch.ones(3, requires_grad=True)\n"
HEAD += "optimizer = torch.optim.SGD([w], lr=0.01)\nprint('seed', torch.initial_seed())\n"
LOOP = HEAD + "for step in range(40):\n    optimizer.zero_grad()\n    loss = (w * w).sum()\n"
LOOP += "    BAD\n    loss.backward()\n    optimizer.step()\nprint('end')\nsys.exit(5)\n"
SCRIPTS = {
    "train.py": LOOP.replace("    BAD\n", ""),
    "nan.py": LOOP.replace("BAD", "loss = loss * (float('nan') if step == 6 else 1)"),
    "fails.py": LOOP.replace("BAD", "assert step < 20"),
    "mine.py": LOOP.replace("    BAD\n", ""),
    "mine.html": "mine",
    "one.py": HEAD + "(w * w).sum().backward()\nsys.exit(5)\n",
}
RUNS = (
    # what the README says, the arguments, the exit status, what is printed on both streams
    ("and ends the script", "doctor train.py", 0, r"30 backward passes(?![\s\S]*\nend)"),
    ("1 if something is (", "doctor nan.py", 1, "https://b.example/en/nan-and-inf"),
    ("2 if it could not be looked at", "doctor gone.py", 2, "no such script"),
    ("leaves with `sys.exit`, or is ended, and has no fault", "doctor one.py", 5, "nothing found"),
    ("`--json` is for programs", "doctor --json one.py", 5, r'^\{\n "script": "one.py"'),
    ("the script runs on to its end", "train.py", 5, r"^seed 0\nend\n[\s\S]*train.html: \d"),
    ("The command seeds torch with 0", "one.py", 5, "^seed 0\n"),
    ("a file of that name that gradtrace did not write is left alone", "mine.py", 1, "^mine.py:1"),
    ("`-o NAME.html` | writes there", "-o mine.html one.py", 5, r"mine.html: \d"),
    ("from this step of the optimizer on", "--steps 5-6 train.py", 5, "began with step 5 "),
    ("from where a loss or a gradient", "--until nan nan.py", 5, "pass 7 of the script starts"),
    ("keeps the last steps all along", "--until error fails.py", 1, "The script failed at line 8"),
    ("`--version` | says which gradtrace this is", "--version", 0, r"^gradtrace \d"),
)


@pytest.mark.parametrize("said", NUMBERS)
def test_its_numbers_are_those_of_the_code(said):
    assert said in README


@pytest.mark.parametrize(("said", "arguments", "status", "printed"), RUNS)
def test_what_it_says_of_the_command(said, arguments, status, printed, tmp_path):
    assert said in README
    for name, source in SCRIPTS.items():
        write(tmp_path / name, source)
    environment = {**os.environ, "LC_ALL": "en_US.UTF-8", "GRADTRACE_BOOK": "https://b.example"}
    done = run_command(tmp_path, tuple(arguments.split()), environment)
    assert done.returncode == status, done.stderr
    assert re.search(printed, done.stdout + done.stderr), done.stdout + done.stderr
    assert (tmp_path / "mine.html").read_text("utf-8") == "mine" or "-o" in arguments


def test_the_options_that_it_lists_are_those_of_the_command(tmp_path):
    told = run_command(tmp_path, ("--help",), {**os.environ}).stdout
    table = README.partition("## Options of the picture")[2].partition("The exit status")[0]
    named = set(re.findall(r"`(-[-\w]+)", table))
    assert named == set(re.findall(r"(?m)^  (-[-\w]+)", told)) - {"-h"}


def test_help_lists_the_functions():
    listed = pydoc.render_doc(gradtrace, renderer=pydoc.plaintext)
    assert all(name in listed for name in gradtrace.__all__)


def test_its_example_runs(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
    block = next(b for b in re.findall(r"(?ms)^```python\n(.*?)^```$", text) if "as trace" in b)
    source = (
        "import torch\nmodel = torch.nn.Linear(3, 1)\nx, y = torch.ones(2, 3), torch.ones(2, 1)\n"
    )
    source += "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
    source += "criterion = torch.nn.MSELoss()\n" + re.sub("(?m)^trace.show.*$", "", block)
    runpy.run_path(str(write(tmp_path / "example.py", source)))
    assert (tmp_path / "step.html").is_file() and "1 step" in capsys.readouterr().out
