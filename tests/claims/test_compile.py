"""What the pages of compile say in general."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch._dynamo.utils import counters

pytestmark = pytest.mark.upgrade

CHILDREN = {
    "Linear": lambda: nn.Linear(3, 3),
    "LayerNorm": lambda: nn.LayerNorm(3),
    "Conv1d": lambda: nn.Conv1d(2, 2, 1),
}
BACKENDS = st.sampled_from(["eager", "aot_eager"])


class Net(nn.Module):
    def __init__(self, child: str) -> None:
        super().__init__()
        self.child = CHILDREN[child]()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.child(x).tanh() * 2


class Pair(Net):
    def __init__(self, child: str) -> None:
        super().__init__(child)
        self.other = CHILDREN[child]()

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.child(x).tanh() * 2, self.other(x).sin()


@settings(max_examples=16, deadline=None)
@given(
    backend=BACKENDS,
    child=st.sampled_from(list(CHILDREN)),
    kind=st.sampled_from(
        [
            "forward_pre_hook",
            "forward_hook",
            "full_backward_pre_hook",
            "full_backward_hook",
            "hook",
            "post_accumulate_grad_hook",
        ]
    ),
    other=st.sampled_from([None, "forward_pre_hook", "forward_hook"]),
    needs=st.booleans(),
    calls=st.integers(1, 3),
)
@pytest.mark.filterwarnings("ignore:Full backward hook is firing")
def test_a_late_module_hook_is_silent_until_compiled_again(
    backend, child, kind, other, needs, calls
):
    """added-later: until reset; a hook on a parameter fires in each backward pass."""
    torch.compiler.reset()
    net = Net(child)
    if other not in (None, kind):
        getattr(net.child, f"register_{other}")(lambda *args: None)
    compiled = torch.compile(net, backend=backend)
    x = torch.ones(2, 2, 3, requires_grad=needs)
    counters.clear()
    compiled(x).sum().backward()
    assert counters["stats"]["unique_graphs"] == 1
    fired = []
    of_parameter = kind in ("hook", "post_accumulate_grad_hook")
    place = net.child.weight if of_parameter else net.child
    getattr(place, f"register_{kind}")(lambda *args: fired.append(1))
    for _ in range(calls):
        compiled(x).sum().backward()
    assert len(fired) == (calls if of_parameter else 0)
    fired.clear()
    torch.compiler.reset()
    compiled(x).sum().backward()
    assert len(fired) == 1


class Prints(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inside = nn.Linear(3, 3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        print(end="")
        return self.inside(x)


@pytest.mark.filterwarnings("ignore:Full backward hook is firing")
@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize(
    "kind", ["forward_pre_hook", "forward_hook", "full_backward_pre_hook", "full_backward_hook"]
)
def test_a_late_hook_on_a_layer_that_breaks_the_graph_fires(backend, kind):
    """added-later: that layer isn't compiled in."""
    torch.compiler.reset()
    net = Net("Linear")
    net.child = Prints()
    compiled = torch.compile(net, backend=backend)
    x = torch.ones(2, 3, requires_grad=True)
    compiled(x).sum().backward()
    fired = []
    getattr(net.child, f"register_{kind}")(lambda *args: fired.append(1))
    compiled(x).sum().backward()
    assert len(fired) == 1


def double_output(module, args, output):
    return output * 2


def double_input(module, grad_input, grad_output):
    return tuple(None if grad is None else grad * 2 for grad in grad_input)


