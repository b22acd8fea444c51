"""What the pages of nan-and-inf say in general."""

import math

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch import nn, optim
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.nn.utils import clip_grad_norm_

pytestmark = [
    pytest.mark.upgrade,
    pytest.mark.filterwarnings("ignore:Anomaly Detection"),
    pytest.mark.filterwarnings("ignore:Error detected in"),
]

FLOATS = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
NOT_FINITE = (math.inf, -math.inf, math.nan)

HARMLESS = {
    "AddBackward0": lambda x: x + 1,
    "NegBackward0": lambda x: -x,
    "CosBackward0": torch.cos,
    "CloneBackward0": torch.clone,
}
POISONS = {
    "SqrtBackward0": lambda x: torch.where(x > 1, torch.sqrt(x * 0.0), 0.0),
    "LogBackward0": lambda x: 0 * torch.log(x * 0.0),
    "AcosBackward0": lambda x: 0 * torch.acos(x * 0.0 + 1),
}


class Mask(nn.Module):
    """Fills in an infinity on purpose."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.masked_fill(torch.arange(x.shape[-1]) > 1, -math.inf)


class Wrong(nn.Module):
    """Returns what isn't finite, of probabilities that may be 0."""

    def __init__(self, function) -> None:
        super().__init__()
        self.function = function

    def forward(self, p: torch.Tensor) -> torch.Tensor:
        return self.function(p)


@attacks(
    "nan-and-inf/first-nan#suspects",
    zh="掩码、softmax 和返回 inf 或 nan 的层之前有四种模块中的一到三个；float32 和 float64",
    en="one to three modules of four kinds before a mask, softmax, and a layer that returns inf or nan; float32 and float64",
)
@given(
    before=st.lists(st.sampled_from([nn.ReLU, nn.Tanh, nn.GELU, nn.Identity]), max_size=3),
    wrong=st.sampled_from([torch.log, torch.reciprocal, lambda p: p / (p - p)]),
    dtype=st.sampled_from([torch.float32, torch.float64]),
    seed=st.integers(0, 99),
)
def test_a_mask_that_is_meant_is_left_out(before, wrong, dtype, seed):
    """A hook on all modules stops at the mask, without it at the one that is wrong."""
    torch.manual_seed(seed)
    layers = [*(kind() for kind in before), Mask(), nn.Softmax(dim=-1), Wrong(wrong)]
    x = torch.randn(2, 4, dtype=dtype)

    def stop(module, args, output):
        if not output.isfinite().all():
            raise FloatingPointError(type(module).__name__)

    for left_out in (nn.Module, Mask):
        model = nn.Sequential(*layers)
        handles = [
            module.register_forward_hook(stop)
            for module in model.modules()
            if left_out is nn.Module or not isinstance(module, left_out)
        ]
        with pytest.raises(FloatingPointError, match="Mask" if left_out is nn.Module else "Wrong"):
            model(x)
        for handle in handles:
            handle.remove()
    assert model[:-1](x).isfinite().all()


@attacks(
    "nan-and-inf/backward-nan#anomaly",
    zh="三到六个运算的链，其中一个返回 nan；float32 和 float64",
    en="chains of three to six operations, one of which returns nan; float32 and float64",
)
@given(
    before=st.lists(st.sampled_from(sorted(HARMLESS)), max_size=2),
    after=st.lists(st.sampled_from(sorted(HARMLESS)), max_size=2),
    poison=st.sampled_from(sorted(POISONS)),
    dtype=st.sampled_from([torch.float32, torch.float64]),
)
def test_anomaly_detection_raises_at_the_first_node_that_returns_nan(before, after, poison, dtype):
    """The first on the way back, whatever stands before and behind it."""
    x = torch.tensor([0.5], dtype=dtype, requires_grad=True)
    with torch.autograd.detect_anomaly():
        y = x
        for name in before:
            y = HARMLESS[name](y)
        y = POISONS[poison](y)
        for name in after:
            y = HARMLESS[name](y.nan_to_num())
        with pytest.raises(RuntimeError, match=f"'{poison}' returned nan values in its 0th"):
            y.sum().backward()


