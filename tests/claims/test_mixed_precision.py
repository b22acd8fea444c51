"""What the pages of mixed-precision say in general."""

from contextlib import nullcontext

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch import nn, optim

pytestmark = pytest.mark.upgrade

HALVES = st.sampled_from([torch.bfloat16, torch.float16])
THREE = [optim.SGD, optim.Adam, optim.AdamW]


@attacks(
    "mixed-precision/scaler#step-by-step",
    "mixed-precision/clip-and-accumulate#scheduler",
    zh="SGD、Adam 和 AdamW；两个参数之一有 inf 和 nan；最多十二步，增长间隔一到四；CPU 上的缩放器",
    en="SGD, Adam and AdamW; inf and nan in one of two parameters; up to twelve steps, growth intervals of one to four; the scaler of the CPU",
)
@given(
    optimizer=st.sampled_from(THREE),
    overflows=st.lists(st.booleans(), min_size=1, max_size=12),
    bad=st.sampled_from([float("inf"), float("-inf"), float("nan")]),
    interval=st.integers(1, 4),
)
def test_an_overflow_halves_the_scale_and_a_while_without_doubles_it(
    optimizer, overflows, bad, interval
):
    """And no parameter moves in a step with an overflow, nor does one that is finite."""
    params = [torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)]
    chosen = optimizer(params, lr=0.1)
    scaler = torch.amp.GradScaler("cpu", growth_interval=interval)
    expected, in_a_row = 2.0**16, 0
    assert scaler.get_scale() == expected
    for overflow in overflows:
        chosen.zero_grad()
        before = [p.detach().clone() for p in params]
        scaler.scale(sum(p.sum() for p in params)).backward()
        if overflow:
            params[1].grad[1] = bad
        scaler.step(chosen)
        scaler.update()
        assert [*map(torch.equal, params, before)] == [overflow, overflow]
        in_a_row = 0 if overflow else in_a_row + 1
        if overflow:
            expected /= 2
        elif in_a_row == interval:
            expected, in_a_row = 2 * expected, 0
        assert scaler.get_scale() == expected


THREE = [optim.SGD, optim.Adam, optim.AdamW]


@attacks(
    "mixed-precision/autocast#which", zh="四种运算，两种 dtype", en="four operations, two dtypes"
)
@given(
    half=HALVES,
    given_dtype=st.sampled_from([torch.bfloat16, torch.float32]),
    shape=st.lists(st.integers(1, 4), min_size=1, max_size=3),
)
def test_on_the_cpu_sums_and_softmax_keep_their_dtype(half, given_dtype, shape):
    """What it casts to float32 on other devices, it leaves alone on the CPU."""
    y = torch.ones(shape, dtype=given_dtype)
    with torch.autocast("cpu", dtype=half):
        results = [y.sum(), y.mean(), y.sum(-1), y.softmax(-1), y.log_softmax(0)]
    assert all(result.dtype == given_dtype for result in results)


@attacks("mixed-precision/autocast#limits", zh="三种层，里层的块", en="three layers, inner blocks")
@given(
    half=HALVES,
    calls=st.integers(2, 4),
    kind=st.sampled_from([nn.Linear, nn.Conv1d, nn.ConvTranspose1d]),
    nested=st.booleans(),
    frozen=st.booleans(),
)
def test_one_copy_of_a_parameter_for_each_block(half, calls, kind, nested, frozen):
    """Changed within a block, a parameter is used as it was; in a new one, as it is.

    A new block within a block is none; a frozen parameter is cast at each call.
    """
    layer = kind(1, 1, *([] if kind is nn.Linear else [1]), bias=False).requires_grad_(not frozen)
    nn.init.ones_(layer.weight)
    x = torch.ones(layer.weight.shape)
    with torch.autocast("cpu", dtype=half):
        for call in range(calls):
            with torch.autocast("cpu", dtype=half) if nested else nullcontext():
                assert layer(x).item() == (2**call if frozen else 1)
            with torch.no_grad():
                layer.weight.mul_(2)
    with torch.autocast("cpu", dtype=half):
        y = layer(x)
    assert y.item() == 2**calls
    if not frozen:
        y.sum().backward()
        assert layer.weight.dtype == layer.weight.grad.dtype == torch.float32


