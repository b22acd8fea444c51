"""The recorder changes nothing: of each script, what it prints, which operations torch runs and the
bits of the parameters are the same with it and without. Two recordings are the same to the last
byte, and the gradients in them are those that the script prints.

Held on scripts of the book, on those that train a network in each of the ways that are common
(packages/gradtrace/tests/scripts), and on scripts for each pitfall of a recorder:

1. A dispatch mode changes the formulas of backward: none is used ("formulas").
2. A gradient that is kept alive is copied: numbers are taken at once ("stolen_gradient").
3. Reading what a node has saved runs the hooks of the script ("unpack_hook").
4. An error of a trace function surfaces in the script: `SuspendedRecording` takes them all, and
   the recording fails ("half_built"; test_what_cannot_be_recorded_is_refused,
   test_nothing_is_half_recorded).
5. Ids of handles ("ids_of_hooks").
6. Inside a custom Function there is no grad_fn yet: nothing inside is recorded, its result is read
   after `apply` ("custom_function"; test_functions_that_autograd_calls_itself).
7. Uninitialised memory is not read, and values only at the end of a line ("uninitialised").
8. Nodes and tensors are not held; other threads are left alone ("life_and_death", "threads").
9. Operations in hooks are not recorded, but what a hook got and returned
   (test_hooks_on_tensors...).
10. A warning is shown as often as without a recorder ("warnings"); on stderr it refuses the
    recording.
11. Hooks for all modules are recorded (test_hooks_on_modules_and_on_all_of_them); threads and the
    fast path of attention are as without one ("threads", "fast_path"), and so are transforms and
    the modes of the script (gradtrace's test_same_run). Not covered: CUDA.
12. Closures keep their variables ("closures"). Who takes the trace function away is noticed
    (test_nothing_is_half_recorded).
13. A model is pickled with its own hooks, and not with ours ("saved_whole").
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from aten import compared
from gradtrace import Trace, parse_trace, same_but_for_rounding
from proofbook.model.snippet import dtype_of_results
from proofbook.run.runner import Runner
from proofbook.testing.fixtures import sample
from proofbook.testing.tiny_book import write

pytestmark = pytest.mark.upgrade

ROOT = Path(__file__).parent.parent
SCRIPTS = sorted(p.relative_to(ROOT).as_posix() for p in (ROOT / "snippets").rglob("*.py"))
TRAINING = sorted(
    p.relative_to(ROOT).as_posix() for p in (ROOT / "packages/gradtrace/tests/scripts").glob("*.py")
)
REFUSED = {
    "snippets/module_hooks/calls_itself.py": "It runs into the recursion limit, and the recorder "
    "takes up a part of the room below it.",
    "snippets/your_script/doctor.py": "It records itself, and there is one recording at a time.",
}
"""The scripts that cannot be recorded, and why. They are refused: no half recording is made."""
COMPILED = "packages/gradtrace/tests/scripts/compiled_model.py"
"""What it compiles runs eagerly while it is recorded: other operations, and the same bits."""
LONG = {
    f"snippets/labs/{name}.py"
    for name in ("batch_norm_gap", "histogram", "noise_scale", "spread", "update_ratio", "wider")
}
"""The laboratories that go through the same lines for seconds: recorded and counted, they take
minutes, no page shows a recording of them, and `heat_map`, which is as long, is compared."""

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
    # While `forward` of a Function runs, its result is a leaf yet.
    "custom_function": """
        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * 2

            @staticmethod
            def backward(ctx, grad):
                print("backward", grad, ctx.saved_tensors[0])
                return grad * 2

        w = torch.ones(2, requires_grad=True)
        y = Double.apply(w)
        print(y.is_leaf)
        y.sum().backward()
        print(w.grad)
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
    # A hook that is wrapped is another function than the one that pickle finds under its name.
    "saved_whole": """
        import copy, io
        def double(module, args, output):
            return 2 * output
        torch.manual_seed(0)
        net = nn.Linear(2, 2)
        net.register_forward_hook(double)
        file = io.BytesIO()
        torch.save(net, file)
        file.seek(0)
        loaded = torch.load(file, weights_only=False)
        print(list(loaded._forward_hooks.values()) == [double])
        for each in (net, loaded, copy.deepcopy(net)):
            each(torch.ones(2)).sum().backward()
            print(each.weight.grad)
    """,
    "double_backward": """
        w = torch.tensor([1.0, 2.0], requires_grad=True)
        (g,) = torch.autograd.grad((w ** 3).sum(), w, create_graph=True)
        (g ** 2).sum().backward()
        print(w.grad)
    """,
    "optimizer_in_backward": """
        w = torch.ones(3, requires_grad=True)
        opt = torch.optim.SGD([w], lr=0.5)
        def step(p):
            opt.step()
            opt.zero_grad()
        w.register_post_accumulate_grad_hook(step)
        (w * 2).sum().backward()
        print(w, w.grad)
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


def source(body: str) -> str:
    lines = body.strip("\n").split("\n")
    indent = len(lines[0]) - len(lines[0].lstrip())
    return "\n".join(["import torch", "from torch import nn", *(row[indent:] for row in lines)])


@pytest.fixture(scope="module")
def runs(tmp_path_factory, other_runner: Runner, request) -> Iterator[dict[str, tuple]]:
    """Each script to be tested: run plain, run recorded, and, if it is of the book or for a
    pitfall, recorded again in another process."""
    if not hasattr(os, "fork"):
        pytest.skip("what is compared runs in forks of one process")
    folder = tmp_path_factory.mktemp("hard")
    items = [i for i in request.session.items if i.path == request.path]
    items = [i for i in items if "runs" in i.fixturenames]
    files = {}
    for name in dict.fromkeys(i.callspec.params["name"] for i in items):
        files[name] = (
            write(folder / f"{name}.py", source(HARD[name])) if name in HARD else ROOT / name
        )
    again = {
        name: other_runner.trace(file)
        for name, file in list(files.items())[::-1]
        if name not in TRAINING
    }
    found = compared(list(files.values()))
    return {
        name: (*found[file], again[name].result() if name in again else None)
        for name, file in files.items()
    }


STACK = {"snippets/in_place/name_the_line.py"}
"""It prints the last two calls of a stack, in which a recorder stands; no page records it."""

COMPILE = {name for name in SCRIPTS if name.startswith("snippets/compile/")}
"""What they compile runs eagerly while it is recorded, and they print what is compiled."""

RECORDED = [name for name in SCRIPTS if name not in REFUSED.keys() | LONG | STACK | COMPILE]
OF_THE_BOOK = [*sample(RECORDED, 20), *HARD]
each = pytest.mark.parametrize("name", [*OF_THE_BOOK, *sample(TRAINING, 5)])


@each
def test_the_same_output(name, runs):
    plain, recorded, _ = runs[name]
    assert recorded.stdout == plain.stdout
    if name in SCRIPTS:
        printed = (ROOT / name).with_suffix(".out").read_text("utf-8")
        dtype = dtype_of_results((ROOT / name).read_text("utf-8"))
        assert same_but_for_rounding(printed, plain.stdout, dtype)


@each
def test_the_same_operations(name, runs):
    plain, recorded, _ = runs[name]
    assert plain.operations or name in NO_TORCH
    if name != COMPILED:
        assert recorded.operations == plain.operations


@each
def test_the_same_parameters(name, runs):
    plain, recorded, _ = runs[name]
    assert recorded.parameters == plain.parameters
    assert any(plain.parameters) or name not in TRAINING


@pytest.mark.parametrize("name", OF_THE_BOOK)
def test_the_same_recording(name, runs):
    """Once while operations are counted and once not, with two hash seeds, in other processes."""
    plain, recorded, again = runs[name]
    assert not again.refusal and again.stdout == plain.stdout
    assert recorded.trace and recorded.trace == again.trace


@pytest.mark.parametrize("name", sample(TRAINING, 5))
def test_the_recorded_gradients_are_those_printed(name, runs):
    _, recorded, _ = runs[name]
    trace = parse_trace(recorded.trace)
    found = list(printed_gradients(trace))
    assert found or trace.left_out
    for printed, numbers in found:
        assert numbers_printed(printed) == numbers


def printed_gradients(trace: Trace) -> Iterator[tuple[str, list[float]]]:
    """What the script prints as "NAME.grad tensor(...)", and the numbers of that gradient then."""
    tensors = {name: key for key, entry in trace.tensors.items() for name in entry.get("names", ())}
    gradients: dict[str, dict | None] = {}
    for event in trace.events:
        if event["k"] in ("acc", "grad_set"):
            gradients[event["t"]] = event["after"]
        elif found := re.match(r"(\S+)\.grad (tensor\(.*\))\n", event.get("text", ""), re.DOTALL):
            value = gradients[tensors[found[1]]]
            if "v" in value:
                yield found[2], _numbers_of(value)


def numbers_printed(text: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?\d+\.\d*(?:e[-+]\d+)?", text)]


def _numbers_of(value: dict) -> list[float]:
    if "c" in value:
        return [value["v"]] * math.prod(value["s"])
    nested = [value["v"]]
    while any(isinstance(part, list) for part in nested):
        nested = [number for part in nested for number in part]
    return nested


@pytest.mark.parametrize(
    ("name", "what", "found"),
    [
        *zip(
            REFUSED,
            ("the recorder failed on this script", "the script raises"),
            ("RecursionError", "a recording is running already"),
            strict=True,
        )
    ],
)
def test_what_cannot_be_recorded_is_refused(name, what, found, runner: Runner):
    refusal = runner.trace(ROOT / name).result().refusal
    assert refusal.what == what and found in refusal.found


NO_TORCH = {s for s in SCRIPTS if "torch" not in (ROOT / s).read_text("utf-8")} | {
    "snippets/mixed_precision/three_formats.py",  # it asks for the limits of dtypes
    "snippets/messages/scaler_without_gpu.py",  # it makes two scalers
    "snippets/distributed/same_number.py",  # it deals out samples
    # Those that start processes compute in them.
    *(s for s in SCRIPTS if "ProcessPoolExecutor" in (ROOT / s).read_text("utf-8")),
}
