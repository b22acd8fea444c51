"""`gradtrace FILE`: what it records, refuses and says, and the file that it writes."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from html import unescape
from itertools import chain
from pathlib import Path

import pytest
from figure_checks import numbers_in, packed_parts
from forked_command import PATIENCE, run_command, typed_command
from gradtrace import record_script
from gradtrace.drawing.page import GENERATOR
from gradtrace.graph.passes import without_unfinished
from recording import write

TINY = """\
import torch

w = torch.tensor(2.0, requires_grad=True)
y = 3 * w
y.backward()
print("w.grad:", w.grad)
"""
MLP = """\
import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1))
optimizer = torch.optim.Adam(net.parameters())
for step in range(2):
    optimizer.zero_grad()
    loss = net(torch.randn(8, 3)).pow(2).mean()
    loss.backward()
    optimizer.step()
"""
ERROR = """\
import torch

w = torch.tensor(2.0, requires_grad=True)
y = w * w
y.backward()
y.backward()
"""
ENGLISH = {**os.environ, "LC_ALL": "en_US.UTF-8"}


def typed(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command as a user types it: it starts an interpreter, which imports torch."""
    return typed_command(folder, arguments, ENGLISH)


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command on a script of its own, as cheaply as may be."""
    return run_command(folder, arguments, ENGLISH)


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> dict[str, tuple[Path, subprocess.CompletedProcess]]:
    """The files that the command makes of some scripts, and what it said."""
    folder = tmp_path_factory.mktemp("made")
    found = {}
    for name, source in {"tiny": TINY, "mlp": MLP, "error": ERROR}.items():
        write(folder / f"{name}.py", source)
        language = "en" if name == "tiny" else "zh"
        # The first as it is typed, so that torch is imported by the command itself.
        run = typed if name == "tiny" else command
        done = run(folder, "--language", language, f"{name}.py")
        found[name] = folder / f"{name}.html", done
    return found


def body(file: Path) -> str:
    """What a reader sees of a file without JavaScript: no style, no script."""
    text = file.read_text("utf-8")
    return re.sub(r"(?s)<(style|script)\b.*?</\1>", "", text).partition("<body")[2]


def steps(file: Path, part: int = 0) -> list[str]:
    """The sentences of a part of the recording, as HTML."""
    return packed_parts(file.read_text("utf-8"))[part]["sentences"]


# What it makes


@pytest.mark.parametrize("name", ["tiny", "mlp", "error"])
def test_it_writes_one_file_that_fetches_nothing(made, name):
    file, done = made[name]
    assert done.returncode == (1 if name == "error" else 0), done.stderr
    assert re.search(rf"(?m)^{name}\.html: \d+ kB, recorded with PyTorch", done.stderr)
    text = file.read_text("utf-8")
    assert GENERATOR in text and "PyTorch 2." in body(file)
    assert not re.search(r'(?:src|href)="(?!data:|#)', text) and "@import" not in text
    assert len(text.encode()) < 100_000


def test_the_script_prints_as_ever(made):
    assert made["tiny"][1].stdout == "w.grad: tensor(3.)\n"


@pytest.mark.parametrize(("name", "source"), [("tiny", TINY), ("mlp", MLP)])
def test_every_number_in_the_file_is_in_the_recording(made, name, source, tmp_path):
    trace = record_script(write(tmp_path / "seen.py", source))
    html = made[name][0].read_text("utf-8")
    held = [trace.source, trace.stdout, trace.tensors, trace.nodes, trace.events]
    known = numbers_in(json.dumps(held, ensure_ascii=False))
    for part in packed_parts(html):
        told = [*part["sentences"], *chain(*part["changes"])]
        assert numbers_in(unescape(" ".join(told))) <= known
    code = re.search(r"(?s)</span><code>(.*?)</code></pre>", html)[1]
    assert unescape(re.sub("<[^>]+>", "", code)) == source


def test_an_error_is_the_last_step_and_told(made):
    file, done = made["error"]
    assert "脚本在第 6 行出错：RuntimeError: Trying to backward" in done.stderr
    assert 'error.py", line 6, in <module>' in done.stderr and "gradtrace/" not in done.stderr
    (part,) = packed_parts(file.read_text("utf-8"))
    sentences, (lines, *_) = part["sentences"], part["steps"]
    assert "出错：<code>RuntimeError: Trying to backward" in sentences[-1] and lines[-1] == 6
    assert part["start"][1] == len(sentences)


# Scripts as they are


def test_arguments_neighbours_and_relative_files(tmp_path):
    write(tmp_path / "code/model.py", "import torch\n\ndef double(w):\n    return 2 * w\n")
    script = "import sys, torch\nfrom model import double\n"
    script += "w = torch.tensor(float(open('w.txt').read()), requires_grad=True)\n"
    script += "if __name__ == '__main__':\n    double(w).backward()\n    print(sys.argv, w.grad)\n"
    write(tmp_path / "code/train.py", script)
    write(tmp_path / "w.txt", "5")
    done = typed(tmp_path, "-o", "other.html", "code/train.py", "--epochs", "1")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "['code/train.py', '--epochs', '1'] tensor(2.)\n"
    assert "MulBackward0" in body(tmp_path / "other.html")
    assert not (tmp_path / "train.html").exists()


LOOP = "import torch\nw = torch.tensor(2.0, requires_grad=True)\n"
LOOP += "while True:\n    (w * w).backward()\n"
HANGS = LOOP.replace("while True:\n    ", "") + "import time\ntry:\n    time.sleep(99)\n"
HANGS += "except BaseException:\n    time.sleep(99)\n"


def test_a_script_runs_on_once_enough_is_recorded(tmp_path):
    counted = (
        LOOP.replace("while True:", "for i in range(30):")
        + "print('end', i)\nraise SystemExit(7)\n"
    )
    write(tmp_path / "loop.py", counted)
    done = command(tmp_path, "loop.py")
    assert done.stdout == "end 29\n" and done.returncode == 7, done.stderr
    assert "10 backward passes were recorded; from line 4 on the script ran without" in done.stderr


def test_a_script_without_end_is_stopped_where_that_is_asked_for(tmp_path):
    write(
        tmp_path / "loop.py",
        "try:\n    " + LOOP.replace("\n", "\n    ") + "\nfinally:\n    print('left')\n",
    )
    done = command(tmp_path, "--stop", "--passes", "2-3", "loop.py")
    assert done.returncode == 0 and done.stdout == "left\n", done.stderr
    parts = packed_parts((tmp_path / "loop.html").read_text("utf-8"))
    assert len(parts) == 2 and "Backward pass 2 starts" in "".join(steps(tmp_path / "loop.html", 1))
    assert "3 backward passes were recorded; then, at line 5, the script was stopped" in done.stderr


def test_an_error_after_the_recording_is_told(tmp_path):
    write(tmp_path / "late.py", LOOP.replace("while True:", "for i in range(12):") + "1 / 0\n")
    done = command(tmp_path, "late.py")
    assert done.returncode == 1
    assert "After the recording the script failed: ZeroDivisionError" in done.stderr


def test_a_script_that_hangs_is_stopped_by_the_limit(tmp_path):
    write(tmp_path / "hangs.py", HANGS)
    done = command(tmp_path, "--limit", "1", "hangs.py")
    assert done.returncode == 124, done.stderr
    assert "After 1 seconds the script was stopped at line 6, before its end" in done.stderr
    assert "stopped at line 6" in body(tmp_path / "hangs.html")


def test_a_module_is_run_as_python_does(tmp_path):
    write(tmp_path / "package/__init__.py", "")
    write(tmp_path / "package/model.py", "def triple(w):\n    return 3 * w\n")
    source = TINY.replace("y = 3 * w", "y = triple(w)").replace(
        "import torch", "import sys, torch\nfrom .model import triple"
    )
    write(tmp_path / "package/train.py", source + "print(__package__, sys.argv[1:])\n")
    write(tmp_path / "package/__main__.py", "from . import train\n")
    done = command(tmp_path, "-m", "package.train", "--epochs", "1")
    assert done.returncode == 0, done.stderr
    assert done.stdout == "w.grad: tensor(3.)\npackage ['--epochs', '1']\n"
    assert "MulBackward0" in body(tmp_path / "train.html")
    gone = command(tmp_path, "-m", "package.gone")
    assert gone.returncode == 1
    assert "package.gone:1: there is no such module" in gone.stderr


def test_a_file_named_as_a_module_of_python_hides_nothing(tmp_path):
    write(tmp_path / "html.py", "raise ImportError\n")
    write(tmp_path / "tiny.py", TINY)
    done = typed(tmp_path, "tiny.py")
    assert done.returncode == 0, done.stderr


def test_a_warning_names_the_line_of_the_script(tmp_path):
    source = TINY + "import torch.nn.functional as F\nF.mse_loss(torch.ones(2), torch.ones(2, 1))\n"
    write(tmp_path / "warns.py", source)
    done = command(tmp_path, "warns.py")
    assert "warns.py:8: UserWarning: Using a target size" in done.stderr, done.stderr


def test_a_long_forward_pass_is_recorded(tmp_path):
    write(tmp_path / "rnn.py", "import torch\nw = torch.tensor(1.0, requires_grad=True)\nh = w\n"
          "for _ in range(3500):\n    h = h * 1.0\nh.backward()\nprint(w.grad)\n")  # fmt: skip
    done = command(tmp_path, "rnn.py")
    assert done.returncode == 0 and done.stdout == "tensor(1.)\n", done.stderr


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is another thing there")
def test_ctrl_c_shows_what_was_recorded(tmp_path):
    source = HANGS.partition("try:")[0] + "print('now', flush=True)\ntime.sleep(99)\n"
    out, code = interrupted(tmp_path, source)
    assert code == 130 and "You interrupted the script at line 6" in out


@pytest.mark.skipif(os.name == "nt", reason="SIGTERM is another thing there")
def test_to_end_the_command_ends_the_script(tmp_path):
    source = "import os, time\nprint('now', flush=True)\nopen('pid', 'w').write(str(os.getpid()))\n"
    write(tmp_path / "waits.py", source + "time.sleep(99)\n")
    command = [sys.executable, "-m", "gradtrace", "waits.py"]
    process = subprocess.Popen(command, cwd=tmp_path, env=ENGLISH, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"now\n"
    time.sleep(0.3)
    process.terminate()
    assert process.wait(PATIENCE) == 143
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "pid").read_text()), 0)


FIVE = "import os, signal, sys, time\nimport torch\nw = torch.ones(3, requires_grad=True)\n"
FIVE += "for i in range(5): (w * i).sum().backward()\n"
TERM = "os.kill(os.getpid(), signal.SIGTERM); time.sleep(9)\n"
FORK = """\
import multiprocessing
child = multiprocessing.get_context("fork").Process(target=time.sleep, args=[9])
child.start()
time.sleep(0.3)
child.terminate()
child.join()
"""
ENDS = {
    "SIGTERM": (TERM, 143, "SIGTERM ended the script at line 5, after 5 backward passes."),
    "in C": (
        "import threading\nthreading.Timer(1, lambda: os.kill(os.getpid(), 15)).start()\n"
        "[lock] = [threading.Lock()]\nlock.acquire()\nlock.acquire()\n",
        *(143, "SIGTERM ended the script at line 9, after 5 backward passes."),
    ),
    "own handler": ("signal.signal(15, lambda *a: sys.exit(5))\n" + TERM, 5, ""),
    "of a child": (FORK, 0, ""),
    "os._exit": ("os._exit(7)\n", 7, "left with os._exit at line 5, after 5 backward passes."),
}
CRASH = "import ctypes; ctypes.string_at(0)\n"


@pytest.mark.skipif(os.name == "nt", reason="signals are another thing there")
@pytest.mark.parametrize("doctor", [False, True])
@pytest.mark.parametrize(("end", "status", "told"), ENDS.values(), ids=ENDS)
def test_what_was_recorded_is_kept_however_the_script_ends(tmp_path, end, status, told, doctor):
    write(tmp_path / "train.py", FIVE + end)
    done = command(tmp_path, *["doctor"] * doctor, "train.py")
    assert done.returncode == status and told in done.stderr, done.stderr
    if doctor:
        assert "5 backward passes" in done.stdout
    else:
        assert "MulBackward0" in body(tmp_path / "train.html")


@pytest.mark.skipif(os.name == "nt", reason="signals are another thing there")
def test_of_a_crash_the_line_is_told(tmp_path):
    write(tmp_path / "train.py", FIVE + CRASH)
    done = command(tmp_path, "train.py")
    assert done.returncode == 139
    assert "SIGSEGV at line 5" in done.stderr and "pip install" not in done.stderr
    done = command(tmp_path, "--passes", "3", "train.py")
    assert done.returncode == 139 and "3 backward passes were recorded" in done.stderr


def test_each_rank_has_its_page(tmp_path):
    write(tmp_path / "tiny.py", TINY)
    for arguments, page in (([], "tiny-rank1.html"), (["-o", "a.html"], "a-rank1.html")):
        environment = ENGLISH | {"RANK": "1", "WORLD_SIZE": "2"}
        done = run_command(tmp_path, (*arguments, "tiny.py"), environment)
        assert done.returncode == 0 and f"{page}: " in done.stderr, done.stderr
        assert (tmp_path / page).is_file()


def test_processes_that_the_script_starts_are_told(tmp_path):
    source = "import multiprocessing\nmake = multiprocessing.get_context('fork').Process\n"
    source += "children = [make(target=print) for _ in range(2)]\n"
    write(tmp_path / "spawn.py", source + "for each in children: each.start(), each.join()\n")
    for arguments in (["spawn.py"], ["doctor", "spawn.py"]):
        done = command(tmp_path, *arguments)
        assert "its 2 child processes did not run under gradtrace" in done.stderr, done.stderr


def interrupted(folder: Path, source: str) -> tuple[str, int]:
    """What the command says of a script that prints a line, and then gets Ctrl-C."""
    write(folder / "slow.py", source)
    process = subprocess.Popen(
        [sys.executable, "-m", "gradtrace", "slow.py"],
        cwd=folder, env=ENGLISH, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        start_new_session=True,
        # Started in the background, the tests ignore Ctrl-C, and what they start would inherit it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    assert process.stdout.readline() == "now\n"
    time.sleep(0.3)
    os.killpg(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=PATIENCE)
    return told, process.returncode


# What it refuses

REFUSED = {
    "no file": (["gone.py"], "there is no such script"),
    "passes": (["--passes", "3-2", "tiny.py"], "these are no backward passes"),
    "more passes": (["--passes", "2", "tiny.py"], "the script has no such backward pass"),
    "no folder": (["-o", "gone/a.html", "tiny.py"], "gone/a.html cannot be written"),
    "is there": (["mine.py"], "there is a file of that name already"),
    "no backward": (["plain.py"], "found:    no backward pass; it ran to its end"),
    "leaves": (["usage.py"], "no backward pass; it left with sys.exit (line 2)"),
    "dies": (["dies.py"], "the process of the script was ended before its recording"),
    "syntax": (["syntax.py"], "it failed first: SyntaxError"),
    "debugger": (["debugger.py"], "this script cannot be recorded"),
}
OTHER_TORCH = (
    "import torch\ndel torch.NAME\n"
    "w = torch.tensor(2.0, requires_grad=True)\n(3 * w).backward()\nprint(w.grad)\n"
)
"""A script with a PyTorch of which the recorder does not find a name any more."""


@pytest.mark.parametrize(("arguments", "what"), REFUSED.values(), ids=REFUSED)
def test_it_refuses_with_what_to_do(tmp_path, arguments, what):
    (tmp_path / "folder.py").mkdir()
    scripts = {
        "tiny.py": TINY,
        "mine.py": TINY,
        "mine.html": "mine",
        "plain.py": "import torch\nprint(torch.ones(2) * 2)\n",
        "dies.py": TINY + "import ctypes\nctypes.CDLL(None)._exit(3)\n",
        "syntax.py": "def (\n",
        "usage.py": "import sys\nsys.exit('no data')\n",
        "debugger.py": TINY + "import sys\nsys.settrace(lambda *a: None)\n",
    }
    for name, source in scripts.items():
        write(tmp_path / name, source)
    before = {file: file.read_bytes() for file in tmp_path.iterdir() if file.is_file()}
    done = command(tmp_path, *arguments)
    assert done.returncode == (3 if arguments == ["dies.py"] else 1), done.stdout
    told = done.stderr[done.stderr.index(f"{arguments[-1]}:1: ") :]
    assert what in told
    assert re.search(r"\n  expected: .+\n  found:    [\s\S]+\n  fix:      .+\n", told)
    assert {f: f.read_bytes() for f in tmp_path.iterdir() if f.is_file()} == before


@pytest.mark.parametrize(
    "name", ["_C._functorch.peek_interpreter_stack", "autograd._enable_record_function"]
)
def test_a_fault_of_the_recorder_is_not_blamed_on_the_script(tmp_path, name):
    write(tmp_path / "train.py", OTHER_TORCH.replace("NAME", name))
    done = command(tmp_path, "train.py")
    assert done.returncode == 1
    first, _, *rows = done.stderr.splitlines()
    place, what = first.split(": ", 1)
    assert re.fullmatch(r"gradtrace/recording/\w+\.py:\d+", place)
    assert what == "the recorder of gradtrace failed, and not train.py"
    assert name.rpartition(".")[2] in rows[0] and "with PyTorch 2." in rows[1]
    assert "older PyTorch; python train.py runs as ever" in done.stderr
    assert "Traceback" not in done.stderr


def test_threads_of_the_script_come_to_their_end(tmp_path):
    late = "import threading, time\ndef late():\n    time.sleep(1)\n    print('late')\n"
    write(tmp_path / "late.py", late + TINY + "threading.Thread(target=late).start()\n")
    assert "late\n" in command(tmp_path, "late.py").stdout


# What is unfinished


def test_a_node_that_was_cut_off_does_not_look_as_if_it_had_failed(tmp_path):
    trace = record_script(write(tmp_path / "error.py", ERROR))
    assert without_unfinished(trace, 9) == trace  # this one has failed
    trace.events = [e for e in trace.events if e["k"] != "error"]
    cut = without_unfinished(trace, 9)
    assert len(cut.events) < len(trace.events)
    assert all("gout" in e for e in cut.events if e["k"] == "node")
