"""For each kind of finding the smallest change that brings the fault into a script that is well.

A change is a text of the script and what takes its place; several follow one another. `fine`:
changes after which there is still nothing to report but notes.
"""

from __future__ import annotations

from typing import NamedTuple

Changes = tuple[str, ...]
HEAD = """\
import copy
import torch
from torch import nn
import torch.nn.functional as F
"""


class Case(NamedTuple):
    """A script that is well, and what may be changed in it."""

    script: str
    faults: dict[str, Changes]
    fine: tuple[Changes, ...] = ()


def changed(script: str, changes: Changes) -> str:
    """The whole script with its changes, each in one place."""
    for old, new in zip(changes[::2], changes[1::2], strict=True):
        assert script.count(old) == 1, (old, script)
        script = script.replace(old, new)
    return HEAD + script


LEAF = Case(
    """\
w = torch.ones(3, requires_grad=True)
h = w * 2
loss = h.sum()
loss.backward()
""",
    {
        "backward-twice": ("loss.backward()", "loss.backward()\nloss.backward()"),
        "edited-in-place": ("h = w * 2", "h = w.exp()\nh += 1"),
        "graph-is-cut": ("w * 2", "(w * 2).detach()"),
        "nothing-requires-grad": (", requires_grad=True", ""),
        "loss-is-no-tensor": ("h.sum()", "h.sum().item()"),
        "not-a-scalar": ("h.sum()", "h"),
        "wrong-seed-shape": ("loss.backward()", "h.backward(torch.ones(2))"),
        "leaf-edited": ("h = w", "w.mul_(2)\nh = w"),
        "flag-on-non-leaf": ("loss =", "h.requires_grad = False\nloss ="),
        "not-in-graph": (
            "loss.backward()",
            "torch.autograd.grad(loss, [w, torch.ones(3).requires_grad_()])",
        ),
        "inference-tensor": ("h = w * 2", "with torch.inference_mode():\n    x = w * 2\nh = w * x"),
        "non-leaf-optimized": ("loss =", "torch.optim.SGD([h], lr=0.1)\nloss ="),
        "nothing-to-optimize": ("loss =", "torch.optim.SGD([], lr=0.1)\nloss ="),
        "parameter-twice": ("loss =", "torch.optim.SGD([{'params': w}, {'params': w}])\nloss ="),
        "closure-missing": ("loss.backward()", "loss.backward()\ntorch.optim.LBFGS([w]).step()"),
        "wrong-hook-return": ("loss =", "h.register_hook(lambda grad: 0)\nloss ="),
        "hook-refused": ("loss =", "h.detach().register_hook(print)\nloss ="),
        "grad-is-none": ("loss.backward()", "w.grad.zero_()"),
        "leaf-replaced": ("loss.backward()", "loss.backward()\nw = w - w.grad\nw.grad.zero_()"),
        "numpy-of-graph": ("loss =", "h.numpy()\nloss ="),
        "copy-of-graph": ("loss =", "copy.deepcopy(h)\nloss ="),
        "wrong-grad-assigned": ("h = w", "w.grad = torch.ones(2)\nh = w"),
        "integers-need-no-grad": ("torch.ones(3,", "torch.tensor([1, 2],"),
        "batch-of-one": ("w * 2", "nn.BatchNorm1d(3)(w[None])"),
        "dtypes-differ": ("w * 2", "nn.Linear(3, 3)(w.double())"),
        "shapes-differ": ("w * 2", "w @ torch.ones(2, 2)"),
        "resumed-otherwise": (
            "loss =",
            "one, two = (torch.optim.SGD(ps) for ps in ([w], [w, torch.ones(1)]))\n"
            "one.load_state_dict(two.state_dict())\nloss =",
        ),
        "known-message": ("loss =", "torch.autograd.grad(w.sum(), [])\nloss ="),
        "script-failed": ("loss =", "open('no such file')\nloss ="),
        "grad-of-non-leaf": ("loss.backward()", "loss.backward()\nprint(h.grad)"),
        "copied-tensor": ("w * 2", "w * torch.tensor(torch.ones(3))"),
        "hook-changed": ("loss =", "h.register_hook(lambda grad: grad * 2)\nloss ="),
        "hook-never-called": ("loss =", "(w * 3).register_hook(lambda grad: None)\nloss ="),
        "nan-in-forward": ("w * 2", "w * torch.log(w - 1)"),
        "masked-row": ("w * 2", "(w * 2).masked_fill(w > 0, -torch.inf).softmax(dim=0)"),
        "nan-in-backward": ("w * 2", "torch.sqrt(w - 1)"),
        "nan-in-data": ("w * 2", "w * torch.tensor([1.0, float('nan'), 2.0])"),
    },
    (
        ("loss.backward()", "loss.backward(retain_graph=True)\nloss.backward()"),
        ("h = w * 2", "h = w.exp()\nh = h + 1"),
        ("h = w", "with torch.no_grad():\n    w.mul_(2)\nh = w"),
        ("loss.backward()", "torch.autograd.grad(loss, [w])"),
        ("h = w * 2", "with torch.inference_mode():\n    x = w * 2\nh = w * x.clone()"),
        ("loss =", "h.register_hook(lambda grad: None)\nloss ="),
        ("loss =", "h.detach().numpy()\ncopy.deepcopy(h.detach())\nloss ="),
        ("loss.backward()", "h.retain_grad()\nloss.backward()\nprint(h.grad)"),
        (
            "loss.backward()",
            "loss.backward()\nwith torch.no_grad():\n    w -= w.grad\nw.grad.zero_()",
        ),
        ("w * 2", "w * torch.log(w)"),
    ),
)

