"""What the pages of indexing say in general."""

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

CUT = {
    "argmax": lambda x: x.argmax(),
    "argmin": lambda x: x.argmin(dim=-1),
    "argsort": lambda x: x.argsort(),
    ">": lambda x: x > 0,
    "==": lambda x: x == x.max(),
    ">=, as numbers": lambda x: (x >= 0).to(x.dtype),
    "where": lambda x: torch.where(x > 0, 1.0, 0.0),
    "isnan": lambda x: x.isnan(),
    "indices of max": lambda x: x.max(dim=0).indices,
    "indices of topk": lambda x: x.topk(1).indices,
}
THROUGH = {
    "max": lambda x: x.max(dim=-1).values,
    "sort": lambda x: x.sort(dim=-1).values,
    "topk": lambda x: x.topk(1, dim=-1).values,
    "index": lambda x: x[-1],
    "mask": lambda x: x[x >= x.detach().max()],
    "gather": lambda x: x.gather(-1, x.argmax(dim=-1, keepdim=True)),
    "take": lambda x: x.take(torch.tensor([0])),
}
STAIRS = {"round": torch.round, "sign": torch.sign}


def drawn(shape: list[int], dtype: torch.dtype, seed: int) -> torch.Tensor:
    torch.manual_seed(seed)
    return (3 * torch.randn(shape)).to(dtype).requires_grad_()


KINDS = sorted({**CUT, **THROUGH, **STAIRS})


@attacks(
    "indexing/index#indexing",
    "indexing/choosing#choosing",
    zh="十种选择或比较，七种返回选中的数，round 和 sign；四种 dtype，一到三维",
    en="ten ways to choose or compare, seven that give the chosen numbers, round and sign; four dtypes, one to three dimensions",
)
@given(st.sampled_from(KINDS), shapes, dtypes, seeds)
def test_what_ends_the_graph_and_what_sends_a_gradient(name, shape, dtype, seed):
    x = drawn(shape, dtype, seed)
    y = {**CUT, **THROUGH, **STAIRS}[name](x)
    assert y.requires_grad == (name not in CUT)
    assert (y.grad_fn is None) == (name in CUT)
    if name in CUT:
        return
    y.sum().backward()
    expected = 0 if name in STAIRS else y.numel()
    assert x.grad.sum().item() == expected
    assert (x.grad != 0).sum().item() == expected


@attacks(
    "indexing/choosing#hard",
    zh="一到五个标量的列表；四种 dtype",
    en="lists of one to five scalars; four dtypes",
)
@given(st.integers(1, 5), dtypes, seeds)
def test_torch_tensor_cuts_and_stack_does_not(count, dtype, seed):
    w = drawn([count], dtype, seed)
    parts = [(number + 1) * w[number] for number in range(count)]
    with pytest.warns(UserWarning, match="Converting a tensor with requires_grad=True"):
        torch.set_warn_always(True)
        copied = torch.tensor(parts)
        torch.set_warn_always(False)
    assert copied.is_leaf
    assert not copied.requires_grad
    assert torch.stack(parts).requires_grad


