"""Each kind is found in a script that has the fault, and not in one that hasn't."""

from __future__ import annotations

import re

import pytest
from cases import FAULTS, HEAD, LEAF, RANKS, TRAIN, WELL, changed
from gradtrace.doctor import KINDS, Run, diagnose, report
from gradtrace.doctor.report import summarize
from gradtrace.words import LANGUAGES, REPORT_WORDS
from health_recording import record_health

pytestmark = pytest.mark.filterwarnings("ignore")


def findings(source: str, folder):
    file = folder / "script.py"
    file.write_text(source, encoding="utf-8")
    return diagnose(Run(record_health(file)))


def test_there_is_a_case_for_each_kind():
    assert set(FAULTS) | set(RANKS.faults) == set(KINDS)
    for kind in KINDS.values():
        assert set(kind["found"]) == set(LANGUAGES) == set(kind.get("fix", LANGUAGES))


@pytest.mark.parametrize("kind", FAULTS)
def test_the_fault_is_found(kind, tmp_path):
    found = {finding.kind: finding for finding in findings(FAULTS[kind], tmp_path)}
    assert kind in found, found
    line = found[kind].place.line
    assert line is None or 1 <= line <= FAULTS[kind].count("\n")
    for sentences in KINDS[kind]["found"].values():  # what was found is said, with all its facts
        facts = (set(re.findall(r"\{(\w+)[:}]", text)) for text in sentences)
        assert any(each <= set(found[kind].facts) for each in facts)


@pytest.mark.parametrize("source", WELL)
def test_what_is_well_is_left_alone(source, tmp_path):
    assert not findings(source, tmp_path)


BY_HAND = """\
w = torch.ones(3, requires_grad=True)
for step in range(4):
    (w * w).sum().backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad = None
"""
LIST = """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = [nn.Linear(3, 3) for _ in range(2)]
        self.last = nn.Linear(3, 1)

    def forward(self, x):
        for layer in self.hidden:
            x = layer(x)
        return self.last(x)

net = Net()
"""
MADE = """\
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(3, 1), nn.Linear(4, 4)

    def forward(self, x):
        return self.a(x)

net = Net()
"""
APART = "self.a = nn.Linear(3, 1)\n        self.b: nn.Module = nn.Linear(4, 4)"
NET, LOSS = TRAIN.script.splitlines(keepends=True)[0], "F.mse_loss(out, y)"


