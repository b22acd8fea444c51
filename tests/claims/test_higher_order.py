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
from torch.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, linearize, vjp, vmap
from torch.nn import functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint
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


@attacks(
    "higher-order/per-sample#checkpoint",
    "higher-order/review#remember",
    zh="五种网络，一到四个样本，两种检查点",
    en="five networks, one to four samples, both kinds of checkpoint",
)
@given(name=st.sampled_from(sorted(NETWORKS)), samples=st.integers(1, 4), reentrant=st.booleans())
def test_checkpoints_need_an_ordinary_graph(name, samples, reentrant):
    """torch.func raises; is_grads_batched gives the rows."""
    net = network(name, samples, torch.float64)
    x, weights = torch.randn(samples, 4, dtype=torch.float64), list(net.parameters())

    def loss(x):
        return checkpoint(net, x, use_reentrant=reentrant).square().flatten(1).sum(1)

    with pytest.raises(RuntimeError):
        vmap(grad(lambda x: loss(x[None])[0]))(x)
    if not reentrant:
        rows = torch.autograd.grad(loss(x), weights, torch.eye(samples), is_grads_batched=True)
        for i in range(samples):
            one = torch.autograd.grad(net(x[i : i + 1]).square().sum(), weights)
            assert all(torch.allclose(a[i], b) for a, b in zip(rows, one, strict=True))


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


LAYERS = {
    "tanh": torch.tanh,
    "softplus": F.softplus,
    "sine": torch.sin,
}
"""Rounds that converge, as the matrix below has a norm below 1."""


@attacks(
    "higher-order/implicit#implicit",
    "higher-order/implicit#why",
    "higher-order/implicit#hook",
    "higher-order/implicit#limits",
    zh="一到五个数的不动点，三种激活；与差分比较，有无 detach",
    en="fixed points of one to five numbers, three activations; against differences, with and without detach",
)
@given(
    size=st.integers(1, 5), name=st.sampled_from(sorted(LAYERS)), detach=st.booleans(), seed=SEEDS
)
def test_a_newton_step_or_a_hook_gives_the_gradient_of_a_fixed_point(size, name, detach, seed):
    """What is saved doesn't grow with the rounds; a second derivative is wrong or raises."""
    generator = torch.Generator().manual_seed(seed)
    w = torch.randn(size, size, generator=generator, dtype=torch.float64)
    w = (0.5 * w / torch.linalg.matrix_norm(w, 2)).requires_grad_()
    x = torch.randn(size, generator=generator, dtype=torch.float64, requires_grad=True)

    def layer(z, w=w, x=x):
        return LAYERS[name](w @ z + x)

    def solve(rounds, w=w, x=x):
        z = torch.zeros(size, dtype=torch.float64)
        for _ in range(rounds):
            z = layer(z, w, x)
        return z

    def newton(w, x):
        with torch.no_grad():
            found = solve(60, w, x)
        matrix = torch.eye(size, dtype=torch.float64) - jacrev(lambda z: layer(z, w, x))(found)
        residual = layer(found, w, x) - found
        return found + torch.linalg.solve(matrix.detach() if detach else matrix, residual)

    expected = torch.autograd.grad(solve(60).sum(), (w, x))
    assert torch.autograd.gradcheck(lambda x: solve(60, w.detach(), x), x)
    saved = []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: saved.append(t) or t, lambda t: t):
        with torch.no_grad():
            found = solve(60)
        assert not saved
        at = found.clone().requires_grad_()
        again, z = layer(at), layer(found)
        assert len(saved) <= 6

    def series(g):
        total = g
        for _ in range(60):
            total = g + torch.autograd.grad(again, at, total, retain_graph=True)[0]
        return total

    z.register_hook(series)
    for way in (newton(w, x), z):
        assert torch.allclose(way, found)
        got = torch.autograd.grad(way.sum(), (w, x))
        assert all(torch.allclose(a, b) for a, b in zip(got, expected, strict=True))
    once = torch.autograd.grad(layer(found).sum(), x)[0]
    assert not torch.allclose(once, expected[1])
    if detach:
        seconds = []
        for way in (newton(w, x), solve(60)):
            (g,) = torch.autograd.grad(way.sum(), x, create_graph=True)
            seconds.append(torch.autograd.grad(g.sum(), x)[0])
        assert not torch.allclose(*seconds)


