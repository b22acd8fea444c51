"""What the page on your own script says in general of the command `gradtrace`."""

import random
import re
import sys
from contextlib import nullcontext
from html import unescape
from pathlib import Path

import gradtrace
import numpy as np
import pytest
import torch
from gradtrace import cli, record_script
from gradtrace.drawing.player_data import fold
from gradtrace.graph.groups import MAX_BOXES
from gradtrace.graph.parameters import parameters
from gradtrace.graph.passes import MAX_PASSES, excerpts, first_shown
from gradtrace.recording.recorder import MAX_EVENTS, RecordingFailed
from gradtrace.recording.runner import RecordedRun
from gradtrace.trace import Trace
from proofbook.content.attacks import attacks
from torch import nn

FAILS = {
    "forward": "y + torch.ones(3)",
    "in place": "y.add_(1)",
    "after backward": "(y * 1).sum().backward(); raise ValueError('no')",
}
"""What a step of training does wrong."""


@pytest.fixture
def recorded(tmp_path):
    """Records a script, given as text."""

    def record(source: str) -> Trace:
        script = tmp_path / "train.py"
        script.write_text(f"import torch\n{source}", encoding="utf-8")
        return record_script(script)

    state = torch.get_rng_state()
    yield record
    torch.set_rng_state(state)


def training(steps: int, line: str = "pass", at: int = 0) -> str:
    """A script that trains; in the step with the number `at` it runs `line` too."""
    return f"""
w = torch.ones(2, requires_grad=True)
sgd = torch.optim.SGD([w], lr=0.1)
for step in range(1, {steps} + 1):
    sgd.zero_grad()
    y = w.exp()
    if step == {at}: {line}
    y.sum().backward()
    sgd.step()
"""


@pytest.fixture
def command(tmp_path, monkeypatch, capsys):
    """Runs the command on a run that was recorded; returns what it prints, and the page."""

    def run(trace: Trace, error: str | None = None, status: int = 0) -> tuple[str, str]:
        end = "error" if error else "end"
        ended = Ended(RecordedRun(trace, end, trace.events[-1]["line"], error, "train.py"), status)
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(cli, "ScriptProcess", lambda job: ended)
        assert cli.main(["train.py"]) == status
        return capsys.readouterr().err, Path("train.html").read_text("utf-8")

    monkeypatch.setenv("LC_ALL", "en_US.UTF-8")
    return run


class Ended:
    """A process that has recorded a script and come to its end."""

    def __init__(self, run: RecordedRun, status: int) -> None:
        self.recorded, self.wait, self.later_error = lambda: run, lambda: status, lambda: None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


@attacks("your-script/index#command", zh="5、30 和 65 个线性层", en="5, 30 and 65 linear layers")
@pytest.mark.parametrize("layers", [5, 30, 65])
def test_a_large_model_opens_folded(recorded, layers):
    """Up to 40 boxes are shown at once; a folded one has the norm of its parameters' gradients."""
    trace = recorded(
        f"net = torch.nn.Sequential(*(torch.nn.Linear(2, 2) for _ in range({layers})))\n"
        "net(torch.ones(1, 2)).sum().backward()"
    )
    figure = fold(excerpts(trace, None)[0], "en", parameters(trace))
    boxes = figure.view(figure.first_view).boxes
    modules = [box for box in boxes.values() if box.kind == "group"]
    assert len(boxes) <= MAX_BOXES
    assert bool(modules) is (layers > 5)
    assert all("‖" in figure.texts[f"{box.key}g"][-1] for box in modules)


@attacks(
    "your-script/index#limits", zh="有无自己的随机种子", en="with and without a seed of its own"
)
@pytest.mark.parametrize("seeding", ["", "torch.manual_seed(5)"])
def test_without_a_seed_that_of_pytorch_is_0(recorded, capsys, seeding):
    state, numbers = random.getstate(), np.random.get_state()
    try:
        random.seed(7)
        np.random.seed(7)
        expected = random.random(), np.random.rand()
        random.seed(7)
        np.random.seed(7)
        recorded(
            f"import random, numpy\n{seeding}\n"
            "print(torch.initial_seed(), random.random(), numpy.random.rand())\n"
            "torch.ones(1, requires_grad=True).sum().backward()"
        )
        seed, *drawn = capsys.readouterr().out.split()
        assert seed == ("5" if seeding else "0")
        assert tuple(map(float, drawn)) == expected
    finally:
        random.setstate(state)
        np.random.set_state(numbers)


