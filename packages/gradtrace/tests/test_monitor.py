"""`gradtrace.watch`: what it reports, what it leaves alone, and what it hands on."""

from __future__ import annotations

import subprocess
import sys

import gradtrace
import pytest
import torch
from gradtrace.monitor import FIRST, IN_A_ROW, Monitor
from torch import nn


class Net(nn.Module):
    """Two layers; `fault`: a layer that isn't used, or a ReLU that lets nothing through."""

    def __init__(self, fault: str = "") -> None:
        super().__init__()
        self.first, self.last, self.fault = nn.Linear(4, 4), nn.Linear(4, 1), fault
        if fault == "none":
            self.forgotten = nn.Linear(1, 1)

    def forward(self, x):
        return self.last(torch.relu(self.first(x) - 100 * (self.fault == "zero")) + x)


def train(net: Net, steps: int, factor: float = 1.0, **options) -> Monitor:
    """Train with a loss that is multiplied by `factor` at the last step."""
    torch.manual_seed(0)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    monitor = gradtrace.watch(net, optimizer, language="en", **options)
    for step in range(steps):
        optimizer.zero_grad()
        loss = (net(torch.randn(8, 4)) - 1).pow(2).mean()
        (loss * factor if step == steps - 1 else loss).backward()
        optimizer.step()
    return monitor


@pytest.mark.parametrize(
    ("fault", "said", "kind"),
    [
        ("none", "`forgotten.weight`, `forgotten.bias` got no gradient", "parameter-unused"),
        ("zero", "the gradients of `first.weight`, `first.bias` are zero", "zero-gradient"),
    ],
)
def test_the_step_after_a_fault_is_recorded_and_reported_once(fault, said, kind, capsys, tmp_path):
    monitor = train(Net(fault), 4 * FIRST)
    out, err = capsys.readouterr()
    assert not out and err.count(f"gradtrace: step {IN_A_ROW}: {said}") == 1
    assert err.count(kind) == err.count("1 backward pass, 1 step") == 1
    assert [*monitor.recorded] == [IN_A_ROW + 1]
    assert kind in {finding.kind for finding in gradtrace.diagnose(monitor.recorded[4])}
    monitor.recorded[4].save(tmp_path / "step.html")
    assert "</html>" in (tmp_path / "step.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("factor", "said"), [(1e6, "more than 100 times"), (float("nan"), "nan or infinite"), (1, "")]
)
def test_what_happens_in_one_step_is_told_and_a_training_that_is_well_is_left_alone(
    factor, said, capsys
):
    monitor = train(Net(), 20, factor)
    err = capsys.readouterr().err
    assert said in err and err.count("\n") == bool(said)
    assert monitor.steps == 20 and monitor.recorded == {}


class Writer:
    """As TensorBoard's."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, float, int]] = []

    def add_scalar(self, *given: object) -> None:
        self.seen.append(given)


def test_the_numbers_are_handed_on_and_the_run_is_the_same():
    writer, given = Writer(), []
    plain, watched, other = Net(), Net(), Net()
    watched.load_state_dict(plain.state_dict())
    other.load_state_dict(plain.state_dict())
    train(plain, 12)
    train(watched, 12, every=10, log=writer)
    train(other, 12, every=10, log=lambda numbers, step: given.append((numbers, step)))
    assert all(map(torch.equal, plain.parameters(), watched.parameters()))
    assert [step for _, step in given] == [1, 2, 3, 4, 5, 10]
    names = {"gradtrace/norm of all gradients", "gradtrace/first.weight", "gradtrace/last.bias"}
    assert names <= set(given[0][0]) and len(writer.seen) == len(given) * len(given[0][0])
    assert {(*each, step) for numbers, step in given for each in numbers.items()} == {*writer.seen}


def test_it_stops_and_takes_what_a_loop_may_have():
    net = nn.Linear(2, 1)
    sparse = nn.Embedding(3, 2, sparse=True)
    optimizer = torch.optim.SGD([*net.parameters(), *sparse.parameters()], lr=0.1)
    monitor = gradtrace.watch(nn.ModuleList([net, sparse]), optimizer)
    optimizer.step()  # no gradient at all
    for _ in range(2):
        net(sparse(torch.tensor([0, 1]))).sum().backward()
        optimizer.step()
    monitor.stop()
    optimizer.step()
    assert monitor.steps == 3
    with pytest.raises(ValueError, match="language is 'fr'"):
        gradtrace.watch(net, optimizer, language="fr")


@pytest.mark.parametrize("goes_on", [True, False])
def test_a_recording_ends_with_the_script(goes_on, tmp_path):
    more = "net(torch.ones(1, 1)).sum().backward()" if goes_on else "print('the end')"
    (tmp_path / "train.py").write_text(
        "import gradtrace, torch\n"
        "net = torch.nn.Linear(1, 1)\n"
        "sgd = torch.optim.SGD([*net.parameters(), torch.ones(1, requires_grad=True)])\n"
        "gradtrace.watch(net, sgd, language='en')\n"
        f"for step in range({IN_A_ROW}):\n"
        "    net(torch.ones(1, 1)).sum().backward()\n"
        "    sgd.step()\n"
        f"{more}\n",
        "utf-8",
    )
    command = [sys.executable, "train.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0 and "Traceback" not in done.stderr, done.stderr
    assert done.stderr.count("got no gradient") == 1
    assert ("1 backward pass, 0 steps" in done.stderr) == goes_on
