"""`--steps` and `--until`: where the recording begins, and what it leaves as it is."""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from unittest import mock

import pytest
import torch
from gradtrace import Recorder, Trace, execute, format_trace, parse_trace, record_script
from gradtrace.cli import main
from gradtrace.graph.build import build_graph
from gradtrace.graph.passes import backward_passes
from gradtrace.recording.watch import Watch, first_with
from recording import write
from test_gradtrace_command import TINY, body, command

TRAINING = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden, self.out = nn.Linear(3, 4), nn.Linear(4, 1)

    def forward(self, x):
        return self.out(self.hidden(x).tanh())

def main():
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
    for step in range(1, 7):
        optimizer.zero_grad()
        loss = model(torch.randn(8, 3)).pow(2).mean()
        if step == BAD:
            loss = loss * float("VALUE")
        loss.backward()
        optimizer.step()
    print(loss.item(), [p.sum().item() for p in model.parameters()])

main()
"""
ROOT_OF_ZERO = """\
import torch

w, v = (torch.nn.Parameter(torch.ones(2)) for _ in range(2))
optimizer = torch.optim.SGD([w, v], lr=0.5)
for step in range(4):
    optimizer.zero_grad()
    loss = (3 * w).sum() + ((v - 1) * (step > 1)).sqrt().sum()
    loss.backward()
    optimizer.step()
"""


def training(bad: int = 0, value: str = "nan") -> str:
    return TRAINING.replace("BAD", str(bad)).replace("VALUE", value)


@pytest.fixture
def watched(tmp_path, monkeypatch):
    """Run a script with a watch: the watch, and the trace."""

    def run(source: str, first: int | None = None, until: str | None = None, **most):
        script = str(write(tmp_path / "script.py", source))
        recorder = Recorder(script, **most)
        watch = Watch(recorder, first, until)
        monkeypatch.setitem(sys.modules, "__main__", None)  # and put back at the end
        with watch:
            execute(script)
        return watch, recorder.trace()

    return run


def told(trace: Trace, number: int) -> list[str]:
    """The events of a backward pass and of the step after it; tensors and nodes by what they are,
    as their ids count from where the recording began."""
    kinds = {"t": trace.tensors, "n": trace.nodes}
    begin = next(i for i, e in enumerate(trace.events) if e.get("p") == number)
    end = next(i for i, e in enumerate(trace.events) if i > begin and e["k"] == "step")

    def plain(thing, key=""):
        if isinstance(thing, dict):
            return {k: plain(v, k) for k, v in thing.items() if k not in ("p", "roots")}
        if isinstance(thing, list):
            return [plain(item) for item in thing]
        entry = kinds.get(key, {}).get(thing, {})
        inside = {name.partition(".")[2] for name in entry.get("names", ())} - {""}
        return sorted(inside) or entry.get("op") or thing

    return [json.dumps(plain(event)) for event in trace.events[begin : end + 1]]


def test_the_steps_that_are_asked_for_are_recorded_as_if_all_had_been(watched, tmp_path, capsys):
    whole = record_script(write(tmp_path / "whole.py", training()))
    printed = capsys.readouterr().out
    watch, trace = watched(training(), first=4, max_steps=2)
    assert capsys.readouterr().out == printed
    assert (watch.beginning.steps, watch.beginning.passes) == (3, 3)
    assert backward_passes(trace) == [1, 2]
    assert [e["k"] for e in trace.events].count("step") == 2
    assert told(trace, 1) == told(whole, 4) and told(trace, 2) == told(whole, 5)
    names = {name for entry in trace.tensors.values() for name in entry.get("names", ())}
    assert {"model.hidden.weight", "loss"} <= names


def test_a_pass_that_starts_from_nan_is_recorded_itself(watched):
    watch, trace = watched(training(3), until="nan")
    assert (watch.beginning.found, watch.beginning.passes) == ("start", 2)
    assert trace.events[0]["k"] == "backward" and trace.tensors[trace.events[0]["roots"][0]]
    assert backward_passes(trace) == [1, 2, 3, 4]
    second = trace.events[[e.get("p") for e in trace.events].index(2) :]
    assert any(e["k"] == "node" for e in second)


def test_a_gradient_that_is_not_finite_is_named(watched):
    watch, trace = watched(ROOT_OF_ZERO, until="inf")
    assert (watch.beginning.found, watch.beginning.steps, watch.beginning.passes) == ("grad", 0, 1)
    assert trace.events[0]["k"] == "step"
    watch, _ = watched(ROOT_OF_ZERO.replace("(step > 1)", "1e-30"), until="zero-grad")
    assert watch.beginning is None


def test_a_gradient_of_zeros_is_named(watched, tmp_path):
    source = ROOT_OF_ZERO.replace("3 * w", "(step < 2) * w")
    watch, trace = watched(source.replace("(step > 1)).sqrt()", "5)"), until="zero-grad")
    assert (watch.beginning.found, watch.beginning.steps) == ("zero", 3)
    assert trace.events[0]["k"] != "step" and backward_passes(trace) == [1]


def test_modes_of_the_script_are_left_in_their_order(watched, capsys):
    """To leave a mode takes away the innermost: not the recorder's."""
    source = """\
import torch

w = torch.nn.Parameter(torch.ones(2))
optimizer = torch.optim.SGD([w], lr=0.5)
for step in range(4):
    with torch.device("meta"):
        with torch.device("cpu"):
            (torch.ones(2) * w).sum().backward()
            optimizer.step()
            print(torch.ones(1).device)
        print(torch.ones(1).device)
    print(torch.ones(1).device)
"""
    _, trace = watched(source, first=3, max_steps=1)
    assert capsys.readouterr().out == "cpu\nmeta\ncpu\n" * 4
    assert backward_passes(trace) == [1]


