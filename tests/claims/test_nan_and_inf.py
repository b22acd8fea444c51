"""What the pages of nan-and-inf say in general."""

import math
from functools import partial

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

HARMLESS = (lambda x: x + 1, torch.neg, torch.cos, torch.clone)
POISONS = {
    "SqrtBackward0": lambda x: torch.where(x > 9, torch.sqrt(x * 0.0), 0.0),
    "LogBackward0": lambda x: 0 * torch.log(x * 0.0),
    "AcosBackward0": lambda x: 0 * torch.acos(x * 0.0 + 1),
}


class Mask(nn.Module):
    """Fills in an infinity on purpose."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x.masked_fill(torch.arange(x.shape[-1]) > 1, -math.inf)


@attacks(
    "nan-and-inf/first-nan#suspects", zh="三种坏掉的层，两种 dtype", en="3 wrong layers, 2 dtypes"
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
    x, last = torch.randn(2, 4, dtype=dtype), nn.Identity()
    last.register_forward_hook(lambda module, args, p: wrong(p))

    def stop(module, args, output):
        if not output.isfinite().all():
            raise FloatingPointError(type(module).__name__)

    model = nn.Sequential(*(kind() for kind in before), Mask(), nn.Softmax(dim=-1), last)
    for module in model.modules():
        if not isinstance(module, Mask):
            module.register_forward_hook(stop)
    with pytest.raises(FloatingPointError, match="Identity"):
        model(x)
    assert model[:-1](x).isfinite().all()
    model[-3].register_forward_hook(stop)
    with pytest.raises(FloatingPointError, match="Mask"):
        model(x)


@attacks("nan-and-inf/backward-nan#anomaly", zh="最多五个运算的链", en="up to five operations")
@given(
    before=st.lists(st.sampled_from(HARMLESS), max_size=2),
    after=st.lists(st.sampled_from(HARMLESS), max_size=2),
    poison=st.sampled_from(sorted(POISONS)),
    dtype=st.sampled_from([torch.float32, torch.float64]),
)
def test_anomaly_detection_raises_at_the_first_node_that_returns_nan(before, after, poison, dtype):
    """The first on the way back, whatever stands before and behind it."""
    y = torch.tensor([0.5], dtype=dtype, requires_grad=True)
    with torch.autograd.detect_anomaly():
        for f in (*before, POISONS[poison]):
            y = f(y)
        for f in after:
            y = f(y.nan_to_num())
        with pytest.raises(RuntimeError, match=f"'{poison}' returned nan values in its 0th"):
            y.sum().backward()


@attacks(
    "nan-and-inf/backward-nan#anomaly", zh="五种函数，四种 dtype", en="five functions, four dtypes"
)
@given(
    f=st.sampled_from([torch.log, torch.sqrt, torch.rsqrt, lambda x: x**0.5]),
    dtype=st.sampled_from(FLOATS),
    shape=st.sampled_from([(), (2,), (2, 3)]),
)
def test_anomaly_detection_lets_inf_and_forward_nan_pass(f, dtype, shape):
    """An infinite gradient, or a value that is nan and a slope that isn't."""
    at_0, negative = (torch.full(shape, at, dtype=dtype, requires_grad=True) for at in (0.0, -1.0))
    with torch.autograd.detect_anomaly():
        f(at_0).sum().backward()
        y = torch.log(negative)
        y.sum().backward()
    assert at_0.grad.isinf().all()
    assert y.isnan().all() and negative.grad.isfinite().all()


@attacks("nan-and-inf/roots#roots", zh="四种 dtype，1e-12 到 1", en="four dtypes, 1e-12 to 1")
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
    "nan-and-inf/log-softmax#log-softmax", zh="-10000 到 10000 的分数", en="scores up to 10000"
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


@attacks("nan-and-inf/masked-rows#masked-rows", zh="随机的掩码", en="random masks")
@given(keys=st.integers(1, 4), dtype=st.sampled_from(FLOATS), seed=st.integers(0, 99))
def test_a_hidden_row_spoils_the_values_unless_the_weights_are_masked(keys, dtype, seed):
    """The last row sees nothing; the loss is made of the others."""
    torch.manual_seed(seed)
    hidden = torch.rand(3, keys) < 0.5
    hidden[:2, 0], hidden[2] = False, True
    for twice in (False, True):
        scores, values = (torch.randn(s).to(dtype).requires_grad_() for s in ((3, keys), (keys, 2)))
        weights = scores.masked_fill(hidden, -math.inf).softmax(dim=1)
        assert weights[2].isnan().all() and weights[:2].isfinite().all()
        out = (weights.masked_fill(hidden, 0.0) if twice else weights) @ values
        out[:2].sum().backward()
        assert out[:2].isfinite().all() and scores.grad.isfinite().all()
        assert (out[2] == 0).all() if twice else out[2].isnan().all()
        assert values.grad.isfinite().all() if twice else values.grad.isnan().all()


