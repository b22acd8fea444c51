"""What the pages of higher-order say in general."""

import gc
import math
import weakref

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch import nn
from torch.autograd import forward_ad
from torch.autograd.function import once_differentiable
from torch.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, vjp, vmap
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

from claims.graph import own

pytestmark = pytest.mark.upgrade

OPERATIONS = {
    "square": lambda x: x * x,
    "cube": lambda x: x**3,
    "exp": torch.exp,
    "sin": torch.sin,
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "inverse": lambda x: 1 / (x + 2),
    "softplus": F.softplus,
}
NAMES = st.sampled_from(sorted(OPERATIONS))
NUMBERS = st.floats(-1, 1).map(lambda x: torch.tensor(x, dtype=torch.float64))
SEEDS = st.integers(0, 10**6)
DTYPES = st.sampled_from([torch.float32, torch.float64])
NETWORKS = {
    "linear": lambda: nn.Linear(4, 3),
    "two layers": lambda: nn.Sequential(nn.Linear(4, 5), nn.Tanh(), nn.Linear(5, 3)),
    "convolution": lambda: nn.Sequential(
        nn.Unflatten(-1, (1, 4)),
        nn.Conv1d(1, 2, 2),
        nn.GroupNorm(1, 2),
        nn.Flatten(-2),
        nn.Linear(6, 3),
    ),
    "embedding": lambda: nn.Sequential(
        Whole(), nn.Embedding(3, 2), nn.Flatten(-2), nn.Linear(8, 3)
    ),
    "normalized": lambda: nn.Sequential(nn.Linear(4, 3), nn.BatchNorm1d(3)).eval(),
}
LOSSES = {
    "squares": lambda y: F.mse_loss(y, torch.ones_like(y)),
    "labels": lambda y: F.cross_entropy(y, torch.ones(len(y), dtype=torch.long)),
}


class Whole(nn.Module):
    """Whole numbers below 3, for an embedding."""

    def forward(self, x):
        return x.abs().clamp(max=2).long()


def network(name, seed, dtype):
    torch.manual_seed(seed)
    return NETWORKS[name]().to(dtype)


@attacks(
    "higher-order/per-sample#per-sample",
    "higher-order/per-sample#inside-out",
    "higher-order/review#remember",
    zh="五种网络，两种损失，一到五个样本，有无 chunk_size；与循环调用 torch.autograd.grad 比较",
    en="five networks, two losses, one to five samples, with and without chunk_size; against a loop of torch.autograd.grad",
)
@given(
    name=st.sampled_from(sorted(NETWORKS)),
    loss=st.sampled_from(sorted(LOSSES)),
    samples=st.integers(1, 5),
    chunk_size=st.sampled_from([None, 1, 2]),
    dtype=DTYPES,
    seed=SEEDS,
)
def test_each_row_is_the_gradient_of_a_sample(name, loss, samples, chunk_size, dtype, seed):
    """The rows, and their size; functional_call takes the weights it is handed, .grad stays None."""
    net, other = network(name, seed, dtype), network(name, seed + 1, dtype)
    before = [p.clone() for p in net.parameters()]
    x, calls = torch.randn(samples, 4, dtype=dtype), []

    def sample_loss(weights, x):
        calls.append(1)
        return LOSSES[loss](functional_call(net, weights, (x[None],)))

    weights = {key: p.detach() for key, p in other.named_parameters()}
    assert torch.equal(functional_call(net, weights, (x,)), other(x))
    rows = vmap(grad(sample_loss), in_dims=(None, 0), chunk_size=chunk_size)(weights, x)
    assert len(calls) == (1 if chunk_size is None else math.ceil(samples / chunk_size))
    assert all(p.grad is None for p in (*net.parameters(), *other.parameters()))
    assert all(torch.equal(p, q) for p, q in zip(net.parameters(), before, strict=True))
    names, params = zip(*other.named_parameters(), strict=True)
    assert [rows[key].shape for key in names] == [(samples, *p.shape) for p in params]
    for i in range(samples):
        expected = torch.autograd.grad(LOSSES[loss](other(x[i : i + 1])), params)
        for key, gradient in zip(names, expected, strict=True):
            assert torch.allclose(rows[key][i], gradient, rtol=1e-4, atol=1e-5)


class LargestProduct(TorchDispatchMode):
    """The largest result of a product of matrices that runs inside."""

    def __init__(self):
        super().__init__()
        self.size = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        if function in (torch.ops.aten.mm.default, torch.ops.aten.bmm.default):
            self.size = max(self.size, result.numel())
        return result


