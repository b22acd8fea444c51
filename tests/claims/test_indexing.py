"""What the pages of indexing say in general."""

from functools import partial

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch import optim
from torch.nn import functional

from claims.optimizers import OPTIMIZERS

pytestmark = pytest.mark.upgrade

FLOATS = [torch.float32, torch.float64, torch.bfloat16, torch.float16]
dtypes = st.sampled_from(FLOATS)
shapes = st.lists(st.integers(1, 3), min_size=1, max_size=3)
seeds = st.integers(0, 999)

CUT = [
    *(lambda x: x.argmax(), lambda x: x.argmin(dim=-1), lambda x: x.argsort(), torch.isnan),
    *(lambda x: x > 0, lambda x: x == x.max(), lambda x: (x >= 0).to(x.dtype)),
    *(lambda x: torch.where(x > 0, 1.0, 0.0), lambda x: x.max(dim=0).indices),
    lambda x: x.topk(1).indices,
]
THROUGH = [
    *(lambda x: x.max(dim=-1).values, lambda x: x.sort(dim=-1).values, lambda x: x[-1]),
    *(lambda x: x.topk(1, dim=-1).values, lambda x: x[x >= x.detach().max()]),
    lambda x: x.gather(-1, x.argmax(dim=-1, keepdim=True)),
    lambda x: x.take(torch.tensor([0])),
]
STAIRS = [torch.round, torch.sign]


def drawn(shape: list[int], dtype: torch.dtype, seed: int) -> torch.Tensor:
    torch.manual_seed(seed)
    return (3 * torch.randn(shape)).to(dtype).requires_grad_()


@attacks(
    "indexing/index#indexing",
    "indexing/choosing#choosing",
    zh="十种选择或比较，七种返回选中的数，round 和 sign；四种 dtype，一到三维",
    en="ten ways to choose or compare, seven that return the chosen numbers, round and sign; four dtypes, one to three dimensions",
)
@given(st.sampled_from([*CUT, *THROUGH, *STAIRS]), shapes, dtypes, seeds)
def test_what_ends_the_graph_and_what_sends_a_gradient(f, shape, dtype, seed):
    x = drawn(shape, dtype, seed)
    y = f(x)
    assert y.requires_grad == (y.grad_fn is not None) == (f not in CUT)
    if f in CUT:
        return
    y.sum().backward()
    expected = 0 if f in STAIRS else y.numel()
    assert x.grad.sum().item() == (x.grad != 0).sum().item() == expected


@attacks("indexing/choosing#hard", zh="标量的列表，四种 dtype", en="lists of scalars, four dtypes")
@pytest.mark.filterwarnings("ignore:Converting a tensor with requires_grad")
@given(st.integers(1, 5), dtypes, seeds)
def test_torch_tensor_cuts_and_stack_does_not(count, dtype, seed):
    w = drawn([count], dtype, seed)
    parts = [(number + 1) * w[number] for number in range(count)]
    assert not torch.tensor(parts).requires_grad
    assert torch.stack(parts).requires_grad


@attacks(
    "indexing/choosing#hard", zh="三种温度，与软选择比较", en="three temperatures, hard and soft"
)
@given(st.integers(2, 5), st.sampled_from([0.3, 1.0, 3.0]), seeds)
def test_hard_gumbel_is_one_hot_with_the_gradient_of_the_soft(count, temperature, seed):
    scores = drawn([count], torch.float64, seed)
    values = torch.randn(count, dtype=torch.float64)
    gradients = []
    for hard in (True, False):
        torch.manual_seed(seed)
        weights = functional.gumbel_softmax(scores, tau=temperature, hard=hard)
        if hard:
            one_hot = functional.one_hot(weights.argmax(), count).double()
            torch.testing.assert_close(weights.detach(), one_hot)
        gradients.append(torch.autograd.grad((weights * values).sum(), scores)[0])
    torch.testing.assert_close(*gradients)


READ = [
    *(lambda x, p: x[p], lambda x, p: x.index_select(0, p), lambda x, p: x.gather(0, p)),
    *(torch.take, lambda x, p: torch.take_along_dim(x, p, dim=0)),
    lambda x, p: functional.embedding(p, x[:, None])[:, 0],
]
ADD = [
    lambda x, p, v: x.index_add_(0, p, v),
    lambda x, p, v: x.scatter_add_(0, p, v),
    lambda x, p, v: x.index_put_((p,), v, accumulate=True),
]


