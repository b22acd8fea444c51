"""The box at which an error was raised is drawn, and marked when the error is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from figure_checks import layout_faults
from gradtrace import Trace, build_graph, record_script
from gradtrace.drawing.player_data import fold
from gradtrace.graph.passes import excerpts
from gradtrace.story.steps import list_steps
from recording import write

HEAD = "import torch\nfrom torch import nn\n"
NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(*(nn.Linear(4, 4) for _ in range(count)))
        self.scale = nn.Parameter(torch.ones(3))
    def forward(self, x):
        y = self.layers(x)
        return y * self.scale
"""
SQUARE = """
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        if fails:
            raise ValueError("no square")
        return x * x
    @staticmethod
    def backward(ctx, grad):
        return grad @ grad
w = torch.ones(2, 3, requires_grad=True)
Square.apply(w.exp()).sum().backward()
"""


def failed(body: str, folder: Path) -> Trace:
    """The recording of a script that fails."""
    trace = record_script(write(folder / "script.py", HEAD + body))
    assert any(event["k"] == "error" for event in trace.events)
    return trace


def test_the_first_layer_that_fails_is_drawn_with_what_it_was_given(tmp_path):
    trace = failed(
        "net = nn.Linear(4, 8)\nx = torch.ones(5, 3)\nnet(x).sum().backward()\n", tmp_path
    )
    graph = build_graph(trace)
    assert [(box.kind, box.title, box.node) for box in graph.boxes.values()] == [
        ("constant", "x", ""),
        ("leaf", "net.weight", ""),
        ("leaf", "net.bias", ""),
        ("failed", "net(x)", "linear"),
    ]
    *into, box = graph.boxes
    assert [(edge.source, edge.target) for edge in graph.edges] == [(key, box) for key in into]
    assert list_steps(trace, "en", graph)[-1].touches == (box,)
    assert layout_faults(trace) == []


@pytest.mark.parametrize("count", [2, 20])
def test_an_operation_that_fails_is_marked_in_its_module(tmp_path, count):
    body = f"count = {count}\n{NET}\nnet = Net()\nnet(torch.ones(2, 4)).sum().backward()\n"
    trace = failed(body, tmp_path)
    assert trace.calls[trace.events[-1]["within"]]["path"] == "net"
    figure = fold(excerpts(trace, None)[0], "zh")
    (key,) = figure.steps[-1].touches
    box = figure.view(figure.first_view).boxes[key]
    assert (box.kind, box.title, box.node) == ("failed", "y * self.scale", "mul")
    assert figure.failing_step == len(figure.steps)


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("fails = False\n" + SQUARE, "SquareBackward"),
        (
            "w = torch.ones(2, requires_grad=True)\ny = w.exp()\nz = y.tanh()\ny += 1\n"
            "(y * z).sum().backward()\n",
            "ExpBackward0",
        ),
        (
            "w = torch.ones(2, requires_grad=True)\nloss = w.exp().sum()\nloss.backward()\n"
            "loss.backward()\n",
            "ExpBackward0",
        ),
    ],
)
def test_the_node_whose_backward_fails_is_marked(tmp_path, body, title):
    trace = failed(body, tmp_path)
    graph = build_graph(trace)
    (key,) = list_steps(trace, "en", graph)[-1].touches
    assert graph.boxes[key].node == title


@pytest.mark.parametrize(
    "body",
    [
        "fails = True\n" + SQUARE,
        "w = torch.ones(2, requires_grad=True)\ny = w.exp()\nraise ValueError('mine')\n",
        "w = torch.ones(2, requires_grad=True)\ny = w.exp()\ny.backward()\n",
    ],
)
def test_an_error_that_no_operation_raised_marks_no_box(tmp_path, body):
    trace = failed(body, tmp_path)
    graph = build_graph(trace)
    assert list_steps(trace, "en", graph)[-1].touches == ()
    assert all(box.kind != "failed" for box in graph.boxes.values())