LARGE, SMALL = torch.full((3,), 3e38), torch.full((2, 2), 1e-45)
KINDS = {"nan": torch.tensor([1.0, math.nan]), "inf": torch.tensor([[-math.inf, 0.0, math.inf]])}


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_numbers_are_looked_for_in_all_kinds_of_tensors(device):
    if device == "cuda" and not torch.cuda.is_available():
        pytest.skip("there is no GPU")
    fine = [LARGE, SMALL, LARGE.half(), torch.ones(2, dtype=torch.complex64), torch.empty(0)]
    fine += [LARGE.double() * 1e200, torch.ones(2).to_sparse(), torch.tensor([2]), LARGE.bfloat16()]
    fine = [tensor.to(device) for tensor in fine]
    fine[2] = torch.full((3,), 6e4, device=device).half()
    for kind in ("nan", "inf", "zero"):
        assert first_with(kind, fine) is None, kind
    for bad in (KINDS["nan"], KINDS["nan"].half(), KINDS["nan"].to_sparse()):
        bad = bad.to(device)
        assert first_with("nan", [*fine, bad]) == len(fine)
        assert first_with("inf", [bad, *fine, bad]) == 0
    inf = KINDS["inf"].to(device)
    assert first_with("inf", [*fine, inf]) == len(fine)
    assert first_with("nan", [*fine, inf]) is None
    assert first_with("zero", [*fine, torch.zeros(3, 4, device=device), inf]) == len(fine)


# The command


def test_the_page_says_which_step_it_shows(tmp_path):
    write(tmp_path / "train.py", training())
    done = command(tmp_path, "--language", "en", "--steps", "4-5", "train.py")
    assert done.returncode == 0, done.stderr
    page = body(tmp_path / "train.html")
    note = "backward pass 1 on this page is pass 4 of the script"
    assert note in page and note in done.stderr
    assert "2 backward passes were recorded" in done.stderr
    assert "Optimizer <code>SGD</code> makes a step" in page


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--steps", "90"], "Step 90 did not come: the script made 6 steps of an optimizer."),
        (["--until", "nan"], "No loss and no gradient held nan in 6 backward passes (6 steps"),
        (["--until", "zero-grad"], "At none of 6 steps of the optimizer was a gradient zero"),
    ],
)
def test_without_what_it_waits_for_there_is_no_page(tmp_path, arguments, said):
    write(tmp_path / "train.py", training() + "raise SystemExit(3)\n")
    done = command(tmp_path, "--language", "en", *arguments, "train.py")
    assert done.returncode == 3 and said in done.stderr, done.stderr
    assert not Path(tmp_path / "train.html").exists()


