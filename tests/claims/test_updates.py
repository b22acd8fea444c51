"""What the pages of updates say in general."""

import inspect
import math
from collections.abc import Callable, Collection, Iterator
from contextlib import nullcontext
from functools import cache, partial
from itertools import compress, pairwise, product

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch import nn, optim
from torch.amp import GradScaler
from torch.nn import functional as F
from torch.nn.utils import clip_grad_norm_, clip_grad_value_

from claims.optimizers import OPTIMIZERS
from claims.ranks import replicated, sharded, sharded_as_before

pytestmark = pytest.mark.upgrade

ONE_GRADIENT = [kind for kind in OPTIMIZERS if kind is not optim.LBFGS]
"""Those that read one gradient in a step."""
DENSE = [kind for kind in ONE_GRADIENT if kind is not optim.SparseAdam]
SWITCHES = {
    "foreach": True,
    "fused": True,
    "maximize": True,
    "weight_decay": 0.1,
    "momentum": 0.9,
    "nesterov": True,
    "amsgrad": True,
    "centered": True,
}
WAYS = ({}, {"foreach": True}, {"fused": True})

seeds = st.integers(0, 2**32 - 1)
switches = st.frozensets(st.sampled_from(sorted(SWITCHES)), max_size=4)


def some_of(kinds: Collection[type]) -> st.SearchStrategy[list[type]]:
    """Five of these optimizers: each of them is among the cases of a test."""
    return st.lists(st.sampled_from(list(kinds)), min_size=5, max_size=5, unique=True)


def random(seed: int, *shape: int, dtype: torch.dtype = torch.float32) -> torch.Tensor:
    """Normal numbers; the same for the same seed."""
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def leaf(values: torch.Tensor) -> torch.Tensor:
    return values.clone().requires_grad_()


def made(kind: type[optim.Optimizer], params: list, **options: object) -> optim.Optimizer | None:
    """An optimizer, or None where it doesn't know an option, or not together with another."""
    if not options.keys() <= inspect.signature(kind).parameters.keys():
        return None
    try:
        return kind(params, **{"lr": 0.1, **options})
    except (RuntimeError, ValueError):
        return None


@cache
def known(kind: type[optim.Optimizer], names: frozenset[str]) -> dict:
    """The values of the switches that this optimizer has; without those it refuses together."""
    options: dict = {}
    for name in sorted(names):
        more = {**options, name: SWITCHES[name]}
        if made(kind, [torch.zeros(2, 2)], **more):
            options = more
    return options


def taken(kind: type[optim.Optimizer], gradient: torch.Tensor) -> torch.Tensor:
    """A gradient as the optimizer takes it."""
    return gradient.to_sparse() if kind is optim.SparseAdam else gradient


def stepped(make: Callable, start: torch.Tensor, *gradients: torch.Tensor) -> torch.Tensor:
    """A parameter after a step with each of these gradients."""
    w = start.clone()
    optimizer = make([w])
    for gradient in gradients:
        w.grad = gradient.clone()
        optimizer.step()
    return w


# Who does what


@attacks(
    "updates/by-hand#who-does-what",
    "updates/index#updates",
    zh="反向一到三次；0 到 2 维，也有没有元素的；zero_grad 有无 set_to_none",
    en="one to three passes; 0 to 2 dimensions, also without elements; zero_grad with and without set_to_none",
)
@given(seeds, st.sampled_from([(), (3,), (2, 3), (0,)]), st.booleans(), st.integers(1, 3))
def test_backward_adds_to_grad_and_zero_grad_clears_it(seed, shape, to_none, passes):
    w, factors = leaf(random(seed, *shape)), random(seed + 1, *shape)
    before, optimizer = w.detach().clone(), optim.SGD([w], lr=0.1)
    for number in range(1, passes + 1):
        (w * factors).sum().backward()
        assert torch.allclose(w.grad, number * factors)
    assert torch.equal(w.detach(), before), "the parameter is as it was"
    optimizer.zero_grad(set_to_none=to_none)
    assert w.grad is None if to_none else not w.grad.any()
    assert torch.equal(w.detach(), before)


@attacks(
    "updates/by-hand#who-does-what",
    "updates/by-hand#own-gradient",
    zh="除 LBFGS 以外的优化器，最多开四个开关；需要和不需要梯度的张量；闭包返回数、inf、nan 或什么也不返回",
    en="the optimizers but LBFGS, up to four switches; tensors with and without requires_grad; a closure that returns a number, inf, nan or nothing",
)
@given(seeds, some_of(ONE_GRADIENT), switches, st.sampled_from([None, 0.0, math.inf, math.nan]))
def test_step_needs_a_gradient_alone_wherever_it_comes_from(seed, kinds, names, loss):
    """No loss, and no requires_grad: what a closure returns changes nothing."""
    for kind in kinds:
        options = known(kind, names)
        w, plain = leaf(random(seed, 2, 3)), random(seed, 2, 3)
        by_backward, by_hand = (made(kind, [p], **options) for p in (w, plain))
        for step in range(2):
            factors = random(seed + step, 2, 3)
            w.grad = None
            (w * factors).sum().backward()
            w.grad = taken(kind, w.grad)
            by_backward.step()
            plain.grad = taken(kind, factors)
            by_hand.step(lambda: loss)
        assert torch.equal(w.detach(), plain), kind
        assert not torch.equal(plain, random(seed, 2, 3))


FUSED = [kind for kind in DENSE if "fused" in inspect.signature(kind).parameters]
LAYOUTS = [
    lambda w: w.to(memory_format=torch.channels_last),
    lambda w: w.transpose(0, 3).contiguous().transpose(0, 3),
    torch.clone,
]


@attacks("updates/by-hand#own-gradient", zh="fused，三种内存布局", en="fused, three memory layouts")
@given(seeds, st.sampled_from(FUSED), st.sampled_from(LAYOUTS))
def test_a_fused_optimizer_pairs_elements_by_their_place_in_memory(seed, kind, layout):
    """On a CPU; a gradient laid out like the parameter is right in each layout."""
    start, gradient = layout(random(seed, 2, 3, 4, 5)), random(seed + 1, 2, 3, 4, 5)
    alike = torch.empty_like(start).copy_(gradient)
    right = stepped(partial(kind, lr=0.1), start, gradient)
    fused = partial(kind, lr=0.1, fused=True)
    assert torch.allclose(stepped(fused, start, alike), right)
    assert torch.allclose(stepped(fused, start, gradient), right) is start.is_contiguous()