@attacks(
    "indexing/choosing#hard",
    zh="二到五个分数，三种温度；梯度与同样随机数的软选择比较",
    en="two to five scores, three temperatures; the gradient compared with that of the soft choice with the same random numbers",
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
            torch.testing.assert_close(
                weights.sort().values.detach(), torch.eye(count, dtype=torch.float64)[-1]
            )
        gradients.append(torch.autograd.grad((weights * values).sum(), scores)[0])
    torch.testing.assert_close(*gradients)


READ = {
    "x[places]": lambda x, p: x[p],
    "index_select": lambda x, p: x.index_select(0, p),
    "gather": lambda x, p: x.gather(0, p),
    "take": lambda x, p: x.take(p),
    "take_along_dim": lambda x, p: torch.take_along_dim(x, p, dim=0),
    "embedding": lambda x, p: functional.embedding(p, x[:, None])[:, 0],
}
ADD = {
    "index_add_": lambda x, p, v: x.index_add_(0, p, v),
    "scatter_add_": lambda x, p, v: x.scatter_add_(0, p, v),
    "index_put_": lambda x, p, v: x.index_put_((p,), v, accumulate=True),
}


@attacks(
    "indexing/repeated#repeated",
    "indexing/repeated#write",
    zh="一到八个下标指向四个位置；六种读法和四种写法；三种 dtype；CPU",
    en="one to eight indices into four places; six ways to read and four to write; three dtypes; CPU",
)
@given(
    st.sampled_from(sorted(READ)),
    st.sampled_from(sorted(ADD)),
    st.lists(st.integers(0, 3), min_size=1, max_size=8),
    st.sampled_from([torch.float32, torch.float64, torch.bfloat16]),
)
def test_a_repeated_index_adds_gradients_and_not_what_is_written(read, add, indices, dtype):
    places = torch.tensor(indices)
    shares = (2.0 ** torch.arange(len(indices))).to(dtype)
    sums = [sum(2.0**n for n, i in enumerate(indices) if i == place) for place in range(4)]
    x = torch.ones(4, dtype=dtype, requires_grad=True)
    (shares * READ[read](x, places)).sum().backward()
    assert x.grad.tolist() == sums
    assert ADD[add](torch.zeros(4, dtype=dtype), places, shares).tolist() == sums
    y = torch.zeros(4, dtype=dtype)
    y[places] += shares
    for place in range(4):
        candidates = [2.0**n for n, i in enumerate(indices) if i == place] or [0.0]
        assert y[place].item() in candidates


SORTED = {
    "sort": lambda x, k, dim: x.sort(dim=dim),
    "descending": lambda x, k, dim: x.sort(dim=dim, descending=True, stable=True),
    "topk": lambda x, k, dim: x.topk(k, dim=dim),
    "smallest": lambda x, k, dim: x.topk(k, dim=dim, largest=False),
    "kthvalue": lambda x, k, dim: x.kthvalue(k, dim=dim, keepdim=True),
    "median": lambda x, k, dim: x.median(dim=dim, keepdim=True),
    "max": lambda x, k, dim: x.max(dim=dim, keepdim=True),
}


@attacks(
    "indexing/sorting#back",
    "indexing/sorting#sorting",
    zh="sort、topk、kthvalue、median(dim)、max(dim) 和 msort，每个维度，也有并列；四种 dtype；CPU",
    en="sort, topk, kthvalue, median(dim), max(dim) and msort, each dimension, also with ties; four dtypes; CPU",
)
@given(st.sampled_from(sorted(SORTED)), shapes, dtypes, st.booleans(), st.data())
def test_sorted_values_send_the_gradient_to_their_places(name, shape, dtype, ties, data):
    torch.manual_seed(data.draw(seeds))
    shape[-1] += data.draw(st.integers(0, 40))
    dim = data.draw(st.integers(0, len(shape) - 1))
    k = data.draw(st.integers(1, shape[dim]))
    start = torch.randint(3, shape) if ties else torch.randn(shape)
    x = start.to(dtype).requires_grad_()
    values, places = SORTED[name](x, k, dim)
    assert not places.requires_grad
    assert values.equal(x.gather(dim, places))
    upstream = torch.randn(values.shape).to(dtype)
    values.backward(upstream)
    assert x.grad.equal(torch.zeros_like(x).scatter(dim, places, upstream))


@attacks(
    "indexing/sorting#ties",
    zh="一到九个数，其中许多相等；float32、float64；CPU",
    en="one to nine numbers of which many are equal; float32, float64; CPU",
)
@given(st.lists(st.integers(0, 2), min_size=1, max_size=9), st.data())
def test_equal_values_share_it_or_one_place_has_all(numbers, data):
    dtype = data.draw(st.sampled_from([torch.float32, torch.float64]))
    x = torch.tensor(numbers, dtype=dtype, requires_grad=True)
    middle = (len(numbers) + 1) // 2
    one = {
        "max": x.max(dim=0),
        "topk": x.topk(1),
        "sort": x.sort(descending=True)[0][:1],
        "kthvalue": x.kthvalue(middle),
        "median": x.median(dim=0),
    }
    for found in one.values():
        value = found if torch.is_tensor(found) else found.values
        gradient = torch.autograd.grad(value.sum(), x)[0]
        assert sorted(gradient.tolist()) == [0] * (len(numbers) - 1) + [1]
        assert x[gradient.argmax()] == value
    for value in (x.max(), x.amax(), x.amax(dim=0), x.median()):
        equal = (x == value).to(dtype)
        gradient = torch.autograd.grad(value, x)[0]
        torch.testing.assert_close(gradient, equal / equal.sum())


@attacks(
    "indexing/sorting#ranks",
    zh="一到九个不同的数；float32、float64；CPU",
    en="one to nine different numbers; float32, float64; CPU",
)
@given(st.integers(1, 9), st.sampled_from([torch.float32, torch.float64]), seeds)
def test_a_median_is_the_lower_one_of_the_two(count, dtype, seed):
    torch.manual_seed(seed)
    order = torch.randperm(count)
    x = order.to(dtype).requires_grad_()
    y = x.median()
    assert y == (count - 1) // 2
    gradient = torch.autograd.grad(y, x)[0]
    assert gradient.equal((order == (count - 1) // 2).to(dtype))


@attacks(
    "indexing/sampling-places#sampling-places",
    zh="一到四行、二到五列的随机图像，位置在图内；两种 align_corners；float64；有限差分；CPU",
    en="random images of one to four rows and two to five columns, places inside; both align_corners; float64; finite differences; CPU",
)
@given(st.integers(1, 4), st.integers(2, 5), st.booleans(), seeds)
def test_bilinear_places_have_a_slope_and_nearest_ones_have_0(rows, columns, corners, seed):
    torch.manual_seed(seed)
    image = torch.randn(1, 1, rows, columns, dtype=torch.float64, requires_grad=True)
    grid = (1.8 * torch.rand(1, 2, 2, 2, dtype=torch.float64) - 0.9).requires_grad_()

    def sample(image, grid, mode="bilinear"):
        return functional.grid_sample(image, grid, mode=mode, align_corners=corners)

    value = sample(image, grid)
    to_image, to_grid = torch.autograd.grad(value.sum(), (image, grid))
    assert (to_image != 0).any()
    assert (to_grid != 0).any()
    h = 1e-7
    step = torch.zeros_like(grid)
    step[0, 0, 0, 0] = h
    measured = (sample(image, grid + step) - sample(image, grid - step)).sum() / (2 * h)
    torch.testing.assert_close(to_grid[0, 0, 0, 0], measured.detach(), rtol=1e-5, atol=1e-5)
    nearest = sample(image, grid, "nearest").sum()
    to_image, to_grid = torch.autograd.grad(nearest, (image, grid))
    assert to_image.sum() == 4
    assert not to_grid.any()


REAL_LOSSES = {
    "abs": lambda w: w.abs().sum(),
    "square": lambda w: (w.abs() ** 2).sum(),
    "real": lambda w: ((2 - 3j) * w).real.sum(),
    "imag of a square": lambda w: (w * w).imag.sum(),
    "exp": lambda w: w.exp().real.sum(),
    "product": lambda w: (w * w.conj() * w).real.sum(),
    "fft": lambda w: (torch.fft.fft(w).abs() ** 2).sum(),
    "angle": lambda w: w.angle().sum(),
}


@attacks(
    "indexing/complex#complex",
    zh="一到三个复数的八种实数损失，complex128 的有限差分；SGD 走一步，损失变小",
    en="eight real losses of one to three complex numbers, finite differences in complex128; a step of SGD lowers the loss",
)
@given(st.sampled_from(sorted(REAL_LOSSES)), st.integers(1, 3), seeds)
def test_the_gradient_of_a_complex_number_is_its_two_slopes(name, count, seed):
    torch.manual_seed(seed)
    loss, h = REAL_LOSSES[name], 1e-6
    w = torch.randn(count, dtype=torch.complex128).requires_grad_()
    before = loss(w)
    before.backward()
    point = w.detach()
    for place in range(count):
        for direction in (1, 1j):
            step = torch.zeros_like(point)
            step[place] = h * direction
            measured = (loss(point + step) - loss(point - step)) / (2 * h)
            part = w.grad[place].real if direction == 1 else w.grad[place].imag
            torch.testing.assert_close(part, measured, rtol=1e-4, atol=1e-4)
    optim.SGD([w], lr=1e-6).step()
    assert loss(w) <= before


@attacks(
    "indexing/complex#descent",
    zh="所有优化器，默认设置，三步，与 view_as_real 比较；complex64 和 complex128",
    en="all optimizers with their defaults, three steps, compared with view_as_real; complex64 and complex128",
)
@pytest.mark.parametrize("dtype", [torch.complex64, torch.complex128])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_optimizers_take_a_complex_number_for_two_real_ones(optimizer, dtype):
    torch.manual_seed(0)
    start, target = torch.randn(2, 3, 2, dtype=dtype)
    whole = start.clone().requires_grad_()
    halves = torch.view_as_real(start).clone().requires_grad_()
    if optimizer in (optim.Adafactor, optim.Muon, optim.SparseAdam):
        (whole - target).abs().pow(2).sum().backward()
        with pytest.raises((RuntimeError, ValueError), match="does not support complex"):
            optimizer([whole], lr=0.1).step()
        return
    for p, goal in ((whole, target), (halves, torch.view_as_real(target))):
        stepper = optimizer([p], lr=0.1)

        def closure(p=p, goal=goal):
            p.grad = None
            loss = (p - goal).abs().pow(2).sum()
            loss.backward()
            return loss

        for _ in range(3):
            stepper.step(closure)
    torch.testing.assert_close(torch.view_as_real(whole), halves, rtol=1e-4, atol=1e-5)
