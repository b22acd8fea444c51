"""Which calls of modules a trace holds, and what the modules are called."""

from __future__ import annotations

import pytest
from gradtrace import Trace
from recording import recorded

pytestmark = pytest.mark.upgrade

NET = """
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.fc = nn.Linear(2, 2)

        def forward(self, x):
            return torch.relu(self.fc(x))

    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.body = nn.Sequential(Block(), Block())
            self.head = Block()

        def forward(self, x):
            return self.head(self.head(self.body(x)))

    x = torch.ones(1, 2)
"""


def paths(trace: Trace) -> list[str]:
    return [call["path"] for call in trace.calls.values()]


def paths_of_ops(trace: Trace, op: str) -> list[str]:
    return [trace.calls[e["within"]]["path"] for e in trace.events if e.get("op") == op]


def test_every_call_has_its_path_its_line_and_the_call_around_it(tmp_path):
    trace = recorded(NET + "    net = Net()\n    net(x).sum().backward()\n", tmp_path)
    assert list(trace.calls.values()) == [
        {"path": "net", "kind": "Net", "line": 22},
        {"path": "net.body", "kind": "Sequential", "line": 18, "within": "c0"},
        {"path": "net.body.0", "kind": "Block", "line": 18, "within": "c1"},
        {"path": "net.body.0.fc", "kind": "Linear", "line": 9, "within": "c2"},
        {"path": "net.body.1", "kind": "Block", "line": 18, "within": "c1"},
        {"path": "net.body.1.fc", "kind": "Linear", "line": 9, "within": "c4"},
        {"path": "net.head", "kind": "Block", "line": 18, "within": "c0"},
        {"path": "net.head.fc", "kind": "Linear", "line": 9, "within": "c6"},
        {"path": "net.head", "kind": "Block", "line": 18, "within": "c0"},
        {"path": "net.head.fc", "kind": "Linear", "line": 9, "within": "c8"},
    ]
    within = [event.get("within") for event in trace.events if event["k"] == "op"]
    assert within == [None, "c3", "c2", "c5", "c4", "c7", "c6", "c9", "c8", None]


@pytest.mark.parametrize(
    ("code", "path"),
    [
        ("net = nn.Linear(2, 2)\nnet(x)", "net"),
        ("def main():\n    model = nn.Linear(2, 2)\n    model(x)\nmain()", "model"),
        ("nets = [nn.ReLU(), nn.Linear(2, 2)]\nnets[1](x)", "nets[1]"),
        ("nets = {'q': nn.Linear(2, 2)}\nnets['q'](x)", 'nets["q"]'),
        ("part = nn.Linear(2, 2)\nnet = nn.Sequential(part)\npart(x)", "net.0"),
        ("part = nn.Linear(2, 2)\npart(x)\nnet = nn.Sequential(part)", "part"),
        ("nn.Linear(2, 2)(x)", "Linear"),
        ("nn.Sequential(nn.Linear(2, 2))(x)", "Sequential.0"),
        ("net = nn.DataParallel(nn.Sequential(nn.Linear(2, 2)))\nnet(x)", "net.0"),
        ("net = nn.Sequential(nn.DataParallel(nn.Linear(2, 2)))\nnet(x)", "net.0"),
        (
            "class Agent:\n    def __init__(self):\n        self.net = nn.Linear(2, 2)\n"
            "    def act(self):\n        return self.net(x)\nagent = Agent()\nagent.act()",
            "agent.net",
        ),
        (
            "class Agent:\n    def __init__(self, net):\n        self.net = net\n"
            "    def act(self):\n        return self.net(x)\n"
            "def main():\n    model = nn.Linear(2, 2)\n    Agent(model).act()\nmain()",
            "model",
        ),
        (
            "class Agent:\n    def __init__(self):\n        self.net = nn.Linear(2, 2)\n"
            "    def act(self):\n        return self.net(x)\nAgent().act()",
            "self.net",
        ),
    ],
)
def test_the_path_begins_with_the_best_name(tmp_path, code, path):
    trace = recorded("x = torch.ones(1, 2)\n" + code, tmp_path)
    assert paths_of_ops(trace, "linear") == [path]


def test_a_name_that_comes_later_is_taken(tmp_path):
    trace = recorded(
        """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(2, 2)
                self.fc(torch.ones(1, 2))

            def forward(self, x):
                return self.fc(x)

        net = Net()
        net(torch.ones(1, 2))
        net.fc = nn.Linear(2, 2)
        net(torch.ones(1, 2))
        """,
        tmp_path,
    )
    assert paths(trace) == ["self.fc", "net", "net.fc", "net", "net.fc"]


def test_a_module_that_a_checkpoint_runs_again_in_the_backward_pass(tmp_path):
    trace = recorded(
        """
        from torch.utils.checkpoint import checkpoint

        net = nn.Linear(1, 1)
        checkpoint(net, torch.ones(1, 1), use_reentrant=False).sum().backward()
        """,
        tmp_path,
    )
    first, again = trace.calls.values()
    assert first == {"path": "net", "kind": "Linear", "line": 6}
    assert again == first | {"p": 1}


def test_after_an_error_inside_a_module_the_next_call_is_outside_of_it(tmp_path):
    trace = recorded(
        """
        net = nn.Sequential(nn.Linear(2, 2))
        try:
            net(torch.ones(1, 3))
        except RuntimeError:
            net(torch.ones(1, 2))
        """,
        tmp_path,
    )
    assert [call.get("within") for call in trace.calls.values()] == [None, "c0", None, "c2"]
