"""What a trace holds of a script, how its numbers are rounded, how it is written."""

from __future__ import annotations

import random
import re
import struct
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from gradtrace import Recorder, Trace, execute, format_trace, parse_trace
from gradtrace.recording.recorder import RecordingFailed, record_script
from gradtrace.recording.tensor_values import rounded
from gradtrace.trace import Event
from recording import recorded, write

pytestmark = pytest.mark.upgrade

Record = Callable[[str], Trace]


@pytest.fixture
def record(tmp_path: Path) -> Record:
    """Write a script below the two imports of torch and above a print, and record it."""
    return lambda body: recorded(body, tmp_path)


def events(trace: Trace, *kinds: str) -> list[Event]:
    return [event for event in trace.events if event["k"] in kinds]


def tensor(trace: Trace, name: str) -> str:
    return next(t for t, entry in trace.tensors.items() if name in entry.get("names", ()))


def named(trace: Trace, event: Event) -> str:
    return trace.nodes[event["n"]]["op"]


# Operations, and the graph


def test_operations_with_their_text_and_line(record):
    trace = record("w = torch.tensor(2.0, requires_grad=True)\nloss = 3 * w ** 2\n")
    *_, power, product = events(trace, "op")
    assert (power["line"], power["op"], power["src"]) == (4, "pow", "w ** 2")
    assert (product["op"], product["src"]) == ("mul", "3 * w ** 2")
    assert power["args"] == [["@" + tensor(trace, "w"), 2]]
    assert product["ins"] == [power["out"][0]["t"]]
    assert product["out"] == [{"t": tensor(trace, "loss"), "value": {"s": [], "v": 12}, "n": "n2"}]
    assert trace.nodes["n2"]["op"] == "MulBackward0"
    assert trace.nodes["n2"]["next"] == [["n0", 0], None]
    assert trace.nodes["n0"] == {
        "op": "PowBackward0",
        "next": [["n1", 0]],
        "out": {"0": power["out"][0]["t"]},
        "value": {"s": [], "v": 4},
        "call": 1,
    }
    assert trace.nodes["n1"]["leaf"] == tensor(trace, "w")


def test_a_column_counts_bytes(record):
    trace = record("é, w = 'é', torch.ones(1); ü = (w +\n  1)\n")
    assert events(trace, "op")[-1]["src"] == "w + 1"


def test_one_operation_for_each_call_of_the_api_and_its_hidden_value(record):
    trace = record("""
        x = torch.zeros(1, 2, requires_grad=True)
        loss = nn.functional.cross_entropy(x, torch.tensor([0]))
    """)
    assert [e["op"] for e in events(trace, "op")] == ["zeros", "tensor", "cross_entropy"]
    hidden = next(n for n in trace.nodes.values() if n["op"] == "LogSoftmaxBackward0")
    assert "out" not in hidden
    if hasattr(torch._C._autograd, "_top_saved_tensors_default_hooks"):  # not in PyTorch 2.6
        assert hidden["value"]["v"] == -0.6931


def test_operations_in_a_module_are_told_with_the_call_in_the_script(record):
    trace = record("""
        net = nn.Sequential(nn.Linear(2, 1), nn.ReLU())
        y = net(torch.ones(1, 2))
    """)
    linear, relu = events(trace, "op")[-2:]
    assert (linear["op"], linear["module"], linear["src"]) == (
        "linear",
        "Sequential/Linear",
        "net(torch.ones(1, 2))",
    )
    assert relu["module"] == "Sequential/ReLU"
    assert trace.tensors[linear["ins"][1]]["names"] == ["net.0.weight"]


def test_what_is_changed_in_place_has_a_new_node(record):
    trace = record("""
        w = torch.ones(3, requires_grad=True)
        y = torch.zeros(3)
        y[0] = w[1]
        y.mul_(2)
    """)
    put, product = events(trace, "op")[-2:]
    assert put["op"] == "setitem" and product["op"] == "mul_"
    assert put["out"][0]["t"] == product["out"][0]["t"] == tensor(trace, "y")
    assert put["out"][0]["inplace"] and put["out"][0]["value"]["v"] == [1, 0, 0]
    assert trace.tensors[tensor(trace, "y")]["n"] == product["out"][0]["n"]


def test_names(record):
    trace = record("""
        def f(local):
            inner = local * 2
            return inner

        pair = [torch.zeros(1), {"a": 1}]
        table = {"w": torch.ones(1)}
        out = f(table["w"])
    """)
    names = [entry.get("names") for entry in trace.tensors.values()]
    assert names == [["pair[0]"], ['table["w"]', "local"], ["out", "inner"]]