@attacks(
    "higher-order/implicit#argmin",
    zh="一到四个权重的岭回归，训练到最低点，三种优化器；与解析解的导数比较",
    en="ridge regression of one to four weights, trained to the minimum by three optimizers; against the closed form",
)
@given(
    size=st.integers(1, 4),
    kind=st.sampled_from(["SGD", "momentum", "LBFGS"]),
    seed=SEEDS,
)
def test_the_answer_of_a_training_run_does_not_depend_on_the_optimizer(size, kind, seed):
    generator = torch.Generator().manual_seed(seed)
    data = torch.randn(8, size, generator=generator, dtype=torch.float64) / 2
    y = torch.randn(8, generator=generator, dtype=torch.float64)
    strength = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)

    def training_loss(z):
        return (data @ z - y).square().sum() / 2 + strength * z.square().sum() / 2

    z = torch.zeros(size, dtype=torch.float64, requires_grad=True)
    lr = 1 / (torch.linalg.matrix_norm(data, 2).item() ** 2 + 2)
    optimizer = {
        "SGD": lambda: torch.optim.SGD([z], lr=lr),
        "momentum": lambda: torch.optim.SGD([z], lr=lr, momentum=0.5),
        "LBFGS": lambda: torch.optim.LBFGS([z], tolerance_grad=1e-12, tolerance_change=0),
    }[kind]()

    def closure():
        optimizer.zero_grad()
        loss = training_loss(z)
        loss.backward(inputs=[z])
        return loss

    for _ in range(5 if kind == "LBFGS" else 200):
        optimizer.step(closure)
    assert strength.grad is None
    (g,) = torch.autograd.grad(training_loss(z), z, create_graph=True)
    matrix = hessian(training_loss)(z.detach()).detach()
    answer = z.detach() - torch.linalg.solve(matrix, g)
    (found,) = torch.autograd.grad(answer.sum(), strength)
    eye = torch.eye(size, dtype=torch.float64)
    closed = torch.linalg.solve(data.T @ data + strength * eye, data.T @ y)
    assert torch.allclose(answer, closed)
    assert torch.allclose(found, torch.autograd.grad(closed.sum(), strength)[0], atol=1e-6)


@attacks(
    "higher-order/ode-adjoint#ode-adjoint",
    "higher-order/ode-adjoint#steps",
    "higher-order/ode-adjoint#why",
    zh="一到三个数的网络，欧拉法，16 到 256 步；与差分比较",
    en="networks of one to three numbers, Euler's method, 16 to 256 steps; against differences",
)
@given(size=st.integers(1, 3), seed=SEEDS)
def test_the_adjoint_is_off_by_the_step_and_saves_none(size, seed):
    """Through the steps the gradient is that of the result; the distance halves with the step."""
    generator = torch.Generator().manual_seed(seed)
    w = torch.randn(size, size, generator=generator, dtype=torch.float64) / 2
    start = torch.randn(size, generator=generator, dtype=torch.float64)

    def slope(z, w):
        return torch.tanh(w @ z) - z

    def end(w, steps):
        z = start
        for _ in range(steps):
            z = z + slope(z, w) / steps
        return z

    def adjoint(steps):
        with torch.no_grad():
            z = end(w, steps)
        a, of_w = torch.ones_like(z), torch.zeros_like(w)
        for _ in range(steps):
            y, pull = vjp(slope, z, w)
            of_z, share = pull(a)
            of_w, a, z = of_w + share / steps, a + of_z / steps, z - y / steps
        return of_w

    leaf = w.clone().requires_grad_()
    assert torch.autograd.gradcheck(lambda w: end(w, 16), leaf)
    saved, gaps = {}, {}
    for steps in (16, 128, 256):
        saved[steps] = []
        hooks = (lambda t: saved[steps].append(t) or t, lambda t: t)  # noqa: B023
        with torch.autograd.graph.saved_tensors_hooks(*hooks):
            z = end(leaf, steps)
        (through,) = torch.autograd.grad(z.sum(), leaf)
        gaps[steps] = (through - adjoint(steps)).norm()
    assert len(saved[256]) > 10 * len(saved[16])
    assert gaps[16] > gaps[128] > 0
    assert gaps[256] / gaps[128] == pytest.approx(0.5, rel=0.2)