@attacks("your-script/index#limits", zh="有无 --passes", en="with and without --passes")
def test_ten_passes_are_recorded_unless_later_ones_are_named(recorded, tmp_path, monkeypatch):
    asked, trace = [], recorded(training(14))
    monkeypatch.chdir(tmp_path)

    def process(job):
        asked.append(job.passes)
        return Ended(RecordedRun(trace, "end", script="train.py"), 0)

    monkeypatch.setattr(cli, "ScriptProcess", process)
    for arguments in ([], ["--passes", "2"], ["--passes", "12-14"]):
        assert cli.main([*arguments, "train.py"]) == 0
    assert asked == [MAX_PASSES, 2, 14] and MAX_PASSES == 10 and MAX_EVENTS == 3000


@attacks("your-script/index#command", zh="四种退出状态", en="four exit statuses")
@pytest.mark.parametrize("status", [0, 1, 3, 130])
def test_the_exit_status_is_that_of_the_script(recorded, command, status):
    assert command(recorded(training(1)), status=status)


@attacks(
    "your-script/index#limits", zh="主线程里的 sys.settrace", en="sys.settrace in the main thread"
)
@pytest.mark.parametrize("refused", [True, False])
def test_a_script_with_a_trace_function_of_its_own_is_refused(recorded, refused):
    line = "import sys; sys.settrace(lambda *_: None)" if refused else "pass"
    before = sys.gettrace()
    try:
        with pytest.raises(RecordingFailed) if refused else nullcontext():
            recorded(f"torch.ones(1, requires_grad=True).sum().backward()\n{line}")
    finally:
        sys.settrace(before)


@attacks("your-script/index#read", zh="三种错误，五步", en="three errors, five steps")
@pytest.mark.parametrize("at", [1, 3, 5])
@pytest.mark.parametrize("name", FAILS)
def test_the_page_opens_at_the_pass_that_failed_and_names_the_error(recorded, command, name, at):
    trace = recorded(training(5, FAILS[name], at))
    error = next(event for event in trace.events if event["k"] == "error")
    shown = excerpts(trace, None)
    opened = shown[first_shown(shown, None)]
    assert error in opened.trace.events
    terminal, page = command(trace, error["msg"], status=1)
    for text in (terminal, unescape(re.sub("<[^>]+>", "", page))):
        assert error["msg"] in text and f"line {error['line']}" in text


@attacks("your-script/index#limits", zh="一个有随机数的块", en="a block with random numbers")
def test_a_with_block_sets_no_seed():
    state = torch.get_rng_state()
    try:
        torch.manual_seed(7)
        expected = torch.rand(3)
        torch.manual_seed(7)
        with gradtrace.record():
            drawn = torch.rand(3)
        assert torch.equal(drawn, expected)
    finally:
        torch.set_rng_state(state)


@attacks("your-script/index#in-code", zh="四种层，两种模式", en="four layers, two modes")
@pytest.mark.parametrize("training", [True, False])
@pytest.mark.parametrize("layer", [nn.BatchNorm1d, nn.LayerNorm, nn.RMSNorm, nn.PReLU])
def test_draw_leaves_a_model_as_it_was(layer, training):
    net = nn.Sequential(nn.Linear(3, 5), layer(5), nn.Dropout()).train(training)
    net[0].bias.grad = grad = torch.ones(5)
    before = {name: value.clone() for name, value in net.state_dict().items()}
    x, state = torch.randn(4, 3), torch.get_rng_state()
    drawn = gradtrace.draw(net, x)
    assert drawn.trace.events and net[0].bias.grad is grad and net[0].weight.grad is None
    assert all(torch.equal(value, before[name]) for name, value in net.state_dict().items())
    assert torch.equal(torch.get_rng_state(), state) and net.training == training