@attacks(
    "updates/by-hand#who-does-what",
    "updates/weight-decay#none",
    "updates/what-to-pass#what-to-pass",
    zh="除 LBFGS 以外的优化器，最多开四个开关，包括权重衰减和动量；有梯度地走过一步之后",
    en="the optimizers but LBFGS, up to four switches, among them weight decay and momentum; after a step with a gradient",
)
@given(seeds, some_of(ONE_GRADIENT), switches)
def test_step_skips_a_parameter_whose_grad_is_none(seed, kinds, names):
    """Neither decay nor momentum nor an average moves it."""
    for kind in kinds:
        options = known(kind, names - {"fused"})
        used, unused, frozen = (leaf(random(seed + i, 2, 3)) for i in range(3))
        frozen.requires_grad_(False)
        start = [p.detach().clone() for p in (used, unused, frozen)]
        optimizer = made(kind, [used, unused, frozen], **options)
        (used + unused + frozen).sum().backward()
        for p in (used, unused):
            p.grad = taken(kind, p.grad)
        optimizer.step()
        moved, unused.grad = unused.detach().clone(), None
        optimizer.step()
        assert torch.equal(unused.detach(), moved), kind
        assert not torch.equal(moved, start[1])
        assert torch.equal(frozen, start[2]), "backward never wrote its grad"


def combinations(kind: type[optim.Optimizer]) -> Iterator[dict]:
    """All settings of an optimizer with some of the switches; those that it refuses among them."""
    names = [name for name in SWITCHES if name in inspect.signature(kind).parameters]
    for chosen in product((False, True), repeat=len(names)):
        yield {name: SWITCHES[name] for name in compress(names, chosen)}


@attacks(
    "updates/by-hand#who-does-what",
    "updates/weight-decay#weight-decay",
    "updates/review#remember",
    zh="除 LBFGS 和 SparseAdam 以外的优化器，开关的每种组合；CPU",
    en="the optimizers but LBFGS and SparseAdam, every combination of their switches; CPU",
)
def test_which_optimizers_write_into_grad():
    """SGD with nesterov and foreach, without weight decay and maximize; no other."""
    writing, tried = [], set()
    start, gradients = random(0, 3, 2), random(1, 3, 3, 2)
    for kind in DENSE:
        for options in combinations(kind):
            w = leaf(start)
            if not (optimizer := made(kind, [w], **options)):
                continue
            tried.add(kind)
            for gradient in gradients:
                w.grad = gradient.clone()
                optimizer.step()
                if not torch.equal(w.grad, gradient):
                    writing.append((kind, options))
                    break
    assert tried == set(DENSE)
    assert writing == [(optim.SGD, {"foreach": True, "momentum": 0.9, "nesterov": True})]


@attacks(
    "updates/by-hand#who-does-what",
    "updates/clipping#grad-scaler",
    zh="除 LBFGS 和 SparseAdam 以外的优化器，普通、foreach、fused；倍数从 2 到 65536；CPU",
    en="the optimizers but LBFGS and SparseAdam, plain, foreach, fused; scales from 2 to 65536; CPU",
)
@given(seeds, some_of(DENSE), st.sampled_from(WAYS), st.integers(1, 16), st.booleans())
def test_grad_is_scaled_until_unscale_or_step_divides_it(seed, kinds, way, exponent, unscale):
    factors = random(seed, 2, 3)
    for kind in kinds:
        w, plain = leaf(torch.zeros(2, 3)), torch.zeros(2, 3)
        if not (optimizer := made(kind, [w], **way)):
            continue
        scaler = GradScaler("cpu", init_scale=2.0**exponent)
        scaler.scale((w * factors).sum()).backward()
        assert torch.equal(w.grad, factors * 2**exponent)
        if unscale:
            scaler.unscale_(optimizer)
            assert torch.equal(w.grad, factors)
        scaler.step(optimizer)
        assert torch.equal(w.grad, factors)
        plain.grad = factors
        made(kind, [plain], **way).step()
        assert torch.allclose(w.detach(), plain), kind


@attacks(
    "labs/flow#histogram",
    "sharing/siamese#one-step",
    "updates/by-hand#by-hand",
    "updates/review#remember",
    zh="学习率从 0.01 到 2；float32、float64、bfloat16 和 complex64，普通、foreach，前两种也有 fused",
    en="learning rates from 0.01 to 2; float32, float64, bfloat16 and complex64, plain, foreach, the first two also fused",
)
@given(
    seeds,
    st.sampled_from([torch.float32, torch.float64, torch.bfloat16, torch.complex64]),
    st.floats(0.01, 2),
)
def test_sgd_by_hand_is_sgd_up_to_rounding(seed, dtype, lr):
    factor = 1 + 2j if dtype.is_complex else 1
    start, gradient = (factor * random(seed + i, 100, dtype=dtype) for i in range(2))
    allowed = 2 * torch.finfo(dtype).eps * torch.maximum(start.abs(), lr * gradient.abs())
    for way in WAYS[: 3 if dtype in (torch.float32, torch.float64) else 2]:
        sgd = stepped(partial(optim.SGD, lr=lr, **way), start, gradient)
        assert ((sgd - (start - lr * gradient)).abs() <= allowed).all()


@attacks("updates/by-hand#by-hand", zh="fused，三种 dtype，CPU", en="fused, three dtypes, CPU")
@given(st.sampled_from([64, 256, 1000]), st.sampled_from([0, 0.9]), st.booleans())
def test_fused_sgd_leaves_most_weights_in_low_precision_on_a_cpu(size, momentum, nesterov):
    """Fixed after PyTorch 2.13: https://github.com/pytorch/pytorch/issues/191763."""
    options = {"momentum": momentum, "nesterov": nesterov and momentum > 0, "fused": True}
    for dtype, moved in ((torch.bfloat16, False), (torch.float16, False), (torch.float32, True)):
        ones = torch.ones(size, dtype=dtype)
        w = stepped(partial(optim.SGD, lr=0.1, **options), ones, ones)
        assert ((w != 1).float().mean() > 0.5) == moved


DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int64, torch.bool)
shapes = st.lists(st.integers(0, 3), max_size=3)


@attacks(
    "updates/by-hand#own-gradient", zh="六种 dtype，cpu 和 meta", en="six dtypes, cpu and meta"
)
@given(
    st.tuples(shapes, shapes),
    st.sampled_from(DTYPES),
    st.sampled_from(DTYPES[:4]),
    st.sampled_from(["cpu", "cpu", "meta"]),
    st.booleans(),
)
def test_what_grad_accepts(shape, dtype, of, device, any_dtype):
    """Shape and device always; the dtype of the parameter, unless grad_dtype allows others."""
    w, gradient = torch.zeros(shape[0], dtype=of), torch.ones(shape[1], dtype=dtype, device=device)
    if any_dtype:
        w.grad_dtype = None
    right = shape[0] == shape[1] and device == "cpu" and (any_dtype or dtype == of)
    refused = pytest.raises(RuntimeError, match="attempting to assign a gradient")
    with nullcontext() if right else refused:
        w.grad = gradient
        assert w.grad is gradient


