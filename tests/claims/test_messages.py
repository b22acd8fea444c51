"""What the index of messages recommends: each cure is tried, next to what raises."""

import inspect
from contextlib import nullcontext

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch import nn, optim
from torch.utils.checkpoint import CheckpointError, checkpoint

from claims.optimizers import OPTIMIZERS

pytestmark = pytest.mark.upgrade


@attacks("messages/index#as-parameter", zh="三种改法，两种 dtype", en="three ways, two dtypes")
@given(st.integers(1, 3), st.integers(1, 3), st.sampled_from([torch.float32, torch.float64]))
def test_a_computed_weight_leaves_the_parameter_and_a_copy_changes_it(rows, columns, dtype):
    layer = nn.Linear(columns, rows, bias=False, dtype=dtype)
    weight, x = layer.weight, torch.ones(columns, dtype=dtype)
    optimizer = optim.SGD(layer.parameters(), lr=0.5)
    with pytest.raises(TypeError, match="as parameter 'weight'"):
        layer.weight = 3 * weight
    F.linear(x, 3 * weight).sum().backward()
    assert torch.equal(weight.grad, torch.full_like(weight, 3))
    before = weight.detach().clone()
    optimizer.step()
    assert torch.equal(weight, before - 1.5)

    with torch.no_grad():
        layer.weight.copy_(3 * weight)
    assert layer.weight is weight and torch.equal(weight, 3 * (before - 1.5))

    optimizer.zero_grad()
    layer.weight = nn.Parameter(3 * weight)
    layer(x).sum().backward()
    before = layer.weight.detach().clone()
    optimizer.step()
    assert weight.grad is None and torch.equal(layer.weight, before)


@attacks("messages/index#second-time", zh="RNN、GRU、LSTM", en="RNN, GRU, LSTM")
@given(st.sampled_from([nn.RNN, nn.GRU, nn.LSTM]), st.integers(1, 2), st.integers(2, 3))
def test_a_hidden_state_is_handed_on_without_its_graph(kind, layers, rounds):
    net = kind(2, 3, layers)
    optimizer = optim.SGD(net.parameters(), lr=0.1)

    def train(hand_on, retain=False):
        state = None
        for _ in range(rounds):
            output, state = net(torch.ones(4, 1, 2), state)
            optimizer.zero_grad()
            output.sum().backward(retain_graph=retain)
            optimizer.step()
            state = hand_on(state)

    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        train(lambda state: state)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        train(lambda state: state, retain=True)
    train(lambda s: tuple(t.detach() for t in s) if kind is nn.LSTM else s.detach())


DTYPES = [torch.float16, torch.bfloat16, torch.float32, torch.float64]


@attacks(
    "messages/index#target-dtype", zh="四种 dtype，六种目标", en="four dtypes, six for targets"
)
@given(
    st.sampled_from([F.binary_cross_entropy, F.huber_loss]),
    st.sampled_from(DTYPES),
    st.sampled_from([*DTYPES, torch.int64, torch.bool]),
)
def test_a_target_in_the_dtype_of_the_prediction_is_accepted(loss, dtype, other):
    p = torch.full((3,), 0.25, dtype=dtype, requires_grad=True)
    target = torch.tensor([0, 1, 1]).to(other)
    if dtype != other:
        with pytest.raises(RuntimeError, match=r"Found dtype|Subtraction"):
            loss(p, target).backward()
    p.grad = None
    loss(p, target.to(p.dtype)).backward()
    assert p.grad.dtype == dtype and p.grad.isfinite().all()


@attacks(
    "messages/index#different-metadata", zh="开关、缓存、参数", en="a flag, a cache, an argument"
)
@pytest.mark.parametrize("what", ["in autocast", "a flag", "a cache", "an argument"])
def test_what_a_block_reads_is_an_argument_or_stays(what):
    layer, reads = nn.Linear(3, 3), {"on": True, "cache": []}

    def block(x, on=None):
        if what == "a cache":
            reads["cache"].append(x)
            return layer(torch.cat(reads["cache"])).sin()
        on = reads["on"] if on is None else on
        inside = what in ("a flag", "an argument")
        with torch.autocast("cpu", torch.bfloat16, on) if inside else nullcontext():
            return layer(x).sin()

    x = torch.ones(2, 3, requires_grad=True)
    with torch.autocast("cpu", torch.bfloat16) if what == "in autocast" else nullcontext():
        arguments = (x, True) if what == "an argument" else (x,)
        y = checkpoint(block, *arguments, use_reentrant=False)
    reads["on"] = False
    refused = pytest.raises(CheckpointError, match="different metadata")
    with refused if what in ("a flag", "a cache") else nullcontext():
        y.sum().backward()
        assert x.grad is not None


@attacks("messages/index#no-inf-checks", zh="一到三个优化器", en="one to three optimizers")
@given(st.lists(st.booleans(), min_size=1, max_size=3))
def test_the_scaler_steps_an_optimizer_that_has_a_gradient(used):
    weights = [nn.Parameter(torch.ones(2)) for _ in used]
    optimizers = [optim.SGD([w], lr=0.5) for w in weights]
    scaler = torch.amp.GradScaler("cpu")
    loss = torch.zeros((), requires_grad=True)
    scaler.scale(sum((w.sum() for w, u in zip(weights, used, strict=True) if u), loss)).backward()
    for w, optimizer in zip(weights, optimizers, strict=True):
        if w.grad is not None:
            scaler.step(optimizer)
            assert torch.equal(w, torch.full((2,), 0.5))
        else:
            with pytest.raises(AssertionError, match="No inf checks were recorded"):
                scaler.step(optimizer)
    if any(used):
        scaler.update()
    with nullcontext() if any(used) else pytest.raises(AssertionError, match="No inf checks"):
        scaler.scale(sum(w.sum() for w in weights)).backward()
        scaler.step(optimizers[-1])