TRAIN = Case(
    """\
net = nn.Sequential(nn.Linear(3, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
x, y = torch.randn(16, 3), torch.randn(16, 1)
for step in range(4):
    optimizer.zero_grad()
    out = net(x)
    loss = F.mse_loss(out, y)
    loss.backward()
    optimizer.step()
""",
    {
        "never-cleared": ("    optimizer.zero_grad()\n", ""),
        "never-stepped": ("optimizer.step()", "optimizer.step"),
        "no-backward": ("    loss.backward()\n", ""),
        "empty-step": ("    optimizer.step()", "    optimizer.zero_grad()\n    optimizer.step()"),
        "stepped-twice": ("    optimizer.step()", "    optimizer.step()\n    optimizer.step()"),
        "optimizer-holds-old": ("x, y =", "net[2] = nn.Linear(16, 1)\nx, y ="),
        "stepped-before-backward": (
            *("loss.backward()", "loss.backward(retain_graph=True)"),
            *("optimizer.step()", "optimizer.step()\n    out.sum().backward()"),
        ),
        "block-repeated": (
            "nn.Linear(3, 16), nn.ReLU()",
            "*[nn.Linear(3, 3)] * 2, nn.ReLU()",
            "r(16, 1)",
            "r(3, 1)",
        ),
        "thrown-away": ("    optimizer.step()", "    if step % 2:\n        optimizer.step()"),
        "copy-with-gradients": (
            *("x, y =", "copied = copy.deepcopy(net)\nx, y =", "(out, y)", "(out, y + copied(x))"),
            *(
                "    optimizer.step()",
                "    optimizer.step()\n    copied.load_state_dict(net.state_dict())",
            ),
        ),
        "undivided": (
            *("range(4)", "range(8)", "    optimizer.zero_grad()\n", ""),
            *("    optimizer.step()", "    if step % 2:\n        STEP"),
            *("STEP", "optimizer.step()\n        optimizer.zero_grad()"),
        ),
        "untied": (
            *("net = nn", "with torch.device('meta'):\n    net = nn"),
            *("nn.Linear(3, 16)", "nn.Linear(3, 3), nn.Linear(3, 3)", "r(16, 1)", "r(3, 1)"),
            "optimizer =",
            "net[1].weight = net[0].weight\nnet.to_empty(device='cpu')\n"
            "[nn.init.normal_(each) for each in net.parameters()]\noptimizer =",
        ),
        "labels-ignored": (
            "F.mse_loss(out, y)",
            "F.cross_entropy(out * y.T, torch.full((16,), -100))",
        ),
        "softmax-over-batch": (
            "F.mse_loss(out, y)",
            "F.nll_loss((out * y.T).log_softmax(dim=0), torch.arange(16))",
        ),
        "clip-without-gradient": (
            "    loss.b",
            "    nn.utils.clip_grad_norm_(net.parameters(), 1.0)\n    loss.b",
        ),
        "clip-nothing": (
            "    optimizer.step()",
            "    nn.utils.clip_grad_norm_((p for p in ()), 1.0)",
        ),
        "clipped-hard": (
            "    optimizer.step()",
            "    nn.utils.clip_grad_norm_(net.parameters(), 1e-4)\n    optimizer.step()",
        ),
        "schedule-before-step": (
            *("x, y =", "schedule = torch.optim.lr_scheduler.StepLR(optimizer, 10)\nx, y ="),
            *("    optimizer.zero_grad()", "    schedule.step()\n    optimizer.zero_grad()"),
        ),
        "two-optimizers": (
            *("x, y =", "other = torch.optim.Adam(net[2].parameters(), lr=1e-3)\nx, y ="),
            *("optimizer.step()", "optimizer.step()\n    other.step()"),
        ),
        "learning-rate-zero": ("lr=0.01", "lr=0.0"),
        "stands-still": (
            *("nn.Linear(16, 1))", "nn.Linear(16, 1)).bfloat16()", "lr=0.01", "lr=1e-5"),
            *("net(x)", "net(x.bfloat16())", "F.mse_loss(out, y)", "out.pow(2).mean()"),
        ),
        "update-too-large": ("SGD(net.parameters(), lr=0.01)", "Adam(net.parameters(), lr=1.0)"),
        "update-too-small": ("SGD(net.parameters(), lr=0.01)", "Adam(net.parameters(), lr=1e-9)"),
        "nan-after-step": ("lr=0.01", "lr=1e38", "net(x)", "net(100 * x)"),
        "loss-grows": ("net(x)", "net[2](x.repeat(1, 6)[:, :16])", "lr=0.01", "lr=3.0"),
        "loss-is-leaf": ("F.mse_loss(out, y)", "F.mse_loss(out, y).detach().requires_grad_()"),
        "parameter-detached": ("net(x)", "net[2](net[:2](x).detach())"),
        "parameter-unused": ("net(x)", "net[2](torch.ones(16, 16))"),
        "parameter-off-path": ("mse_loss(out, y)", "mse_loss(net[2](torch.ones(16, 16)), y)"),
        "not-in-optimizer": ("net.parameters()", "net[2].parameters()"),
        "zero-gradient": ("net(x)", "net(x).clamp(5, 6)"),
        "moves-without-gradient": ("lr=0.01", "lr=0.01, weight_decay=0.1", "net(x)", "net(x) * 0"),
        "weight-decay-large": ("lr=0.01", "lr=0.01, weight_decay=20.0"),
        "saturated-tanh": ("nn.ReLU()", "nn.Tanh()", "x, y =", "net[0].bias.data[:] = 9.0\nx, y ="),
        "flag-misspelled": (
            "x, y =",
            "for each in net[0].parameters():\n    each.require_grad = False\nx, y =",
        ),
        "term-without-graph": (
            "F.mse_loss(out, y)",
            "F.mse_loss(out.detach(), y) + out.pow(2).mean()",
        ),
        "dead-relu": ("x, y =", "net[0].bias.data[:15] = -100\nx, y ="),
        "frozen": ("x, y =", "net[0].requires_grad_(False)\nx, y ="),
        "softmax-before-loss": (
            "F.mse_loss(out, y)",
            "F.cross_entropy((out * y.T).softmax(dim=1), torch.arange(16))",
        ),
        "no-log-before-nll": (
            "F.mse_loss(out, y)",
            "F.nll_loss((out * y.T).softmax(dim=1), torch.arange(16))",
        ),
        "sigmoid-before-loss": (
            "F.mse_loss(out, y)",
            "nn.BCEWithLogitsLoss()(out.sigmoid(), y.sigmoid())",
        ),
        "target-broadcast": ("torch.randn(16, 1)", "torch.randn(16)"),
        "running-loss": (
            *(
                "x, y =",
                "total = 0\nx, y =",
                "optimizer.step()",
                "optimizer.step()\n    total += loss",
            ),
        ),
        "retained-for-nothing": ("loss.backward()", "loss.backward(retain_graph=True)"),
    },
    (
        (
            "    loss.backward()",
            "    for part in loss, F.mse_loss(net(x), y):\n        part.backward()",
        ),
        (
            "    optimizer.step()",
            "    nn.utils.clip_grad_norm_(net.parameters(), 1.0)\n    optimizer.step()",
        ),
        (
            *(
                "x, y =",
                "schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda n: n / 10)\nx, y =",
            ),
            *("optimizer.step()", "optimizer.step()\n    schedule.step()"),
        ),
        (
            *("(net.parameters()", "(net[0].parameters()"),
            *("x, y =", "other = torch.optim.Adam(net[2].parameters(), lr=1e-3)\nx, y ="),
            *("optimizer.step()", "optimizer.step()\n    other.step()"),
            *("    out", "    other.zero_grad()\n    out"),
        ),
        ("lr=0.01", "lr=1e-5"),
        ("lr=0.01", "lr=0.01, weight_decay=0.1"),
        ("nn.ReLU()", "nn.Tanh()"),
        ("x, y =", "for each in net[1].parameters():\n    each.requires_grad = False\nx, y ="),
        ("F.mse_loss(out, y)", "F.mse_loss(out, y) + 0.1 * y.pow(2).mean() + 0.5"),
        ("F.mse_loss(out, y)", "F.mse_loss(out, y) + 10 * step"),
        ("SGD(net.parameters(), lr=0.01)", "Adam(net.parameters(), lr=1e-4)"),
        ("x, y =", "net[0].bias.data[:5] = -100\nx, y ="),
        (
            *("x, y =", "total = 0\nx, y ="),
            *("optimizer.step()", "optimizer.step()\n    total += loss.detach()"),
        ),
        ("F.mse_loss(out, y)", "F.nll_loss((out * y.T).log_softmax(dim=1), torch.arange(16))"),
        # Gradients of two micro-batches; a target without gradients; a teacher that follows.
        (
            *("range(4)", "range(8)", "    optimizer.zero_grad()\n", ""),
            *("    optimizer.step()", "    if step % 2:\n        STEP"),
            *(
                "STEP",
                "optimizer.step()\n        optimizer.zero_grad()",
                "e_loss(out, y)",
                "e_loss(out, y) / 2",
            ),
        ),
        (
            *("x, y =", "copied = copy.deepcopy(net)\nx, y ="),
            *("(out, y)", "(out, y + copied(x).detach())"),
            *(
                "    optimizer.step()",
                "    optimizer.step()\n    copied.load_state_dict(net.state_dict())",
            ),
        ),
        # A schedule that ends at 0.
        (
            *(
                "x, y =",
                "fall = lambda n: 1 - n / 3\n"
                "schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, fall)\nx, y =",
            ),
            *("optimizer.step()", "optimizer.step()\n    schedule.step()"),
        ),
        (
            "F.mse_loss(out, y)",
            "F.cross_entropy(out * y.T, torch.tensor([-100] * 15 + [3]))",
        ),
    ),
)

