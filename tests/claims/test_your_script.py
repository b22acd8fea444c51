"""What the page on your own script says in general of the command `gradtrace`."""

import random
import re
import sys
from contextlib import nullcontext
from html import unescape
from pathlib import Path

import numpy as np
import pytest
import torch
from gradtrace import cli, record_script
from gradtrace.graph.build import build_graph
from gradtrace.graph.excerpt import MAX_BOXES, MAX_BOXES_WITH_PARAMETERS, MAX_PASSES, excerpt
from gradtrace.graph.passes import backward_passes
from gradtrace.record.recorder import RecordingFailed
from gradtrace.record.script_runner import RecordedRun
from gradtrace.trace import Trace

FAILS = {
    "forward": "y + torch.ones(3)",
    "in place": "y.add_(1)",
    "after backward": "(y * 1).sum().backward(); raise ValueError('no')",
}
"""What a step of training does wrong."""


@pytest.fixture
def recorded(tmp_path):
    """Records a script, given as text."""

    def record(source: str) -> Trace:
        script = tmp_path / "train.py"
        script.write_text(f"import torch\n{source}", encoding="utf-8")
        return record_script(script)

    state = torch.get_rng_state()
    yield record
    torch.set_rng_state(state)


def training(steps: int, line: str = "", at: int = 0, optimizer: bool = True) -> str:
    """A script that trains; in the step with the number `at` it runs `line` too."""
    return "\n".join(
        [
            "w = torch.ones(2, requires_grad=True)",
            "sgd = torch.optim.SGD([w], lr=0.1)",
            f"for step in range(1, {steps} + 1):",
            "    sgd.zero_grad()",
            "    y = w.exp()",
            f"    if step == {at}: {line or 'pass'}",
            "    y.sum().backward()",
            "    sgd.step()" if optimizer else "",
        ]
    )


def ends_with_error(trace: Trace) -> bool:
    *_, last = (event["k"] for event in trace.events if event["k"] != "backward_end")
    return last == "error"


@pytest.mark.parametrize("at", [1, 2, 3, 5])
@pytest.mark.parametrize("name", FAILS)
def test_with_all_passes_the_error_is_the_last_step(recorded, name, at):
    """Without --passes too, if it came before the optimizer's second pass."""
    trace = recorded(training(5, FAILS[name], at))
    passes = len(backward_passes(trace))
    assert ends_with_error(excerpt(trace, (1, passes)).trace)
    assert ends_with_error(excerpt(trace, None).trace) is (passes == 1 or at == 1)


@pytest.mark.parametrize("steps", [1, 2, 9])
@pytest.mark.parametrize("optimizer", [True, False])
def test_it_shows_passes_up_to_the_first_step_or_as_many_as_have_room(recorded, optimizer, steps):
    trace = recorded(training(steps, optimizer=optimizer))
    shown = excerpt(trace, None).trace
    passes = backward_passes(shown)
    assert passes == list(range(1, len(passes) + 1))
    if optimizer:
        assert passes == [1] and shown.events[-1]["k"] == "step"
    else:
        assert len(passes) == steps or len(build_graph(trace).boxes) > MAX_BOXES_WITH_PARAMETERS
        assert len(build_graph(shown).boxes) <= MAX_BOXES_WITH_PARAMETERS


def told(
    monkeypatch, capsys, folder: Path, run: RecordedRun, locale: str = "en_US.UTF-8"
) -> tuple[str, str]:
    """What the command prints about a run, and the page that it writes."""
    monkeypatch.chdir(folder)
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.setenv(name, locale)
    monkeypatch.setattr(cli, "run_recorded", lambda *_: run)
    assert cli.main(["train.py"]) == 0
    return capsys.readouterr().out, Path("train.html").read_text("utf-8")


@pytest.mark.parametrize("steps", [1, 9])
@pytest.mark.parametrize("line", ["pass", *FAILS.values()])
def test_the_page_fetches_nothing(recorded, tmp_path, monkeypatch, capsys, line, steps):
    trace = recorded(training(steps, line, steps))
    _, page = told(monkeypatch, capsys, tmp_path, RecordedRun(trace, "end"))
    assert not re.search(r"""(?:src|href|action|data)=["'](?!data:|#)|@import""", page)
    assert not re.search(r"""url\(["']?(?!data:|#)""", page)
    assert not re.search(r"fetch\(|XMLHttpRequest|WebSocket|EventSource|importScripts", page)