@attacks(
    "higher-order/gauss-newton#gauss-newton",
    "higher-order/gauss-newton#dropped",
    "higher-order/gauss-newton#fisher",
    "higher-order/gauss-newton#empirical",
    zh="两层的网络，一到四个样本，平方误差和交叉熵；与整个矩阵和对所有标签的平均比较",
    en="a network of two layers, one to four samples, squared error and cross-entropy; against whole matrices and averages over all labels",
)
@given(samples=st.integers(1, 4), kind=st.sampled_from(["squares", "labels"]), seed=SEEDS)
def test_gauss_newton_is_never_negative_and_fisher_for_cross_entropy(samples, kind, seed):
    """The Hessian is the rest; without residuals there is no rest."""
    torch.manual_seed(seed)
    x, v = torch.randn(samples, 2, dtype=torch.float64), torch.randn(9, dtype=torch.float64)
    w = torch.randn(9, dtype=torch.float64)
    y = torch.randn(samples, 3, dtype=torch.float64)
    labels = torch.randint(3, (samples,))

    def model(w):
        return torch.tanh(x * w[:2]) @ w[3:9].view(2, 3) * w[2]

    def loss(out):
        if kind == "squares":
            return (out - y).square().sum() / 2
        return F.cross_entropy(out, labels, reduction="sum")

    out, along = jvp(model, (w,), (v,))
    curved = jvp(grad(loss), (out,), (along,))[1]
    (product,) = vjp(model, w)[1](curved)
    jacobian = jacrev(model)(w).flatten(0, 1)
    matrix = jacobian.T @ hessian(loss)(out).reshape(3 * samples, -1) @ jacobian
    assert torch.allclose(product, matrix @ v)
    assert torch.linalg.eigvalsh(matrix).min() > -1e-9
    dropped = torch.einsum("o,oij->ij", grad(loss)(out).flatten(), hessian(model)(w).flatten(0, 1))
    assert torch.allclose(hessian(lambda w: loss(model(w)))(w), matrix + dropped)
    if kind == "labels":
        p = out.softmax(1)
        assert torch.allclose(curved, p * (along - (p * along).sum(1, keepdim=True)))
        fisher, empirical = torch.zeros_like(matrix), torch.zeros_like(matrix)
        for i in range(samples):
            for label in range(3):
                g = grad(lambda w: F.cross_entropy(model(w)[i], torch.tensor(label)))(w)  # noqa: B023
                fisher += p[i, label] * g.outer(g)
                if label == labels[i]:
                    empirical += g.outer(g)
        assert torch.allclose(fisher, matrix)
        assert not torch.allclose(empirical, matrix)


