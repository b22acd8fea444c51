"""Each kind is found in a script that has the fault, and not in one that hasn't."""

from __future__ import annotations

import re
from textwrap import dedent, indent

import pytest
from cases import CASES, HEAD
from gradtrace.doctor import Run, diagnose
from gradtrace.doctor.diagnosis import KINDS
from gradtrace.doctor.report import report, summarize
from gradtrace.words import LANGUAGES, REPORT_WORDS
from health_recording import record_health

pytestmark = pytest.mark.filterwarnings("ignore")


def script(kind: str, mark: str) -> str:
    """The faulty script of a kind, or the one that is well."""
    other = {"fault": "well", "well": "fault"}[mark]
    text = CASES[kind]
    if not text.startswith("\n"):  # it begins with a shared part, which is not indented
        shared, _, rest = text.partition("\n\n")
        text = indent(shared, " " * 8) + "\n" + rest
    lines = dedent(text).strip("\n").split("\n")
    kept = [line for line in lines if not line.endswith(f"# {other}")]
    return HEAD + "\n".join(kept) + "\n"


def findings(source: str, folder):
    file = folder / "script.py"
    file.write_text(source, encoding="utf-8")
    return diagnose(Run(record_health(file)))


def test_there_is_a_case_for_each_kind():
    assert set(CASES) == set(KINDS)
    for kind in KINDS.values():
        assert set(kind.words) == set(LANGUAGES) and all(w.found for w in kind.words.values())


@pytest.mark.parametrize("kind", CASES)
def test_the_fault_is_found(kind, tmp_path):
    source = script(kind, "fault")
    found = {finding.kind.name: finding for finding in findings(source, tmp_path)}
    assert kind in found, found
    line = found[kind].place.line
    assert line is None or 1 <= line <= source.count("\n")
    for words in KINDS[kind].words.values():  # what was found is said, with all its facts
        assert any(_filled(text, found[kind].facts) for text in words.found)


@pytest.mark.parametrize("kind", CASES)
def test_what_is_well_is_left_alone(kind, tmp_path):
    found = findings(script(kind, "well"), tmp_path)
    assert kind not in {finding.kind.name for finding in found}
    assert not [finding for finding in found if finding.level != "note"], found


BY_HAND = (
    HEAD
    + """\
w = torch.ones(3, requires_grad=True)
for step in range(4):
    (w * w).sum().backward()
    with torch.no_grad():
        w -= 0.1 * w.grad
    w.grad = None
"""
)


def test_gradients_that_the_script_never_clears_itself(tmp_path):
    assert not findings(BY_HAND, tmp_path)
    sick = BY_HAND.replace("    w.grad = None\n", "")
    (found,) = findings(sick, tmp_path)
    assert found.kind.name == "never-cleared" and found.place.line == 9
    data = sick.replace("w -= 0.1 * w.grad", "w.data.sub_(0.1 * w.grad)")
    assert [each.kind.name for each in findings(data, tmp_path)] == ["never-cleared"]


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
    body = """\
from sick_model import Net
net = Net()
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
net(torch.randn(4, 3)).mean().backward()
optimizer.step()
"""
    (found,) = findings(HEAD + body, tmp_path)
    assert (found.kind.name, found.place.file, found.place.line) == (
        *("parameter-detached", "sick_model.py", 10),
    )
    assert found.facts["names"] == ["net.first.weight", "net.first.bias"]


def _filled(text: str, facts: dict) -> bool:
    return set(re.findall(r"\{(\w+)[:}]", text)) <= set(facts)


def test_two_steps_show_no_habit(tmp_path):
    """Two steps without `zero_grad` may be meant; they are named, and not called new gradients."""
    sick = script("never-cleared", "fault").replace("range(4)", "range(2)")
    (found,) = findings(sick, tmp_path)
    assert (found.kind.name, found.level) == ("never-cleared", "note")
    well = script("never-cleared", "well")
    trace = record_health(tmp_path / "script.py")
    assert not summarize(Run(trace)).new_gradients and not findings(well, tmp_path)
    assert summarize(Run(record_health(tmp_path / "script.py"))).new_gradients


@pytest.mark.parametrize(
    ("made", "line"),
    [
        ("self.a = nn.Linear(3, 4)\n{}self.b: nn.Module = nn.Linear(4, 4)", "self.b"),
        ("self.a, self.b = nn.Linear(3, 4), nn.Linear(4, 4)", "net = Net()"),
    ],
)
def test_an_unused_layer_is_found_where_it_is_made(made, line, tmp_path):
    paired = "self.a, self.b = nn.Linear(3, 4), nn.Linear(4, 4)"
    source = script("parameter-unused", "fault").replace(paired, made.format(" " * 8))
    (found,) = (f for f in findings(source, tmp_path) if f.kind.name == "parameter-unused")
    assert source.split("\n")[found.place.line - 1].strip().startswith(line)


