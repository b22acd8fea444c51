"""The boxes and edges of a graph: what they are called, which cuts are drawn, how long it takes."""

from __future__ import annotations

from typing import get_args

import pytest
from gradtrace.graph.build import build_graph
from gradtrace.graph.cuts import How
from gradtrace.graph.parameters import EXPLAINED, parameters
from gradtrace.story.steps import list_steps
from gradtrace.words import LANGUAGES
from recording import recorded


def titles(body: str, folder) -> dict[str, list[str]]:
    """The titles of the boxes of nodes, by the name of the node without its ending."""
    found: dict[str, list[str]] = {}
    for box in build_graph(recorded(body, folder)).boxes.values():
        found.setdefault(box.node.partition("Backward")[0], []).append(box.title)
    return found


BLOCKS = """
    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv1 = nn.Conv2d(2, 2, 3, padding=1, bias=False)
            self.bn1 = nn.BatchNorm2d(2)
            self.relu = nn.ReLU(inplace=True)
            self.conv2 = nn.Conv2d(2, 2, 3, padding=1, bias=False)
            self.bn2 = nn.BatchNorm2d(2)

        def forward(self, x):
            out = self.relu(self.bn1(self.conv1(x)))
            out = self.bn2(self.conv2(out))
            out += x
            return self.relu(out)

    net = nn.Sequential(nn.Conv2d(1, 2, 3), Block(), nn.Flatten(), nn.Linear(32, 2))
    logits = net(torch.randn(3, 1, 6, 6))
    loss = nn.functional.cross_entropy(logits, torch.tensor([0, 1, 1]))
    loss.backward()
"""


def test_a_box_is_called_after_its_module_and_after_what_it_is_in_there(tmp_path):
    found = titles(BLOCKS, tmp_path)
    assert found["Convolution"] == ["net.0", "net.1.conv1", "net.1.conv2"]
    assert found["NativeBatchNorm"] == ["net.1.bn1", "net.1.bn2"]
    assert found["Relu"] == ["net.1.relu", "net.1.relu #2"]
    assert found["Add"] == ["net.1: out"]
    assert found["Addmm"] == ["logits"]
    assert found["NllLoss"] == ["loss"]


def test_a_name_inside_of_a_module_is_not_that_of_its_result(tmp_path):
    body = """
        class Net(nn.Module):
            def forward(self, x):
                out = x * 2
                return out.exp()
        w = torch.tensor(1.0, requires_grad=True)
        net = Net()
        out = net(w)
        out.backward()
    """
    found = titles(body, tmp_path)
    assert (found["Mul"], found["Exp"]) == (["net: out"], ["out"])


def test_the_name_of_an_argument_is_not_that_of_what_it_was_given(tmp_path):
    body = """
        class Ramp(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x.clamp(min=0)
            @staticmethod
            def backward(ctx, grad):
                return grad
        x, w = torch.ones(1, 2), torch.ones(2, 1, requires_grad=True)
        twice = lambda t: torch.sigmoid(t) * 2
        y = twice(Ramp.apply(x.mm(w)))
        y.backward()
    """
    found = titles(body, tmp_path)
    assert found["Mm"] == ["x.mm(w)"] and found["Ramp"] == ["Ramp.apply(x.mm(w))"]
    assert found["Sigmoid"] == ["torch.sigmoid(t)"] and found["Mul"] == ["y"]


def test_a_module_with_two_names_is_called_as_its_parameters_are(tmp_path):
    body = """
        first = nn.Linear(2, 2)
        net = nn.Sequential(first, nn.Tanh())
        net(torch.ones(1, 2)).sum().backward()
    """
    assert titles(body, tmp_path)["AccumulateGrad"] == ["first.bias", "first.weight"]
    assert titles(body, tmp_path)["Addmm"] == ["first"]


def test_a_module_with_the_parameter_of_another_keeps_its_path(tmp_path):
    body = """
        net = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Tanh(), nn.Linear(2, 2, bias=False))
        net[2].weight = net[0].weight
        net(torch.ones(1, 2)).sum().backward()
    """
    assert titles(body, tmp_path)["Mm"] == ["net.0", "net.2"]


# Cuts


def cuts(body: str, folder) -> list[tuple[str, str]]:
    """The titles of the boxes at both ends of each cut."""
    graph = build_graph(recorded(body, folder))
    return [
        (graph.boxes[edge.source].title, graph.boxes[edge.target].title)
        for edge in graph.edges
        if edge.kind == "cut"
    ]