@attacks(
    "messages/index#out-of-range", zh="torch.optim 的所有优化器", en="all optimizers of torch.optim"
)
def test_the_optimizers_that_cannot_go_upward():
    without = {o for o in OPTIMIZERS if "maximize" not in inspect.signature(o).parameters}
    assert without == {optim.LBFGS, optim.Muon}
    for kind in without:
        w = nn.Parameter(torch.ones(2, 2))

        def closure(w=w):
            w.grad = None
            loss = -w.sum()
            loss.backward()
            return loss

        kind([w], lr=0.1).step(closure)
        assert w.sum() > 4


@attacks("messages/index#log-nan", zh="0 到 1 的数，float64", en="numbers from 0 to 1, float64")
@given(st.lists(st.sampled_from([0.0, 1e-30, 0.25, 1.0]), min_size=1), st.booleans())
def test_an_argument_kept_from_0_has_a_finite_gradient_and_xlogy_has_not(values, entropy):
    def gradient(f):
        p = torch.tensor(values, dtype=torch.float64, requires_grad=True)
        f(p, p if entropy else p.detach()).sum().backward()
        return p.grad

    assert gradient(lambda p, q: q * p.clamp(min=1e-6).log()).isfinite().all()
    right = gradient(lambda p, q: torch.xlogy(q, p)).isfinite()
    assert right.tolist() == [value > 0 for value in values]


@attacks(
    "messages/index#inference-saved",
    "messages/index#inference-edit",
    zh="在 inference_mode 里面和外面复制；原地修改和保存",
    en="copies made inside inference_mode and outside; edited in place and saved",
)
@given(st.booleans(), st.booleans())
def test_a_copy_made_outside_can_be_edited(inside, saved):
    with torch.inference_mode():
        made = torch.ones(2)
        copy = made.clone()
    copy = copy if inside else made.clone()
    message = "cannot be saved for backward" if saved else "Inplace update to inference tensor"
    with pytest.raises(RuntimeError, match=message) if inside else nullcontext():
        if saved:
            (copy * torch.ones(2, requires_grad=True)).sum().backward()
        else:
            copy.add_(1)


@attacks(
    "messages/index#split",
    "messages/index#unbind",
    zh="split、chunk 和 unbind，以及各自的改法",
    en="split, chunk and unbind, each with its way out",
)
@pytest.mark.parametrize(
    ("name", "raises", "cure"),
    [
        ("Split", lambda b: b.split(2)[0].add_(1), lambda b: b[:2].add_(1)),
        ("Unbind", lambda b: [r.add_(1) for r in b], lambda b: [b[i].add_(1) for i in range(4)]),
        ("Split", lambda b: b.chunk(2)[0].add_(1), lambda b: torch.cat([b[:2] + 1, b[2:]])),
    ],
)
def test_slices_and_new_tensors_in_place_of_several_views(name, raises, cure):
    w = torch.ones(4, 2, requires_grad=True)
    with pytest.raises(RuntimeError, match=f"Output 0 of {name} is a view"):
        raises(w * 1)
    base = w * 1
    cure(base)
    base.sum().backward()
    assert torch.equal(w.grad, torch.ones(4, 2))


def penalty(model, x):
    x = x.detach().requires_grad_()
    (slope,) = torch.autograd.grad(model(x).sum(), x, create_graph=True)
    return (slope.norm(dim=1) - 1).square().mean()


def gradient_of(model, loss):
    loss.backward()
    return model[0].weight.grad


def small_model():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))


@attacks("messages/index#double-backward", zh="原来的和编译过的网络", en="original and compiled")
def test_a_penalty_goes_through_the_original_module():
    x = torch.ones(4, 2)
    model = small_model()
    right = gradient_of(model, model(x).sum() + penalty(model, x))
    for original in (lambda model, compiled: model, lambda model, compiled: compiled._orig_mod):
        model = small_model()
        compiled = torch.compile(model, backend="aot_eager")
        loss = compiled(x).sum() + penalty(original(model, compiled), x)
        assert torch.allclose(gradient_of(model, loss), right)
    for wrapped in (penalty, torch.compiler.disable(penalty)):
        # Where buffers were donated, that is said first.
        with pytest.raises(RuntimeError, match=r"double backward|requires create_graph=False"):
            (compiled(x).sum() + wrapped(compiled, x)).backward()


@attacks(
    "messages/index#backward-state", zh="两种钩子，aot_eager", en="two kinds of hooks, aot_eager"
)
@pytest.mark.parametrize("on_module", [True, False])
@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("compiled_autograd", [True, False])
def test_compiled_autograd_needs_a_compiled_backward_pass(compiled_autograd, inside, on_module):
    layer, x = nn.Linear(1, 1, bias=False), torch.ones(1, requires_grad=True)
    nn.init.constant_(layer.weight, 3.0)
    if on_module:
        layer.register_full_backward_hook(lambda _, grad_input, __: (grad_input[0] * 10,))

    def step(x):
        y = layer(x)
        if not on_module:
            y.register_hook(lambda gradient: gradient * 10)
        if inside:
            y.backward()
        return y

    torch.compiler.reset()
    refused = pytest.raises(AssertionError, match="BackwardState requires CompiledAutograd")
    with torch._dynamo.config.patch(compiled_autograd=compiled_autograd):
        y = torch.compile(step, backend="aot_eager")(x)
        with refused if compiled_autograd and not inside else nullcontext():
            if not inside:
                y.backward()
            assert x.grad.item() == 30