@attacks("updates/by-hand#own-gradient", zh="四种 dtype，三种优化器", en="4 dtypes, 3 optimizers")
@pytest.mark.parametrize("kind", [optim.SGD, optim.Adam, optim.AdamW])
@pytest.mark.parametrize("way", WAYS, ids=str)
@given(st.permutations([torch.float16, torch.bfloat16, torch.float32, torch.float64]))
def test_with_grad_dtype_the_step_raises_and_a_converted_gradient_goes(kind, way, dtypes):
    of, other = dtypes[:2]
    w, converted = (torch.ones(2, 2, dtype=of) for _ in range(2))
    w.grad_dtype = other
    w.grad = torch.full((2, 2), 0.5, dtype=other)
    optimizer = kind([w], lr=0.5, **way)
    if kind is not optim.SGD or "fused" in way:
        with pytest.raises(RuntimeError, match=r"dtype|scalar type"):
            optimizer.step()
    elif not way:
        optimizer.step()
        assert torch.equal(w, torch.full_like(w, 0.75))
    converted.grad = w.grad.to(of)
    kind([converted], lr=0.5, **way).step()


IN_PLACE = [
    *(lambda w: w.sub_(1), torch.Tensor.zero_, lambda w: w.copy_(torch.zeros_like(w))),
    *(lambda w: w[:1].mul_(2), lambda w: w.__setitem__(0, 1.0), lambda w: w.view(-1).add_(1)),
    *(lambda w: torch._foreach_mul_([w], 2), lambda w: w.clamp_(0)),
]


@attacks("updates/by-hand#without-no-grad", zh="八种改法，四种 dtype", en="eight ways, four dtypes")
@given(st.sampled_from(IN_PLACE), st.sampled_from(DTYPES[:4]), st.booleans())
def test_autograd_refuses_to_change_a_leaf_in_place(edit, dtype, quiet):
    w = torch.ones(2, 3, dtype=dtype, requires_grad=True)
    refused = pytest.raises(RuntimeError, match="leaf Variable that requires grad")
    with torch.no_grad() if quiet else refused:
        edit(w)


# Momentum and weight decay


@attacks(
    "updates/momentum#lr-outside",
    "updates/momentum#momentum",
    "updates/momentum#nesterov",
    zh="两个参数，四步，梯度任意；普通、foreach、fused，有无权重衰减和 dampening；float64",
    en="two parameters, four steps with any gradients; plain, foreach, fused, with and without weight decay and dampening; float64",
)
@given(
    seeds,
    st.sampled_from(WAYS),
    st.floats(0.1, 0.99),
    st.floats(0.01, 1),
    st.sampled_from([0.0, 0.3]),
    st.sampled_from([0.0, 0.5, 0.9]),
)
def test_momentum_is_a_buffer_for_each_parameter(seed, way, mu, lr, decay, dampening):
    """Dampening leaves the first gradient as it is; with the rate inside, the steps are alike."""
    params = [leaf(random(seed + i, 2).double()) for i in range(2)]
    hand = [p.detach().clone() for p in params]
    optimizer = optim.SGD(
        params, lr=lr, momentum=mu, dampening=dampening, weight_decay=decay, **way
    )
    buffers, velocities = [None, None], [0.0, 0.0]
    for step in range(4):
        for i, p in enumerate(params):
            p.grad = random(seed + 10 * step + i, 2).double()
            gradient = p.grad + decay * hand[i]
            old = buffers[i]
            buffers[i] = gradient if old is None else mu * old + (1 - dampening) * gradient
            velocities[i] = mu * velocities[i] + lr * gradient * (1 if step == 0 else 1 - dampening)
            assert torch.allclose(velocities[i], lr * buffers[i])
            hand[i] = hand[i] - lr * buffers[i]
        optimizer.step()
        for i, p in enumerate(params):
            assert torch.allclose(optimizer.state[p]["momentum_buffer"], buffers[i])
            assert torch.allclose(p.detach(), hand[i])


@attacks(
    "updates/momentum#lr-outside",
    "updates/momentum#nesterov",
    zh="弯曲的损失上走五步，有无 nesterov；普通、foreach、fused；学习率不变或降到十分之一；float64",
    en="five steps on a curved loss with and without nesterov; plain, foreach, fused; a rate that stays or falls to a tenth; float64",
)
@given(seeds, st.sampled_from(WAYS), st.floats(0.1, 0.99), st.floats(0.001, 0.1), st.booleans())
def test_with_nesterov_the_parameter_is_the_point_ahead(seed, way, mu, lr, constant):
    """As long as the learning rate is constant; momentum alone parts from the paper as well."""

    def gradient_at(point: torch.Tensor) -> torch.Tensor:
        return point**3 + point.cos()

    position = random(seed, 3).double()
    for nesterov in (True, False):
        w, velocity, at = leaf(position), torch.zeros(3).double(), position
        optimizer = optim.SGD([w], lr=lr, momentum=mu, nesterov=nesterov, **way)
        for step in range(5):
            rate = optimizer.param_groups[0]["lr"] = lr if constant or step < 2 else lr / 10
            w.grad = gradient_at(w.detach())
            optimizer.step()
            velocity = mu * velocity - rate * gradient_at(at + nesterov * mu * velocity)
            at = at + velocity
        here = at + nesterov * mu * velocity
        assert torch.allclose(w.detach(), here, rtol=0, atol=1e-10) is constant


def trained_with_decay(seed: int, micro_batches: int, in_the_loss: str, **options: object):
    """The weights after four steps of SGD on the same samples.

    `in_the_loss`: "no", "once" a step, or in "each" micro-batch.
    """
    w, samples = leaf(random(seed, 3).double()), random(seed + 1, 6, 3).double()
    optimizer = optim.SGD([w], lr=0.1, **options)
    for _ in range(4):
        optimizer.zero_grad()
        for number, part in enumerate(samples.tensor_split(micro_batches)):
            loss = (part @ w - 1).square().sum() / len(samples)
            if in_the_loss == "each" or (in_the_loss == "once" and number == 0):
                loss = loss + 0.3 / 2 * w.square().sum()
            loss.backward()
        optimizer.step()
    return w.detach()


@attacks(
    "updates/weight-decay#weight-decay", zh="SGD，一到三个微批次", en="SGD, 1 to 3 micro-batches"
)
@given(seeds, st.integers(1, 3), st.sampled_from(WAYS), st.floats(0.1, 0.9), st.booleans())
def test_weight_decay_of_sgd_is_l2_in_the_loss_once_a_step(seed, parts, way, mu, nesterov):
    options = {"momentum": mu, "nesterov": nesterov, **way}
    decayed = trained_with_decay(seed, parts, "no", weight_decay=0.3, **options)
    assert torch.allclose(decayed, trained_with_decay(seed, parts, "once", **options))
    each = trained_with_decay(seed, parts, "each", **options)
    assert torch.allclose(decayed, each) is (parts == 1)


