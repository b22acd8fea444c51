"""What a trace holds of code of the user in other files than the script."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from gradtrace import Trace, record_script
from recording import write

pytestmark = pytest.mark.upgrade

MODEL = """\
import torch
from torch import nn

shift = torch.zeros(2, requires_grad=True)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
        self.fc.register_forward_hook(seen)

    def forward(self, x):
        hidden = self.fc(x) + shift
        return hidden.relu()


def seen(module, inputs, output):
    print("seen")


def clear(net):
    for weight in net.parameters():
        weight.grad = None
    raise ValueError("cleared")
"""
SCRIPT = """\
import torch
from parts.model import Net, clear

net = Net()
net(torch.ones(1, 2)).sum().backward()
clear(net)
"""


@pytest.fixture
def trace(tmp_path: Path, monkeypatch) -> Trace:
    write(tmp_path / "parts" / "model.py", MODEL)
    monkeypatch.syspath_prepend(str(tmp_path))
    yield record_script(write(tmp_path / "train.py", SCRIPT))
    for name in ("parts", "parts.model"):
        sys.modules.pop(name, None)


def places(trace: Trace, *kinds: str) -> list[tuple]:
    return [(e["line"], e.get("file")) for e in trace.events if e["k"] in kinds]


def test_operations_are_told_at_the_innermost_line_with_its_text(trace):
    found = [(e["line"], e.get("file"), e["src"]) for e in trace.events if e["k"] == "op"]
    assert found == [
        (4, "parts/model.py", "torch.zeros(2, requires_grad=True)"),
        (5, None, "torch.ones(1, 2)"),
        (14, "parts/model.py", "self.fc(x)"),
        (14, "parts/model.py", "self.fc(x) + shift"),
        (15, "parts/model.py", "hidden.relu()"),
        (5, None, "net(torch.ones(1, 2)).sum()"),
    ]
    assert trace.sources == {"parts/model.py": MODEL}


def test_calls_of_modules_hooks_changes_and_errors_are_there_too(trace):
    calls = [(call["path"], call["line"], call.get("file")) for call in trace.calls.values()]
    assert calls == [("net", 5, None), ("net.fc", 14, "parts/model.py")]
    assert places(trace, "reg") == [(11, "parts/model.py")]
    assert places(trace, "hook", "print") == [(18, "parts/model.py"), (19, "parts/model.py")]
    assert places(trace, "backward") == [(5, None)]
    assert places(trace, "grad_set") == [(24, "parts/model.py")] * 2
    assert places(trace, "error") == [(25, "parts/model.py")]


def test_names_of_the_script_go_before_those_of_other_files(trace):
    names = {name: t["names"] for t in trace.tensors.values() for name in t.get("names", ())}
    assert names["net.fc.weight"][:2] == ["net.fc.weight", "self.fc.weight"]
    assert names["hidden"] == ["hidden"] and names["shift"] == ["shift"]


def test_installed_packages_are_no_code_of_the_user(tmp_path, monkeypatch):
    folder = tmp_path / "lib" / "site-packages"
    write(folder / "installed_net.py", MODEL)
    monkeypatch.syspath_prepend(str(folder))
    script = SCRIPT.replace("parts.model", "installed_net").replace("clear(net)\n", "")
    trace = record_script(write(tmp_path / "train.py", script))
    sys.modules.pop("installed_net")
    assert trace.sources == {}
    assert places(trace, "op") == [(5, None)] * 5
    linear = next(event for event in trace.events if event.get("op") == "linear")
    assert linear["src"] == "net(torch.ones(1, 2))"