# Passes


def test_a_pass_step_by_step(record):
    trace = record("""
        w = torch.tensor([1.0, 2.0], requires_grad=True)
        (w * w).sum().backward()
        (w * 3).sum().backward()
    """)
    first = [e for e in trace.events if e.get("p") == 1]
    assert [e["k"] for e in first] == ["backward", "node", "node", "acc", "backward_end"]
    begin, total, product, added, _ = first
    assert begin["api"] == "backward" and begin["seed"] == [{"s": [], "v": 1}]
    assert named(trace, total) == "SumBackward0"
    assert total["gout"] == product["gin"] == [{"s": [2], "v": 1, "c": 1}]
    assert product["gout"] == [{"s": [2], "v": [1, 2]}, {"s": [2], "v": [1, 2]}]
    assert added["gin"] == [{"s": [2], "v": [2, 4]}]
    assert (added["before"], added["after"]) == (None, {"s": [2], "v": [2, 4]})
    again = next(e for e in events(trace, "acc") if e["p"] == 2)
    assert (again["before"]["v"], again["after"]["v"]) == ([2, 4], [5, 7])


def test_grad_names_its_inputs_and_adds_to_nothing(record):
    trace = record("""
        w = torch.ones(1, requires_grad=True)
        (g,) = torch.autograd.grad(w * 5, w, create_graph=True)
    """)
    begin = events(trace, "backward")[0]
    assert (begin["api"], begin["inputs"]) == ("grad", [tensor(trace, "w")])
    assert begin["create"] and begin["retain"]
    assert not events(trace, "acc", "grad_set")
    assert [e["gin"][0]["v"] for e in events(trace, "node")] == [[1]]


def test_caught_errors_of_backward_are_told_once(record):
    trace = record("""
        w = torch.ones(1, requires_grad=True)
        y = (w * w).sum()
        y.backward()
        try:
            y.backward()
        except RuntimeError as error:
            print("caught")
    """)
    (error,) = events(trace, "error")
    assert error["msg"].startswith("RuntimeError: Trying to backward through the graph a second")
    assert (error["line"], error["p"]) == (7, 2)


# Hooks


def test_hooks_on_tensors_what_they_get_and_return(record):
    trace = record("""
        w = torch.ones(1, requires_grad=True)
        y = w * 2
        y.register_hook(lambda g: g * 10)
        w.register_hook(lambda g: None)
        w.register_post_accumulate_grad_hook(lambda p: [p.grad.mul_(3)].clear())
        y.retain_grad()
        y.sum().backward()
    """)
    assert [(e["hook"], e["on"]) for e in events(trace, "reg")] == [
        ("tensor", tensor(trace, "y")),
        ("tensor", tensor(trace, "w")),
        ("post_accumulate", tensor(trace, "w")),
        ("retain_grad", tensor(trace, "y")),
    ]
    on_y, on_w, after = events(trace, "hook")
    assert (on_y["got"][0]["v"], on_y["ret"]["v"]) == ([1], [10])
    assert trace.nodes[on_y["at"]]["op"] == "MulBackward0"
    assert on_w["got"][0]["v"] == [20] and "ret" not in on_w
    kinds = [e["k"] for e in trace.events]
    (added,) = events(trace, "acc")
    assert (added["after"]["v"], after["got"][0]["v"]) == ([20], [1])
    (changed,) = events(trace, "grad_set")
    assert (changed["before"]["v"], changed["after"]["v"]) == ([20], [60])
    assert kinds.index("acc") < kinds.index("grad_set")


def test_hooks_on_modules_and_on_all_of_them(record):
    trace = record("""
        from torch.nn.modules.module import register_module_forward_hook
        net = nn.Sequential(nn.Linear(1, 1, bias=False), nn.ReLU())
        net[0].weight.data.fill_(3)
        net[0].register_forward_pre_hook(lambda m, args: (args[0] * 2,))
        net[1].register_full_backward_hook(lambda m, gi, go: (gi[0] * 5,))
        handle = register_module_forward_hook(lambda m, args, out: None)
        net(torch.ones(1, 1)).sum().backward()
        handle.remove()
    """)
    assert [(e["hook"], e["on"]) for e in events(trace, "reg")] == [
        ("forward_pre", "net.0"),
        ("full_backward", "net.1"),
        ("forward", "every module"),
    ]
    pre, *everywhere, back = events(trace, "hook")
    assert pre["ret"][0]["v"] == [[2]]
    assert len(everywhere) == 3
    assert (back["on"], back["got"][0][0]["v"], back["ret"][0]["v"]) == ("net.1", [[1]], [[5]])
    gates = [e for e in events(trace, "op") if e.get("lib")]
    assert [(e["op"], e["mod"]) for e in gates] == [("BackwardHookFunction", "net.1")] * 2