@attacks(
    "updates/adam#sign",
    "updates/weight-decay#adam-or-adamw",
    zh="Adam 和 AdamW，普通、foreach、fused；四步，梯度任意，也有 0，权重衰减从 0 到 1；float64",
    en="Adam and AdamW, plain, foreach, fused; four steps with any gradients, also 0, a weight decay from 0 to 1; float64",
)
@given(seeds, st.sampled_from(WAYS), st.booleans(), st.floats(0, 1), st.floats(0.001, 0.1))
def test_adam_corrects_both_averages_and_adamw_decays_apart(seed, way, apart, decay, lr):
    kind = optim.AdamW if apart else optim.Adam
    w = leaf(5 * random(seed, 3).double())
    hand, m, v = w.detach().clone(), 0.0, 0.0
    optimizer = kind([w], lr=lr, weight_decay=decay, **way)
    for t in range(1, 5):
        gradient = random(seed + t, 3).double() * torch.tensor([0, 1, 1])
        w.grad = gradient.clone()
        optimizer.step()
        if apart:
            hand = hand * (1 - lr * decay)
        else:
            gradient = gradient + decay * hand
        m, v = 0.9 * m + 0.1 * gradient, 0.999 * v + 0.001 * gradient**2
        hand = hand - lr * m / (1 - 0.9**t) / ((v / (1 - 0.999**t)).sqrt() + 1e-8)
        assert torch.allclose(w.detach(), hand)


# How far a step is


@attacks(
    "labs/flow#histogram",
    "updates/adam#adam",
    "updates/review#remember",
    zh="Adam 和 AdamW，普通、foreach、fused；学习率从 1e-4 到 1，梯度从 1e-5 到 1e15；float32、float64、bfloat16",
    en="Adam and AdamW, plain, foreach, fused; learning rates from 1e-4 to 1, gradients from 1e-5 to 1e15; float32, float64, bfloat16",
)
@given(
    st.sampled_from([optim.Adam, optim.AdamW]),
    st.sampled_from(WAYS),
    st.sampled_from([torch.float32, torch.float64, torch.bfloat16]),
    st.floats(1e-4, 1),
    st.floats(-5, 15),
    st.sampled_from([1, -1]),
)
def test_the_first_step_of_adam_is_one_of_each_element(kind, way, dtype, lr, exponent, sign):
    """lr * g / (|g| + eps): a whole step, less where g is about eps, none where it is 0."""
    gradient = torch.tensor([sign * 10**exponent, 1e-8, -1e-10, 0.0], dtype=dtype)
    w = stepped(partial(kind, lr=lr, **way), torch.zeros_like(gradient), gradient)
    moved = torch.tensor([-sign, -0.5, 1 / 101, 0.0], dtype=dtype) * lr
    assert torch.allclose(w, moved, rtol=0.02 if dtype == torch.bfloat16 else 1e-3)


@attacks("updates/adam#sign", zh="float16、bfloat16，三种实现", en="float16, bfloat16, also fused")
@pytest.mark.parametrize("kind", [optim.Adam, optim.AdamW])
@pytest.mark.parametrize("way", WAYS, ids=str)
def test_adam_turns_a_gradient_of_0_into_nan_in_float16(kind, way):
    for dtype, unless_fused in ((torch.float16, True), (torch.bfloat16, False)):
        gradient = torch.tensor([0.0, 1.0], dtype=dtype)
        w = stepped(partial(kind, lr=0.1, **way), torch.ones_like(gradient), gradient)
        assert w.isnan().tolist() == [unless_fused and "fused" not in way, False]


ROWS = {
    "SGD": (optim.SGD, {}, lambda t, g, w: g),
    "nesterov": (
        *(optim.SGD, {"momentum": 0.9, "nesterov": True}),
        lambda t, g, w: g + 0.9 * g * sum(0.9**i for i in range(t)),
    ),
    "momentum": (optim.SGD, {"momentum": 0.9}, lambda t, g, w: g * (1 - 0.9**t) / 0.1),
    "weight_decay": (optim.SGD, {"weight_decay": 0.5}, lambda t, g, w: g + 0.5 * w),
    "Adagrad": (optim.Adagrad, {}, lambda t, g, w: t**-0.5),
    "RMSprop": (optim.RMSprop, {}, lambda t, g, w: (1 - 0.99**t) ** -0.5),
    "Rprop": (optim.Rprop, {}, lambda t, g, w: 1.2 ** (t - 1)),
    "Adamax": (optim.Adamax, {}, lambda t, g, w: 1),
    "Adam": (optim.Adam, {}, lambda t, g, w: 1),
    "AdamW": (optim.AdamW, {}, lambda t, g, w: 1 + 0.01 * w),
}
"""The rows of the table: step t with a gradient g that stays is the learning rate times this."""


@attacks(
    "updates/optimizers#directions",
    "updates/weight-decay#none",
    zh="表里的每一行：七步，梯度从 0.1 到 1000，起点任意；float64",
    en="every row of the table: seven steps, gradients from 0.1 to 1000, any start; float64",
)
@given(st.sampled_from(sorted(ROWS)), st.floats(0.1, 1000), st.floats(0.001, 0.1), seeds)
def test_each_row_of_the_table_with_a_gradient_that_stays(row, gradient, lr, seed):
    kind, options, direction = ROWS[row]
    w = random(seed, 1).double()
    optimizer = kind([w], lr=lr, **options)
    for t in range(1, 8):
        before, w.grad = w.item(), torch.tensor([gradient]).double()
        optimizer.step()
        assert before - w.item() == pytest.approx(lr * direction(t, gradient, before), rel=1e-4)


@attacks("updates/optimizers#directions", zh="一到 25 步后掉头", en="a turn after 1 to 25 steps")
@given(st.sampled_from([optim.Adam, optim.AdamW]), st.integers(1, 25), st.floats(0.1, 100))
def test_adam_stands_still_or_goes_on_when_the_gradient_turns(kind, steps, gradient):
    """Almost still in the second step; after more steps the old direction stays for a while."""
    w, places = torch.zeros(1).double(), [0.0]
    optimizer = kind([w], lr=0.1, weight_decay=0)
    for step in range(steps + 20):
        w.grad = torch.tensor([gradient if step < steps else -gradient]).double()
        optimizer.step()
        places.append(w.item())
    moves = [after - before for before, after in pairwise(places)]
    assert 0 < moves[1] < 0.1 * 0.06 if steps == 1 else moves[steps] < 0
    assert moves[-1] > 0