@attacks(
    "nan-and-inf/backward-nan#anomaly",
    zh="对数、根和幂，在值是 nan 或斜率是无穷的点；四种 dtype 和三种形状；没有编译",
    en="logarithms, roots and powers at points where the value is nan or the slope infinite; four dtypes and three shapes; not compiled",
)
@given(
    case=st.sampled_from(["log", "root", "rsqrt", "power", "negative log"]),
    dtype=st.sampled_from(FLOATS),
    shape=st.sampled_from([(), (2,), (2, 3)]),
)
def test_anomaly_detection_lets_inf_and_forward_nan_pass(case, dtype, shape):
    """An infinite gradient, or a value that is nan and a slope that isn't."""
    functions = {
        "log": torch.log,
        "root": torch.sqrt,
        "rsqrt": torch.rsqrt,
        "power": lambda x: x**0.5,
        "negative log": torch.log,
    }
    start = -1.0 if case == "negative log" else 0.0
    x = torch.full(shape, start, dtype=dtype, requires_grad=True)
    with torch.autograd.detect_anomaly():
        y = functions[case](x)
        y.sum().backward()
    if case == "negative log":
        assert y.isnan().all() and x.grad.isfinite().all()
    else:
        assert x.grad.isinf().all()


@attacks(
    "nan-and-inf/roots#roots",
    zh="四种 dtype，从 1e-12 到 1、不会被 dtype 舍成 0 的小数；一到五个数，全是 0 或不全是",
    en="four dtypes, small numbers from 1e-12 to 1 that the dtype doesn't round to 0; one to five numbers, all 0 or not",
)
@given(
    numbers=st.lists(st.sampled_from([0.0, 0.5, -1.0, 3.0]), min_size=1, max_size=5),
    power=st.integers(-12, 0),
    dtype=st.sampled_from(FLOATS),
)
def test_a_small_number_under_the_root_keeps_the_slope_finite(numbers, power, dtype):
    """0 where all numbers are 0; added after the root, it changes nothing."""
    eps = torch.tensor(10.0**power, dtype=dtype)
    assume(eps > 0)
    x = torch.tensor(numbers, dtype=dtype, requires_grad=True)
    (inside,) = torch.autograd.grad((x.square().sum() + eps).sqrt(), x)
    (outside,) = torch.autograd.grad(x.square().sum().sqrt() + eps, x)
    assert inside.isfinite().all()
    if not any(numbers):
        assert (inside == 0).all() and outside.isnan().all()


SCORES = st.lists(st.integers(-10_000, 10_000).map(float), min_size=2, max_size=5)


@attacks(
    "nan-and-inf/log-softmax#log-softmax",
    zh="四种 dtype，二到五个从 -10000 到 10000 的有限分数，值和梯度；也试 cross_entropy 和 binary_cross_entropy_with_logits",
    en="two to five finite scores from -10000 to 10000 in four dtypes, values and gradients; cross_entropy and binary_cross_entropy_with_logits too",
)
@given(scores=SCORES, dtype=st.sampled_from(FLOATS), data=st.data())
def test_from_scores_value_and_gradient_are_finite(scores, dtype, data):
    """However far the scores are from one another."""
    target = torch.tensor(data.draw(st.integers(0, len(scores) - 1)))
    for f in (
        lambda x: -F.log_softmax(x, dim=0)[target],
        lambda x: torch.logsumexp(x, dim=0),
        lambda x: F.cross_entropy(x, target),
        lambda x: F.binary_cross_entropy_with_logits(x, (x > 0).to(x)),
        lambda x: F.binary_cross_entropy_with_logits(x, (x < 0).to(x)),
    ):
        x = torch.tensor(scores, dtype=dtype, requires_grad=True)
        value = f(x)
        value.backward()
        assert value.isfinite() and x.grad.isfinite().all()


@attacks(
    "nan-and-inf/masked-rows#masked-rows",
    zh="一到四个键，掩码随机，至少有一整行被遮住；四种 dtype；masked_fill 用两次；v 的梯度是 nan，加第二个掩码就有限",
    en="one to four keys, masks that are drawn with at least one such row; four dtypes; masked_fill twice; that the values' gradient is nan and, with the second mask, finite",
)
@given(keys=st.integers(1, 4), dtype=st.sampled_from(FLOATS), seed=st.integers(0, 99))
def test_a_hidden_row_spoils_the_values_unless_the_weights_are_masked(keys, dtype, seed):
    """The last row sees nothing; the loss is made of the others."""
    generator = torch.Generator().manual_seed(seed)
    hidden = torch.rand(3, keys, generator=generator) < 0.5
    hidden[:2, 0], hidden[2] = False, True
    drawn = [torch.randn(n, keys, generator=generator).to(dtype) for n in (3, 2)]
    for twice in (False, True):
        scores = drawn[0].clone().requires_grad_()
        values = drawn[1].t().clone().requires_grad_()
        weights = scores.masked_fill(hidden, -math.inf).softmax(dim=1)
        assert weights[2].isnan().all() and weights[:2].isfinite().all()
        if twice:
            weights = weights.masked_fill(hidden, 0.0)
        out = weights @ values
        out[:2].sum().backward()
        assert out[:2].isfinite().all() and out[2].isfinite().all() == twice
        assert values.grad.isfinite().all() == twice
        assert scores.grad.isfinite().all()
        if not twice:
            assert values.grad.isnan().all()
        else:
            assert (out[2] == 0).all()


