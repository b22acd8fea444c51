"""`gradtrace --vary`: a run for each value, in the page; what it refuses and says."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from figure_checks import packed_parts, packed_runs
from forked_command import run_command
from gradtrace import record_script
from gradtrace.drawing import page as standalone
from gradtrace.drawing.figure import VariedNumber
from gradtrace.drawing.player_data import VariedRun, VariedRuns
from recording import write

TRAIN = """\
import sys
import torch

open("runs.txt", "a").write("run\\n")
w = torch.tensor(2.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)
for step in range(2):
    optimizer.zero_grad()
    (w * torch.rand(())).backward()
    optimizer.step()
    print("w:", w.item())
"""
ENGLISH = {**os.environ, "LC_ALL": "en_US.UTF-8"}


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command on a script of its own, as cheaply as may be."""
    return run_command(folder, arguments, ENGLISH)


def printed(folder: Path, source: str) -> str:
    """What a script prints that is run and recorded by itself."""
    source = source.replace('open("runs.txt", "a")', "sys.stderr")
    return record_script(write(folder / "alone.py", source)).stdout.strip()


def test_each_value_is_a_run_of_the_script_with_that_number(tmp_path):
    write(tmp_path / "train.py", TRAIN + "sys.exit(7)\n")
    done = command(tmp_path, "--vary", "lr = 0.01 to 1 times 10", "train.py")
    assert done.returncode == 7, done.stderr
    expected = [printed(tmp_path, TRAIN.replace("0.1", lr)) for lr in ("0.01", "0.1", "1.0")]
    assert len(set(expected)) == 3
    page = (tmp_path / "train.html").read_text("utf-8")
    assert [run[1] for run in packed_runs(page)] == expected
    assert done.stdout.strip() == expected[1]
    assert (tmp_path / "runs.txt").read_text() == "run\n" * 3
    told = re.findall(r"Run (\d) of 3: (.+)", done.stderr)
    assert told == [("2", "lr = 0.01"), ("3", "lr = 1.0")]
    for part in packed_parts(page):
        assert len(part["runs"]) == 3 and len(part["views"]) == 1


FAILS = """\
import torch

k = 2
w = torch.tensor(2.0, requires_grad=True)
if k == 1:
    raise ValueError("not one")
y = w * w
y.backward()
if k == 3:
    y.backward()
if k < 4:
    (w * k).backward()
if k == 2:
    print("end")
"""


def test_a_value_with_which_the_script_fails_shows_that(tmp_path):
    write(tmp_path / "train.py", FAILS)
    done = command(tmp_path, "--vary", "k = 1 to 5 step 1", "train.py")
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "train.html").read_text("utf-8")
    (part,) = packed_parts(page)
    of_run = [part["sentences"][from_:][: len(part["shared"][others["steps"]][0])]
              for from_, _, others in part["runs"]]  # fmt: skip
    one, two, three, four, _ = of_run
    assert one == ["With this value no backward pass was recorded. The script failed at line 6:"
                   " <code>ValueError: not one</code>"]  # fmt: skip
    assert "end" in two[-1] and "RuntimeError: Trying to backward" in three[-1]
    assert len(four) < len(two)
    said = packed_runs(page)
    assert [run[0] for run in said] == [None, None, "another", "another", "another"]
    assert "The script failed at line 10: <code>RuntimeError" in said[2][2]
    assert "(fails)" in said[2][3]
    assert "k == 1" in done.stderr or "not one" in done.stderr  # its traceback


def test_the_default_of_an_option_in_a_module_with_two_numbers(tmp_path):
    write(tmp_path / "package/__init__.py", "")
    source = "import argparse\nimport torch\nfrom .scale import scale\n"
    source += "parser = argparse.ArgumentParser()\n"
    source += "parser.add_argument('--learning-rate', type=float, default=1e-1)\n"
    source += "def start(at=2.0):\n    return torch.tensor(at, requires_grad=True)\n"
    source += "w = start()\nscale(w).backward()\n"
    source += "print((w - parser.parse_args().learning_rate * w.grad).item())\n"
    write(tmp_path / "package/train.py", source)
    write(tmp_path / "package/scale.py", "factor = 3.0\ndef scale(w):\n    return factor * w\n")
    numbers = ["--vary", "learning-rate = 0.2", "--vary", "at=1,3"]
    done = command(tmp_path, *numbers, "-m", "package.train")
    assert done.returncode == 0, done.stderr
    found = [float(run[1]) for run in packed_runs((tmp_path / "train.html").read_text("utf-8"))]
    assert found == pytest.approx([0.7, 1.7, 2.7, 0.4, 1.4, 2.4])
    done = command(tmp_path, "--vary", "factor=1", "-m", "package.train")
    assert "found:    none" in done.stderr  # a number of the script itself


def test_it_says_where_a_number_makes_no_difference(tmp_path):
    write(tmp_path / "train.py", TRAIN + "unused = 3\n")
    done = command(tmp_path, "--vary", "unused = 4", "train.py")
    assert "what was recorded does not depend on unused" in done.stderr, done.stderr


REFUSED = {
    "unknown": (["rate = 1"], "one number in what is assigned to rate", "none"),
    "twice": (["w = 1", "w = 3"], "each number once", "w twice"),
    "many": (["lr = 0 to 1 step 0.01"], "at most 50 runs in all", "101"),
    "three": (["lr = 1", "w = 1", "seed = 1"], "at most 2 numbers", "3"),
    "ambiguous": (["many = 1"], "one number in", "5 in line 13, 6 in line 14"),
}


@pytest.mark.parametrize(("asked", "expected", "found"), REFUSED.values(), ids=REFUSED)
def test_what_it_cannot_vary_is_refused_before_anything_runs(tmp_path, asked, expected, found):
    write(tmp_path / "train.py", TRAIN + "seed = 0\nmany = 5\nmany = 6\n")
    options = [word for text in asked for word in ("--vary", text)]
    done = command(tmp_path, *options, "train.py")
    assert done.returncode == 1
    told = [
        r'train\.py:1: --vary "[^"]+": this number cannot be varied',
        rf"  expected: .*{re.escape(expected)}.*",
        rf"  found:    {re.escape(found)}.*",
        r"  fix:      .+",
    ]
    assert re.search("\n".join(told), done.stderr), done.stderr
    assert not (tmp_path / "runs.txt").exists() and not (tmp_path / "train.html").exists()


def test_runs_without_room_on_one_page_are_refused(tmp_path, monkeypatch):
    trace = record_script(write(tmp_path / "train.py", TRAIN.replace("open(", "str(")))
    numbers = [VariedNumber("lr", "lr", 6, 35, 38, ("0.1", "0.2"), 0)]
    varied = VariedRuns(numbers, [VariedRun(trace.stdout, trace)] * 2)
    page = standalone.standalone_page("train.py", trace, "en", varied=varied)
    monkeypatch.setattr(standalone, "MAX_VARIED_SIZE", 20_000)
    with pytest.raises(standalone.TooLarge) as told:
        standalone.standalone_page("train.py", trace, "en", varied=varied)
    assert 20_000 < told.value.size <= len(page.encode()) + standalone.HEAD_SIZE
