"""`gradtrace doctor`: its exit status, and what it prints where."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from forked_command import run_command
from gradtrace.cli import CLOSED_PIPE

ENGLISH = {**os.environ, "LC_ALL": "en_US.UTF-8"}
SICK = (Path(__file__).parent / "doctor" / "sick.py").read_text("utf-8")
WELL = """\
import torch

w = torch.ones(3, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.01)
for step in range(100):
    optimizer.zero_grad()
    (w * w).sum().backward()
    optimizer.step()
print("the end")
"""


def command(folder: Path, source: str, *options: str) -> subprocess.CompletedProcess[str]:
    """`gradtrace doctor` on a script, in a folder of its own; as cheaply as may be."""
    folder = folder / "folder"
    folder.mkdir(exist_ok=True)
    (folder / "train.py").write_text(source, encoding="utf-8")
    arguments = "doctor", *options, "train.py"
    return run_command(folder, arguments, ENGLISH)


def test_the_command_finds_faults(tmp_path):
    done = command(tmp_path, SICK, "--json")
    assert done.returncode == 1, done.stderr
    found = json.loads(done.stdout)
    assert [each["line"] for each in found["findings"]] == [14, 13, 11, None]
    assert "training" in done.stderr and "Traceback" in done.stderr
    assert not list(tmp_path.glob("*.html"))


def test_the_command_on_a_script_that_is_well(tmp_path):
    done = command(tmp_path, WELL, "--passes", "5")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("train.py: nothing found (5 backward passes, 5 steps)")
    assert "the end" not in done.stdout  # five passes are enough


def test_the_command_looks_at_later_steps(tmp_path):
    late = WELL.replace(
        "    optimizer.zero_grad()", "    if step < 20:\n        optimizer.zero_grad()"
    )
    done = command(tmp_path, late, "--steps", "30-34")
    assert done.returncode == 1 and "never-cleared" in done.stdout, done.stdout
    assert "from step 30 of the optimizer" in done.stderr
    done = command(tmp_path, WELL, "--until", "error")
    assert done.returncode == 0 and "The script did not fail." in done.stderr
    failing = WELL.replace('print("the end")', "w.numpy()")
    done = command(tmp_path, failing, "--until", "error")
    assert done.returncode == 1 and "numpy-of-graph" in done.stdout, done.stdout


def test_the_command_refuses_what_it_cannot_look_at(tmp_path):
    done = command(tmp_path, WELL, "-m", "no.such.module")
    assert done.returncode == 2 and "there is no such module" in done.stderr
    assert re.search("doctor.*train.py", command(tmp_path, WELL, "--help").stdout)


@pytest.mark.skipif(os.name == "nt", reason="a pipe is another thing there")
@pytest.mark.parametrize("print_often", ["", "    print(step)\n" * 2])
def test_it_is_quiet_where_nobody_reads_on(print_often, tmp_path):
    (tmp_path / "train.py").write_text(WELL.replace("print(", print_often + "print("), "utf-8")
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "gradtrace", "doctor", "train.py"]
    done = subprocess.run(command, cwd=tmp_path, env=ENGLISH, stdout=writing, stderr=-1)
    os.close(writing)
    assert (done.returncode, done.stderr) == (CLOSED_PIPE, b"")


@pytest.mark.skipif(os.name == "nt", reason="there is no shell that closes it")
@pytest.mark.parametrize("options", [["doctor"], ["-o", "page.html"]])
def test_a_closed_output_is_no_fault_of_the_script(options, tmp_path):
    (tmp_path / "train.py").write_text(WELL, "utf-8")
    command = [sys.executable, "-m", "gradtrace", *options, "train.py"]
    closed = ["sh", "-c", 'exec "$@" >&-', "sh", *command]
    done = subprocess.run(closed, cwd=tmp_path, env=ENGLISH, stderr=-1, text=True)
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    assert (tmp_path / "page.html").exists() == ("-o" in options)


def test_the_command_reports_what_comes_before_any_pass(tmp_path):
    twice = "import torch\nw = torch.ones(1, requires_grad=True)\ntorch.optim.SGD([w, w], lr=0.1)\n"
    done = command(tmp_path, twice)
    assert done.returncode == 1 and "parameter-twice" in done.stdout, done.stderr
    done = command(tmp_path, "import sys\nsys.exit('no data')\n")
    assert done.returncode == 2 and "it left with sys.exit (line 2)" in done.stderr
    done = command(tmp_path, "import torch\nif True\n    pass\n")
    assert done.returncode == 1 and "error    line 2     script-failed" in done.stdout
