"""`with gradtrace.record() as trace:` in a program that is running."""

from __future__ import annotations

import sys
import threading
import traceback
import webbrowser
from types import SimpleNamespace

import gradtrace
import pytest
import torch
from gradtrace.drawing.page import is_standalone_page
from torch import nn

pytestmark = pytest.mark.upgrade


class Trainer:
    def __init__(self) -> None:
        torch.manual_seed(0)
        self.net = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
        self.sgd = torch.optim.SGD(self.net.parameters(), lr=0.1, momentum=0.9)

    def step(self) -> None:
        self.sgd.zero_grad()
        loss = self.net(torch.ones(4, 2)).pow(2).mean()
        loss.backward()
        self.sgd.step()


def kinds(trace: gradtrace.Trace) -> list[str]:
    return [event["k"] for event in trace.events]


def names(trace: gradtrace.Trace) -> list[str]:
    return [tensor["names"][0] for tensor in trace.tensors.values() if "names" in tensor]


def patched() -> tuple:
    from torch._dynamo import eval_frame

    stack = torch.overrides._get_current_function_mode_stack()
    engine = torch.autograd._engine_run_backward
    here = sys.gettrace(), sys._getframe(1).f_trace
    return nn.Module.__call__, engine, here, stack, eval_frame._stance, sys.stdout.write


def test_a_pytorch_without_one_of_the_tracers_is_recorded_too(monkeypatch):
    monkeypatch.delattr(torch.export, "draft_export")  # it came with PyTorch 2.7
    with gradtrace.record() as block:
        Trainer().step()
    assert "backward" in kinds(block.trace)


def test_one_step_of_many_ends_as_without_a_recorder():
    plain, recorded = Trainer(), Trainer()
    before = patched()
    state = torch.get_rng_state()
    for number in range(4):
        plain.step()
        if number == 2:
            with gradtrace.record() as block:
                recorded.step()
            assert patched() == before
        else:
            recorded.step()
    assert torch.equal(torch.get_rng_state(), state)
    for one, other in zip(plain.net.parameters(), recorded.net.parameters(), strict=True):
        assert torch.equal(one, other)
    events = kinds(block.trace)
    assert events.count("backward") == events.count("step") == 1
    assert [call["path"] for call in block.trace.calls.values()][:2] == [
        "recorded.net",
        "recorded.net.0",
    ]


def test_the_function_around_the_block_is_followed_with_its_text():
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    with gradtrace.record() as block:
        loss = (w * w).sum()
        loss.backward()
        w.grad = None
    trace = block.trace
    line = block.trace.source.split("\n").index("        loss = (w * w).sum()")
    assert [(e["op"], e["src"], e["line"]) for e in trace.events if e["k"] == "op"] == [
        ("mul", "w * w", line + 1),
        ("sum", "(w * w).sum()", line + 1),
    ]
    assert (trace.events[-1]["k"], trace.events[-1]["line"]) == ("grad_set", line + 3)
    assert names(trace) == ["w", "loss"]
    assert "def test_the_function_around_the_block" in trace.source


def step_of(hidden: dict) -> gradtrace.RecordedBlock:
    with gradtrace.record(*hidden["pair"]) as block:
        hidden["pair"][0](torch.ones(1, 1)).sum().backward()
    return block


def test_a_model_without_a_name_is_called_model_and_an_optimizer_holds_its_parameters():
    net = nn.Sequential(nn.Linear(1, 1))
    sgd = torch.optim.Adam(net.parameters())
    hidden = {"pair": (net, sgd)}  # where no name of the code leads to them
    del net, sgd
    trace = step_of(hidden).trace
    assert names(trace) == ["model.0.weight", "model.0.bias"]
    assert {t["opt"] for t in trace.tensors.values() if "opt" in t} == {"Adam"}


def test_an_error_goes_through_and_what_was_recorded_is_kept(tmp_path):
    w = torch.ones(1, requires_grad=True)
    before = patched()
    with pytest.raises(RuntimeError, match="second time") as raised, gradtrace.record() as block:
        y = w * w
        y.backward()
        y.backward()
    assert patched() == before
    assert kinds(block.trace)[-2:] == ["error", "backward_end"]
    shown = "".join(traceback.format_exception(raised.value))
    assert "y.backward()" in shown and "gradtrace/recording" not in shown.replace("\\", "/")
    block.save(tmp_path / "step.html", language="en")
    assert "The script failed at line" in (tmp_path / "step.html").read_text("utf-8")


def test_another_thread_is_not_recorded():
    w = torch.ones(1, requires_grad=True)
    with gradtrace.record() as block:
        thread = threading.Thread(target=lambda: (w * 2).sum().backward())
        thread.start()
        thread.join()
    assert "backward" not in kinds(block.trace) and block.is_empty