@attacks(
    "nan-and-inf/after-a-nan#skip",
    zh="一到三个参数，三种 dtype；任意位置有 inf、-inf 或 nan；1、2 和 inf 阶的范数，有无 foreach；在 CPU 上",
    en="one to three parameters, three dtypes; inf, -inf or nan at any place; norms of order 1, 2 and inf, with and without foreach; on the CPU",
)
@given(
    sizes=st.lists(st.integers(1, 4), min_size=1, max_size=3),
    bad=st.sampled_from(NOT_FINITE),
    order=st.sampled_from([1.0, 2.0, math.inf]),
    dtype=st.sampled_from([torch.bfloat16, torch.float32, torch.float64]),
    foreach=st.sampled_from([None, True, False]),
    data=st.data(),
)
def test_the_norm_is_finite_only_if_every_gradient_is(sizes, bad, order, dtype, foreach, data):
    """One number anywhere is enough."""
    params = [torch.ones(n, dtype=dtype, requires_grad=True) for n in sizes]
    for p in params:
        p.grad = torch.ones_like(p)
    assert clip_grad_norm_(params, 10.0, norm_type=order, foreach=foreach).isfinite()
    which = data.draw(st.integers(0, len(params) - 1))
    params[which].grad[data.draw(st.integers(0, sizes[which] - 1))] = bad
    assert not clip_grad_norm_(params, 10.0, norm_type=order, foreach=foreach).isfinite()


WITH_STATE = {
    "SGD": lambda p: optim.SGD(p, lr=0.1, momentum=0.9),
    **{
        kind.__name__: (lambda p, kind=kind: kind(p, lr=0.1))
        for kind in (
            *(optim.Adam, optim.AdamW, optim.Adamax, optim.NAdam, optim.RAdam),
            *(optim.RMSprop, optim.Adagrad, optim.Adadelta),
        )
    },
}


@attacks(
    "nan-and-inf/after-a-nan#after-a-nan",
    zh="带动量的 SGD、Adam、AdamW、Adamax、NAdam、RAdam、RMSprop、Adagrad 和 Adadelta，坏梯度之后五个好梯度，每次把权重放回去；BatchNorm1d 和 BatchNorm2d 的滑动均值和方差，默认动量",
    en="SGD with momentum, Adam, AdamW, Adamax, NAdam, RAdam, RMSprop, Adagrad and Adadelta, five healthy gradients after the bad one and the weight put back each time; the running mean and variance of BatchNorm1d and BatchNorm2d with their default momentum",
)
@given(name=st.sampled_from(sorted(WITH_STATE)), layer=st.sampled_from([1, 2]))
def test_a_nan_stays_in_the_state(name, layer):
    """Of the optimizer, and of BatchNorm."""
    w = nn.Parameter(torch.ones(2))
    chosen = WITH_STATE[name]([w])
    for step, grad in enumerate([1.0, math.nan, *5 * [1.0]]):
        with torch.no_grad():
            w.fill_(1.0)
        w.grad = torch.full((2,), grad)
        chosen.step()
        assert w.isnan().all() == (step > 0)
    norm = (nn.BatchNorm1d if layer == 1 else nn.BatchNorm2d)(3)
    good = torch.randn(4, 3, *(2 * (layer == 2) * [2]))
    norm(good * math.nan)
    for _ in range(5):
        assert norm(good).isfinite().all()
    assert norm.running_mean.isnan().all() and norm.running_var.isnan().all()
    assert norm.eval()(good).isnan().all()


def finite_in_each(rank: int) -> list[bool]:
    """Whether the loss and the norm of the gradients are finite, for a healthy and a bad batch."""
    model = DistributedDataParallel(nn.Linear(2, 1))
    found = []
    for x in (torch.ones(1, 2), torch.full((1, 2), math.nan if rank else 1.0)):
        model.zero_grad()
        loss = model(x).sum()
        loss.backward()
        found += [bool(loss.isfinite()), bool(clip_grad_norm_(model.parameters(), 1.0).isfinite())]
    return found


@attacks(
    "nan-and-inf/after-a-nan#limits",
    zh="gloo 的两个进程；其中一个的批次里有 nan",
    en="two processes with gloo; a nan in the batch of one of them",
)
def test_a_nan_of_one_process_is_in_the_gradients_of_both(ranks):
    """The losses differ, the norms don't."""
    assert ranks(finite_in_each) == [[True, True, True, False], [True, True, False, False]]