@attacks(
    "updates/optimizers#lbfgs", zh="LBFGS，有无线搜索", en="LBFGS, with and without line search"
)
@given(st.floats(-3, 3), st.integers(2, 6), st.sampled_from([None, "strong_wolfe"]), st.booleans())
def test_lbfgs_reads_gradients_at_several_places(start, iterations, search, fixed):
    """And stops where the loss it gets is the one before: there it doesn't get far."""
    assume(abs(start) > 0.1)
    w, places = leaf(torch.tensor([start]).double()), []
    optimizer = optim.LBFGS([w], lr=0.1, max_iter=iterations, line_search_fn=search)
    outside = (w**4).sum()
    outside.backward()

    def closure():
        places.append(w.item())
        if fixed:
            return outside
        optimizer.zero_grad()
        loss = (w**4).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    if not fixed:
        assert len(set(places)) == len(places) >= 2
    elif search is None:
        assert len(places) == 2
    with pytest.raises(TypeError, match="closure"):
        optimizer.step()


COMMON_FACTOR_CANCELS = (
    *(optim.Adadelta, optim.Adafactor, optim.Adagrad, optim.Adam, optim.Adamax, optim.AdamW),
    *(optim.NAdam, optim.RMSprop, optim.Rprop),
)


@attacks(
    "updates/adam#sign",
    "updates/optimizers#optimizers",
    zh="九种优化器，以及不抵消的 SGD 和前五步的 RAdam；系数 2 到 1000，四步，梯度远大于 eps",
    en="nine optimizers, and SGD and RAdam in its first five steps, where it doesn't cancel; factors of 2 to 1000, four steps, gradients far above eps",
)
@given(seeds, some_of([*COMMON_FACTOR_CANCELS, optim.SGD, optim.RAdam]), st.floats(2, 1000))
def test_a_factor_common_to_all_gradients_cancels(seed, kinds, factor):
    """Most relatives of Adam; plain SGD goes `factor` times as far, RAdam as well at first."""
    gradients, start = random(seed, 4, 2, 3).double(), torch.ones(2, 3).double()
    assume(gradients.abs().min() > 0.01)  # far above every eps
    for kind in kinds:
        make = partial(kind, lr=0.01)
        moved, further = (stepped(make, start, *(k * gradients)) for k in (1, factor))
        if kind not in COMMON_FACTOR_CANCELS:
            moved = start + factor * (moved - start)
        assert torch.allclose(further, moved, rtol=0.02, atol=1e-5), kind


@attacks("updates/optimizers#directions", zh="Adagrad，任意梯度", en="Adagrad, any gradients")
@given(seeds, st.sampled_from(WAYS), st.sampled_from([0.0, 0.1]))
def test_the_denominator_of_adagrad_only_grows(seed, way, decay):
    w, last = leaf(random(seed, 3)), torch.zeros(3)
    optimizer = optim.Adagrad([w], weight_decay=decay, **way)
    for number in range(5):
        w.grad = random(seed + number, 3) * (number % 2)
        optimizer.step()
        assert (optimizer.state[w]["sum"] >= last).all()
        last = optimizer.state[w]["sum"].clone()


@attacks(
    "then-and-now/index#l1",
    "updates/l1#l1",
    "updates/l1#many-errors",
    "updates/l1#size-of-error",
    "updates/l1#smaller-lr",
    zh="一到四行，每行最多八个误差，从 0.01 到 100，两侧都有，有的是 0；mean 和 sum；float32、float64",
    en="one to four rows of up to eight errors from 0.01 to 100 on both sides, some of them 0; mean and sum; float32, float64",
)
@given(
    st.sampled_from([torch.float32, torch.float64]),
    st.lists(st.floats(0.01, 100).flatmap(lambda e: st.sampled_from([e, -e])), max_size=6),
    st.integers(0, 2),
    st.integers(1, 4),
)
def test_l1_counts_signs(dtype, errors, on_target, rows):
    """The mean of the signs over all elements, or their sum; an error of 0 counts nothing."""
    errors = torch.tensor([[*errors, *[0.0] * on_target]] * rows, dtype=dtype)
    assume(errors.numel())
    signs = (errors > 0).sum() - (errors < 0).sum()
    for reduction, counted in (("sum", signs), ("mean", signs / errors.numel())):
        y = torch.zeros((), dtype=dtype, requires_grad=True)
        nn.L1Loss(reduction=reduction)(y + errors, torch.zeros_like(errors)).backward()
        assert y.grad.item() == pytest.approx(counted.item())


@attacks(
    "updates/l1#l1", zh="三种斜率，三种学习率，最多六步", en="three slopes, three rates, six steps"
)
@given(
    st.sampled_from([0.5, 1.0, 2.0]),
    st.sampled_from([1 / 16, 1 / 4, 1.0]),
    st.integers(-5, 5),
    st.integers(0, 6),
    st.sampled_from([0.0, 0.25, 0.75]),
)
def test_steps_toward_a_single_l1_target_stay_as_long(slope, lr, target, steps, more):
    """On a line; they go past the target unless one of them ends on it."""
    w = torch.tensor([target / slope + (steps + more) * lr * slope], requires_grad=True)
    optimizer, distances = optim.SGD([w], lr=lr), []
    for _ in range(steps + 2):
        distances.append((w.item() - target / slope) / (lr * slope))
        optimizer.zero_grad()
        F.l1_loss(slope * w, torch.tensor([float(target)])).backward()
        optimizer.step()
    ahead = [steps + more - number for number in range(steps + 1)]
    assert distances == [*ahead, more and more - 1]


@attacks(
    "updates/l1#smaller-lr", zh="SmoothL1Loss，误差 -5 到 5", en="SmoothL1Loss, errors of -5 to 5"
)
@given(st.floats(-5, 5))
def test_smooth_l1_is_square_near_the_target(error):
    expected = error**2 / 2 if abs(error) < 1 else abs(error) - 0.5
    loss = nn.SmoothL1Loss(beta=1.0)(*torch.tensor([error, 0.0], dtype=torch.float64))
    assert loss.item() == pytest.approx(expected, abs=1e-12)


@attacks("updates/adam#unused-rows", zh="Embedding、EmbeddingBag", en="Embedding, EmbeddingBag")
@given(st.sets(st.integers(0, 5), min_size=1), st.sampled_from([nn.Embedding, nn.EmbeddingBag]))
def test_the_gradient_of_an_unused_row_is_0(rows, layer):
    table = layer(6, 2)
    table(torch.tensor([sorted(rows)], dtype=torch.int64)).sum().backward()
    assert table.weight.grad.any(dim=1).nonzero().flatten().tolist() == sorted(rows)