CUT = {
    "detach, further": ("y = h.detach().exp() * v", [("h", "h.detach().exp()")]),
    "several operations": ("y = (h.detach() * 2 + 1).sin() * v", [("h", "sin(…)")]),
    "data": ("y = h.data * v", [("h", "h.data")]),
    "a block": ("with torch.no_grad():\n    d = h * 3\ny = (d + 1) * v", [("h", "d")]),
    "with a name": ("d = h.detach()\ny = d.exp() * v", [("h", "d")]),
    "argmax": ("y = h.expand(3).argmax() * v", [("h.expand(3)", "h.expand(3).argmax()")]),
    "only its shape": ("y = torch.zeros_like(h) * v + h", []),
    "no cut": ("c = torch.ones(1)\nd = c * 2\ny = h * d", []),
}


@pytest.mark.parametrize("name", CUT)
def test_a_cut_is_drawn_at_what_was_taken_out_of_the_graph(name, tmp_path):
    code, expected = CUT[name]
    head = ["w, v = nn.Parameter(torch.tensor(2.0)), nn.Parameter(torch.tensor(1.0))", "h = w * 3"]
    assert cuts("\n".join([*head, code, "y.sum().backward()"]), tmp_path) == expected


def test_what_was_frozen_when_it_was_used_is_not_said_to_be_cut(tmp_path):
    body = """
        body, head = nn.Linear(2, 2).requires_grad_(False), nn.Linear(2, 1)
        for _ in range(2):
            head(body(torch.ones(1, 2)).relu()).sum().backward()
            body.requires_grad_(True)
    """
    assert cuts(body, tmp_path) == []


def test_the_step_of_a_cut_says_that_no_gradient_goes_back(tmp_path):
    body = """
        w = nn.Parameter(torch.tensor(2.0))
        h = w * 3
        (h.detach().exp() * w).backward()
    """
    steps = list_steps(recorded(body, tmp_path), "en")
    told = [step.sentence for step in steps if "outside the graph" in step.sentence]
    assert [sentence.partition(" gives ")[0] for sentence in told] == ["`h.detach().exp()`"]


# Parameters without a gradient


def told(body: str, folder, language: str) -> tuple[str, dict[str, str]]:
    """What is told of parameters at the end, and the `.grad` that their boxes show, by titles."""
    trace = recorded(body, folder)
    graph = build_graph(trace, run=parameters(trace))
    (step,) = (s for s in list_steps(trace, language, graph) if s.kind == "backward_end")
    grads = {f"{key}g": box.title for key, box in graph.boxes.items()}
    return step.sentence, {grads[slot]: text for slot, text in step.changes.items()}


FAULTS = """
    first, second, spare = nn.Linear(1, 1), nn.Linear(1, 1), nn.Linear(1, 1, bias=False)
    second.bias.requires_grad_(False)
    for layer in (first, second, spare):
        nn.init.ones_(layer.weight)
    opt = torch.optim.SGD([*first.parameters(), *spare.parameters()], lr=0.1)
    h = first(torch.ones(1, 1))
    second(h.detach().exp()).sum().backward()
"""


def test_it_is_told_at_the_end_of_the_last_pass_why_a_parameter_got_no_gradient(tmp_path):
    sentence, grads = told(FAULTS, tmp_path, "en")
    assert sentence == (
        "No gradient for `first.weight` and `first.bias`: `h.detach()` (line 9) cuts its result off"
        " from the graph. No optimizer holds `second.weight`: the gradient updates nothing."
        " No gradient for `second.bias`: `requires_grad` is False."
        " No gradient for `spare.weight`: nothing called `spare`."
    )
    assert grads["first.bias"] == "None (cut off)" and grads["spare.weight"] == "None (unused)"
    assert grads["second.bias"] == "None (frozen)"
    assert grads["second.weight"].endswith("] (in no optimizer)")


def test_many_parameters_are_counted(tmp_path):
    body = """
        net = nn.Linear(1, 1)
        others = nn.ModuleList(nn.Linear(1, 1) for _ in range(5))
        net(torch.ones(1, 1)).sum().backward()
    """
    sentence, _ = told(body, tmp_path, "en")
    assert sentence == (
        "No gradient for `others.0.weight`, `others.0.bias`, `others.1.weight` and 7 other"
        " parameters: nothing called `others.0`, `others.1`, `others.2` and 2 other modules."
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_outcome_and_every_cut_has_words(language):
    phrases = LANGUAGES[language]
    assert {f"{kind}_{outcome}" for kind in ("why", "said") for outcome in EXPLAINED} <= set(
        phrases
    )
    assert {f"cut_{how}" for how in get_args(How)} <= set(phrases)


# Time