@attacks(
    "mixed-precision/clip-and-accumulate#clip-and-accumulate",
    "updates/clipping#not-finite",
    zh="与不用缩放器比较：SGD、Adam 和 AdamW，一到四个微批次，裁剪或不裁剪，二到四步，其中一步可能溢出",
    en="against no scaler: SGD, Adam and AdamW, one to four micro-batches, clipped or not, two to four steps, one of which may overflow",
)
@given(
    kind=st.sampled_from(THREE),
    parts=st.integers(1, 4),
    exponent=st.integers(-2, 16),
    max_norm=st.sampled_from([None, 0.5]),
    steps=st.integers(2, 4),
    data=st.data(),
)
def test_in_this_order_a_step_is_that_without_a_scaler(
    kind, parts, exponent, max_norm, steps, data
):
    """And the scheduler of a step that is skipped waits."""
    overflow = data.draw(st.one_of(st.none(), st.integers(0, steps - 1)))
    found = []
    for scaled in (False, True):
        v = torch.tensor([1.0, -2.0], requires_grad=True)
        w = torch.tensor(3.0, requires_grad=True)
        chosen = kind([v, w], lr=0.125)
        schedule = optim.lr_scheduler.StepLR(chosen, 1, 0.5)
        scaler = torch.amp.GradScaler("cpu", init_scale=2.0**exponent, enabled=scaled)
        for number in range(steps):
            if number == overflow and not scaled:
                continue
            chosen.zero_grad()
            for part in range(parts):
                loss = ((v * w) ** 2).sum() * (part + 1) / 16
                scaler.scale(loss).backward()
            if number == overflow:
                v.grad[0] = float("inf")
            before = scaler.get_scale()
            scaler.unscale_(chosen)
            if max_norm is not None:
                nn.utils.clip_grad_norm_([v, w], max_norm)
            scaler.step(chosen)
            scaler.update()
            if scaler.get_scale() >= before:
                schedule.step()
        found.append([v.detach(), w.detach(), torch.tensor(schedule.get_last_lr())])
    for plain, with_scaler in zip(*found, strict=True):
        torch.testing.assert_close(with_scaler, plain)


@attacks("mixed-precision/scaler-messages#limits", zh="最多八次调用", en="up to eight calls")
@given(
    calls=st.lists(st.sampled_from(["scale", "unscale_", "step", "update"]), max_size=8),
    dtype=st.sampled_from([torch.float32, torch.float16]),
    used=st.booleans(),
)
def test_a_disabled_scaler_is_the_optimizer_alone(calls, dtype, used):
    """In no order does it raise, and each step is one step of SGD."""
    w = torch.ones(1, dtype=dtype, requires_grad=True)
    chosen, scaler = optim.SGD([w], lr=0.25), torch.amp.GradScaler("cpu", enabled=False)
    if used:
        w.sum().backward()
    for call in calls:
        if call == "scale":
            assert scaler.scale(w) is w
        else:
            getattr(scaler, call)(*([] if call == "update" else [chosen]))
    assert w.item() == 1 - 0.25 * calls.count("step") * used
    assert not used or w.grad.item() == 1


@attacks("mixed-precision/scaler-messages#scaler-messages", zh="任意次序", en="any order of calls")
@given(
    count=st.integers(1, 2),
    calls=st.lists(
        st.tuples(st.sampled_from(["unscale_", "step", "update"]), st.integers(0, 1)), max_size=7
    ),
)
def test_another_order_of_calls_raises(count, calls):
    """Once unscale_, once step for each, and an update that has seen some."""
    weights = [torch.ones(1, requires_grad=True) for _ in range(count)]
    optimizers = [optim.SGD([w], lr=0.25) for w in weights]
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale(sum(weights)).sum().backward()
    done = {"unscale_": set(), "step": set()}
    for call, which in calls:
        which %= count
        seen = done["unscale_"] | done["step"]
        right = {
            "update": bool(seen),
            "unscale_": which not in seen,
            "step": which not in done["step"],
        }[call]
        with nullcontext() if right else pytest.raises((RuntimeError, AssertionError)):
            getattr(scaler, call)(*([] if call == "update" else [optimizers[which]]))
        if not right:
            return
        if call == "update":
            done = {"unscale_": set(), "step": set()}
        else:
            done[call].add(which)