@attacks(
    "modules/turned-away#sparse",
    "updates/adam#unused-rows",
    zh="SparseAdam，六行的表，一到三步，每步一到四行；float32、float64",
    en="SparseAdam, tables of six rows, one to three steps with one to four rows each; float32, float64",
)
@given(
    st.lists(st.lists(st.integers(0, 5), min_size=1, max_size=4), min_size=1, max_size=3),
    st.sampled_from([torch.float32, torch.float64]),
)
def test_sparse_adam_updates_the_rows_that_were_used(batches, dtype):
    embedding = nn.Embedding(6, 2, sparse=True, dtype=dtype)
    optimizer = optim.SparseAdam(embedding.parameters())
    for rows in batches:
        optimizer.zero_grad()
        embedding(torch.tensor(rows)).sum().backward()
        before = embedding.weight.detach().clone()
        optimizer.step()
        moved = (embedding.weight != before).any(dim=1)
        assert moved.tolist() == [row in rows for row in range(6)]
    embedding.weight.grad = torch.ones_like(embedding.weight)
    with pytest.raises(RuntimeError, match="does not support dense gradients"):
        optimizer.step()


# Clipping


@attacks(
    "updates/clipping#clipping",
    "updates/clipping#not-finite",
    "updates/review#remember",
    zh="一到四个梯度，0 到 2 维；1、2、3 和 inf 阶；上限从 -3 到 20；float32、float64、bfloat16；有无 foreach",
    en="one to four gradients, 0 to 2 dimensions; the orders 1, 2, 3 and inf; limits from -3 to 20; float32, float64, bfloat16; with and without foreach",
)
@given(
    seeds,
    st.lists(st.sampled_from([(3,), (2, 2), (), (0,)]), min_size=1, max_size=4),
    st.sampled_from([torch.float32, torch.float64, torch.bfloat16]),
    st.sampled_from([1.0, 2.0, 3.0, math.inf]),
    st.floats(-3, 20),
    st.sampled_from([None, True, False]),
)
def test_clipping_takes_one_norm_and_one_factor(seed, shapes, dtype, order, limit, foreach):
    """A factor limited from above alone: below 0 the gradients turn around."""
    assume(order != math.inf or (0,) not in shapes)  # an empty gradient has no largest element
    params = [leaf(torch.zeros(shape, dtype=dtype)) for shape in shapes]
    for i, p in enumerate(params):
        p.grad = random(seed + i, *p.shape, dtype=dtype)
    unused, apart = leaf(torch.zeros(1)), leaf(torch.zeros(1))
    apart.grad = torch.tensor([50.0])
    before = [p.grad.clone() for p in params]
    norm = torch.cat([g.flatten() for g in before]).double().norm(order).item()
    returned = clip_grad_norm_([*params, unused], limit, norm_type=order, foreach=foreach)
    rtol = 0.03 if dtype == torch.bfloat16 else 1e-4
    assert returned.item() == pytest.approx(norm, rel=rtol, abs=1e-6)
    factor = min(limit / (norm + 1e-6), 1)
    for p, gradient in zip(params, before, strict=True):
        assert torch.allclose(p.grad, gradient * factor, rtol=2 * rtol, atol=1e-6)
    assert apart.grad.item() == 50 and unused.grad is None


@attacks(
    "updates/clipping#clipping", zh="按值裁剪，四种 dtype", en="clipping by value, four dtypes"
)
@given(seeds, st.floats(0, 3), st.sampled_from([None, True, False]), st.sampled_from(DTYPES[:4]))
def test_clipping_by_value_clamps_each_number_on_its_own(seed, limit, foreach, dtype):
    params = [torch.zeros(3, dtype=dtype), torch.zeros(2, 2, dtype=dtype)]
    before = [random(seed + i, *p.shape, dtype=dtype) for i, p in enumerate(params)]
    for p, gradient in zip(params, before, strict=True):
        p.grad = gradient.clone()
    clip_grad_value_(params, limit, foreach=foreach)
    for p, gradient in zip(params, before, strict=True):
        assert torch.equal(p.grad, gradient.clamp(-limit, limit))


@attacks(
    "nan-and-inf/after-a-nan#skip",
    "updates/clipping#not-finite",
    zh="四种 dtype；任意位置的 inf、nan 和溢出；1、2、3 和 inf 阶；有无 foreach",
    en="four dtypes; inf and nan at any place, and overflow; the orders 1, 2, 3 and inf; with and without foreach",
)
@given(
    st.sampled_from(DTYPES[:4]),
    st.sampled_from([1.0, 2.0, 3.0, math.inf]),
    st.sampled_from([None, True, False]),
    st.sampled_from([[math.inf], [-math.inf], [math.nan], [math.nan, -math.inf], []]),
    st.integers(0, 4),
    st.booleans(),
)
def test_clipping_by_a_norm_that_is_not_finite(dtype, order, foreach, odd, place, refuse):
    """The norm is finite only if every gradient is, and doesn't overflow."""
    assume(odd or order != math.inf)  # the largest of numbers that overflow doesn't overflow
    values = odd or [torch.finfo(dtype).max] * 3
    w, other = torch.zeros(5, dtype=dtype), torch.zeros(1, dtype=dtype)
    w.grad, other.grad = torch.full_like(w, 3), torch.ones_like(other)
    options = {"norm_type": order, "foreach": foreach, "error_if_nonfinite": refuse}
    assert clip_grad_norm_([other, w], 100.0, **options).isfinite()
    w.grad = torch.tensor((values + [3.0] * 5)[:5], dtype=dtype).roll(place)
    before = w.grad.clone()
    with pytest.raises(RuntimeError, match="non-finite") if refuse else nullcontext():
        norm = clip_grad_norm_([other, w], 1.0, **options)
    if refuse:
        assert torch.equal(w.grad.nan_to_num(), before.nan_to_num())
    elif math.nan in odd:
        assert norm.isnan() and w.grad.isnan().all()
    else:
        assert norm.isinf() and torch.equal(w.grad.isnan(), before.isinf())
        assert not w.grad[before.isfinite()].any()


@attacks("updates/clipping#micro-batches", zh="一到六个微批次", en="one to six micro-batches")
@given(seeds, st.integers(1, 6), st.floats(0.01, 20))
def test_clipped_once_micro_batches_are_the_large_batch(seed, parts, limit):
    samples = random(seed, 6, 3).double()
    large, small = leaf(torch.zeros(3).double()), leaf(torch.zeros(3).double())
    ((samples @ large - 1).square().sum() / 6).backward()
    for part in samples.tensor_split(parts):
        ((part @ small - 1).square().sum() / 6).backward()
    norms = [clip_grad_norm_([w], limit) for w in (large, small)]
    assert torch.allclose(*norms)
    assert torch.allclose(large.grad, small.grad)