@attacks(
    "higher-order/per-sample#inside-out",
    zh="隐藏层宽 8 到 32，1 到 24 个样本，每块 1 到 8 个；看途中最大的矩阵乘积",
    en="a hidden layer of 8 to 32, 1 to 24 samples in chunks of 1 to 8; the largest product of matrices on the way",
)
@given(hidden=st.integers(8, 32), chunks=st.integers(1, 3), chunk_size=st.integers(1, 8))
def test_a_chunk_makes_less_on_the_way_and_the_same_result(hidden, chunks, chunk_size):
    net = nn.Sequential(nn.Linear(4, hidden), nn.Tanh(), nn.Linear(hidden, 1))
    weights = {key: p.detach() for key, p in net.named_parameters()}
    x, sizes, found = torch.randn(chunks * chunk_size, 4), [], []

    def sample_loss(weights, x):
        return functional_call(net, weights, (x[None],)).square().sum()

    for size in (None, chunk_size):
        with LargestProduct() as largest:
            found.append(vmap(grad(sample_loss), in_dims=(None, 0), chunk_size=size)(weights, x))
        sizes.append(largest.size)
    assert sizes[0] == chunks * sizes[1]
    torch.testing.assert_close(*found)


@attacks(
    "higher-order/per-sample#limits",
    zh="BatchNorm1d、2d、3d，有滑动统计量和 track_running_stats=False；一到四个样本",
    en="BatchNorm1d, 2d and 3d, with running statistics and with track_running_stats=False; one to four samples",
)
@given(samples=st.integers(1, 4), dimensions=st.integers(1, 3))
def test_batch_norm_in_training_mode_raises_under_vmap(samples, dimensions):
    """It would have to write each sample's statistics into one place.

    Without such a place, it normalizes each sample by itself.
    """
    kind = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)[dimensions - 1]
    layer = kind(2)
    x = torch.randn(samples, 1, 2, *[4] * dimensions)
    with pytest.raises(RuntimeError):
        vmap(lambda x: layer(x).sum())(x)
    layer = kind(2, track_running_stats=False)
    alone = torch.stack([layer(sample) for sample in x])
    assert torch.allclose(vmap(layer)(x), alone, atol=1e-5)
    found = vmap(grad(lambda x: layer(x).square().sum() + layer(x).pow(3).sum()))(x)
    assert found.shape == x.shape


ONCE = {
    "_cdist_backward": lambda x: torch.cdist(x, x + 1),
    "_pdist_backward": lambda x: F.pdist(x),
    "hardsigmoid_backward": F.hardsigmoid,
    "_ctc_loss_backward": lambda x: F.ctc_loss(
        x[:, None].log_softmax(2), torch.tensor([[1]]), torch.tensor([3]), torch.tensor([1])
    ),
    "multi_margin_loss_backward": lambda x: F.multi_margin_loss(x, torch.tensor([0, 1, 2])),
    "_scaled_dot_product_flash_attention_for_cpu_backward": lambda x: (
        F.scaled_dot_product_attention(x[None, None], x[None, None], x[None, None])
    ),
}
TWICE = [
    *(torch.exp, torch.sin, torch.sigmoid, torch.tanh, F.relu, F.gelu, F.silu, F.softplus, F.elu),
    *(F.leaky_relu, lambda x: x.logsumexp(0), lambda x: x.cumprod(0), lambda x: x.softmax(0)),
    lambda x: F.layer_norm(x, (4,)),
    lambda x: plain_attention(x[None, None]),
]


def plain_attention(x: torch.Tensor) -> torch.Tensor:
    with sdpa_kernel(SDPBackend.MATH):
        return F.scaled_dot_product_attention(x, x, x)