TIED = Case(
    """\
emb, head = nn.Embedding(9, 4), nn.Linear(4, 9, bias=False)
optimizer = torch.optim.SGD({*emb.parameters(), *head.parameters()}, lr=0.01)
for step in range(3):
    optimizer.zero_grad()
    head(emb(torch.arange(9))).pow(2).mean().backward()
    optimizer.step()
""",
    {"tie-lost": ("optimizer =", "head.weight = nn.Parameter(emb.weight.clone())\noptimizer =")},
)

RECURRENT = Case(
    """\
cell, head = nn.RNNCell(3, 4), nn.Linear(4, 1)
h = torch.zeros(2, 4)
for step in range(4):
    h = cell(torch.randn(2, 3), h)
    head(h).pow(2).mean().backward()
    h = h.detach()
""",
    {
        "carried-over": ("    h = h.detach()\n", ""),
        "graph-grows": ("backward()\n    h = h.detach()", "backward(retain_graph=True)"),
    },
)

SCALER = Case(
    """\
net = nn.Linear(3, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
for step in range(4):
    optimizer.zero_grad()
    loss = net(torch.ones(2, 3, dtype=net.weight.dtype)).half().float().pow(2).sum()
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(net.parameters(), 100.0)
    scaler.step(optimizer)
    scaler.update()
""",
    {
        "scaler-out-of-order": ("    nn.utils", "    scaler.unscale_(optimizer)\n    nn.utils"),
        "half-gradients": ("nn.Linear(3, 1)", "nn.Linear(3, 1).half()"),
        "steps-skipped": ("1024.0", "2.0**60"),
        "clip-before-unscale": ("    scaler.unscale_(optimizer)\n", ""),
    },
)