@pytest.mark.parametrize(
    ("script", "changes", "expected"),
    [
        (BY_HAND, (), []),
        (BY_HAND, ("    w.grad = None\n", ""), [("never-cleared", "warning", 9)]),
        (
            BY_HAND,
            ("    w.grad = None\n", "", "w -= 0.1 * w.grad", "w.data.sub_(0.1 * w.grad)"),
            [("never-cleared", "warning", 9)],
        ),
        # Two steps show no habit.
        (
            TRAIN.script,
            ("    optimizer.zero_grad()\n", "", "range(4)", "range(2)"),
            [("never-cleared", "note", 12)],
        ),
        (TRAIN.script, (NET, LIST), [("not-in-optimizer", "warning", 13)]),
        (TRAIN.script, (NET, LIST.replace("[nn", "nn.ModuleList([nn").replace("2)]", "2)])")), []),
        # An unused layer is found where it is made.
        (TRAIN.script, (NET, MADE), [("parameter-unused", "warning", 13)]),
        (
            TRAIN.script,
            (NET, MADE.replace("self.a, self.b = nn.Linear(3, 1), nn.Linear(4, 4)", APART)),
            [("parameter-unused", "warning", 9)],
        ),
        # An error by hand compares every prediction with every target.
        (
            TRAIN.script,
            (LOSS, "(out - y).pow(2).mean()", "randn(16, 1)", "randn(16)"),
            [("target-broadcast", "warning", 11)],
        ),
        (TRAIN.script, (LOSS, "(out - y).pow(2).mean()"), []),
        (TRAIN.script, (LOSS, "(out - y).pow(2).mean()", "randn(16, 1)", "randn(1)"), []),
        (TRAIN.script, (LOSS, "(out - y).pow(2).mean()", "randn(16, 1)", "randn(1, 16)"), []),
        # The second of two optimizers is forgotten; the learning rate of one group is 0, or fades.
        (
            TRAIN.script,
            (
                *("net.parameters()", "net[0].parameters()", "range(4)", "range(8)"),
                *("x, y =", "other = torch.optim.SGD(net[2].parameters(), lr=0.01)\nx, y ="),
            ),
            [("never-stepped", "warning", 13)],
        ),
        (
            TRAIN.script,
            (
                *("net.parameters(), lr=0.01", "GROUPS, lr=0.01"),
                *("GROUPS", "[{'params': net[0].parameters()}, {'params': HEAD, 'lr': 0.0}]"),
                *("HEAD", "[*net[2].parameters()]"),
            ),
            [("learning-rate-zero", "warning", 13)],
        ),
        (
            TRAIN.script,
            (
                *(
                    "range(4)",
                    "range(9)",
                    "optimizer.step()",
                    "optimizer.step()\n    schedule.step()",
                ),
                "x, y =",
                "schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.1)\nx, y =",
            ),
            [("learning-rate-zero", "warning", 14)],
        ),
        # The first step replaces the weights, and the loss never gets as low again.
        (
            TRAIN.script,
            ("SGD(net.parameters(), lr=0.01)", "Adagrad(net.parameters(), lr=3.0)", "(4)", "(9)"),
            [("update-too-large", "warning", 13)],
        ),
        # A leaf that was meant to learn, and data that has a gradient too.
        (
            TRAIN.script,
            (
                *("x, y =", "shift = torch.zeros(1, requires_grad=True)\nx, y ="),
                *("net(x)", "net(x) + shift", "range(4)", "range(6)"),
            ),
            [("not-in-optimizer", "warning", 11)],
        ),
        (TRAIN.script, ("    optimizer.zero", "    x.requires_grad_()\n    optimizer.zero"), []),
        # The gradient of one factor is 0 as long as the other one is.
        (
            TRAIN.script,
            (
                *("SGD(net.parameters(), lr=0.01)", "AdamW(net.parameters(), lr=0.01)"),
                *("x, y =", "nn.init.zeros_(net[2].weight)\nx, y ="),
            ),
            [],
        ),
        # A flag of a module.
        (
            TRAIN.script,
            ("x, y =", "net.requires_grad = False\nx, y ="),
            [("flag-misspelled", "warning", 7)],
        ),
        # A loss that grows to infinity.
        (
            TRAIN.script,
            (
                *(NET, "net = nn.Linear(3, 1)\n", "net(x)", "net(200 * x)"),
                *("lr=0.01", "lr=0.1", "range(4)", "range(6)"),
            ),
            [("nan-in-forward", "error", 11), ("loss-grows", "warning", 12)],
        ),
        # An edit through another tensor of the same memory.
        (
            LEAF.script,
            ("h = w * 2", "h = w.sigmoid()\nalias = h.detach()\nalias.zero_()"),
            [("edited-in-place", "error", 10)],
        ),
    ],
)
def test_what_is_found_in_a_script(script, changes, expected, tmp_path):
    found = findings(changed(script, changes), tmp_path)
    assert [(each.kind, each.level, each.place.line) for each in found] == expected


def test_new_gradients_are_those_of_no_step_before(tmp_path):
    for changes, new in (
        ((), True),
        (("    optimizer.zero_grad()\n", "", "range(4)", "range(2)"), False),
    ):
        findings(changed(TRAIN.script, changes), tmp_path)
        assert summarize(Run(record_health(tmp_path / "script.py"))).new_gradients == new