@settings(max_examples=16, deadline=None)
@given(
    backend=BACKENDS,
    child=st.sampled_from(list(CHILDREN)),
    dtype=st.sampled_from([torch.float32, torch.float64]),
    hook=st.sampled_from(["none", "forward", "full backward"]),
    outputs=st.integers(1, 2),
    training=st.booleans(),
    calls=st.integers(1, 3),
    seed=st.integers(0, 1000),
)
def test_compiled_gradients_are_the_same(
    backend, child, dtype, hook, outputs, training, calls, seed
):
    """check: the same hooks before the first call, the same input, all outputs used."""
    torch.compiler.reset()
    torch.manual_seed(seed)
    net = (Net(child) if outputs == 1 else Pair(child)).to(dtype).train(training)
    if hook == "forward":
        net.child.register_forward_hook(double_output)
    if hook == "full backward":
        net.child.register_full_backward_hook(double_input)
    compiled = torch.compile(net, backend=backend)
    for _ in range(calls):
        x = torch.randn(2, 2, 3, dtype=dtype)
        found = []
        for model in (net, compiled):
            net.zero_grad()
            inputs = x.clone().requires_grad_()
            found_outputs = model(inputs)
            if outputs == 1:
                found_outputs = (found_outputs,)
            sum(y.pow(2).sum() for y in found_outputs).backward()
            found.append([inputs.grad, *(p.grad.clone() for p in net.parameters())])
        torch.testing.assert_close(found[1], found[0])


@pytest.mark.parametrize("child", list(CHILDREN))
@pytest.mark.parametrize("left_out", [0, 1])
def test_an_output_left_out_gives_zeros_or_none(child, left_out):
    """check: None and the backend eager, 0 with aot_eager; weight decay moves the latter."""
    for backend in (None, "eager", "aot_eager"):
        torch.compiler.reset()
        net = Pair(child)
        model = net if backend is None else torch.compile(net, backend=backend)
        layer = (net.child, net.other)[left_out]
        before = [p.detach().clone() + 1 for p in layer.parameters()]
        with torch.no_grad():
            for p in layer.parameters():
                p.add_(1)
        model(torch.ones(2, 2, 3))[1 - left_out].sum().backward()
        torch.optim.AdamW(net.parameters(), lr=0.1, weight_decay=0.1).step()
        for p, old in zip(layer.parameters(), before, strict=True):
            if backend == "aot_eager":
                assert p.grad is not None and not p.grad.any()
            else:
                assert p.grad is None
            assert torch.equal(p.detach(), old) == (backend != "aot_eager")


STEPS = {"product": lambda w: w * 3, "exp": torch.exp, "tanh": torch.tanh}


@settings(max_examples=16, deadline=None)
@given(
    step=st.sampled_from(list(STEPS)),
    dtype=st.sampled_from([torch.float32, torch.float64]),
    size=st.integers(1, 4),
    factor=st.integers(-4, 4),
    broken=st.booleans(),
)
def test_a_hook_outside_sees_only_the_part_from_outside(step, dtype, size, factor, broken):
    """check: the whole, if the graph breaks after y; the gradient of w is whole."""
    torch.compiler.reset()

    def function(w):
        y = STEPS[step](w)
        if broken:
            print(end="")
        return y, y.pow(2).sum()

    grads = []
    for call in (function, torch.compile(function, backend="aot_eager")):
        w = torch.linspace(0.1, 0.9, size, dtype=dtype).requires_grad_()
        y, loss = call(w)
        seen = []
        y.register_hook(seen.append)
        (loss + (factor * y).sum() if factor else loss).backward()
        grads.append(w.grad)
    torch.testing.assert_close(grads[1], grads[0])
    if broken:
        torch.testing.assert_close(seen[0], 2 * y.detach() + factor)
    elif factor:
        torch.testing.assert_close(seen[0], torch.full_like(w, factor))
    else:
        assert seen == [None]


MODES = {
    "training": torch.enable_grad,
    "no_grad": torch.no_grad,
    "inference": torch.inference_mode,
}


@settings(max_examples=16, deadline=None)
@given(
    backend=BACKENDS,
    child=st.sampled_from(list(CHILDREN)),
    modes=st.lists(st.sampled_from(list(MODES)), min_size=1, max_size=8),
    frozen=st.booleans(),
)
def test_each_mode_is_compiled_once(backend, child, modes, frozen):
    """graph-breaks: calls that come again in a mode find what was compiled for it."""
    torch.compiler.reset()
    counters.clear()
    net = Net(child)
    next(net.parameters()).requires_grad_(not frozen)
    compiled = torch.compile(net, backend=backend)
    seen = set()
    for mode in modes:
        with MODES[mode]():
            out = compiled(torch.ones(2, 2, 3))
        if mode == "training":
            out.sum().backward()
        seen.add(mode)
        assert counters["stats"]["unique_graphs"] == len(seen)