@pytest.mark.parametrize("layers", [5, 30, 65])
def test_page_and_terminal_say_how_much_is_left_out(
    recorded, tmp_path, monkeypatch, capsys, layers
):
    lines = ["x = torch.ones(1, 2)", f"for _ in range({layers}):"]
    lines += ["    x = torch.nn.Linear(2, 2)(x)", "x.sum().backward()"]
    trace = recorded("\n".join(lines))
    terminal, page = told(monkeypatch, capsys, tmp_path, RecordedRun(trace, "end"))
    kept = len(build_graph(trace).boxes)
    for text in (terminal, page):
        assert (f"{2 * layers} parameters" in text) is (kept > MAX_BOXES_WITH_PARAMETERS)
        assert (f"only the {MAX_BOXES} boxes" in text) is (layers > MAX_BOXES)


@pytest.mark.parametrize(
    ("locale", "language"),
    [("zh_CN.UTF-8", "zh"), ("zh_TW", "zh"), ("en_GB", "en"), ("fr_FR.UTF-8", "en"), ("C", "en")],
)
def test_the_page_is_chinese_if_the_terminal_is(
    recorded, tmp_path, monkeypatch, capsys, locale, language
):
    run = RecordedRun(recorded(training(1)), "end")
    _, page = told(monkeypatch, capsys, tmp_path, run, locale)
    assert f'<html lang="{language}' in page


@pytest.mark.parametrize("seeding", ["", "torch.manual_seed(5)"])
def test_without_a_seed_that_of_pytorch_is_0(recorded, capsys, seeding):
    state, numbers = random.getstate(), np.random.get_state()
    try:
        random.seed(7)
        np.random.seed(7)
        expected = random.random(), np.random.rand()
        random.seed(7)
        np.random.seed(7)
        recorded(
            f"import random, numpy\n{seeding}\n"
            "print(torch.initial_seed(), random.random(), numpy.random.rand())\n"
            "torch.ones(1, requires_grad=True).sum().backward()"
        )
        seed, *drawn = capsys.readouterr().out.split()
        assert seed == ("5" if seeding else "0")
        assert tuple(map(float, drawn)) == expected
    finally:
        random.setstate(state)
        np.random.set_state(numbers)


def test_a_script_is_run_for_ten_passes_unless_later_ones_are_named(
    recorded, tmp_path, monkeypatch
):
    asked, trace = [], recorded(training(14))
    monkeypatch.chdir(tmp_path)

    def run(script, arguments, limit, passes):
        asked.append(passes)
        return RecordedRun(trace, "end")

    monkeypatch.setattr(cli, "run_recorded", run)
    for arguments in ([], ["--passes", "2"], ["--passes", "12-14"]):
        assert cli.main(["train.py", *arguments]) == 0
    assert asked == [MAX_PASSES, 2, 14] and MAX_PASSES == 10


def test_only_the_main_thread_is_recorded(recorded):
    trace = recorded(
        "from threading import Thread\n"
        "def other():\n"
        "    torch.ones(1, requires_grad=True).exp().backward()\n"
        "threads = [Thread(target=other) for _ in range(2)]\n"
        "for thread in threads:\n"
        "    thread.start()\n"
        "    thread.join()\n"
        "torch.ones(1, requires_grad=True).sin().backward()"
    )
    assert len(backward_passes(trace)) == 1
    names = " ".join(str(node) for node in trace.nodes.values())
    assert "SinBackward0" in names and "ExpBackward0" not in names


@pytest.mark.parametrize("refused", [True, False])
def test_a_script_with_a_trace_function_of_its_own_is_refused(recorded, refused):
    line = "import sys; sys.settrace(lambda *_: None)" if refused else "pass"
    before = sys.gettrace()
    try:
        with pytest.raises(RecordingFailed) if refused else nullcontext():
            recorded(f"torch.ones(1, requires_grad=True).sum().backward()\n{line}")
    finally:
        sys.settrace(before)


@pytest.mark.parametrize("at", [1, 3, 5])
@pytest.mark.parametrize("name", FAILS)
def test_the_page_names_an_error_also_beyond_the_figure(
    recorded, tmp_path, monkeypatch, capsys, name, at
):
    trace = recorded(training(5, FAILS[name], at))
    error = next(event for event in trace.events if event["k"] == "error")
    run = RecordedRun(trace, "error", error["line"], error["msg"])
    terminal, page = told(monkeypatch, capsys, tmp_path, run)
    for text in (terminal, unescape(re.sub("<[^>]+>", "", page))):
        assert f"failed at line {error['line']}: {error['msg']}" in text
