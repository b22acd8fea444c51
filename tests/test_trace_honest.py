"""The recorder changes nothing: of each script, what it prints, which operations torch runs and the
bits of the parameters are the same with it and without. Two recordings are the same to the last
byte, and the gradients in them are those that the script prints.

Tried on scripts of the book, on those that train a network in a common way
(packages/gradtrace/tests/scripts), and on scripts for each pitfall of a recorder. What a script can
see from Python alone is tried by gradtrace's test_same_run: hooks, copies, transforms, modes.
Not covered: CUDA.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from aten import compared
from gradtrace import Trace, parse_trace, same_but_for_rounding
from gradtrace.values import count, flat
from proofbook.model.snippet import dtype_of_results
from proofbook.run.runner import Runner
from proofbook.testing.fixtures import sample
from proofbook.testing.tiny_book import write

pytestmark = [
    pytest.mark.upgrade,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="the runs are forks of one process"),
]

ROOT = Path(__file__).parent.parent
SCRIPTS = sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / "snippets").rglob("*.py"))
TRAINING = sorted(
    p.relative_to(ROOT).as_posix() for p in (ROOT / "packages/gradtrace/tests/scripts").glob("*.py")
)
REFUSED = {
    # It runs into the recursion limit, and the recorder takes up a part of the room below it.
    "snippets/module_hooks/calls_itself.py": ("the recorder failed on this script", "Recursion"),
    # It records itself, and there is one recording at a time.
    "snippets/your_script/doctor.py": ("the script raises", "a recording is running already"),
}
"""The scripts that cannot be recorded, and how they are refused: no half recording is made."""
COMPILED = "packages/gradtrace/tests/scripts/compiled_model.py"
"""What it compiles runs eagerly while it is recorded: other operations, and the same bits."""
LEFT_OUT = (
    # They go through the same lines for seconds: recorded and counted, they take minutes.
    *(f"snippets/labs/{name}.py" for name in ("batch_norm_gap", "histogram", "noise_scale")),
    *(f"snippets/labs/{name}.py" for name in ("spread", "update_ratio", "wider")),
    # It prints the last two calls of a stack, in which a recorder stands.
    "snippets/in_place/name_the_line.py",
    # What they compile runs eagerly while it is recorded, and they print what is compiled.
    "snippets/compile/",
    "snippets/module_hooks/every_hook_compiled.py",
)

HARD = {
    # A dispatch mode would give both of these another backward formula.
    "formulas": """
        x = torch.tensor([2.0, 0.0, 3.0], requires_grad=True)
        x.prod().backward()
        print(x.grad)
        torch.manual_seed(0)
        words = nn.Embedding(5, 3)
        lstm = nn.LSTM(3, 4, batch_first=True)
        out, _ = lstm(words(torch.tensor([[1, 2, 1], [0, 4, 4]])))
        out.sum().backward()
        print(words.weight.grad.shape)
    """,
    # torch takes a gradient that nobody else holds, and copies it otherwise.
    "stolen_gradient": """
        w = torch.ones(300, 300, requires_grad=True)
        for _ in range(3):
            (w * torch.rand(300, 300)).sum().backward()
        w.grad = None
        (w * 2).sum().backward()
        print(w.grad.mean())
    """,
    # To read what a node has saved would run this hook once more.
    "unpack_hook": """
        def unpack(saved):
            print("unpack", saved.shape)
            return saved

        w = torch.ones(2, requires_grad=True)
        with torch.autograd.graph.saved_tensors_hooks(lambda t: t, unpack):
            y = torch.softmax(w.exp(), 0).log()
        print("built")
        y.sum().backward()
    """,
    # The functions of nn.Module do not work before its __init__.
    "half_built": """
        class Net(nn.Module):
            def __init__(self):
                size = 2
                self.__dict__["size"] = size
                super().__init__()
                self.w = nn.Parameter(torch.ones(size))

        print(Net().w.sum())
    """,
    # Each hook of torch has a number, and so have ours.
    "ids_of_hooks": """
        w = torch.ones(2, requires_grad=True)
        y = w * 2
        print(w.register_hook(print).id, y.register_hook(print).id)
        y.sum().backward()
        net = nn.Linear(2, 1)
        print(net.register_forward_hook(lambda *a: None).id, list(w._backward_hooks))
    """,
    # What stands in memory that is not written yet is another thing in each run.
    "uninitialised": """
        class Net(nn.Module):
            def __init__(self):
                super().__init__()
                self.w = nn.Parameter(torch.empty(7))
                self.v = nn.Parameter(torch.empty_like(self.w))
                nn.init.ones_(self.w)
                self.v.data.fill_(2)

        net = Net()
        x = torch.empty(50, 50)
        y = torch.empty_like(x)
        y.fill_(1)
        (net.w * net.v).sum().backward()
        print(net.w.grad)
    """,
    # A graph that is kept would keep what it has saved.
    "life_and_death": """
        import gc, weakref
        w = torch.ones(2, requires_grad=True)
        y = w.exp()
        dies = weakref.ref(y)
        z = y * 2
        lives = weakref.ref(z)
        kept = weakref.ref(w.register_hook(lambda g: g))
        z.sum().backward()
        del y, z
        print(dies() is None, lives() is None)
        net = nn.Linear(2, 2)
        net.register_forward_hook(lambda *a: None)
        gone = weakref.ref(net)
        del net
        print(gone() is None)
        def f(x):
            big = x * 3
            ref = weakref.ref(big)
            del big
            return ref() is None
        print(f(w))
    """,
    # Where a warning is thrown decides whether it is shown again.
    "warnings": """
        import warnings
        y = torch.ones(2, requires_grad=True) * 2
        a, b = torch.ones(2, 1, requires_grad=True), torch.ones(2)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("default")
            for _ in range(2):
                nn.functional.mse_loss(a, b)
            nn.functional.mse_loss(a, b)
            y.grad
            y.grad
        print(len(caught))
    """,
    # Whether a function mode is active decides about a fast path here.
    "fast_path": """
        torch.manual_seed(0)
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True).eval()
        with torch.no_grad():
            print(layer(torch.ones(1, 3, 8)).shape)
        layer(torch.ones(1, 3, 8)).sum().backward()
        print(layer.linear1.weight.grad.shape)
    """,
    "threads": """
        import threading
        w = torch.ones(2, requires_grad=True)
        w.register_hook(lambda g: print("hook", g))
        def work():
            (w * 3).sum().backward()
        thread = threading.Thread(target=work)
        thread.start(); thread.join()  # on one line: at which one it ends is chance otherwise
        print(w.grad)
    """,
    # In Python before 3.13 to look at the variables of a function could set them back.
    "closures": """
        def counted():
            count = 0
            def hook(grad):
                nonlocal count
                count += 1
                return grad
            w = torch.ones(2, requires_grad=True)
            for _ in range(3):
                y = w * 2
                y.register_hook(hook)
                y.sum().backward()
                count += 10
            return count
        print(counted())
    """,
    "odd_tensors": """
        class Mine(torch.Tensor):
            pass
        m = torch.ones(2).as_subclass(Mine).requires_grad_()
        (m * 2).sum().backward()
        print(m.grad)
        e = nn.Embedding(3, 2, sparse=True)
        e(torch.tensor([0, 0])).sum().backward()
        print(e.weight.grad.coalesce().indices())
        c = torch.tensor([1 + 2j], requires_grad=True)
        (c * c.conj()).real.sum().backward()
        h = torch.ones(100, dtype=torch.bfloat16, requires_grad=True)
        h.exp().sum().backward()
        meta = torch.ones(2, device="meta") * 2
        empty = torch.ones(0, 3, requires_grad=True).sum()
        with torch.inference_mode():
            i = torch.ones(2) * 2
        print(c.grad, h.grad[0], meta.shape, empty, i)
    """,
}
RECORDED = [name for name in SCRIPTS if name not in REFUSED and not name.startswith(LEFT_OUT)]
NAMES = [*sample(RECORDED, 20), *HARD, *sample(TRAINING, 5)]


def source(body: str) -> str:
    lines = body.strip("\n").split("\n")
    indent = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(["import torch", "from torch import nn", *(row[indent:] for row in lines)])


@pytest.fixture(scope="module")
def runs(tmp_path_factory, other_runner: Runner) -> dict[str, tuple]:
    """Each script run plain, run recorded, and recorded again in another process, with another hash
    seed and without operations being counted."""
    folder = tmp_path_factory.mktemp("hard")
    files = {name: ROOT / name for name in NAMES}
    files |= {name: write(folder / f"{name}.py", source(body)) for name, body in HARD.items()}
    again = {name: other_runner.trace(file) for name, file in files.items()}
    found = compared(list(files.values()))
    return {name: (*found[file], again[name].result()) for name, file in files.items()}


@pytest.mark.parametrize("name", NAMES)
def test_a_run_is_the_same_recorded_and_plain(name, runs):
    plain, recorded, again = runs[name]
    assert recorded.stdout == plain.stdout
    if name in SCRIPTS:
        printed = (ROOT / name).with_suffix(".out").read_text("utf-8")
        dtype = dtype_of_results((ROOT / name).read_text("utf-8"))
        assert same_but_for_rounding(printed, plain.stdout, dtype)
    else:
        assert plain.operations and (name in HARD or any(plain.parameters))
    assert recorded.operations == plain.operations or name == COMPILED
    assert recorded.parameters == plain.parameters
    if name not in TRAINING:
        assert not again.refusal and again.stdout == plain.stdout
        assert recorded.trace and recorded.trace == again.trace


@pytest.mark.parametrize("name", [name for name in NAMES if name in TRAINING])
def test_the_recorded_gradients_are_those_printed(name, runs):
    trace = parse_trace(runs[name][1].trace)
    found = [(printed, value) for printed, value in printed_gradients(trace) if "v" in value]
    assert found or trace.left_out
    for printed, value in found:
        numbers = [value["v"]] * count(value) if "c" in value else list(flat(value["v"]))
        assert [float(n) for n in re.findall(r"-?\d+\.\d*(?:e[-+]\d+)?", printed)] == numbers


def printed_gradients(trace: Trace) -> Iterator[tuple[str, dict]]:
    """What the script prints as "NAME.grad tensor(...)", and that gradient as it is recorded."""
    tensors = {name: key for key, entry in trace.tensors.items() for name in entry.get("names", ())}
    gradients: dict[str, dict | None] = {}
    for event in trace.events:
        if event["k"] in ("acc", "grad_set"):
            gradients[event["t"]] = event["after"]
        elif found := re.match(r"(\S+)\.grad (tensor\(.*\))\n", event.get("text", ""), re.DOTALL):
            yield found[2], gradients[tensors[found[1]]]


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_recorded_is_refused(name, runner: Runner):
    refusal = runner.trace(ROOT / name).result().refusal
    what, found = REFUSED[name]
    assert refusal.what == what and found in refusal.found