@attacks(
    "mixed-precision/scaler-messages#fp16", zh="三种优化器，两种 dtype", en="3 optimizers, 2 dtypes"
)
@given(
    kind=st.sampled_from(THREE),
    of_parameter=st.sampled_from([torch.float16, torch.float32]),
    of_gradient=st.sampled_from([torch.float16, torch.float32]),
    others=st.integers(0, 2),
)
def test_it_is_the_gradient_that_must_not_be_float16(kind, of_parameter, of_gradient, others):
    """The dtype of the parameter doesn't matter."""
    p = nn.Parameter(torch.ones(2, dtype=of_parameter))
    p.grad_dtype = of_gradient
    parameters = [nn.Parameter(torch.ones(2)) for _ in range(others)] + [p]
    chosen, scaler = kind(parameters), torch.amp.GradScaler("cpu", init_scale=8.0)
    scaler.scale(sum(q.float().sum() for q in parameters)).backward()
    assert p.grad.dtype == of_gradient
    refused = pytest.raises(ValueError, match="Attempting to unscale FP16 gradients")
    with refused if of_gradient == torch.float16 else nullcontext():
        scaler.unscale_(chosen)
        assert torch.equal(p.grad, torch.ones(2))


class Adapted(nn.Module):
    def __init__(self, size: int, rank: int) -> None:
        super().__init__()
        self.frozen = nn.Linear(size, size).requires_grad_(False)
        self.down, self.up = nn.Linear(size, rank, bias=False), nn.Linear(rank, size)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.frozen(x) + self.up(self.down(x))


@attacks(
    "mixed-precision/scaler-messages#fp16", zh="冻结的层加适配器", en="a frozen layer, an adapter"
)
@given(st.integers(4, 16), st.integers(1, 2), st.sampled_from([torch.float16, torch.bfloat16]))
def test_what_is_trained_is_converted_alone(size, rank, dtype):
    torch.manual_seed(0)
    model = Adapted(size, rank).to(dtype)
    trained = [p for p in model.parameters() if p.requires_grad]

    def held():
        return sum(p.nbytes for p in model.frozen.parameters())

    def train():
        scaler = torch.amp.GradScaler("cpu", init_scale=16.0)
        optimizer = optim.SGD(trained, lr=0.1)
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype):
            loss = model(torch.ones(2, size)).float().square().mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()

    refused = pytest.raises(ValueError, match="Attempting to unscale FP16 gradients")
    with refused if dtype == torch.float16 else nullcontext():
        train()
    before = held()
    for p in trained:
        p.grad, p.data = None, p.data.float()
    start = [p.detach().clone() for p in trained]
    train()
    assert all(p.dtype == p.grad.dtype == torch.float32 for p in trained)
    assert not all(map(torch.equal, trained, start))
    assert held() == before
    model.float()
    assert held() == 2 * before


@attacks(
    "mixed-precision/bfloat16-weights#bfloat16-weights",
    "mixed-precision/bfloat16-weights#why",
    zh="各种大小的权重，两个方向，SGD 的三种实现",
    en="weights of all sizes, both directions, three implementations of SGD",
)
@given(
    weight=st.floats(2.0**-60, 2.0**60),
    sign=st.sampled_from([1, -1]),
    part=st.floats(0.01, 0.99),
    options=st.sampled_from([{"foreach": False}, {"foreach": True}, {"momentum": 0.9}]),
)
def test_less_than_a_512th_of_a_bfloat16_weight_is_rounded_away(weight, sign, part, options):
    """And more than a 256th moves it."""
    for share, moves in ((part / 512, False), (1.01 / 256 + part, True)):
        w = torch.tensor([weight], dtype=torch.bfloat16, requires_grad=True)
        before = w.detach().clone()
        w.grad = sign * before
        optim.SGD([w], lr=share, **options).step()
        assert torch.equal(w, before) != moves


