"""What became of each parameter: it got a gradient, or why it didn't."""

from __future__ import annotations

import pytest
from gradtrace.graph.parameters import WITH_GRADIENT, parameters
from recording import recorded


def outcomes(body: str, folder) -> dict:
    """What became of the parameters, by their names."""
    return {each.name: each for each in parameters(recorded(body, folder))}


def without_gradient(body: str, folder) -> dict[str, str]:
    """The parameters for which something is amiss, with what."""
    found = outcomes(body, folder)
    return {name: each.outcome for name, each in found.items() if each.outcome != "gradient"}


CORRECT = {
    "the gradient of an input, with an optimizer": """
        net = nn.Linear(2, 1)
        opt = torch.optim.Adam(net.parameters())
        x = torch.ones(2, requires_grad=True)
        net(x).sum().backward()
        opt.step()
    """,
    "weights that are tied": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.embedding, self.head = nn.Embedding(3, 2), nn.Linear(2, 3, bias=False)
                self.head.weight = self.embedding.weight

            def forward(self, x):
                return self.head(self.embedding(x))

        net = Net()
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        net(torch.tensor([1])).sum().backward()
        opt.step()
    """,
    "a new last layer on a body that is frozen": """
        net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 3))
        for p in net.parameters():
            p.requires_grad_(False)
        net[1] = nn.Linear(2, 1)
        opt = torch.optim.SGD(net[1].parameters(), lr=0.1)
        net(torch.ones(1, 2)).sum().backward()
        opt.step()
        opt.add_param_group({"params": list(net[0].requires_grad_(True).parameters())})
        net(torch.ones(1, 2)).sum().backward()
    """,
    "evaluation, of a copy and with views": """
        net = nn.Linear(2, 2)
        copy = torch.optim.swa_utils.AveragedModel(net)
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        net(torch.ones(2)).sum().backward()
        opt.step()
        copy.update_parameters(net)
        with torch.no_grad():
            first, second = net.weight.chunk(2)
            print((copy(torch.ones(2)) + first * second).sum().item())
        net(torch.ones(2)).sum().backward()
    """,
    "a target that follows": """
        net, target = nn.Linear(2, 1), nn.Linear(2, 1).requires_grad_(True)
        for p in target.parameters():
            p.requires_grad_(False)
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(2):
            x = torch.randn(3, 2)
            with torch.no_grad():
                wanted = target(x)
            (net(x) - wanted).pow(2).mean().backward()
            opt.step()
            with torch.no_grad():
                for old, new in zip(target.parameters(), net.parameters()):
                    old.mul_(0.9).add_(new, alpha=0.1)
    """,
}


@pytest.mark.parametrize("name", CORRECT)
def test_of_a_correct_script_every_parameter_has_its_gradient(name, tmp_path):
    amiss = without_gradient(CORRECT[name], tmp_path)
    assert set(amiss.values()) <= {"frozen", "no_pass"}


AMISS = {
    "unused, although it was initialised": (
        """
        net, other = nn.Linear(2, 1), nn.Linear(2, 1)
        nn.init.zeros_(other.weight)
        net(torch.ones(2)).sum().backward()
        """,
        {"other.weight": "unused", "other.bias": "unused"},
    ),
    "frozen": (
        """
        net = nn.Linear(2, 1)
        net.weight.requires_grad_(False)
        net(torch.ones(2)).sum().backward()
        """,
        {"net.weight": "frozen"},
    ),
    "one way is not cut": (
        """
        w = nn.Parameter(torch.tensor(2.0))
        (w.detach() * w + w.item()).backward()
        """,
        {},
    ),
    "only the shape was taken": (
        """
        w, v = nn.Parameter(torch.ones(2)), nn.Parameter(torch.ones(2))
        (torch.zeros_like(w * 2) * v).sum().backward()
        """,
        {"w": "not_on_path", "v": "zero"},
    ),
    "on another branch": (
        """
        body, head, other = nn.Linear(2, 2), nn.Linear(2, 1), nn.Linear(2, 1)
        h = body(torch.ones(2))
        loss, extra = head(h).sum(), other(h).sum()
        print(extra.item())
        loss.backward()
        """,
        {"other.weight": "not_on_path", "other.bias": "not_on_path"},
    ),
    "not in the optimizer": (
        """
        body, head = nn.Linear(2, 2), nn.Linear(2, 1)
        opt = torch.optim.SGD(head.parameters(), lr=0.1)
        head(body(torch.ones(2))).sum().backward()
        opt.step()
        """,
        {"body.weight": "not_in_optimizer", "body.bias": "not_in_optimizer"},
    ),
    "not asked for": (
        """
        w, v = nn.Parameter(torch.tensor(2.0)), nn.Parameter(torch.tensor(1.0))
        (w * v).backward(inputs=[v])
        """,
        {"w": "not_asked"},
    ),
    "the pass failed": (
        """
        w = nn.Parameter(torch.tensor(2.0))
        y = w.exp()
        with torch.no_grad():
            y += 1
        y.backward()
        """,
        {"w": "failed"},
    ),
    "used after the last pass": (
        """
        w, v = nn.Parameter(torch.tensor(2.0)), nn.Parameter(torch.tensor(1.0))
        v.backward()
        later = 2 * w
        """,
        {"w": "no_pass"},
    ),
}


@pytest.mark.parametrize("name", AMISS)
def test_what_became_of_each_parameter(name, tmp_path):
    body, expected = AMISS[name]
    assert without_gradient(body, tmp_path) == expected


DETACHED = {
    "detach": ("h = w * 3; y = (h.detach() * v).exp()", "detach", "detach", "h.detach()"),
    "detach, further": ("y = (w * 3).detach().exp().sin() * v", "detach", "detach", None),
    "data": ("y = w.data * v", "data", "data", "w.data"),
    "no_grad": ("with torch.no_grad(): h = (w * 3).sin()\ny = h * v", "no_grad", "mul", "w * 3"),
    "argmax": ("y = (w * torch.arange(3)).argmax() * v", "no_derivative", "argmax", None),
    "torch.tensor": ("y = torch.tensor(w * 3) * v", "new_tensor", "tensor", None),
    "item": ("h = (w * 0.7).item(); y = torch.tensor(h) + v", "number", "item", None),
    "a factor": ("y = v * (w * 0.7).item()", "number", "item", None),
    "float": ("y = v * float(w * 0.7)", "number", "float", "float(w * 0.7)"),
    "the nearest to the loss": ("y = (w.detach() * v).detach() * v", "detach", "detach", None),
}


@pytest.mark.parametrize("name", DETACHED)
def test_detached_names_the_operation_that_cut_it(name, tmp_path):
    code, how, op, source = DETACHED[name]
    head = ["w = torch.tensor(2.0, requires_grad=True)", "v = nn.Parameter(torch.tensor(1.0))"]
    body = "\n".join([*head, *code.split("\n"), "y.backward()"])
    found = outcomes(body, tmp_path)
    assert found["v"].outcome == "gradient"
    cut = found["w"].cut
    assert (found["w"].outcome, cut.how, cut.op) == ("detached", how, op)
    assert cut.line == 5 and (source is None or cut.source == source)


def test_a_backward_that_gives_none(tmp_path):
    body = """
        class First(torch.autograd.Function):
            @staticmethod
            def forward(ctx, a, b):
                return a * b
            @staticmethod
            def backward(ctx, grad):
                return grad, None
        w, v = nn.Parameter(torch.tensor(2.0)), nn.Parameter(torch.tensor(1.0))
        First.apply(v, w * 2).backward()
    """
    cut = outcomes(body, tmp_path)["w"].cut
    assert (cut.how, cut.op, cut.line) == ("none", "First", 11)


def test_parameters_that_a_container_or_an_object_holds_have_names(tmp_path):
    body = """
        class Trainer:
            def __init__(self):
                self.net = nn.Linear(2, 1)
                self.spare = nn.Linear(2, 1)

            def step(self):
                self.net(torch.ones(2)).sum().backward()

        def main():
            trainer, nets = Trainer(), [nn.Linear(2, 1), nn.Linear(2, 1)]
            trainer.step()
            nets[0](torch.ones(2)).sum().backward()

        main()
    """
    found = outcomes(body, tmp_path)
    assert found["trainer.net.weight"].outcome in WITH_GRADIENT
    assert found["trainer.spare.weight"].outcome == found["nets[1].bias"].outcome == "unused"
    assert found["nets[0].weight"].outcome == "gradient"