WITH_STATE = (
    *(partial(optim.SGD, momentum=0.9), optim.Adam, optim.AdamW, optim.Adamax, optim.NAdam),
    *(optim.RAdam, optim.RMSprop, optim.Adagrad, optim.Adadelta),
)


@attacks(
    "nan-and-inf/after-a-nan#after-a-nan", zh="九种优化器，BatchNorm", en="9 optimizers, BatchNorm"
)
@given(
    optimizer=st.sampled_from(WITH_STATE),
    layer=st.sampled_from([(nn.BatchNorm1d, (4, 3)), (nn.BatchNorm2d, (4, 3, 2, 2))]),
)
def test_a_nan_stays_in_the_state(optimizer, layer):
    """Of the optimizer, and of BatchNorm."""
    w = nn.Parameter(torch.ones(2))
    chosen = optimizer([w], lr=0.1)
    for step, grad in enumerate([1.0, math.nan, *5 * [1.0]]):
        w.data.fill_(1.0)
        w.grad = torch.full((2,), grad)
        chosen.step()
        assert w.isnan().all() == (step > 0)
    norm, good = layer[0](3), torch.randn(layer[1])
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


@attacks("nan-and-inf/after-a-nan#limits", zh="两个进程，一个有 nan", en="two ranks, a nan in one")
def test_a_nan_of_one_process_is_in_the_gradients_of_both(ranks):
    """The losses differ, the norms don't."""
    assert ranks(finite_in_each) == [[True, True, True, False], [True, True, False, False]]


@attacks(
    "nan-and-inf/no-labels#no-labels",
    "nan-and-inf/no-labels#why",
    "nan-and-inf/no-labels#own-mean",
    "nan-and-inf/no-labels#limits",
    zh="四种 dtype，一维到三维的输出，有无类别权重和标签平滑，两个 ignore_index；再加另一项损失",
    en="four dtypes, outputs of one to three dimensions, with and without class weights and label smoothing, two values of ignore_index; with another loss added",
)
@given(
    dtype=st.sampled_from(FLOATS),
    places=st.sampled_from([(), (2,), (2, 3)]),
    smoothing=st.sampled_from([0.0, 0.1]),
    weighted=st.booleans(),
    ignored=st.sampled_from([-100, 0]),
)
def test_without_a_label_the_mean_is_nan_and_its_gradient_0(
    dtype, places, smoothing, weighted, ignored
):
    """Divided by at least 1 both are 0; a mean of one's own has a nan gradient."""
    x = torch.randn(3, 4, *places).to(dtype).requires_grad_()
    labels = torch.full((3, *places), ignored)
    weight = torch.ones(4, dtype=dtype) if weighted else None
    how = {"ignore_index": ignored, "label_smoothing": smoothing, "weight": weight}
    loss = F.cross_entropy(x, labels, **how)
    assert loss.isnan()
    assert (torch.autograd.grad(loss, x)[0] == 0).all()
    count = (labels != ignored).sum().clamp(min=1)
    total = F.cross_entropy(x, labels, reduction="sum", **how) / count
    assert total == 0 and (torch.autograd.grad(total, x)[0] == 0).all()
    both = x.square().sum() + 0.5 * F.cross_entropy(x, labels, **how)
    assert both.isnan()
    assert torch.equal(torch.autograd.grad(both, x)[0], 2 * x.detach())

    keep = torch.zeros(3, dtype=torch.bool)
    losses = x.flatten(1).square().mean(1)
    for mean, finite in (
        (losses[keep].mean(), True),
        ((losses * keep).sum() / keep.sum(), False),
        ((losses * keep).sum() / keep.sum().clamp(min=1), True),
    ):
        assert torch.autograd.grad(mean, x, retain_graph=True)[0].isfinite().all() == finite