@attacks("updates/clipping#grad-scaler", zh="SGD，有无 unscale_", en="SGD, also without unscale_")
@given(seeds, st.sampled_from(WAYS), st.floats(0.1, 5), st.booleans())
def test_clipping_after_unscale_is_clipping_without_a_scaler(seed, way, limit, unscale):
    """Without unscale_ the step of SGD is at most 1 / 65536 of the limit."""
    factors, left = 10 * random(seed, 4), {}
    for scaled in (True, False):
        w = leaf(torch.zeros(4))
        optimizer, scaler = optim.SGD([w], lr=1, **way), GradScaler("cpu", enabled=scaled)
        scaler.scale((w * factors).sum()).backward()
        if unscale:
            scaler.unscale_(optimizer)
        clip_grad_norm_([w], limit)
        scaler.step(optimizer)
        left[scaled] = w.detach()
    assert torch.allclose(left[True], left[False], rtol=1e-4) is unscale
    assert unscale or left[True].norm().item() <= 1.001 * limit / 65536


@attacks(
    "updates/clipping#not-finite",
    "updates/optimizers#lbfgs",
    zh="Adam 的第一步，两个元素最大 1e12，相差最多 1e9 倍；普通、foreach、fused",
    en="the first step of Adam, two elements up to 1e12, at most 1e9 times apart; plain, foreach, fused",
)
@given(st.sampled_from(WAYS), st.floats(-3, 12), st.floats(0, 9))
def test_clipping_shortens_a_first_step_of_adam_only_down_at_eps(way, large, smaller):
    """Two elements, one of them up to 1e9 times the other, clipped to the norm 1."""
    w = torch.zeros(2)
    w.grad = torch.tensor([10.0**large, 10.0 ** (large - smaller)])
    clip_grad_norm_([w], 1.0)
    clipped = w.grad.clone()
    optim.Adam([w], lr=0.1, **way).step()
    assert torch.allclose(w, -0.1 * clipped / (clipped + 1e-8), rtol=1e-3)
    assert ((w < -0.099) | (clipped < 1e-6)).all()


@attacks(
    "updates/clipping#not-finite", zh="Adam 三步，系数同或不同", en="Adam, one factor or several"
)
@given(seeds, st.floats(0.01, 1), st.booleans())
def test_clipping_changes_later_steps_of_adam_unless_all_by_one_factor(seed, factor, alike):
    gradients, clipped = random(seed, 3, 4).double(), []
    assume(gradients.norm(dim=1).unique().diff().abs().min() > 0.1)
    for gradient in gradients:
        w = leaf(gradient)
        w.grad = gradient.clone()
        clip_grad_norm_([w], factor * (gradient.norm() if alike else gradients.norm(dim=1).min()))
        clipped.append(w.grad)
    make, start = partial(optim.Adam, lr=0.1), torch.zeros(4).double()
    left = stepped(make, start, *gradients), stepped(make, start, *clipped)
    assert torch.allclose(*left, atol=1e-4) is alike


@attacks("updates/clipping#grad-scaler", zh="float32 里 2 的幂", en="powers of two of float32")
@given(st.integers(-126, 127))
def test_bfloat16_reaches_as_far_as_float32(exponent):
    number = torch.tensor(2.0).double() ** exponent
    assert number == number.float() == number.bfloat16()
    assert (number.half() == number).item() is (-24 <= exponent <= 15)


SAMPLES = torch.arange(8.0).view(2, 4)


def network() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 4))


def loss_of(model: nn.Module, samples: torch.Tensor) -> torch.Tensor:
    return model(samples).square().sum(dim=1).mean()


def norms(rank: int) -> dict[str, float]:
    """The norm that clipping finds, with one sample in each rank."""
    found = {}
    for wrap in (replicated, sharded, sharded_as_before):
        for method in (False, True)[: 1 + (wrap is sharded_as_before)]:
            model = wrap(network())
            loss_of(model, SAMPLES[rank : rank + 1]).backward()
            norm = (
                model.clip_grad_norm_(1.0) if method else clip_grad_norm_(model.parameters(), 1.0)
            )
            whole = norm.full_tensor() if wrap is sharded else norm
            found[wrap.__name__ + ", its method" * method] = whole.item()
    return found


@attacks(
    "updates/clipping#when", zh="DDP 和两种 FSDP，两个进程", en="DDP, two kinds of FSDP, two ranks"
)
def test_the_norm_of_several_processes(ranks):
    """That of both samples, but not with FullyShardedDataParallel unless by its method."""
    model = network()
    loss_of(model, SAMPLES).backward()
    right = pytest.approx(clip_grad_norm_(model.parameters(), 1.0).item(), rel=1e-4)
    for found in ranks(norms):
        assert found.pop("sharded_as_before") != right
        assert found == dict.fromkeys(found, right) and len(found) == 3


# What an optimizer takes


def square() -> nn.Parameter:
    return nn.Parameter(torch.ones(2, 2))


TAKEN = [
    *(lambda: [square(), square()], lambda: (square(),), lambda: (p for p in [square()])),
    *(lambda: [{"params": [square()]}], lambda: [{"params": square()}], lambda: {square()}),
    lambda: [torch.ones(2, 2)],
]
"""A list, a tuple, a generator, groups, a set; a leaf that requires no gradient."""
REFUSED = [
    *(square, list, lambda: nn.ReLU().parameters(), lambda: {"weight": square()}),
    *(lambda: [2 * square()], lambda: [{"params": [square() + 1]}]),
    *(lambda: [{"params": {square()}}], lambda: [{"params": [p := square()]}, {"params": [p]}]),
]
"""A tensor, nothing, a dict; intermediate tensors; a set in a group, a parameter in two groups."""


@attacks(
    "updates/what-to-pass#what-to-pass", zh="所有优化器，16 种参数", en="all optimizers, 16 inputs"
)
@pytest.mark.parametrize("kind", OPTIMIZERS)
def test_what_an_optimizer_takes(kind):
    for params in TAKEN:
        assert "param_names" not in kind(params()).param_groups[0]
    named = nn.Linear(2, 2, bias=False).named_parameters()
    assert "param_names" in kind(named).param_groups[0]
    for params in REFUSED:
        with pytest.raises((TypeError, ValueError)):
            kind(params())
    groups = [{"params": [square()]}, {"params": [square()], "lr": 0.5}]
    vector = [nn.Parameter(torch.ones(2))]
    for params, refusing in ((groups, optim.LBFGS), (vector, optim.Muon)):
        with pytest.raises(ValueError) if kind is refusing else nullcontext():
            kind(params)