DEEP = Case(
    """\
layers = nn.ModuleList(nn.Linear(64, 64) for _ in range(8))
x = torch.randn(32, 64)
for layer in layers:
    x = torch.sin(layer(x))
x.pow(2).mean().backward()
""",
    {
        "vanishing": ("torch.sin", "torch.sigmoid"),
        "exploding": ("layer(x)", "30 * layer(x)"),
        "shared": ("x = torch.randn", "layers[1].weight = layers[0].weight\nx = torch.randn"),
        "checkpoint-without-grad": (
            "x = torch.sin(layer(x))",
            "x = torch.utils.checkpoint.checkpoint(layer, x.detach(), use_reentrant=True)",
        ),
        "bias-without-effect": ("torch.sin(layer(x))", "torch.sin(nn.BatchNorm1d(64)(layer(x)))"),
    },
)

MODES = Case(
    """\
net = nn.Sequential(nn.Linear(3, 8), nn.Dropout(0.5), nn.Linear(8, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for epoch in range(3):
    net.train()
    for step in range(2):
        optimizer.zero_grad()
        net(torch.randn(16, 3)).pow(2).mean().backward()
        optimizer.step()
    net.eval()
    with torch.no_grad():
        net(torch.randn(16, 3))
""",
    {"eval-left-on": ("    net.train()\n", "")},
)