@attacks(
    "mixed-precision/bfloat16-weights#adam-state",
    zh="Adam 和 AdamW，两种实现，大小不同的第一个梯度",
    en="Adam and AdamW, two implementations, first gradients of many sizes",
)
@given(
    kind=st.sampled_from([optim.Adam, optim.AdamW]),
    foreach=st.booleans(),
    first=st.floats(2.0**-8, 2.0**8),
)
def test_a_bfloat16_average_of_squares_never_falls(kind, foreach, first):
    """A float32 one does, from the next step on."""
    for dtype in (torch.bfloat16, torch.float32):
        w = torch.ones(1, dtype=dtype, requires_grad=True)
        optimizer = kind([w], lr=1e-4, foreach=foreach)
        averages = []
        for step in range(20):
            w.grad = torch.full_like(w, first if step == 0 else 0.0)
            optimizer.step()
            averages.append(optimizer.state[w]["exp_avg_sq"].item())
        assert (averages[-1] < averages[0]) == (dtype == torch.float32)


@attacks(
    "mixed-precision/scaler-messages#fused",
    zh="SGD、Adam、AdamW 和 Adagrad，float16 的权重，没有梯度，溢出",
    en="SGD, Adam, AdamW and Adagrad, float16 weights, no gradient, an overflow",
)
@given(kind=st.sampled_from([*THREE, optim.Adagrad]), scale=st.sampled_from([2.0, 1024.0]))
def test_a_fused_optimizer_is_not_unscaled_first(kind, scale):
    def ready(fused, dtype=torch.float32, grad=1.0):
        w = torch.ones(1, dtype=dtype, requires_grad=True)
        chosen = kind([w], lr=0.25, fused=fused)
        calls = []
        chosen.register_step_post_hook(lambda *_: calls.append(1))
        scaler = torch.amp.GradScaler("cpu", init_scale=scale)
        scaler.scale(torch.ones(1))
        w.grad = None if grad is None else torch.full_like(w, grad * scale)
        return w, chosen, scaler, calls

    for fused in (False, True):
        w, chosen, scaler, _ = ready(fused, torch.float16)
        refused = pytest.raises(ValueError, match="Attempting to unscale FP16 gradients")
        with nullcontext() if fused else refused:
            scaler.step(chosen)
        w, chosen, scaler, _ = ready(fused, torch.float16)
        with pytest.raises(ValueError, match="Attempting to unscale FP16 gradients"):
            scaler.unscale_(chosen)
        w, chosen, scaler, _ = ready(fused, grad=None)
        with nullcontext() if fused else pytest.raises(AssertionError, match="for this optimizer"):
            scaler.step(chosen)
        with pytest.raises(AssertionError, match="prior to update"):
            scaler.update()
        w, chosen, scaler, calls = ready(fused, grad=float("inf"))
        scaler.step(chosen)
        assert w.item() == 1 and len(calls) == fused


@attacks(
    "mixed-precision/clip-and-accumulate#penalty",
    zh="两个数的权重，多种放大倍数，与不用缩放器比较",
    en="weights of two numbers, many scales, against no scaler",
)
@given(exponent=st.integers(0, 20), values=st.tuples(*[st.floats(-2, 2)] * 2))
def test_a_penalty_of_divided_gradients_is_that_without_a_scaler(exponent, values):
    found = []
    for enabled in (False, True):
        w = torch.tensor(values, requires_grad=True)
        x = torch.tensor([1.0, -1.0], requires_grad=True)
        chosen = optim.SGD([w], lr=0.125)
        scaler = torch.amp.GradScaler("cpu", init_scale=2.0**exponent, enabled=enabled)
        (g,) = torch.autograd.grad(scaler.scale((w * x).tanh().sum()), x, create_graph=True)
        g = g / scaler.get_scale()
        scaler.scale((g.norm() - 1) ** 2 if g.norm() else g.sum()).backward()
        scaler.step(chosen)
        found.append(w.detach())
    torch.testing.assert_close(*found)