@attacks(
    "higher-order/influence#influence",
    "higher-order/influence#why",
    "higher-order/influence#many",
    "higher-order/influence#limits",
    zh="一到三个权重的最小二乘，20 到 200 个样本，去掉一个或改一个标签；与重新拟合比较",
    en="least squares of one to three weights, 20 to 200 samples, one removed or its label changed; against new fits",
)
@given(size=st.integers(1, 3), samples=st.integers(20, 200), seed=SEEDS)
def test_the_influence_of_a_sample(size, samples, seed):
    """The share of the curvature is missing in the estimate, exactly; a new label misses nothing."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(samples, size, generator=generator, dtype=torch.float64)
    y = torch.randn(samples, generator=generator, dtype=torch.float64)

    def fit(x, y):
        return torch.linalg.solve(x.T @ x, x.T @ y)

    w, matrix = fit(x, y), x.T @ x
    of_sample = grad(lambda w: (x[0] @ w - y[0]) ** 2 / 2)(w)
    estimate = torch.linalg.solve(matrix, of_sample)
    share = x[0] @ torch.linalg.solve(matrix, x[0])
    moved = fit(x[1:], y[1:]) - w
    assert torch.allclose(moved, estimate / (1 - share))
    test = torch.randn(size, generator=generator, dtype=torch.float64)
    once = torch.linalg.solve(matrix, test)
    assert torch.allclose(once @ of_sample, test @ estimate)
    changed = y.clone()
    changed[0] += 1
    of_change = grad(lambda w: (x[0] @ w - changed[0]) ** 2 / 2)(w) - of_sample
    assert torch.allclose(fit(x, changed) - w, -torch.linalg.solve(matrix, of_change))


@attacks(
    "higher-order/forward-mode#linearize",
    zh="八种运算组成的一到三环的链，一到六个方向；与 jvp 比较；带 dropout",
    en="chains of one to three of eight operations, one to six directions; against jvp; with dropout",
)
@pytest.mark.filterwarnings("ignore:Attempted to insert")
@given(names=st.lists(NAMES, min_size=1, max_size=3), count=st.integers(1, 6), seed=SEEDS)
def test_linearize_runs_the_function_twice(names, count, seed):
    """However many directions there are; a mask is drawn anew by each."""
    torch.manual_seed(seed)
    w, directions = torch.rand(3, dtype=torch.float64), torch.randn(count, 3, dtype=torch.float64)
    calls = []

    def f(w):
        calls.append(1)
        for name in names:
            w = OPERATIONS[name](w)
        return w

    y, along = linearize(f, w)
    found = [along(v) for v in directions]
    assert len(calls) == 2 and torch.equal(y, f(w))
    for v, tangent in zip(directions, found, strict=True):
        assert torch.allclose(tangent, jvp(f, (w,), (v,))[1])
    _, noisy = linearize(lambda w: F.dropout(w, 0.5), torch.ones(64))
    assert not torch.equal(noisy(torch.ones(64)), noisy(torch.ones(64)))


@attacks(
    "higher-order/per-sample#batch-dimension",
    zh="一到三维的卷积和 BatchNorm，一到四个样本，两种 dtype；jacrev 与循环比较",
    en="convolutions and BatchNorm of one to three dimensions, one to four samples, two dtypes; jacrev against a loop",
)
@given(dimensions=st.integers(1, 3), samples=st.integers(1, 4), dtype=DTYPES, seed=SEEDS)
def test_a_sample_under_vmap_needs_its_batch_dimension(dimensions, samples, dtype, seed):
    torch.manual_seed(seed)
    convolution = (nn.Conv1d, nn.Conv2d, nn.Conv3d)[dimensions - 1]
    norm = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)[dimensions - 1]
    net = nn.Sequential(convolution(1, 2, 2), norm(2)).to(dtype).eval()
    images = torch.randn(samples, 1, *[3] * dimensions, dtype=dtype)

    def one(image):
        return net(image[None])[0]

    if dimensions > 1:  # BatchNorm1d takes two dimensions for a batch
        with pytest.raises(ValueError, match=f"expected {dimensions + 2}D input"):
            vmap(net)(images)
    assert torch.allclose(vmap(one)(images), net(images), atol=1e-5)
    jacobians = vmap(jacrev(one))(images)
    for image, jacobian in zip(images, jacobians, strict=True):
        alone = torch.autograd.functional.jacobian(one, image)
        assert torch.allclose(jacobian, alone, atol=1e-5)


@attacks(
    "higher-order/not-twice#linear-network",
    zh="一到四层的线性网络，有无偏置，权重冻结与否；autograd.grad、hessian、jacrev",
    en="linear networks of one to four layers, with and without bias, frozen or not; autograd.grad, hessian, jacrev",
)
@given(
    layers=st.integers(1, 4),
    bias=st.booleans(),
    frozen=st.booleans(),
    seed=SEEDS,
)
def test_the_derivative_of_a_linear_network_has_no_x_in_it(layers, bias, frozen, seed):
    """The graph exists because of the weights; without them there is none."""
    torch.manual_seed(seed)
    net = nn.Sequential(*(nn.Linear(4, 4, bias=bias) for _ in range(layers)))
    net.requires_grad_(not frozen)
    x = torch.randn(1, 4, requires_grad=True)
    (g,) = torch.autograd.grad(net(x).sum(), x, create_graph=True)
    assert g.requires_grad == (not frozen)
    message = "does not require grad" if frozen else "appears to not have been used"
    with pytest.raises(RuntimeError, match=message):
        torch.autograd.grad(g.sum(), x, retain_graph=True)
    if not frozen:
        (second,) = torch.autograd.grad(g.sum(), x, materialize_grads=True)
        assert torch.equal(second, torch.zeros_like(x))
    for twice in (hessian, lambda f: jacrev(jacrev(f))):
        assert not twice(lambda x: net(x).sum())(x.detach()).any()
