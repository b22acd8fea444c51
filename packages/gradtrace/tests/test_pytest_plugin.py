"""The fixture of the pytest plugin."""

from __future__ import annotations

import subprocess
import sys

TESTS = """
import pytest, torch
from torch import nn

@pytest.mark.parametrize("cut", [False, True])
def test_step(healthy_gradients, cut):
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    sgd = torch.optim.SGD(net.parameters(), lr=0.1)
    with healthy_gradients(net, sgd):
        hidden = net[0](torch.ones(4, 2))
        net[1](hidden.detach() if cut else hidden).sum().backward()
        sgd.step()
"""


def test_a_step_whose_gradients_are_cut_fails_with_the_report(tmp_path):
    (tmp_path / "test_training.py").write_text(TESTS, "utf-8")
    (tmp_path / "pytest.ini").write_text("[pytest]\n", "utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_training.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, encoding="utf-8")
    assert "1 failed, 1 passed" in done.stdout
    assert "parameter-detached" in done.stdout and "hidden.detach()" in done.stdout