def test_a_test_fails_with_the_report_where_something_is_wrong():
    trainer = Trainer()
    with gradtrace.record(trainer.net, trainer.sgd) as block:
        trainer.step()
    gradtrace.assert_healthy(block)
    gradtrace.assert_healthy(block.trace)
    with gradtrace.record(trainer.net, trainer.sgd) as block:
        trainer.sgd.zero_grad()
        trainer.net[2](trainer.net[:2](torch.ones(4, 2)).detach()).sum().backward()
        trainer.sgd.step()
    kinds = {each.kind for each in gradtrace.diagnose(block) if each.level != "note"}
    assert kinds
    with pytest.raises(AssertionError, match=next(iter(kinds))):
        gradtrace.assert_healthy(block)
    gradtrace.assert_healthy(block, allow=kinds)
    assert gradtrace.report(block, "en") in block.report("en", name="script")


def test_page_report_and_picture(tmp_path, monkeypatch, capsys):
    trainer = Trainer()
    with gradtrace.record(trainer.net, trainer.sgd) as block:
        trainer.step()
    block.save(tmp_path / "step.html", language="zh", name="一步")
    page = (tmp_path / "step.html").read_text("utf-8")
    assert is_standalone_page(tmp_path / "step.html") and "<h1>一步</h1>" in page
    assert block.report("en").startswith("test_block.py: ")
    assert block.report("en", name="step").startswith("step: ")
    assert "srcdoc=" in block._repr_html_()
    opened = []
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.setattr(webbrowser, "open", lambda address: opened.append(address) or True)
    block.show("en")
    assert capsys.readouterr().out == "" and opened[0].startswith("file:")
    monkeypatch.setattr(webbrowser, "open", lambda address: False)
    block.show("en")
    shown = capsys.readouterr().out.strip()
    assert is_standalone_page(gradtrace.api.Path(shown))


def test_recordings_do_not_nest():
    w = torch.ones(1, requires_grad=True)
    with gradtrace.record() as outer:
        with pytest.raises(RuntimeError, match="only one at a time"), gradtrace.record():
            pass
        (w * 2).backward()
    assert "backward" in kinds(outer.trace)


def test_what_is_given_or_asked_for_wrongly_is_said():
    block = gradtrace.record()
    with pytest.raises(RuntimeError, match="after the `with` block"):
        _ = block.trace
    with block, pytest.raises(RuntimeError, match="after the `with` block"):
        block.save("never.html")
    with pytest.raises(ValueError, match="nothing to draw"):
        block.save("never.html")
    with pytest.raises(ValueError, match="language is 'fr', and one of"):
        block.report("fr")
    with pytest.raises(TypeError, match=r"model is not an nn\.Module but of type int"):
        gradtrace.record(3)
    with pytest.raises(
        TypeError, match=r"optimizer is not a torch\.optim\.Optimizer but of type int"
    ):
        gradtrace.record(None, 3)


def test_draw_runs_a_model_once_and_leaves_it_as_it_was():
    net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Dropout(), nn.Linear(3, 1))
    x, grad = torch.randn(4, 2, requires_grad=True), torch.ones(3, 2)
    net[0].weight.grad = grad
    before = {name: value.clone() for name, value in net.state_dict().items()}
    state = torch.get_rng_state()
    with torch.no_grad():
        drawn = gradtrace.draw(net, x)
    assert net[0].weight.grad is grad and x.grad is net[3].bias.grad is None
    assert all(torch.equal(value, before[name]) for name, value in net.state_dict().items())
    assert torch.equal(torch.get_rng_state(), state)
    assert "backward_end" in kinds(drawn.trace)
    assert "Sequential.0.weight" in names(drawn.trace)
    assert "Sequential" in drawn.report("en") and drawn._repr_html_()


@pytest.mark.parametrize("fails", [False, True])
def test_draw_begins_at_the_loss_that_it_is_given_or_that_the_model_returns(fails):
    class WithLoss(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(2, 1)

        def forward(self, x, labels=None):
            out = self.layer(x)
            return SimpleNamespace(loss=(out - labels).pow(2).mean(), logits=out)

    x, labels = torch.randn(4, 2), torch.randn(3 if fails else 4, 1)
    if fails:
        with pytest.raises(RuntimeError, match="must match the size"):
            gradtrace.draw(WithLoss(), x, labels=labels)
        return
    drawn = gradtrace.draw(WithLoss(), x, labels=labels)
    assert "MeanBackward0" in str(drawn.trace.nodes)
    lstm = nn.LSTM(2, 3)
    assert "backward" in kinds(gradtrace.draw(lstm, torch.randn(5, 1, 2)).trace)
    drawn = gradtrace.draw(lstm, torch.randn(5, 1, 2), loss=lambda out: out[0].square().mean())
    assert "MeanBackward0" in str(drawn.trace.nodes)
    with pytest.raises(ValueError, match="loss=lambda"):
        gradtrace.draw(nn.ReLU(), x)
