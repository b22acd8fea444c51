"""`gradtrace FILE`: what it records, refuses and says, and the file that it writes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from html import unescape
from pathlib import Path

import pytest
from forked_command import PATIENCE, forked_command
from gradtrace import record_script
from gradtrace.cli import main
from gradtrace.graph.build import build_graph, without
from gradtrace.graph.excerpt import (
    MAX_BOXES,
    MAX_BOXES_WITH_PARAMETERS,
    excerpt,
    without_unfinished,
)
from gradtrace.render.standalone import GENERATOR, is_standalone_page
from gradtrace.testing import invented_numbers
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
DEEP = """\
import torch
from torch import nn

layers = [layer for _ in range(70) for layer in (nn.Linear(4, 4), nn.ReLU())]
net = nn.Sequential(*layers)
net(torch.ones(2, 4)).sum().backward()
"""
ENGLISH = {**os.environ, "LC_ALL": "en_US.UTF-8"}


def typed(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command as a user types it: it starts an interpreter, which imports torch."""
    return subprocess.run(
        [sys.executable, "-m", "gradtrace", *arguments],
        cwd=folder,
        env=ENGLISH,
        capture_output=True,
        encoding="utf-8",
        timeout=PATIENCE,
    )


def command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command on a script of its own, as cheaply as may be."""
    return (
        forked_command(folder, arguments, ENGLISH)
        if hasattr(os, "fork")
        else typed(folder, *arguments)
    )


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
        done = run(folder, f"{name}.py", "--language", language)
        found[name] = folder / f"{name}.html", done
    return found


def body(file: Path) -> str:
    """What a reader sees of a file: no style, no script."""
    text = file.read_text("utf-8")
    return re.sub(r"(?s)<(style|script)>.*?</\1>", "", text).partition("<body")[2]


# What it makes


@pytest.mark.parametrize("name", ["tiny", "mlp", "error"])
def test_it_writes_one_file_that_fetches_nothing(made, name):
    file, done = made[name]
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1 - done.stdout.count("\n  ")].startswith(f"{name}.html: ")
    text = file.read_text("utf-8")
    assert GENERATOR in text and "PyTorch 2." in body(file)
    assert not re.search(r'(?:src|href)="(?!data:|#)', text) and "@import" not in text
    assert len(text.encode()) < 100_000


def test_the_script_prints_as_ever(made):
    assert made["tiny"][1].stdout.startswith("w.grad: tensor(3.)\n")


@pytest.mark.parametrize(("name", "source"), [("tiny", TINY), ("mlp", MLP)])
def test_every_number_in_the_file_is_in_the_recording(made, name, source, tmp_path):
    trace = record_script(write(tmp_path / "seen.py", source))
    html = body(made[name][0])
    main = html[html.index("<figure") : html.index("</figure>") + 9]
    assert invented_numbers(trace, main) == set()
    code = re.search(r"(?s)</span><code>(.*?)</code></pre>", html)[1]
    assert unescape(re.sub("<[^>]+>", "", code)) == source.rstrip("\n")


def test_it_shows_the_first_step_and_says_so(made):
    file, done = made["mlp"]
    note = "记下了 2 次反向传播，图里只有第 1 次。"
    assert note in done.stdout and note in body(file)
    assert "优化器 <code>Adam</code> 更新一步" in body(file)
    assert "变成 None" not in body(file)  # zero_grad belongs to the next step


def test_an_error_is_the_last_step_and_told(made):
    file, done = made["error"]
    assert "脚本在第 6 行出错：RuntimeError: Trying to backward" in done.stdout
    assert 'error.py", line 6, in <module>' in done.stderr and "gradtrace" not in done.stderr
    last = re.findall(r"<li id=.*?</li>", body(file))[-1]
    assert "出错：<code>RuntimeError: Trying to backward" in last and 'data-l="6"' in last


def test_a_page_is_recognised_as_one_that_may_be_written_again(made, tmp_path):
    assert is_standalone_page(made["tiny"][0])
    assert not is_standalone_page(write(tmp_path / "mine.html", "<!doctype html>gradtrace"))


# Scripts as they are


def test_arguments_neighbours_and_relative_files(tmp_path):
    write(tmp_path / "code/model.py", "import torch\n\ndef double(w):\n    return 2 * w\n")
    script = "import sys, torch\nfrom model import double\n"
    script += "w = torch.tensor(float(open('w.txt').read()), requires_grad=True)\n"
    script += "if __name__ == '__main__':\n    double(w).backward()\n    print(sys.argv, w.grad)\n"
    write(tmp_path / "code/train.py", script)
    write(tmp_path / "w.txt", "5")
    done = typed(tmp_path, "code/train.py", "-o", "other.html", "--", "--epochs", "1")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith(f"['{tmp_path}/code/train.py', '--epochs', '1'] tensor(2.)\n")
    assert "MulBackward0" in body(tmp_path / "other.html")
    assert not (tmp_path / "train.html").exists()


LOOP = "import torch\nw = torch.tensor(2.0, requires_grad=True)\n"
LOOP += "while True:\n    (w * w).backward()\n"
HANGS = LOOP.replace("while True:\n    ", "") + "import time\ntry:\n    time.sleep(99)\n"
HANGS += "except BaseException:\n    time.sleep(99)\n"


def test_a_script_without_end_is_stopped_when_enough_is_recorded(tmp_path):
    write(tmp_path / "loop.py", LOOP)
    done = command(tmp_path, "loop.py", "--passes", "2-3")
    assert done.returncode == 0, done.stderr
    assert "3 backward passes were recorded; the figure shows only number 2–3" in done.stdout
    assert "3 backward passes are enough: the script was stopped at line 4" in done.stdout


def test_a_script_that_hangs_is_stopped_by_the_limit(tmp_path):
    write(tmp_path / "hangs.py", HANGS)
    done = command(tmp_path, "hangs.py", "--limit", "1")
    assert done.returncode == 0, done.stderr
    assert "After 1 seconds the script was stopped at line 6, before its end" in done.stdout
    assert "stopped at line 6" in body(tmp_path / "hangs.html")


@pytest.mark.skipif(os.name == "nt", reason="Ctrl-C is another thing there")
def test_ctrl_c_shows_what_was_recorded(tmp_path):
    source = HANGS.partition("try:")[0] + "print('now', flush=True)\ntime.sleep(99)\n"
    write(tmp_path / "slow.py", source)
    process = subprocess.Popen(
        [sys.executable, "-m", "gradtrace", "slow.py"],
        cwd=tmp_path, env=ENGLISH, stdout=subprocess.PIPE, text=True, start_new_session=True,
        # Started in the background, the tests ignore Ctrl-C, and what they start would inherit it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    assert process.stdout.readline() == "now\n"
    time.sleep(0.3)
    os.killpg(process.pid, signal.SIGINT)
    out, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0 and "You interrupted the script at line 6" in out


# What it refuses

REFUSED = {
    "no file": (["gone.py"], "there is no such script"),
    "a folder": (["folder.py"], "this is no Python script"),
    "no .py": (["notes.txt"], "this is no Python script"),
    "passes": (["tiny.py", "--passes", "3-2"], "these are no backward passes"),
    "more passes": (["tiny.py", "--passes", "2"], "the script has no such backward pass"),
    "no folder": (["tiny.py", "-o", "gone/a.html"], "gone/a.html cannot be written"),
    "no page": (["tiny.py", "-o", "tiny.py"], "tiny.py cannot be written"),
    "is a folder": (["tiny.py", "-o", "folder.py"], "folder.py cannot be written"),
    "is there": (["mine.py"], "there is a file of that name already"),
    "no backward": (["plain.py"], "found:    no backward pass; it ran to its end"),
    "fails first": (["fails.py"], "it failed first: ValueError: no (line 1)"),
    "no graph": (["constant.py"], "a backward pass without a graph; it failed first"),
    "dies": (["dies.py"], "the process that records ended too early"),
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
        "notes.txt": TINY,
        "plain.py": "import torch\nprint(torch.ones(2) * 2)\n",
        "fails.py": "raise ValueError('no')\n",
        "constant.py": "import torch\ntorch.tensor(2.0).backward()\n",
        "dies.py": TINY + "import os\nos._exit(3)\n",
        "syntax.py": "def (\n",
        "debugger.py": TINY + "import sys\nsys.settrace(lambda *a: None)\n",
    }
    for name, source in scripts.items():
        write(tmp_path / name, source)
    before = {file: file.read_bytes() for file in tmp_path.iterdir() if file.is_file()}
    done = command(tmp_path, *arguments)
    assert done.returncode == 1, done.stdout
    told = done.stderr[done.stderr.index(f"{arguments[0]}:1: ") :]
    assert what in told
    assert re.search(r"\n  expected: .+\n  found:    [\s\S]+\n  mend:     .+\n", told)
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
    assert re.fullmatch(r"gradtrace/record/\w+\.py:\d+", place)
    assert what == "the recorder of gradtrace failed, and not train.py"
    assert name.rpartition(".")[2] in rows[0] and "with PyTorch 2." in rows[1]
    assert "older PyTorch; python train.py runs as ever" in done.stderr
    assert "Traceback" not in done.stderr


def test_threads_of_the_script_come_to_their_end(tmp_path):
    late = "import threading, time\ndef late():\n    time.sleep(1)\n    print('late')\n"
    write(tmp_path / "late.py", late + TINY + "threading.Thread(target=late).start()\n")
    assert "late\n" in command(tmp_path, "late.py").stdout


@pytest.mark.parametrize("seconds", ["nan", "inf", "0", "-1", "x"])
def test_a_limit_is_a_number_of_seconds(tmp_path, capsys, seconds):
    with pytest.raises(SystemExit) as end:
        main([str(tmp_path / "tiny.py"), f"--limit={seconds}"])
    assert end.value.code == 2
    assert f"'{seconds}' is no number of seconds above 0" in capsys.readouterr().err


def test_an_unknown_argument_may_be_one_of_the_script(capsys):
    with pytest.raises(SystemExit) as end:
        main(["tiny.py", "--epochs", "1"])
    told = capsys.readouterr().err
    assert end.value.code == 2 and "those of your script stand after --" in told


# What it leaves out


def test_a_large_graph_is_cut_down_and_it_says_by_how_much(tmp_path):
    trace = record_script(write(tmp_path / "deep.py", DEEP))
    whole, shown = build_graph(trace), excerpt(trace, None)
    left = without(whole, shown.hidden)
    assert len(whole.boxes) > MAX_BOXES_WITH_PARAMETERS and len(left.boxes) == MAX_BOXES
    notes = dict(shown.notes)
    assert notes["note_parameters"] == {"count": 140}
    assert notes["note_nodes"]["kept"] == MAX_BOXES
    gone = {"AccumulateGrad", "TBackward0"}
    rest = [c for c in whole.boxes.values() if c.node not in gone]
    assert notes["note_nodes"]["count"] == len(rest) - MAX_BOXES
    assert "SumBackward0" in {card.node for card in left.boxes.values()}


def test_a_node_that_was_cut_off_does_not_look_as_if_it_had_failed(tmp_path):
    trace = record_script(write(tmp_path / "error.py", ERROR))
    assert without_unfinished(trace, 9) == trace  # this one has failed
    trace.events = [e for e in trace.events if e["k"] != "error"]
    cut = without_unfinished(trace, 9)
    assert len(cut.events) < len(trace.events)
    assert all("gout" in e for e in cut.events if e["k"] == "node")