TRAIN = (
    HEAD
    + """\
optimizer = torch.optim.SGD(net.parameters(), lr=LR)
for step in range(6):
    optimizer.zero_grad()
    LOSS.backward()
    optimizer.step()
"""
)


def training(net: str, loss: str, lr: float = 0.01) -> str:
    """A script that trains a network which is made and used so."""
    text = TRAIN.replace("LR", str(lr)).replace("LOSS", loss)
    return text.replace(HEAD, HEAD + dedent(net).strip("\n") + "\n")


def test_layers_in_a_plain_list_are_no_note(tmp_path):
    net = """
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
    loss = "net(torch.randn(8, 3)).pow(2).mean()"
    (found,) = findings(training(net, loss), tmp_path)
    assert (found.kind.name, found.level) == ("not-in-optimizer", "warning")
    sound = net.replace("[nn.Linear(3, 3) for _ in range(2)]", "nn.ModuleList([nn.Linear(3, 3)])")
    assert not findings(training(sound, loss), tmp_path)


@pytest.mark.parametrize(
    ("shape", "kinds"), [("8", ["target-broadcast"]), ("8, 1", []), ("1", []), ("1, 8", [])]
)
def test_an_error_by_hand_compares_every_prediction_with_every_target(shape, kinds, tmp_path):
    loss = f"(net(torch.randn(8, 3)) - torch.randn({shape})).pow(2).mean()"
    found = findings(training("net = nn.Linear(3, 1)", loss), tmp_path)
    assert [each.kind.name for each in found] == kinds


def test_a_loss_that_grows_to_infinity_grows(tmp_path):
    loss = "F.mse_loss(net(200 * torch.ones(4, 3)), torch.ones(4, 1))"
    kinds = [f.kind.name for f in findings(training("net = nn.Linear(3, 1)", loss, 0.1), tmp_path)]
    assert {"nan-in-forward", "loss-grows"} <= {*kinds}


@pytest.mark.parametrize(
    ("way", "facts"),
    [
        ("torch.tensor(h.detach().numpy(), requires_grad=True)", ("left", "h.detach()", 8)),
        ("nn.Parameter(h)", ("ended", "first(torch.ones(4, 3))", 7)),
        ("h.argmax(1, keepdim=True) * torch.ones(3).requires_grad_()", ("left", "argmax", 8)),
    ],
)
def test_a_parameter_off_the_path_is_told_where_its_graph_ends(way, facts, tmp_path):
    source = f"""\
first, second = nn.Linear(3, 3), nn.Linear(3, 1)
optimizer = torch.optim.SGD([*first.parameters(), *second.parameters()], lr=0.1)
h = first(torch.ones(4, 3))
h = {way}
second(h).mean().backward()
optimizer.step()
"""
    found = findings(HEAD + source, tmp_path)
    by_kind = {each.kind.name: each for each in found}
    if facts[1] == "argmax":  # an operation of torch, which is known to cut
        assert by_kind["parameter-detached"].place.line == facts[2]
        return
    told = by_kind["parameter-off-path"].facts
    assert (told["source"], told[facts[0]].line) == facts[1:]


def test_an_edit_through_another_tensor_of_the_same_memory_is_found(tmp_path):
    source = """\
w = torch.ones(3, requires_grad=True)
h = w.sigmoid()
alias = h.detach()
alias.zero_()
h.sum().backward()
"""
    (found,) = findings(HEAD + source, tmp_path)
    assert (found.kind.name, found.facts["culprit"].line) == ("edited-in-place", 8)


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
    assert {each.kind.name: each.level for each in found} == levels
    said = report(Run(record_health(tmp_path / "script.py")), found)
    assert (REPORT_WORDS["en"]["finite"] in said) == (not levels)


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
    "norm": "nn.utils.clip_grad_norm_(net.parameters(), 1e-2)",
    "each": "nn.utils.clip_grad_norm_(net.parameters(), 1e-2, foreach=True)",
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
    assert {each.kind.name for each in found if "clip" in each.kind.name} == kinds


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
    found = {each.kind.name: each for each in findings(HEAD + source, tmp_path)}
    assert ("grad-of-non-leaf" in found, "grad-of-parametrized" in found) == (
        not names,
        bool(names),
    )
    if names:
        assert all(
            n.startswith(f"layer.{names}") for n in found["grad-of-parametrized"].facts["names"]
        )