def test_a_fault_in_another_file_is_named_by_that_file(tmp_path, monkeypatch):
    model = """\
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 4), nn.Linear(4, 1)

    def forward(self, x):
        h = self.first(x).detach()
        return self.second(h)
"""
    (tmp_path / "sick_model.py").write_text(model, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    source = changed(TRAIN.script, (NET, "from sick_model import Net\nnet = Net()\n"))
    (found,) = findings(source, tmp_path)
    assert (found.kind, found.place.file, found.place.line) == (
        *("parameter-detached", "sick_model.py", 10),
    )
    assert found.facts["names"] == ["net.first.weight", "net.first.bias"]


@pytest.mark.parametrize(
    ("way", "kind", "key", "source", "line"),
    [
        (
            *("torch.tensor(h.detach().numpy(), requires_grad=True)", "parameter-off-path"),
            *("left", "h.detach()", 11),
        ),
        ("nn.Parameter(h)", "parameter-off-path", "ended", "net[0](x)", 10),
        (
            *("h.argmax(1, keepdim=True) * torch.ones(16).requires_grad_()", "parameter-detached"),
            *(None, "h.argmax(1, keepdim=True)", 11),
        ),
    ],
)
def test_where_the_graph_of_a_parameter_ends(way, kind, key, source, line, tmp_path):
    way = f"h = net[0](x)\n    h = {way}\n    out = net[2](h)"
    found = findings(changed(TRAIN.script, ("out = net(x)", way)), tmp_path)
    (found,) = (each for each in found if each.kind == kind)
    place = found.facts[key] if key else found.place
    assert (found.facts["source"], place.line) == (source, line)


SCALED = """\
net = nn.Linear(4, 1)
optimizer = torch.optim.Adam(net.parameters(), fused=FUSED)
scaler = torch.amp.GradScaler("cpu", init_scale=SCALE)
for step in range(STEPS):
    optimizer.zero_grad()
    loss = net(torch.ones(2, 4)).half().float().pow(2).mean()
    scaler.scale(loss * FACTOR).backward()
    scaler.step(optimizer=optimizer)
    scaler.update()
"""


@pytest.mark.parametrize(
    ("scale", "steps", "factor", "fused", "levels"),
    [
        (2.0**60, 4, "1", False, {"steps-skipped": "warning"}),
        (2.0**60, 4, "1", True, {"steps-skipped": "warning"}),
        (2.0**60, 2, "1", False, {"steps-skipped": "note"}),
        (2.0**20, 30, "1", False, {"steps-skipped": "note"}),
        (2.0, 4, "1", False, {}),
        (
            *(2.0, 4, "torch.tensor(0.0).log()", False),
            {"nan-in-forward": "error", "steps-skipped": "warning"},
        ),
    ],
)
def test_skipped_steps_are_found(scale, steps, factor, fused, levels, tmp_path):
    source = SCALED.replace("SCALE", str(scale)).replace("STEPS", str(steps))
    source = source.replace("FACTOR", factor).replace("FUSED", str(fused))
    found = findings(HEAD + source, tmp_path)
    assert {each.kind: each.level for each in found} == levels
    said = report(Run(record_health(tmp_path / "script.py")), found)
    assert (REPORT_WORDS["en"]["finite"] in said) == (not levels)


def test_a_loss_that_was_scaled_after_the_last_recorded_operation_is_no_trouble(tmp_path):
    source = SCALED.replace("SCALE", "2.0").replace("STEPS", "3").replace("FUSED", "False")
    (tmp_path / "script.py").write_text(HEAD + source.replace("FACTOR", "1"), encoding="utf-8")
    trace = record_health(tmp_path / "script.py")
    scale = next(sign for sign in trace.health if sign["k"] == "scale")
    trace.health.append({**scale, "at": len(trace.events)})  # that pass was not recorded whole
    assert diagnose(Run(trace)) == []


@pytest.mark.parametrize(
    ("loss", "kind"),
    [
        ("bce(out.sigmoid().squeeze(-1), torch.ones(2))", "sigmoid-before-loss"),
        ("bce(out.squeeze(-1), out.detach().sigmoid().view(-1))", None),
        ("bce(out.sigmoid().squeeze(-1).flatten(), torch.ones(2))", "sigmoid-before-loss"),
        ("F.nll_loss(net.weight.view(1, 3), torch.tensor([1]))", "no-log-before-nll"),
        ("F.kl_div(out.softmax(0), torch.full((2, 1), 0.5))", "no-log-before-nll"),
        ("F.kl_div(out.log_softmax(0), torch.full((2, 1), 0.5))", None),
    ],
)
def test_what_a_loss_is_given_is_seen_through_a_change_of_shape(loss, kind, tmp_path):
    source = (
        "import torch.nn.functional as F\nbce = F.binary_cross_entropy_with_logits\n"
        "net = nn.Linear(3, 1)\nout = net(torch.randn(2, 3))\n"
        f"{loss}.backward()\n"
    )
    found = {finding.kind for finding in findings(HEAD + source, tmp_path)}
    assert found & {"sigmoid-before-loss", "no-log-before-nll"} == {kind} - {None}


KEPT = """\
net, state = nn.LSTM(3, 4), None
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(3):
    out, state = net(torch.randn(2, 1, 3), state)
    optimizer.zero_grad()
    out.pow(2).mean().backward(retain_graph=True)
    optimizer.step()
"""


def test_the_step_that_edited_the_weight_of_a_kept_graph_is_named(tmp_path):
    (found,) = findings(HEAD + KEPT, tmp_path)
    assert (found.kind, found.place.line) == ("stepped-before-backward", 10)
    assert found.facts["culprit"].line == 11


CLIPPED = """\
net, other = nn.Linear(4, 1), nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=1e-4)
another = torch.optim.SGD(other.parameters(), lr=1e-4)
scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
for step in range(4):
    optimizer.zero_grad()
    another.zero_grad()
    loss = (net(torch.ones(2, 4)) + other(torch.ones(2, 4)) - 100).pow(2).mean()
"""
CLIPS = {
    "norm": "nn.utils.clip_grad_norm_(net.parameters(), 1e-2, foreach=True)",
    "value": "nn.utils.clip_grad_value_(net.parameters(), 1e-3)",
}


@pytest.mark.parametrize("clip", CLIPS)
@pytest.mark.parametrize(
    ("order", "kinds"),
    [
        ("loss.backward() CLIP optimizer.step() another.step()", {"clipped-hard"}),
        ("loss.backward() another.step() CLIP optimizer.step()", {"clipped-hard"}),
        ("loss.backward() optimizer.step() another.step() CLIP", {"clip-without-gradient"}),
        ("CLIP loss.backward() optimizer.step() another.step()", {"clip-without-gradient"}),
        (
            "scaler.scale(loss).backward() scaler.step(optimizer) CLIP scaler.update()",
            {"clip-without-gradient"},
        ),
        (
            "scaler.scale(loss).backward() CLIP scaler.step(optimizer) scaler.update()",
            {"clip-before-unscale"},
        ),
        (
            "scaler.scale(loss).backward() scaler.unscale_(optimizer) CLIP scaler.step(optimizer)"
            " scaler.update()",
            set(),
        ),
    ],
)
def test_a_clip_is_judged_by_where_it_stands(clip, order, kinds, tmp_path):
    if clip == "value" and order.startswith("CLIP"):
        pytest.skip("PyTorch raises where there is no gradient")
    lines = [f"    {CLIPS[clip] if each == 'CLIP' else each}" for each in order.split(" ")]
    found = findings(HEAD + CLIPPED + "\n".join(lines) + "\n", tmp_path)
    assert {each.kind for each in found if "clip" in each.kind} == kinds


@pytest.mark.parametrize(
    ("made", "read", "names"),
    [
        ("parametrizations.weight_norm(layer)", "layer.weight", "parametrizations.weight.original"),
        ("parametrizations.spectral_norm(layer)", "w", "parametrizations.weight.original"),
        ("weight_norm(layer)", "layer.weight", "weight_"),
        ("prune.l1_unstructured(layer, 'weight', 0.5)", "layer.weight", "weight_orig"),
        ("prune.identity(layer, 'bias')", "layer.bias", "bias_orig"),
        ("weight_norm(layer)", "h", None),
        ("parametrizations.orthogonal(layer)", "h", None),
    ],
)
def test_the_gradient_of_a_computed_weight_is_found(made, read, names, tmp_path):
    source = f"""\
from torch.nn.utils import parametrizations, prune, weight_norm
layer = nn.Linear(3, 3)
{made}
w = layer.weight
h = layer(torch.randn(5, 3))
h[:, 0].pow(2).sum().backward()
print({read}.grad)
"""
    found = {each.kind: each for each in findings(HEAD + source, tmp_path)}
    assert ("grad-of-non-leaf" in found, "grad-of-parametrized" in found) == (
        not names,
        bool(names),
    )
    if names:
        assert all(
            n.startswith(f"layer.{names}") for n in found["grad-of-parametrized"].facts["names"]
        )