def test_a_hook_on_many_tensors(record):
    trace = record("""
        a, b = torch.ones(1, requires_grad=True), torch.ones(1, requires_grad=True)
        torch.autograd.graph.register_multi_grad_hook([a, b], lambda grads: None)
        (a * b * 2).sum().backward()
    """)
    (hook,) = events(trace, "hook")
    assert hook["on"] == [tensor(trace, "a"), tensor(trace, "b")]
    assert hook["got"] == [[{"s": [1], "v": [2]}, {"s": [1], "v": [2]}]]


def test_functions_that_autograd_calls_itself(record):
    trace = record("""
        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                return x * 2
            @staticmethod
            def backward(ctx, grad):
                return grad * 2

        def on_node(sent, got):
            return (sent[0] * 10,)

        w = torch.ones(1, requires_grad=True)
        y = Double.apply(w)
        y.grad_fn.register_hook(on_node)
        y.sum().backward()
    """)
    applied = next(e for e in events(trace, "op") if e.get("custom"))
    assert (applied["op"], applied["src"]) == ("Double", "Double.apply(w)")
    assert not trace.tensors[applied["out"][0]["t"]]["leaf"]
    assert not [e for e in events(trace, "op") if e["op"] == "mul"]
    calls = events(trace, "call")
    assert [(e["fn"], named(trace, e)) for e in calls] == [
        ("backward", "DoubleBackward"),
        ("on_node", "DoubleBackward"),
    ]
    assert (calls[0]["got"], calls[0]["ret"]) == (
        {"grad": {"s": [1], "v": [1]}},
        {"s": [1], "v": [2]},
    )
    assert calls[1]["ret"] == [{"s": [1], "v": [20]}]


# Optimizers, and silent changes


def test_steps_and_zero_grad(record):
    trace = record("""
        w = torch.ones(1, requires_grad=True)
        opt = torch.optim.SGD([w], lr=0.5)
        opt.register_step_post_hook(lambda *_: print("stepped"))
        (w * 4).sum().backward()
        opt.step()
        opt.zero_grad()
    """)
    kinds = [e["k"] for e in trace.events if e["line"] in (5, 7, 8)]
    assert kinds == ["reg", "step", "hook", "print", "grad_set"]
    (step,) = events(trace, "step")
    assert (step["opt"], step["lr"], step["line"]) == ("SGD", 0.5, 7)
    (row,) = step["params"]
    assert [row[k]["v"] for k in ("before", "grad", "after")] == [[1], [4], [-1]]
    (zeroed,) = events(trace, "grad_set")
    assert (zeroed["by"], zeroed["after"], zeroed["line"]) == ("zero_grad", None, 8)
    assert not events(trace, "set")


# Training scripts


def test_a_long_one_is_recorded_up_to_the_end_of_a_pass(tmp_path, monkeypatch, capsys):
    source = "import torch\nw = torch.ones(1, requires_grad=True)\n"
    source += "for step in range(40):\n    (w * 2).sum().backward()\n    print(step)\n"
    script = str(write(tmp_path / "script.py", source))
    recorder = Recorder(script, max_events=100)
    monkeypatch.setitem(sys.modules, "__main__", None)  # and put back at the end
    with recorder:
        execute(script)
    trace = recorder.trace()
    assert 100 <= trace.left_out["events"] <= len(trace.events) < 110
    assert len(events(trace, "backward")) == len(events(trace, "backward_end"))
    assert capsys.readouterr().out.count("\n") == 40


# Numbers


def test_numbers_are_those_that_torch_prints():
    """Random tensors of all magnitudes, printed by torch and rounded by gradtrace."""
    draw = random.Random(0)
    rows = [[3.0, -60.0], [0.1, 123.456], [1e-5, 1.0], [2e8], [-0.0, 0.0], [float("nan"), 1.5]]
    rows += [[float("inf"), 2.0], [123456.78], [1234567.0, 2.0], [1e-4], [99999.0, 1.0]]
    for _ in range(300):
        scale = 10.0 ** draw.randint(-8, 10)
        row = [draw.gauss(0, 1) * scale ** draw.random() for _ in range(draw.randint(1, 6))]
        rows.append([round(x) * 1.0 for x in row] if draw.random() < 0.3 else row)
    rows = [[struct.unpack("f", struct.pack("f", x))[0] for x in row] for row in rows]
    for row in rows:
        printed = re.findall(r"[^\[\](),\s]+", str(torch.tensor(row)).removeprefix("tensor"))
        assert [str(float(x)) for x in rounded(row)] == [str(float(x)) for x in printed], row