@attacks(
    "nan-and-inf/decompositions#decompositions",
    "nan-and-inf/decompositions#why",
    "nan-and-inf/decompositions#ways",
    "nan-and-inf/decompositions#limits",
    zh="单位矩阵的倍数和奇异值各不相同的矩阵，二到五阶，float32 和 float64",
    en="multiples of the identity, and matrices of different singular values, of size two to five, float32 and float64",
)
@given(
    size=st.integers(2, 5),
    factor=st.sampled_from([0.5, 1.0, 2.0, 4.0]),
    dtype=st.sampled_from([torch.float32, torch.float64]),
)
def test_equal_values_spoil_the_vectors_alone(size, factor, dtype):
    """The values alone, and functions that don't divide by differences, have finite gradients."""
    equal = factor * torch.eye(size, dtype=dtype)
    different = torch.diag(torch.arange(1.0, size + 1, dtype=dtype))

    def rebuilt(a):
        u, s, vh = torch.linalg.svd(a)
        return ((u * s) @ vh).square().sum()

    def by_eigh(a):
        values, vectors = torch.linalg.eigh(a)
        return (vectors * values.exp() @ vectors.T).square().sum()

    for way, of_values in (
        (rebuilt, lambda a: torch.linalg.svdvals(a).square().sum()),
        (by_eigh, lambda a: torch.linalg.eigvalsh(a).exp().square().sum()),
    ):
        for matrix, is_equal in ((equal, True), (different, False)):
            a = matrix.clone().requires_grad_()
            (by_vectors,) = torch.autograd.grad(way(a), a)
            (expected,) = torch.autograd.grad(of_values(a), a)
            assert expected.isfinite().all()
            if is_equal:
                assert by_vectors.isnan().any()
            else:
                assert torch.allclose(by_vectors, expected, rtol=1e-3, atol=1e-3)
    for way in (
        *(torch.matrix_exp, torch.linalg.pinv, torch.linalg.cholesky, torch.linalg.svdvals),
        *(lambda a: torch.linalg.qr(a).R, lambda a: torch.linalg.matrix_norm(a, "nuc")),
        *(lambda a: torch.linalg.svd(a).S, lambda a: torch.linalg.solve(a, a + 1)),
    ):
        a = equal.clone().requires_grad_()
        assert torch.autograd.grad(way(a).sum(), a)[0].isfinite().all()
    a = equal.clone().requires_grad_()
    (shared,) = torch.autograd.grad(torch.linalg.matrix_norm(a, 2), a)
    assert torch.allclose(shared.diagonal().abs(), torch.tensor(1 / size, dtype=dtype))


@attacks(
    "nan-and-inf/decompositions#why",
    "nan-and-inf/decompositions#ways",
    zh="特征值相差 1e-6 到 1 的两行矩阵，float64",
    en="matrices of two rows whose eigenvalues differ by 1e-6 to 1, float64",
)
@given(power=st.integers(-20, 0))
def test_a_vector_turns_at_one_over_the_difference(power):
    gap = 2.0**power
    t = torch.tensor(0.0, dtype=torch.float64, requires_grad=True)
    two = torch.tensor(2.0, dtype=torch.float64)
    values, vectors = torch.linalg.eigh(torch.stack([two, t, t, two + gap]).view(2, 2))
    (turn,) = torch.autograd.grad(vectors[1, 0] / vectors[0, 0], t, retain_graph=True)
    assert abs(turn) == pytest.approx(1 / gap)
    assert torch.autograd.grad(values.sum(), t)[0].abs() < 1e-6


@attacks(
    "nan-and-inf/roots#eps",
    zh="四种 dtype，1e-12 到 1e-2；根号里、根号外、clamp 和 sign",
    en="four dtypes, 1e-12 to 1e-2; under the root, after it, by clamp and by sign",
)
@given(power=st.integers(-12, -2), dtype=st.sampled_from(FLOATS))
def test_where_the_small_number_goes(power, dtype):
    """Too small for the dtype, it is 0, and as good as none."""
    eps = torch.tensor(10.0**power, dtype=dtype)
    x = torch.tensor(0.0, dtype=dtype, requires_grad=True)
    ways = (
        ((x + eps).sqrt(), 1 / (2 * eps.sqrt())),
        (x.sqrt() + eps, math.inf),
        (x.clamp(min=eps.item()).sqrt(), 0 if eps > 0 else math.inf),
        (x.clamp(min=0.0).sqrt(), math.inf),
    )
    for y, slope in ways:
        (g,) = torch.autograd.grad(y, x)
        assert g.item() == pytest.approx(float(slope), rel=0.02)
    if eps > 0:
        margin = torch.tensor([-0.5, 0.0, 0.5], dtype=dtype)
        by_sign = margin + torch.sign(margin) * eps
        by_where = margin + torch.where(margin >= 0, eps, -eps)
        assert (by_sign == 0).tolist() == [False, True, False]
        assert (by_where != 0).all()