def test_where_no_pass_follows_it_says_what_was_found(tmp_path):
    last = ROOT_OF_ZERO.replace("(step > 1)", "(step < 3)")
    write(tmp_path / "last.py", last.replace("(v - 1)", "(v - 0)"))
    done = command(tmp_path, "--language", "en", "--until", "inf", "last.py")
    assert done.returncode == 0
    assert "After backward pass 4 of the script" in done.stderr, done.stderr
    assert "To record that pass itself: --steps 4. No backward pass came after" in done.stderr


# Until an error

FAILS = """\
import torch

w = torch.nn.Parameter(torch.ones(2))
optimizer = torch.optim.SGD([w], lr=0.1)
layer = torch.nn.Linear(2, 2)
kept = None
for step in range(1, 101):
    optimizer.zero_grad()
    h = layer(w * step).relu()
    loss = h.sum() if step < LAST else kept.sum()
    loss.backward()
    optimizer.step()
    kept = loss
"""


def test_the_steps_before_an_error_are_kept(tmp_path):
    script = str(write(tmp_path / "fails.py", FAILS.replace("LAST", "90")))
    recorder = Recorder(script, max_events=60, recent=True)
    with mock.patch.dict(sys.modules), pytest.raises(RuntimeError), recorder:
        execute(script)
    trace = recorder.trace()
    total = len(backward_passes(trace))
    assert backward_passes(trace) == [*range(1, total + 1)] and 3 <= total <= 12
    assert recorder.forgotten + total == 90
    assert trace.events[-2]["k"] == "error" and len(trace.events) < 150
    assert len(trace.tensors) < 150 and len(trace.nodes) < 150 and len(trace.calls) < 12
    assert parse_trace(format_trace(trace)) == trace
    build_graph(trace)
    ops = {e["op"]: i for i, e in enumerate(trace.events) if e["k"] == "op"}
    last = trace.events[ops["relu"]]["out"][0]["n"]
    assert trace.nodes[last]["call"] == ops["relu"]


def test_until_error_writes_a_page_only_if_the_script_fails(tmp_path):
    write(tmp_path / "fails.py", FAILS.replace("LAST", "40"))
    done = command(tmp_path, "--language", "en", "--until", "error", "fails.py")
    assert done.returncode == 1 and "RuntimeError: Trying to backward" in done.stderr
    assert "RuntimeError: Trying to backward" in body(tmp_path / "fails.html")
    write(tmp_path / "fine.py", FAILS.replace("LAST", "101"))
    done = command(tmp_path, "--language", "en", "--until", "error", "fine.py")
    assert done.returncode == 0 and done.stderr == "The script did not fail. No page was written.\n"
    assert not (tmp_path / "fine.html").exists()


def test_the_page_is_opened_where_that_is_asked_for(tmp_path, monkeypatch, capfd):
    write(tmp_path / "tiny.py", TINY)
    monkeypatch.chdir(tmp_path)
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda page: opened.append(page) or len(opened) < 2)
    assert main(["tiny.py"]) == 0 and opened == []
    assert main(["--open", "-o", "two words.html", "tiny.py"]) == 0
    assert opened == [(tmp_path / "two words.html").as_uri()]
    assert "No browser" not in capfd.readouterr().err
    assert main(["--language", "en", "--open", "tiny.py"]) == 0
    assert "No browser was found" in capfd.readouterr().err