HOOKED = Case(
    """\
class Double(nn.Module):
    def forward(self, x):
        return (2 * x.exp(),)

net = Double()
net.register_full_backward_hook(lambda *_: None)
x = torch.ones(3, requires_grad=True)
net(x)[0].sum().backward()
""",
    {
        "hook-sees-no-input": (
            *(
                "2 * x.exp()",
                "2 * x.exp() * self.w",
                "net.reg",
                "net.w = torch.ones(3, requires_grad=True)\nnet.reg",
            ),
            *("x = torch.ones(3, requires_grad=True)", "x = torch.ones(3)"),
        ),
        "hook-needs-tensor": ("(2 * x.exp(),)", "[2 * x.exp()]"),
        "old-hook": ("full_backward", "backward"),
        "view-edited": ("net(x)[0]", "net(x)[0].mul_(2)"),
    },
)

FUNCTION = Case(
    """\
class Scale(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, factor):
        ctx.factor = factor
        return x * factor

    @staticmethod
    def backward(ctx, grad):
        return grad * ctx.factor, None

Scale.apply(torch.ones(3, requires_grad=True), 2).sum().backward()
""",
    {"function-wrong-return": ("ctx.factor, None", "ctx.factor")},
)

CRITIC = Case(
    """\
critic = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
x = torch.randn(4, 2, requires_grad=True)
(slope,) = torch.autograd.grad(critic(x).sum(), x, create_graph=True)
(slope.norm(dim=1) - 1).pow(2).mean().backward()
""",
    {
        "gradient-without-graph": (", create_graph=True", ""),
        "constant-penalty": (
            *(", create_graph=True", "", "(slope.norm", "(critic(x).mean() + 10 * (slope.norm"),
            *(".mean().backward()", ".mean()).backward()"),
        ),
    },
    (
        ("(slope.norm", "(critic(x).mean() + 10 * (slope.norm", ".mean().b", ".mean()).b"),
        (*(", create_graph=True", "", "(slope.norm(dim=1) - 1)", "critic(x + slope.sign())"),),
    ),
)

ORTHOGONAL = Case(
    """\
layer = nn.utils.parametrizations.orthogonal(nn.Linear(3, 3))
layer(torch.randn(5, 3))[:, 0].pow(2).sum().backward()
print(layer.parametrizations.weight.original.grad)
""",
    {"grad-of-parametrized": ("parametrizations.weight.original.grad", "weight.grad")},
)

LONG = Case(
    """\
w = torch.ones(1, requires_grad=True)
for step in range(4):
    h = w
    for _ in range(800):
        h = torch.sin(h)
    h.sum().backward()
""",
    {"nan-in-outline": ("h = w\n", "h = w * (float('nan') if step == 3 else 1)\n")},
)

GLOO = Case(
    """\
import torch.distributed as dist
dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
loss = (torch.ones(3, requires_grad=True) * 2).sum()
dist.all_reduce(loss.detach())
loss.backward()
dist.destroy_process_group()
""",
    {"collective-without-gradient": ("loss.detach()", "loss")},
)

RANKS = Case(
    """\
net = nn.ModuleDict({"a": nn.Linear(3, 1), "b": nn.Linear(3, 1)})
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
for step in range(3):
    optimizer.zero_grad()
    x = torch.ones(2, 3)
    (net["a"](x) + net["b"](x)).pow(2).mean().backward()
    optimizer.step()
""",
    {
        "ranks-apart": ("net = ", "torch.manual_seed(1)\nnet = "),
        "gradients-not-averaged": ("torch.ones(2, 3)", "torch.full((2, 3), 2.0)"),
        "unused-on-rank": ('net["a"](x) + ', ""),
    },
)
"""Faults of one of several ranks, which are seen beside the others."""

CASES = (
    GLOO,
    LEAF,
    TRAIN,
    TIED,
    LONG,
    RECURRENT,
    SCALER,
    DEEP,
    MODES,
    HOOKED,
    FUNCTION,
    CRITIC,
    ORTHOGONAL,
)
FAULTS = {
    kind: changed(case.script, changes) for case in CASES for kind, changes in case.faults.items()
}
"""A script with each kind of fault."""
WELL = [changed(case.script, changes) for case in CASES for changes in ((), *case.fine)]
