"""What the page on your own script says in general of the command `gradtrace`."""

import random
import re
import sys
from contextlib import nullcontext
from html import unescape
from pathlib import Path

import gradtrace
import numpy as np
import pytest
import torch
from gradtrace import LANGUAGES, cli, record_script
from gradtrace.draw.player_data import fold
from gradtrace.graph.groups import MAX_BOXES
from gradtrace.graph.parameters import parameters
from gradtrace.graph.passes import MAX_PASSES, backward_passes, excerpts, first_shown
from gradtrace.recording.recorder import MAX_EVENTS, RecordingFailed
from gradtrace.recording.runner import RecordedRun
from gradtrace.trace import Trace
from proofbook.content.attacks import attacks

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


def told(
    monkeypatch,
    capsys,
    folder: Path,
    trace: Trace,
    end: str = "end",
    error: str | None = None,
    locale: str = "en_US.UTF-8",
    status: int = 0,
) -> tuple[str, str]:
    """What the command prints about a run, and the page that it writes."""
    run = RecordedRun(trace, end, trace.events[-1]["line"], error, "train.py")
    monkeypatch.chdir(folder)
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.setenv(name, locale)
    monkeypatch.setattr(cli, "ScriptProcess", lambda job: Ended(run, status))
    assert cli.main(["train.py"]) == status
    return capsys.readouterr().err, Path("train.html").read_text("utf-8")


class Ended:
    """A process that has recorded a script and come to its end."""

    def __init__(self, run: RecordedRun, status: int) -> None:
        self.recorded, self.wait, self.later_error = lambda: run, lambda: status, lambda: None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass


@attacks(
    "your-script/index#command",
    zh="一步和九步，有无错误",
    en="one and nine steps, with and without an error",
)
@pytest.mark.parametrize("steps", [1, 9])
@pytest.mark.parametrize("line", ["pass", *FAILS.values()])
def test_the_page_fetches_nothing(recorded, tmp_path, monkeypatch, capsys, line, steps):
    _, page = told(monkeypatch, capsys, tmp_path, recorded(training(steps, line, steps)))
    assert not re.search(r"""(?:src|href|action|data)=["'](?!data:|#)|@import""", page)
    assert not re.search(r"""url\(["']?(?!data:|#)""", page)
    assert not re.search(r"fetch\(|XMLHttpRequest|WebSocket|EventSource|importScripts", page)


@attacks(
    "your-script/index#command",
    zh="5、30 和 65 个线性层",
    en="5, 30 and 65 linear layers",
)
@pytest.mark.parametrize("layers", [5, 30, 65])
def test_a_large_model_opens_folded(recorded, layers):
    """Up to 40 boxes are shown at once; a folded one has the norm of its parameters' gradients."""
    trace = recorded(
        f"net = torch.nn.Sequential(*(torch.nn.Linear(2, 2) for _ in range({layers})))\n"
        "net(torch.ones(1, 2)).sum().backward()"
    )
    figure = fold(excerpts(trace, None)[0], "en", parameters(trace))
    boxes = figure.view(figure.first_view).boxes
    modules = [box for box in boxes.values() if box.kind == "group"]
    assert len(boxes) <= MAX_BOXES
    assert bool(modules) is (layers > 5)
    assert all("‖" in figure.texts[f"{box.key}g"][-1] for box in modules)


@attacks(
    "your-script/index#command",
    zh="五种语言环境",
    en="five locales",
)
@pytest.mark.parametrize(
    ("locale", "language"),
    [("zh_CN.UTF-8", "zh"), ("zh_TW", "zh"), ("en_GB", "en"), ("fr_FR.UTF-8", "en"), ("C", "en")],
)
def test_the_page_is_chinese_if_the_terminal_is(
    recorded, tmp_path, monkeypatch, capsys, locale, language
):
    trace = recorded(training(1))
    _, page = told(monkeypatch, capsys, tmp_path, trace, locale=locale)
    assert f'<html lang="{language}' in page


@attacks(
    "your-script/index#limits",
    zh="有无自己的随机种子",
    en="with and without a seed of its own",
)
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


@attacks(
    "your-script/index#limits",
    zh="有无 --passes",
    en="with and without --passes",
)
def test_ten_passes_are_recorded_unless_later_ones_are_named(recorded, tmp_path, monkeypatch):
    asked, trace = [], recorded(training(14))
    monkeypatch.chdir(tmp_path)

    def process(job):
        asked.append(job.passes)
        return Ended(RecordedRun(trace, "end", script="train.py"), 0)

    monkeypatch.setattr(cli, "ScriptProcess", process)
    for arguments in ([], ["--passes", "2"], ["--passes", "12-14"]):
        assert cli.main([*arguments, "train.py"]) == 0
    assert asked == [MAX_PASSES, 2, 14] and MAX_PASSES == 10 and MAX_EVENTS == 3000


