"""What is recorded for a doctor alone: warnings, clipping, scaling, how far weights moved."""

from __future__ import annotations

import pytest
from gradtrace import format_trace, parse_trace, record_script
from health_recording import record_health

SCRIPT = """\
import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 40), nn.ReLU(), nn.Linear(40, 1, bias=False))
with torch.no_grad():
    net[0].weight[:10] = 0
    net[0].bias[:10] = -1
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0)
schedule.step()
loss = net(torch.ones(5, 3)).sum()
scaler.scale(loss).backward()
scaler.unscale_(optimizer)
before = net[2].weight.detach().clone()
norm = nn.utils.clip_grad_norm_((p for p in net.parameters()), 1e9)
nn.utils.clip_grad_value_(net[2].weight, 1e9)
scaler.step(optimizer)
print((net[2].weight.detach() - before).norm().item() / before.norm().item())
raise ValueError("no more")
"""


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    file = tmp_path_factory.mktemp("health") / "script.py"
    file.write_text(SCRIPT, encoding="utf-8")
    return file


@pytest.fixture(scope="module")
def trace(file):
    return parse_trace(format_trace(record_health(file)))


def test_signs_come_in_order_with_their_lines(trace):
    found = [(sign["k"], sign["line"]) for sign in trace.health if sign["line"] > 11]
    assert found == [
        *(("scale", 13), ("unscale", 14), ("clip", 16), ("clip", 17)),
        *(("scaler_step", 18), ("failure", 20)),
    ]
    warning = next(sign for sign in trace.health if sign["k"] == "warning")
    assert warning["line"] == 11 and "lr_scheduler.step" in warning["text"]
    assert [len(sign["ts"]) for sign in trace.health if sign["k"] == "clip"] == [3, 1]
    assert trace.health[-1]["text"] == "ValueError: no more"


def test_a_weight_moves_as_far_as_the_script_says(trace):
    row = next(event for event in trace.events if event["k"] == "step")["params"][2]
    assert row["moved"] == pytest.approx(float(trace.stdout), rel=1e-3)


def test_units_that_are_zero_for_the_whole_batch(trace):
    relu = next(event for event in trace.events if event.get("op") == "relu")
    assert relu["dead"][0] >= 10 and relu["dead"][1:] == [40, 5]


def test_it_is_not_recorded_unasked(file):
    trace = record_script(file)
    assert not trace.health and '"dead"' not in (text := format_trace(trace))
    assert '"moved"' not in text


OUTLINE = """\
import torch
from torch import nn

net = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
with torch.no_grad():
    for _ in range(200):
        net(torch.ones(2, 3))
for _ in range(6):
    loss = net(torch.ones(2, 3)).sum()
    loss.backward()
    optimizer.step()
"""


def test_what_carries_no_gradient_uses_up_nothing_and_later_passes_are_outlines(tmp_path):
    file = tmp_path / "script.py"
    file.write_text(OUTLINE, encoding="utf-8")
    whole = record_health(file)
    assert not whole.left_out and not any("outline" in event for event in whole.events)
    assert sum(event["k"] == "op" and event["line"] == 8 for event in whole.events) == 100
    short = record_health(file, max_events=40)
    passes = [event for event in short.events if event["k"] == "backward"]
    outlines = ["outline" in event for event in passes]
    assert outlines == [False] * outlines.index(True) + [True] * (6 - outlines.index(True))
    for kind in ("acc", "step"):
        found = [[e for e in trace.events if e["k"] == kind] for trace in (whole, short)]
        assert len(found[0]) == len(found[1])
        assert found[0][-1].get("after") == found[1][-1].get("after")
    losses = [
        trace.tensors[[e for e in trace.events if e["k"] == "backward"][-1]["roots"][0]]["value"]
        for trace in (whole, short)
    ]
    assert losses[0] == losses[1]
    last = max(i for i, event in enumerate(short.events) if event["k"] == "node")
    assert not any("n" in out for e in short.events[last:] for out in e.get("out", ()))