@attacks(
    "higher-order/not-twice#not-twice",
    "higher-order/not-twice#limits",
    "higher-order/second-derivative#second-derivative",
    zh="CPU 上六种没有二阶导数的运算，和十五种有的，与差分比较",
    en="six operations without a second derivative on the CPU, and fifteen with one, against differences",
)
@given(name=st.sampled_from(sorted(ONCE)), function=st.sampled_from(TWICE), seed=SEEDS)
def test_without_a_second_derivative_the_error_names_the_operation(name, function, seed):
    """The first derivative is there, the second raises."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.rand(3, 4, generator=generator, requires_grad=True)
    (g,) = torch.autograd.grad(ONCE[name](x).sum(), x, create_graph=True)
    assert g.requires_grad
    with pytest.raises(RuntimeError, match=f"derivative for .*{name}.* is not implemented"):
        torch.autograd.grad(g.square().sum(), x)
    away_from_kinks = (x.detach().double() + 0.1).requires_grad_()
    assert torch.autograd.gradgradcheck(function, away_from_kinks)


@attacks(
    "higher-order/not-twice#once",
    zh="标了 once_differentiable 的立方，单独或再加上八种运算",
    en="a cube marked with once_differentiable, alone or with one of eight operations added to it",
)
@given(other=st.sampled_from([None, *OPERATIONS]), dtype=DTYPES, at=st.floats(0.5, 2))
def test_the_graph_of_others_hides_a_missing_share(other, dtype, at):
    """Alone no graph; beside another operation its second derivative alone."""

    def cube(ctx, w):
        ctx.save_for_backward(w)
        return w**3

    backward = once_differentiable(lambda ctx, grad_y: grad_y * 3 * ctx.saved_tensors[0] ** 2)
    w = torch.tensor(at, dtype=dtype, requires_grad=True)
    y = own(cube, backward).apply(w)
    if other is None:
        assert not torch.autograd.grad(y, w, create_graph=True)[0].requires_grad
        return
    (g,) = torch.autograd.grad(y + OPERATIONS[other](w), w, create_graph=True)
    assert g.requires_grad
    second = torch.autograd.grad(g, w, allow_unused=True, materialize_grads=True)
    expected = grad(grad(OPERATIONS[other]))(w.detach())
    torch.testing.assert_close(second[0], expected)


@attacks(
    "higher-order/forward-mode#forward-mode",
    "higher-order/forward-mode#rows-and-columns",
    zh="乘一个矩阵再 tanh，输入和输出一到二十个；数列数、行数和乘法的次数",
    en="a product with a matrix, then tanh, one to twenty inputs and outputs; columns, rows and products counted",
)
@given(inputs=st.integers(1, 20), outputs=st.integers(1, 20), dtype=DTYPES, seed=SEEDS)
def test_forward_mode_takes_columns_and_reverse_mode_rows(inputs, outputs, dtype, seed):
    """One column for each jvp, one row for each vjp, and what both cost."""
    generator = torch.Generator().manual_seed(seed)
    matrix = torch.randn(outputs, inputs, generator=generator, dtype=dtype)
    x = torch.randn(inputs, generator=generator, dtype=dtype)

    def f(x):
        return torch.tanh(matrix @ x)

    y, pull_back = vjp(f, x)
    columns = [jvp(f, (x,), (unit,))[1] for unit in torch.eye(inputs, dtype=dtype)]
    rows = [pull_back(unit)[0] for unit in torch.eye(outputs, dtype=dtype)]
    expected = (1 - y**2)[:, None] * matrix
    counts = []
    for jacobian in (jacfwd, jacrev):
        with FlopCounterMode(display=False) as counter:
            found = jacobian(f)(x)
        counts.append(counter.get_total_flops())
        for other in (found, torch.stack(columns, dim=1), torch.stack(rows)):
            assert torch.allclose(other, expected, rtol=1e-4, atol=1e-5)
    assert counts == [2 * outputs * inputs * inputs, 2 * inputs * outputs * outputs]


@attacks(
    "higher-order/forward-mode#dual",
    zh="八种运算组成的一到四环的链，与反向模式比较",
    en="chains of one to four of eight operations, against reverse mode",
)
@given(names=st.lists(NAMES, min_size=1, max_size=4), x=NUMBERS)
def test_each_operation_computes_value_and_tangent(names, x):
    """The tangent after each operation is the derivative so far."""
    leaf = x.clone().requires_grad_()
    y = leaf
    with forward_ad.dual_level():
        number = forward_ad.make_dual(x, torch.ones_like(x))
        for name in names:
            number, y = OPERATIONS[name](number), OPERATIONS[name](y)
            value, tangent = forward_ad.unpack_dual(number)
            (expected,) = torch.autograd.grad(y, leaf, retain_graph=True)
            assert number.grad_fn is None
            assert torch.equal(value, y.detach())
            assert torch.allclose(tangent, expected)


@attacks(
    "higher-order/forward-mode#no-grad",
    zh="no_grad 里或 detach 过的八种运算；make_dual、jvp、jacfwd、grad、jacrev 和 hessian",
    en="eight operations under no_grad or detached; make_dual, jvp, jacfwd, grad, jacrev and hessian",
)
@given(name=NAMES, x=NUMBERS, outside=st.booleans())
def test_no_grad_stops_reverse_mode_alone_and_detach_both(name, x, outside):
    """X f(x), with f(x) computed under no_grad, or detached."""
    operation = OPERATIONS[name]

    def with_no_grad(x):
        with torch.no_grad():
            value = operation(x)
        return value * x

    def with_detach(x):
        return operation(x).detach() * x

    def tangent_of(f):
        with forward_ad.dual_level():
            y = f(forward_ad.make_dual(x, torch.ones_like(x)))
            return forward_ad.unpack_dual(y).tangent

    held = operation(x)
    through = jacrev(lambda x: operation(x) * x)(x)
    for reverse in (grad, jacrev):
        for f in (with_no_grad, with_detach):
            assert torch.allclose(reverse(f)(x), held)
    for forward in (tangent_of, lambda f: jacfwd(f)(x), lambda f: jvp(f, (x,), (x * 0 + 1,))[1]):
        assert torch.allclose(forward(with_no_grad), through)
        assert torch.allclose(forward(with_detach), held)
        if outside:
            with torch.no_grad():
                assert torch.allclose(forward(lambda x: operation(x) * x), through)
    second = hessian(lambda x: with_no_grad(x) * x)(x)
    assert torch.allclose(second, 2 * held + 2 * x * jacrev(operation)(x)), "forward over reverse"
    assert torch.allclose(jacrev(jacrev(lambda x: with_no_grad(x) * x))(x), 2 * held)


@attacks(
    "higher-order/not-twice#limits",
    zh="torch.cdist，24 到 28 行对 2 到 28 行，1、2、3 阶",
    en="torch.cdist of 24 to 28 rows with 2 to 28; the orders 1, 2 and 3",
)
@given(rows=st.integers(24, 28), other=st.integers(2, 28), p=st.sampled_from([1.0, 2.0, 3.0]))
def test_cdist_computes_long_lists_with_a_matrix_product(rows, other, p):
    """Its second derivative can be computed there; elsewhere it stops."""
    x = torch.rand(rows, 2, dtype=torch.float64, requires_grad=True)
    y = torch.rand(other, 2, dtype=torch.float64) + 1
    (slope,) = torch.autograd.grad(torch.cdist(x, y, p).square().sum(), x, create_graph=True)
    if p == 2 and max(rows, other) > 25:
        (second,) = torch.autograd.grad(slope.sum(), x)
        torch.testing.assert_close(second, torch.full_like(x, 2.0 * other))
    else:
        with pytest.raises(NotImplementedError, match="_cdist_backward"):
            torch.autograd.grad(slope.sum(), x)


@attacks(
    "higher-order/forward-mode#limits",
    zh="CPU 上的 torch.cdist 和 scaled_dot_product_attention",
    en="torch.cdist and scaled_dot_product_attention on the CPU",
)
@pytest.mark.filterwarnings("ignore:There is a performance drop")
def test_some_operations_have_no_formula_for_forward_mode():
    """Reverse mode works, forward mode raises and names the operation."""
    x = torch.rand(3, 4)
    for name in ("_cdist_backward", "_scaled_dot_product_flash_attention_for_cpu_backward"):
        jacrev(ONCE[name])(x)
        with pytest.raises(NotImplementedError, match="Trying to use forward AD with"):
            jacfwd(ONCE[name])(x)


@attacks(
    "higher-order/hooks-under-func#hooks-under-func",
    zh="五种网络，四种钩子；权重需要梯度或分离了；grad、vjp、jacrev，和 vmap 里的 grad",
    en="five networks, four kinds of hooks; weights that require a gradient or are detached; grad, vjp, jacrev, and grad under vmap",
)
@given(
    name=st.sampled_from(sorted(NETWORKS)),
    detached=st.booleans(),
    how=st.sampled_from(["grad", "vjp", "jacrev", "vmap"]),
    seed=SEEDS,
)
def test_hooks_inside_fire_and_those_on_parameters_do_not(name, detached, how, seed):
    """And the result has a graph only if the weights require a gradient."""
    net = network(name, seed, torch.float64)
    fired = []
    for module in net.modules():
        module.register_forward_pre_hook(lambda module, args: fired.append("pre"))
        module.register_forward_hook(lambda module, args, y: fired.append("forward"))
    for p in net.parameters():
        p.register_hook(lambda g: fired.append("parameter"))
        p.register_post_accumulate_grad_hook(lambda p: fired.append("parameter"))

    def loss(weights, x):
        y = functional_call(net, weights, (x[None],))
        y.register_hook(lambda g: fired.append("inside"))
        return y.square().sum()

    weights = {key: p.detach() if detached else p for key, p in net.named_parameters()}
    x = torch.randn(2, 4, dtype=torch.float64)
    if how == "vjp":
        y, pull_back = vjp(lambda weights: loss(weights, x[0]), weights)
        (gradients,) = pull_back(torch.ones_like(y))
    elif how == "vmap":
        gradients = vmap(grad(loss), in_dims=(None, 0))(weights, x)
    else:
        gradients = {"grad": grad, "jacrev": jacrev}[how](loss)(weights, x[0])
    modules = len(list(net.modules()))
    assert fired.count("pre") == fired.count("forward") == modules
    assert fired.count("inside") == 1
    assert "parameter" not in fired
    assert all(p.grad is None for p in net.parameters())
    assert any(g.requires_grad for g in gradients.values()) == (not detached)


@attacks(
    "higher-order/inner-step#warning",
    zh="八种运算；backward() 有无 create_graph，之后清空，torch.autograd.grad",
    en="eight operations; backward() with and without create_graph, cleared afterward, torch.autograd.grad",
)
@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph")
@given(name=NAMES, how=st.sampled_from(["backward", "backward, None", "grad", "plain"]))
def test_backward_with_create_graph_keeps_the_parameter(name, how):
    """The ring of w and its gradient is no one's but with create_graph in backward."""

    def one_round():
        w = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
        loss = OPERATIONS[name](w) ** 2
        if how == "grad":
            torch.autograd.grad(loss, w, create_graph=True)
        else:
            loss.backward(create_graph=how != "plain")
        if how == "backward, None":
            w.grad = None
        return weakref.ref(w)

    kept = one_round()
    gc.collect()
    assert (kept() is not None) == (how == "backward")
    if kept() is not None:
        kept().grad = None