@attacks(
    "indexing/repeated#repeated",
    "indexing/repeated#write",
    zh="一到八个下标指向四个位置；六种读法和四种写法；三种 dtype；CPU",
    en="one to eight indices into four places; six ways to read and four to write; three dtypes; CPU",
)
@given(
    st.sampled_from(READ),
    st.sampled_from(ADD),
    st.lists(st.integers(0, 3), min_size=1, max_size=8),
    st.sampled_from([torch.float32, torch.float64, torch.bfloat16]),
)
def test_a_repeated_index_adds_gradients_and_not_what_is_written(read, add, indices, dtype):
    places = torch.tensor(indices)
    shares = (2.0 ** torch.arange(len(indices))).to(dtype)
    written = [[2.0**n for n, i in enumerate(indices) if i == place] for place in range(4)]
    x = torch.ones(4, dtype=dtype, requires_grad=True)
    (shares * read(x, places)).sum().backward()
    assert x.grad.tolist() == [*map(sum, written)]
    assert add(torch.zeros(4, dtype=dtype), places, shares).tolist() == [*map(sum, written)]
    y = torch.zeros(4, dtype=dtype)
    y[places] += shares
    assert all(y[place].item() in (written[place] or [0]) for place in range(4))


SORTED = [
    lambda x, k, dim: x.sort(dim=dim),
    lambda x, k, dim: x.sort(dim=dim, descending=True, stable=True),
    *(torch.topk, lambda x, k, dim: x.topk(k, dim=dim, largest=False)),
    lambda x, k, dim: x.kthvalue(k, dim=dim, keepdim=True),
    lambda x, k, dim: x.median(dim=dim, keepdim=True),
    lambda x, k, dim: x.max(dim=dim, keepdim=True),
]


@attacks(
    "indexing/sorting#back",
    "indexing/sorting#sorting",
    zh="sort、topk、kthvalue、median(dim)、max(dim)，每个维度，也有并列；四种 dtype；CPU",
    en="sort, topk, kthvalue, median(dim), max(dim), each dimension, also with ties; four dtypes; CPU",
)
@given(st.sampled_from(SORTED), shapes, dtypes, st.booleans(), st.data())
def test_sorted_values_send_the_gradient_to_their_places(f, shape, dtype, ties, data):
    torch.manual_seed(data.draw(seeds))
    shape[-1] += data.draw(st.integers(0, 40))
    dim = data.draw(st.integers(0, len(shape) - 1))
    k = data.draw(st.integers(1, shape[dim]))
    x = (torch.randint(3, shape) if ties else torch.randn(shape)).to(dtype).requires_grad_()
    values, places = f(x, k, dim)
    assert not places.requires_grad
    assert values.equal(x.gather(dim, places))
    upstream = torch.randn(values.shape).to(dtype)
    values.backward(upstream)
    assert x.grad.equal(torch.zeros_like(x).scatter(dim, places, upstream))