@attacks("updates/what-to-pass#twice", zh="除 LBFGS 以外的优化器", en="the optimizers but LBFGS")
@pytest.mark.parametrize("kind", ONE_GRADIENT)
def test_a_parameter_given_twice(kind):
    """In one group a warning, in two an error; of two optimizers neither knows."""
    w = square()
    with pytest.warns(UserWarning, match="duplicate parameters"):
        kind([w, w])
    with pytest.raises(ValueError, match="more than one parameter group"):
        kind([{"params": [w]}, {"params": [w]}])
    optimizers = [kind([w]), kind([w])]
    for optimizer in optimizers:
        before = w.detach().clone()
        w.grad = taken(kind, torch.ones(2, 2))
        optimizer.step()
        assert not torch.equal(w.detach(), before)


@attacks(
    "updates/what-to-pass#what-to-pass", zh="除 LBFGS 以外的优化器", en="all optimizers but LBFGS"
)
@pytest.mark.parametrize("kind", ONE_GRADIENT)
def test_step_moves_an_intermediate_tensor_but_not_what_it_comes_from(kind):
    for options in ({}, {"differentiable": True}):
        w = square()
        result = 2 * w
        if not options:
            result.retain_grad()
        elif not options.keys() <= inspect.signature(kind).parameters.keys():
            continue
        before, result.grad = result.detach().clone(), taken(kind, torch.ones(2, 2))
        kind([result], lr=0.1, **options).step()
        assert not torch.equal(result.detach(), before)
        assert torch.equal(w.detach(), torch.ones(2, 2))


@attacks(
    "updates/what-to-pass#resume", zh="除 LBFGS 以外的优化器", en="optimizers but LBFGS, clipped"
)
@given(seeds, some_of(ONE_GRADIENT), st.booleans(), st.floats(0.1, 1))
def test_two_optimizers_are_one_unless_each_clips_its_own(seed, kinds, clip, limit):
    for kind in kinds[:2]:
        if clip and kind is optim.SparseAdam:
            continue  # a sparse gradient has no norm for clipping
        left = []
        for together in (True, False):
            a, b = leaf(random(seed, 2, 2).double()), leaf(random(seed + 1, 2, 2).double())
            parts = [[a, b]] if together else [[a], [b]]
            optimizers = [kind(part) for part in parts]
            for step in range(2):
                for i, w in enumerate((a, b)):
                    gradient = (1 + 5 * i) * random(seed + step + i, 2, 2).double()
                    w.grad = taken(kind, gradient)
                found = [clip_grad_norm_(part, limit) for part in parts if clip]
                for optimizer in optimizers:
                    optimizer.step()
            left.append((a.detach(), b.detach(), found))
        if clip:
            assert len(left[0][2]) == 1 and left[0][2][0] > max(left[1][2])
        else:
            assert torch.equal(left[0][0], left[1][0]) and torch.equal(left[0][1], left[1][1])


@attacks(
    "updates/what-to-pass#resume", zh="所有优化器，有无名字", en="all optimizers, with names or not"
)
@given(some_of(DENSE), st.permutations("abc"), st.booleans(), st.integers(1, 4))
def test_resuming_goes_by_order(kinds, order, named, number):
    """The names are saved, and not compared; only the number of parameters is."""
    for kind in kinds:
        params = {name: leaf(torch.ones(2, 2)) for name in "abc"}
        saver = kind(list(params.items()) if named else params.values())
        for gradient, p in enumerate(params.values(), 1):
            p.grad = gradient * random(gradient, 2, 2)
        saver.step()
        saved = saver.state_dict()
        resumed = {name: leaf(torch.ones(2, 2)) for name in order[:number]}
        loader = kind(list(resumed.items()) if named else resumed.values())
        assert saved["param_groups"][0]["params"] == [0, 1, 2]
        if number < 3:
            with pytest.raises(ValueError, match="doesn't match the size"):
                loader.load_state_dict(saved)
            continue
        loader.load_state_dict(saved)
        for old, new in zip(params.values(), resumed.values(), strict=True):
            kept = {**saver.state[old], **loader.state[new]}
            for name, value in saver.state[old].items():
                assert torch.equal(torch.as_tensor(value), torch.as_tensor(kept[name])), kind
                assert value is not old


@attacks(
    "updates/clipping#in-backward",
    zh="SGD 和 AdamW，1 到 5 个参数",
    en="SGD, AdamW, 1 to 5 parameters",
)
@pytest.mark.parametrize("kind", [optim.SGD, optim.AdamW])
@given(st.lists(st.integers(2, 9), min_size=1, max_size=5))
def test_in_the_hook_only_the_own_norm_is_known_and_afterward_none(kind, factors):
    found = []

    def hook(w):
        found.append(clip_grad_norm_([w], 1.0).item())
        assert torch.isclose(w.grad, torch.tensor(1.0))
        optimizers[w].step()
        w.grad = None

    params = [torch.tensor(0.0, requires_grad=True) for _ in factors]
    optimizers = {w: kind([w], lr=0.1) for w in params}
    for w in params:
        w.register_post_accumulate_grad_hook(hook)
    sum(f * w for f, w in zip(factors, params, strict=True)).backward()
    assert sorted(found) == sorted(factors)
    assert clip_grad_norm_(params, 1.0) == 0


@attacks(
    "gradient/stuck#bfloat16",
    zh="AdamW、Adam、SGD；foreach 与否",
    en="AdamW, Adam, SGD; foreach or not",
)
@pytest.mark.parametrize("foreach", [False, True])
@pytest.mark.parametrize("kind", [optim.AdamW, optim.Adam, optim.SGD])
def test_a_bfloat16_weight_stays_if_the_step_is_less_than_half_the_gap(kind, foreach):
    w = leaf(torch.linspace(0.001, 0.25, 500).bfloat16())
    before, optimizer = w.detach().clone(), kind([w], lr=1e-4, foreach=foreach)
    for _ in range(20):
        w.grad = torch.ones_like(w)
        optimizer.step()
    assert torch.equal(w != before, before < 1 / 32 + 1e-9)


@attacks(
    "updates/optimizers#fused",
    zh="保存时没有 fused 的状态，加载前后设 fused；参数在 meta 设备上",
    en="a state saved without fused, set before or after loading; parameters on the meta device",
)
@pytest.mark.parametrize("kind", [kind for kind in FUSED if kind is not optim.SGD])
def test_fused_is_set_before_loading(kind):
    """The kernel of a GPU needs the counter on the GPU; meta stands in for it."""
    w = leaf(torch.ones(2))
    w.grad = torch.ones(2)
    trained = kind([w], lr=0.1)
    trained.step()
    for before in (True, False):
        saved, moved = trained.state_dict(), leaf(torch.ones(2, device="meta"))
        optimizer = kind([moved], lr=0.1)
        if before:
            for group in saved["param_groups"]:
                group["fused"] = True
        optimizer.load_state_dict(saved)
        counter = optimizer.state[moved]["step"]
        assert counter.device.type == ("meta" if before else "cpu")
        assert optimizer.param_groups[0]["fused"] is (True if before else None)