@attacks(
    "higher-order/inner-step#inner-step",
    zh="两层的网络，一到四步梯度下降，与差分比较",
    en="a network of two layers, one to four steps of gradient descent, against differences",
)
@given(steps=st.integers(1, 4), create_graph=st.booleans(), seed=SEEDS)
def test_a_step_into_new_weights_is_in_the_graph(steps, create_graph, seed):
    """Against differences of the whole, with two layers; 1 without create_graph."""
    net = network("two layers", seed, torch.float64)
    x, y = torch.randn(2, 5, 4, dtype=torch.float64), torch.ones(5, 3, dtype=torch.float64)

    def reached(weights, create_graph=True):
        for _ in range(steps):
            loss = F.mse_loss(functional_call(net, weights, (x[0],)), y)
            gradients = torch.autograd.grad(loss, list(weights.values()), create_graph=create_graph)
            pairs = zip(weights.items(), gradients, strict=True)
            weights = {key: p - 0.1 * g for (key, p), g in pairs}
        return weights

    def outer(bias):
        weights = dict(net.named_parameters()) | {"0.bias": bias}
        return F.mse_loss(functional_call(net, reached(weights), (x[1],)), y)

    bias = net[0].bias.detach().clone().requires_grad_()
    assert torch.autograd.gradcheck(outer, bias)
    moved = reached(dict(net.named_parameters()), create_graph)["0.bias"]
    (through,) = torch.autograd.grad(moved.sum(), net[0].bias)
    assert torch.equal(through, torch.ones_like(through)) == (not create_graph)


