"""torch.compile: what is compiled is recorded as it runs eagerly, and compiled again afterwards."""

from __future__ import annotations

import contextlib
import io
import sys
from pathlib import Path

import pytest
from gradtrace import Recorder, execute
from recording import recorded, write
from torch._dynamo import eval_frame

pytestmark = pytest.mark.upgrade

SCRIPT = """\
import torch
from torch import nn

torch.manual_seed(0)
torch._dynamo.reset()
net = nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
model = torch.compile(net, backend="aot_eager")


@torch.compile(backend="aot_eager", fullgraph=True)
def loss_of(y, scale):
    return (y * y).mean() * scale


sgd = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
    sgd.zero_grad()
    loss = loss_of(model(torch.ones(step % 2 + 1, 2)), float(step))
    loss.backward()
    sgd.step()
    print(loss.item())
print(net[0].weight.tolist())
"""


@pytest.mark.parametrize("passes", [1, 2, None])
def test_it_runs_eagerly_and_ends_as_without_a_recorder(tmp_path: Path, monkeypatch, passes):
    script = str(write(tmp_path / "script.py", SCRIPT))
    monkeypatch.setitem(sys.modules, "__main__", None)  # and put back at the end
    with contextlib.redirect_stdout(io.StringIO()) as plain:
        execute(script)
    compiled = vars(sys.modules["__main__"])["loss"].grad_fn.name()
    stance, patched = eval_frame._stance, eval_frame._callback_from_stance
    recorder = Recorder(script, max_passes=passes)
    with contextlib.redirect_stdout(io.StringIO()) as out, recorder:
        execute(script)
    trace = recorder.trace()
    assert out.getvalue() == plain.getvalue()
    assert trace.eager
    assert compiled == "CompiledFunctionBackward"
    assert compiled not in {node["op"] for node in trace.nodes.values()}
    after = vars(sys.modules["__main__"])["loss"].grad_fn.name()
    assert after == (compiled if passes else "MulBackward0")
    assert (eval_frame._stance, eval_frame._callback_from_stance) == (stance, patched)


def test_the_compile_method_of_a_module_counts(tmp_path):
    body = 'net = nn.Linear(1, 1)\nnet.compile(backend="eager")\n'
    assert not recorded(body, tmp_path).eager
    assert recorded(body + "net(torch.ones(1, 1))\n", tmp_path).eager


def test_a_stance_that_the_script_sets_stays(tmp_path):
    before = eval_frame._stance
    recorded('torch.compiler.set_stance("eager_on_recompile")\n', tmp_path)
    assert eval_frame._stance.stance == "eager_on_recompile"
    eval_frame._set_stance(before)