@attacks(
    "your-script/index#command",
    zh="四种退出状态",
    en="four exit statuses",
)
@pytest.mark.parametrize("status", [0, 1, 3, 130])
def test_the_exit_status_is_that_of_the_script(recorded, tmp_path, monkeypatch, capsys, status):
    told(monkeypatch, capsys, tmp_path, recorded(training(1)), status=status)


@attacks(
    "your-script/index#limits",
    zh="另外两个线程，各自反向",
    en="two other threads, each with a backward pass of its own",
)
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


@attacks(
    "your-script/index#limits",
    zh="主线程里的 sys.settrace",
    en="sys.settrace in the main thread",
)
@pytest.mark.parametrize("refused", [True, False])
def test_a_script_with_a_trace_function_of_its_own_is_refused(recorded, refused):
    line = "import sys; sys.settrace(lambda *_: None)" if refused else "pass"
    before = sys.gettrace()
    try:
        with pytest.raises(RecordingFailed) if refused else nullcontext():
            recorded(f"torch.ones(1, requires_grad=True).sum().backward()\n{line}")
    finally:
        sys.settrace(before)


@attacks(
    "your-script/index#read",
    zh="前向中、反向中和反向之后的错误，在第一到第五步",
    en="errors in the forward pass, in the backward pass and after it, in the first to the fifth step",
)
@pytest.mark.parametrize("at", [1, 3, 5])
@pytest.mark.parametrize("name", FAILS)
def test_the_page_opens_at_the_pass_that_failed_and_names_the_error(
    recorded, tmp_path, monkeypatch, capsys, name, at
):
    trace = recorded(training(5, FAILS[name], at))
    error = next(event for event in trace.events if event["k"] == "error")
    shown = excerpts(trace, None)
    opened = shown[first_shown(shown, None)]
    assert error in opened.trace.events
    terminal, page = told(monkeypatch, capsys, tmp_path, trace, "error", error["msg"], status=1)
    for text in (terminal, unescape(re.sub("<[^>]+>", "", page))):
        assert error["msg"] in text and f"line {error['line']}" in text


WITHOUT_GRADIENT = {
    "unused": "pass",
    "frozen": "b.requires_grad_(False); y = y * b",
    "cut off": "y = y * b.detach()",
    "not on the path": "z = y * b",
}


@attacks(
    "your-script/index#read",
    zh="一个参数，旁边另一个得到梯度",
    en="one parameter beside another that gets a gradient",
)
@pytest.mark.parametrize("why", WITHOUT_GRADIENT)
def test_a_parameter_without_a_gradient_says_why(recorded, why):
    trace = recorded(
        "a = torch.nn.Parameter(torch.ones(2))\nb = torch.nn.Parameter(torch.ones(2))\n"
        f"y = a * 2\n{WITHOUT_GRADIENT[why]}\ny.sum().backward()"
    )
    figure = fold(excerpts(trace, None)[0], "en", parameters(trace))
    texts = [text for slot in figure.texts.values() for text in slot]
    assert [other for other in WITHOUT_GRADIENT if any(other in text for text in texts)] == [why]


@attacks(
    "your-script/index#limits",
    zh="一个有随机数的块",
    en="a block with random numbers",
)
def test_a_with_block_sets_no_seed():
    state = torch.get_rng_state()
    try:
        torch.manual_seed(7)
        expected = torch.rand(3)
        torch.manual_seed(7)
        with gradtrace.record():
            drawn = torch.rand(3)
        assert torch.equal(drawn, expected)
    finally:
        torch.set_rng_state(state)


@attacks(
    "your-script/index#limits",
    zh="两个运算的编译过的函数，后端 eager",
    en="a compiled function of two operations, backend eager",
)
@pytest.mark.parametrize("compiled", [True, False])
def test_compiled_code_runs_eagerly_while_it_is_recorded(
    recorded, tmp_path, monkeypatch, capsys, compiled
):
    decorated = "torch.compile(backend='eager')" if compiled else "(lambda f: f)"
    trace = recorded(
        f"w = torch.ones(2, requires_grad=True)\nf = {decorated}(lambda w: (w * 3).sum())\n"
        "f(w).backward()"
    )
    assert trace.eager is compiled
    assert {"MulBackward0", "SumBackward0"} <= {node["op"] for node in trace.nodes.values()}
    _, page = told(monkeypatch, capsys, tmp_path, trace)
    assert (LANGUAGES["en"]["note_eager"].split("`")[0] in page) is compiled