@attacks("indexing/sorting#ties", zh="一到九个数，许多相等", en="one to nine numbers, many equal")
@given(
    st.lists(st.integers(0, 2), min_size=1, max_size=9),
    st.sampled_from([torch.float32, torch.float64]),
)
def test_equal_values_share_it_or_one_place_has_all(numbers, dtype):
    x = torch.tensor(numbers, dtype=dtype, requires_grad=True)
    one = [
        *(x.max(dim=0).values, x.topk(1).values, x.sort(descending=True).values[:1]),
        *(x.kthvalue((len(numbers) + 1) // 2).values, x.median(dim=0).values),
    ]
    for value in one:
        (gradient,) = torch.autograd.grad(value.sum(), x)
        assert sorted(gradient.tolist()) == [0] * (len(numbers) - 1) + [1]
        assert x[gradient.argmax()] == value
    for value in (x.max(), x.amax(), x.amax(dim=0), x.median()):
        equal = (x == value).to(dtype)
        torch.testing.assert_close(torch.autograd.grad(value, x)[0], equal / equal.sum())


@attacks("indexing/sorting#ranks", zh="一到九个不同的数", en="one to nine different numbers")
@given(st.integers(1, 9), st.sampled_from([torch.float32, torch.float64]), seeds)
def test_a_median_is_the_lower_one_of_the_two(count, dtype, seed):
    torch.manual_seed(seed)
    x = torch.randperm(count).to(dtype).requires_grad_()
    y = x.median()
    assert y == (count - 1) // 2
    assert torch.autograd.grad(y, x)[0].equal((x == y).to(dtype))


@attacks("indexing/sampling-places#sampling-places", zh="随机图像", en="random images")
@given(st.integers(1, 4), st.integers(2, 5), st.booleans(), seeds)
def test_bilinear_places_have_a_slope_and_nearest_ones_have_0(rows, columns, corners, seed):
    torch.manual_seed(seed)
    image = torch.randn(1, 1, rows, columns, dtype=torch.float64, requires_grad=True)
    grid = (1.8 * torch.rand(1, 2, 2, 2, dtype=torch.float64) - 0.9).requires_grad_()

    def sample(grid, mode="bilinear"):
        return functional.grid_sample(image, grid, mode=mode, align_corners=corners).sum()

    to_image, to_grid = torch.autograd.grad(sample(grid), (image, grid))
    assert (to_image != 0).any() and (to_grid != 0).any()
    step = torch.zeros_like(grid)
    step[0, 0, 0, 0] = 1e-7
    measured = (sample(grid + step) - sample(grid - step)).detach() / 2e-7
    torch.testing.assert_close(to_grid[0, 0, 0, 0], measured, rtol=1e-5, atol=1e-5)
    to_image, to_grid = torch.autograd.grad(sample(grid, "nearest"), (image, grid))
    assert to_image.sum() == 4
    assert not to_grid.any()


REAL_LOSSES = [
    *(lambda w: w.abs().sum(), lambda w: (w.abs() ** 2).sum(), lambda w: w.exp().real.sum()),
    *(lambda w: ((2 - 3j) * w).real.sum(), lambda w: (w * w).imag.sum()),
    *(lambda w: (w * w.conj() * w).real.sum(), lambda w: w.angle().sum()),
    lambda w: (torch.fft.fft(w).abs() ** 2).sum(),
]


@attacks(
    "indexing/complex#complex", zh="八种实数损失，有限差分", en="eight real losses, differences"
)
@given(st.sampled_from(REAL_LOSSES), st.integers(1, 3), seeds)
def test_the_gradient_of_a_complex_number_is_its_two_slopes(loss, count, seed):
    torch.manual_seed(seed)
    h = 1e-6
    w = torch.randn(count, dtype=torch.complex128).requires_grad_()
    before, point = loss(w), w.detach()
    before.backward()
    for place in range(count):
        step = torch.zeros_like(point)
        for direction, part in ((1, w.grad[place].real), (1j, w.grad[place].imag)):
            step[place] = h * direction
            measured = (loss(point + step) - loss(point - step)) / (2 * h)
            torch.testing.assert_close(part, measured, rtol=1e-4, atol=1e-4)
    optim.SGD([w], lr=1e-6).step()
    assert loss(w) <= before


@attacks("indexing/complex#descent", zh="所有优化器，两种 dtype", en="all optimizers, two dtypes")
@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_optimizers_take_a_complex_number_for_two_real_ones(optimizer, dtype):
    torch.manual_seed(0)
    start, target = torch.randn(2, 3, 2, dtype=dtype)
    whole = start.clone().requires_grad_()
    halves = torch.view_as_real(start).clone().requires_grad_()
    if optimizer in (optim.Adafactor, optim.Muon, optim.SparseAdam):
        whole.grad = torch.ones_like(whole)
        with pytest.raises((RuntimeError, ValueError), match="does not support complex"):
            optimizer([whole], lr=0.1).step()
        return

    def closure(p, goal):
        p.grad = None
        loss = (p - goal).abs().pow(2).sum()
        loss.backward()
        return loss

    for p, goal in ((whole, target), (halves, torch.view_as_real(target))):
        stepper = optimizer([p], lr=0.1)
        for _ in range(3):
            stepper.step(partial(closure, p, goal))
    torch.testing.assert_close(torch.view_as_real(whole), halves, rtol=1e-4, atol=1e-5)