SCALARS = {
    "product": lambda w: (w + 2).prod(),
    "fourth": lambda w: (w**4).sum() + w.sum() ** 3,
    "norm": lambda w: (w**2 + 1).sum().sqrt(),
    "logsumexp": lambda w: w.logsumexp(0),
}


@attacks(
    "higher-order/hessian-vector#hessian-vector",
    zh="四个函数，一到六个数；两次反向，和反向之上前向；与 torch.func.hessian 比较",
    en="four functions of one to six numbers; twice in reverse, and forward over reverse; against torch.func.hessian",
)
@given(name=st.sampled_from(sorted(SCALARS)), size=st.integers(1, 6), seed=SEEDS)
def test_the_hessian_times_a_vector(name, size, seed):
    """Two ways without the matrix, against the matrix."""
    generator = torch.Generator().manual_seed(seed)
    w, v = torch.randn(2, size, generator=generator, dtype=torch.float64)
    f = SCALARS[name]
    expected = hessian(f)(w) @ v
    leaf = w.clone().requires_grad_()
    (g,) = torch.autograd.grad(f(leaf), leaf, create_graph=True)
    (product,) = torch.autograd.grad(g @ v, leaf)
    assert torch.allclose(product, expected)
    assert torch.allclose(jvp(grad(f), (w,), (v,))[1], expected)