def test_values_of_larger_tensors(record):
    trace = record("""
        constant = torch.full((3, 2), 0.1)
        few = torch.tensor([0.01, -0.01]).repeat(20)
        many = torch.arange(40.0)
        balanced = torch.cat([torch.arange(1.0, 21), -torch.arange(1.0, 21)]) / 7
        counts = torch.arange(40)
        flags = torch.arange(40) > 9
    """)
    value = {e["names"][0]: e["value"] for e in trace.tensors.values() if "names" in e}
    assert value["constant"] == {"s": [3, 2], "v": 0.1, "c": 1}
    assert value["few"] == {"s": [40], "u": [[-0.01, 20], [0.01, 20]]}
    assert value["many"] == {"s": [40], "m": [0, 19.5, 39, 143.3178]}
    assert value["balanced"]["m"][1] == 0
    assert value["counts"] == {"s": [40], "d": "int64", "m": [0, 19.5, 39, 143.3178]}
    assert value["flags"] == {"s": [40], "d": "bool", "u": [[False, 10], [True, 30]]}


# The format


def test_written_and_read_again(record):
    trace = record("w = torch.ones(2, requires_grad=True)\n(w / 3).sum().backward()\nprint('é')\n")
    text = format_trace(trace)
    assert parse_trace(text) == trace
    rows = text.splitlines()
    assert sum(row.startswith('{"k": ') for row in rows) == len(trace.events)
    assert sum(row.startswith('"t') and '"shape"' in row for row in rows) == len(trace.tensors)
    assert text.isascii() is False


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 1, "odd": 2}'])
def test_what_is_no_recording_is_refused(text):
    with pytest.raises(ValueError):
        parse_trace(text)


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ("def f():\n    f()\ntry:\n    f()\nexcept RecursionError:\n    pass\n", "recursion"),
        ("import sys\nsys.settrace(None)\n", "it set a trace function of its own"),
    ],
)
def test_nothing_is_half_recorded(tmp_path, body, why):
    script = write(tmp_path / "script.py", f"import torch\nprint(1)\n{body}")
    with pytest.raises(RecordingFailed, match=f"(?i)the recorder failed on .*\n.*{why}"):
        record_script(script)


def test_a_fault_of_the_recorder_at_its_start_says_where(tmp_path, monkeypatch):
    monkeypatch.setattr("gradtrace.recording.recorder.MODULES_WITH_FAST_PATH", None)
    script = write(tmp_path / "script.py", "import torch\nprint(torch.ones(2))\n")
    said = rf"TypeError: .*\nwith PyTorch {re.escape(torch.__version__)} and Python .*"
    with pytest.raises(RecordingFailed, match=said + r" \(gradtrace/recording/recorder\.py:\d+\)"):
        record_script(script)
    monkeypatch.undo()
    assert record_script(script).stdout == "tensor([1., 1.])\n"


@pytest.mark.parametrize(
    "body",
    [
        "class Wrong(torch.autograd.Function):\n    pass\nWrong.apply(torch.ones(1))\n",
        "torch.nn.Linear(2, 2)(torch.ones(3))\n",
        "torch.ones(1).backward()\n",
        "torch.nn.Module().register_forward_hook()\n",
        "torch.autograd.Function.apply()\n",
    ],
)
def test_what_torch_raises_for_the_script_is_the_script_s(tmp_path, body):
    trace = record_script(write(tmp_path / "script.py", f"import torch\n{body}"))
    assert any(event["k"] == "error" for event in trace.events)


def test_pytorch_2_6_does_not_tell_of_hooks_for_saved_tensors(tmp_path, monkeypatch):
    monkeypatch.delattr(torch._C._autograd, "_top_saved_tensors_default_hooks", raising=False)
    body = "w = torch.ones(1, requires_grad=True)\n(w.exp() * 2).backward()\nprint(w.grad)\n"
    trace = record_script(write(tmp_path / "script.py", f"import torch\n{body}"))
    assert trace.stdout.startswith("tensor([5.43") and trace.events[-1]["k"] == "print"
