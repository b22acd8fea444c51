"""What the pages of labs say in general."""

import ast
import copy
import math
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch import nn
from torch.nn import functional as F

pytestmark = pytest.mark.upgrade

SCRIPTS = sorted((Path(__file__).parent.parent.parent / "snippets" / "labs").glob("*.py"))
ACTIVATIONS = [
    *(nn.ReLU, nn.LeakyReLU, nn.Sigmoid, nn.Tanh, nn.GELU, nn.SiLU, nn.ELU, nn.Softplus),
    *(nn.Mish, nn.Hardtanh, nn.Hardsigmoid, nn.Hardswish, nn.ReLU6, nn.SELU, nn.LogSigmoid),
]
TINY = 1e-20
"""An `eps` that changes nothing; BatchNorm refuses 0."""
NORMS = {
    "LayerNorm": lambda: nn.LayerNorm(8, eps=TINY),
    "BatchNorm1d": lambda: nn.BatchNorm1d(8, eps=TINY),
    "RMSNorm": lambda: nn.RMSNorm(8, eps=TINY),
    "GroupNorm": lambda: nn.GroupNorm(2, 8, eps=TINY),
}

seeds = st.integers(0, 999)


def normal(seed: int, *shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.randn(*shape, dtype=torch.float64, generator=generator)


def gradient_of(function, at: torch.Tensor, then: torch.Tensor) -> torch.Tensor:
    """What comes back to `at` if the gradient `then` enters behind `function`."""
    at = at.detach().requires_grad_()
    return torch.autograd.grad(function(at), at, then)[0]


# depth


@attacks(
    "labs/depth#depth",
    zh="20 个宽 64 的线性层，后面是 ReLU、LeakyReLU、Sigmoid 或什么也没有；三种权重大小；比较网络的前后两半",
    en="20 linear layers of width 64 with nothing, ReLU, LeakyReLU or Sigmoid behind each; three scales of the weights; the two halves of the network are compared",
)
@given(
    st.sampled_from([nn.Identity(), nn.ReLU(), nn.LeakyReLU(), nn.Sigmoid()]),
    st.sampled_from([0.5, 0.7, 1.0]),
    seeds,
)
def test_layers_that_are_alike_multiply_the_gradient_by_about_the_same_factor(act, scale, seed):
    """Linear layers of width 64, drawn alike, and an activation: two halves of twenty layers."""
    weights = normal(seed, 20, 64, 64) * scale / 64**0.5
    h, norms = normal(seed + 1, 16, 64).requires_grad_(), []
    for weight in weights:
        h.register_hook(lambda grad: norms.append(grad.norm().item()))
        h = act(h @ weight)
    h.backward(normal(seed + 2, 16, 64))
    later, earlier = norms[10] / norms[0], norms[-1] / norms[9]
    assert (later / earlier) ** 0.1 == pytest.approx(1, abs=0.1)
    if later < 0.1:
        assert norms[-1] < 0.1 * norms[0]


@attacks(
    "labs/depth#activation",
    zh="torch.nn 的 15 种逐元素的激活函数（Softmax 和 GLU 不是）",
    en="15 activations of torch.nn that take each element by itself (Softmax and GLU don't)",
)
@given(st.sampled_from(ACTIVATIONS), seeds)
def test_an_activation_multiplies_each_element_by_its_slope(activation, seed):
    z, grad, h = 3 * normal(seed, 4, 5), normal(seed + 1, 4, 5), 1e-6
    function = activation()
    slope = (function(z + h) - function(z - h)) / (2 * h)
    torch.testing.assert_close(gradient_of(function, z, grad), grad * slope, rtol=1e-5, atol=1e-6)


@attacks(
    "labs/depth#residual",
    zh="宽 1 到 32 的线性分支，大小从 0.3 到 2，权重抽 500 次取平均",
    en="a linear branch of width 1 to 32, scales from 0.3 to 2, the mean over 500 draws of the weights",
)
@given(st.integers(1, 32), st.floats(0.3, 2))
def test_a_residual_connection_multiplies_by_the_root_of_one_plus_s_squared(width, scale):
    """On average over 500 draws of the weights, within five deviations of the mean."""
    grad = normal(7, width)
    jacobians = normal(8, 500, width, width) * scale / width**0.5
    squares = (grad + jacobians @ grad).square().sum(1) / grad.square().sum()
    spread = squares.std() / len(squares) ** 0.5
    assert abs(squares.mean() - (1 + scale**2)) < 5 * spread


@attacks(
    "labs/depth#normalization",
    zh="LayerNorm、BatchNorm1d、RMSNorm、GroupNorm，eps 很小；系数从 0.01 到 100",
    en="LayerNorm, BatchNorm1d, RMSNorm, GroupNorm with a tiny eps; factors from 0.01 to 100",
)
@given(st.sampled_from(sorted(NORMS)), st.floats(0.01, 100), seeds)
def test_with_normalization_larger_weights_give_the_same_output(name, factor, seed):
    """In training, without a bias; the gradient of the weights gets smaller by the factor."""
    x, weight, grad = normal(seed, 16, 8), normal(seed + 1, 8, 8), normal(seed + 2, 16, 8)
    found = []
    for scale in (1.0, factor):
        norm = NORMS[name]().double()
        inputs, weights = x.clone().requires_grad_(), (scale * weight).requires_grad_()
        out = norm(inputs @ weights)
        found.append((out, *torch.autograd.grad(out, (inputs, weights), grad)))
    (out, to_input, to_weight), (out2, to_input2, to_weight2) = found
    torch.testing.assert_close(out2, out)
    torch.testing.assert_close(to_input2, to_input)
    torch.testing.assert_close(factor * to_weight2, to_weight)


@attacks(
    "labs/depth#normalization",
    zh="加偏置、eps 不小、eval 模式",
    en="a bias, an eps that isn't small, eval mode",
)
@pytest.mark.parametrize("kind", ["a bias", "eps", "eval"])
def test_where_larger_weights_do_not_give_the_same_output(kind):
    x, weight = normal(0, 16, 8), normal(1, 8, 8)
    norm = nn.BatchNorm1d(8, eps=TINY).double() if kind == "eval" else NORMS["LayerNorm"]()
    if kind == "eval":
        norm.eval()
    if kind == "eps":
        norm, weight = nn.LayerNorm(8), weight * 1e-3
    bias = normal(2, 8) if kind == "a bias" else 0
    norm = norm.double()
    one, other = (norm(x @ (scale * weight) + bias) for scale in (1, 4))
    assert (one - other).abs().max() > 0.01


@attacks(
    "labs/depth#activation",
    zh="1 到 300 个输入的上下界和方差",
    en="bounds and variance for 1 to 300 inputs",
)
@given(st.integers(1, 300))
def test_how_linear_draws_its_weights(width):
    weight = nn.Linear(width, 4096 // width + 1).weight.detach()
    assert weight.abs().max() <= 1 / width**0.5
    assert weight.var() * 3 * width == pytest.approx(1, abs=0.15)


Z = torch.linspace(-8, 8, 801, dtype=torch.float64)
DENSITY = torch.exp(-Z * Z / 2) / math.sqrt(2 * math.pi) * (Z[1] - Z[0])


@attacks(
    "labs/depth#normalization",
    zh="很宽的层的极限，写成积分：系数从 0.1 到 5",
    en="in the limit of wide layers, as integrals: factors from 0.1 to 5",
)
@given(st.one_of(st.floats(0.1, 0.98), st.floats(1.05, 5)))
def test_no_factor_keeps_signal_and_gradient_for_tanh(scale):
    """For wide layers without biases: below 1 both shrink, above 1 the gradient grows."""
    square = torch.ones((), dtype=torch.float64)
    for _ in range(300):
        square, before = scale**2 * (DENSITY * (square.sqrt() * Z).tanh().square()).sum(), square
    slopes = 1 - (square.sqrt() * Z).tanh().square()
    factor = scale * (DENSITY * slopes.square()).sum().sqrt()
    if scale < 1:
        assert square < 0.01
        assert factor < 1
    else:
        assert square == pytest.approx(before.item(), rel=1e-3)
        assert factor > 1.001


# flow


@attacks(
    "labs/flow#flow",
    zh="一个权重用一次和三次；每步反向一次和四次",
    en="a weight used once and three times; one and four passes in a step",
)
@pytest.mark.parametrize("passes", [1, 4])
@pytest.mark.parametrize("uses", [1, 3])
def test_a_post_accumulate_hook_is_called_once_for_each_pass(uses, passes):
    """Not once a step, and not once for each use of the weight."""
    w, calls = torch.tensor(2.0, requires_grad=True), []
    w.register_post_accumulate_grad_hook(lambda w: calls.append(w.grad.item()))
    optimizer = torch.optim.SGD([w], lr=0)
    for _ in range(passes):
        (w**2 if uses == 1 else w * w * w).backward()
    optimizer.step()
    gradient = 4 if uses == 1 else 12
    assert calls == [gradient * number for number in range(1, passes + 1)]


@attacks(
    "labs/flow#dead",
    zh="torch.nn 的 15 种激活函数，一到六个输入",
    en="15 activations of torch.nn, one to six inputs",
)
@given(st.sampled_from(ACTIVATIONS), st.integers(1, 6), seeds)
def test_the_gradient_of_a_unit_is_a_sum_over_inputs_of_slopes_times_inputs(kind, size, seed):
    h, weight = normal(seed, size, 3), normal(seed + 1, 2, 3).requires_grad_()
    z, delta, function = h @ weight.t(), normal(seed + 2, size, 2), kind()
    function(z).backward(delta)
    slopes = (function(z + 1e-6) - function(z - 1e-6)).detach() / 2e-6
    expected = torch.stack(
        [sum(delta[n, i] * slopes[n, i] * h[n] for n in range(size)) for i in range(2)]
    )
    torch.testing.assert_close(weight.grad, expected, rtol=1e-5, atol=1e-6)


def dead_units(layer: int, steps: int = 60) -> tuple[torch.Tensor, bool]:
    """For each step and unit of a hidden layer whether it is dead; whether dead units stood still.

    The training is that of the page, with another start.
    """
    torch.manual_seed(1)
    x = torch.linspace(-3, 3, 128)[:, None]
    parts = nn.Linear(1, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1)
    net, dead, still = nn.Sequential(*parts), [], True
    net[layer + 1].register_forward_hook(lambda relu, args, out: dead.append((out == 0).all(0)))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
    for _ in range(steps):
        optimizer.zero_grad()
        F.mse_loss(net(x), torch.sin(2 * x)).backward()
        before = net[layer].weight.detach().clone(), net[layer].bias.detach().clone()
        optimizer.step()
        after = net[layer].weight, net[layer].bias
        still &= all(
            torch.equal(old[dead[-1]], new[dead[-1]])
            for old, new in zip(before, after, strict=True)
        )
    return torch.stack(dead), still


@attacks(
    "labs/flow#dead",
    zh="这一页的网络的两个隐藏层，起点不同；60 步",
    en="both hidden layers of the network of this page, started otherwise; 60 steps",
)
def test_dead_units_stand_still_and_come_back_only_behind_a_layer_that_moves():
    """With plain SGD, never in the first layer."""
    for layer in (0, 2):
        dead, still = dead_units(layer)
        assert still
        assert dead.any(), f"layer {layer}: nothing to see"
        come_back = (dead[:-1] & ~dead[1:]).any().item()
        assert come_back == (layer == 2)


def comes_back(optimizer: torch.optim.Optimizer, w: nn.Parameter, b: nn.Parameter) -> bool:
    """Whether a unit with the inputs 1, 2 and 3 has an output above 0 within 20 steps."""
    for _ in range(20):
        out = F.relu(w * torch.tensor([1.0, 2.0, 3.0]) + b)
        if out.any():
            return True
        optimizer.zero_grad()
        out.sum().backward()
        optimizer.step()
    return False


@attacks(
    "labs/flow#dead",
    zh="一个有三个输入的单元，输入不变；衰减从 0.2 到 1，20 步",
    en="a unit with three inputs that stay the same; decay from 0.2 to 1, 20 steps",
)
@given(st.floats(-3, -0.1), st.floats(0.1, 0.9), st.floats(0.2, 1))
def test_weight_decay_in_sgd_brings_a_dead_unit_back_only_if_it_spares_the_bias(w, part, decay):
    for spared in (True, False):
        weight = nn.Parameter(torch.tensor(w))
        bias = nn.Parameter(torch.tensor(-w * part))
        groups = [{"params": [weight], "weight_decay": decay}, {"params": [bias]}]
        groups[1]["weight_decay"] = 0 if spared else decay
        optimizer = torch.optim.SGD(groups, lr=0.9)
        assert comes_back(optimizer, weight, bias) == spared


@attacks(
    "labs/flow#dead",
    zh="一个有三个输入的单元，第一步之后就死了",
    en="a unit with three inputs that is dead after its first step",
)
@given(st.sampled_from(["momentum", "Adam"]), st.floats(-0.5, -0.1))
def test_momentum_and_adam_may_bring_a_dead_unit_back(kind, w):
    """The last gradient before the unit died still moves it."""
    weight, bias = nn.Parameter(torch.tensor(w)), nn.Parameter(torch.tensor(0.05))
    if kind == "Adam":
        optimizer = torch.optim.Adam([weight, bias], lr=0.1)
    else:
        optimizer = torch.optim.SGD([weight, bias], lr=0.1, momentum=0.9)
    weight.grad, bias.grad = torch.tensor(-1.0), torch.tensor(-1.0)
    weight_before = weight.item()
    optimizer.step()
    with torch.no_grad():
        weight.fill_(weight_before)
        bias.fill_(0.05)
    assert comes_back(optimizer, weight, bias)


@attacks(
    "labs/flow#histogram",
    zh="第一步，梯度大小各异，学习率从 0.001 到 0.5",
    en="the first step, gradients of many sizes and learning rates from 0.001 to 0.5",
)
@given(st.floats(1e-3, 0.5), seeds)
def test_sgd_multiplies_by_one_rate_and_adam_divides_each_by_its_own_size(lr, seed):
    grad = normal(seed, 6) * 10 ** normal(seed + 1, 6)
    moved = {}
    for kind in (torch.optim.SGD, torch.optim.Adam):
        p = nn.Parameter(torch.zeros(6, dtype=torch.float64))
        p.grad = grad.clone()
        kind([p], lr=lr).step()
        moved[kind] = -p.detach()
    torch.testing.assert_close(moved[torch.optim.SGD], lr * grad)
    expected = lr * grad / (grad.abs() + 1e-8)
    torch.testing.assert_close(moved[torch.optim.Adam], expected)


# noise

MEANS = {
    "mse": lambda out: F.mse_loss(out, torch.ones_like(out)),
    "l1": lambda out: F.l1_loss(out, torch.full_like(out, 0.3)),
    "cross entropy": lambda out: F.cross_entropy(out, torch.zeros(len(out), dtype=torch.long)),
    "smooth l1": lambda out: F.smooth_l1_loss(out, torch.ones_like(out)),
}
NO_MEANS = {
    "sum": lambda out: out.square().sum(),
    "norm": lambda out: out.norm(),
    "negatives from the batch": lambda out: F.cross_entropy(out @ out.t(), torch.arange(len(out))),
}


def gap_of_mean(loss, size: int, seed: int, norm: nn.Module | None = None) -> float:
    """How far the mean gradient of micro-batches of 24 samples is from the full gradient."""
    x, weight = normal(seed, 24, 4), normal(seed + 1, 4, 3).requires_grad_()

    def gradient(rows):
        h = x[rows] @ weight
        return torch.autograd.grad(loss(norm(h) if norm else h), weight)[0]

    parts = torch.randperm(24, generator=torch.Generator().manual_seed(seed)).split(size)
    full = gradient(torch.arange(24))
    mean = torch.stack([gradient(part) for part in parts]).mean(0)
    return ((mean - full).norm() / full.norm()).item()


sizes = st.sampled_from([1, 2, 3, 4, 6, 8, 12])


@attacks(
    "labs/noise#noise",
    "labs/noise#square-root",
    zh="24 个样本，微批次大小 1 到 12；四种取平均的损失，有无 LayerNorm；float64",
    en="24 samples in micro-batches of 1 to 12; four losses that take a mean, with and without LayerNorm; float64",
)
@given(st.sampled_from(sorted(MEANS)), sizes, seeds, st.booleans())
def test_gradients_of_equal_micro_batches_average_to_the_full_gradient(
    name, size, seed, layer_norm
):
    norm = nn.LayerNorm(3).double() if layer_norm else None
    assert gap_of_mean(MEANS[name], size, seed, norm) < 1e-9


@attacks(
    "labs/noise#noise",
    zh="不取平均的损失，微批次大小 1 到 12",
    en="losses that don't take a mean, micro-batches of 1 to 12",
)
@given(st.sampled_from(sorted(NO_MEANS)), sizes, seeds)
def test_other_losses_do_not_average(name, size, seed):
    assert gap_of_mean(NO_MEANS[name], size, seed) > 1e-3


@attacks(
    "labs/noise#batch-norm",
    zh="BatchNorm1d，有无保留的统计量，微批次大小 2、4、8",
    en="BatchNorm1d with and without kept statistics, micro-batches of 2, 4 and 8",
)
@given(st.sampled_from([2, 4, 8]), seeds)
def test_with_batch_norm_only_eval_averages(size, seed):
    for kept in (True, False):
        norm = nn.BatchNorm1d(3, track_running_stats=kept).double()
        assert gap_of_mean(MEANS["mse"], size, seed, norm) > 1e-3
        norm.eval()
        assert (gap_of_mean(MEANS["mse"], size, seed, norm) < 1e-9) == kept


@attacks(
    "labs/noise#batch-norm",
    zh="BatchNorm1d、BatchNorm2d、BatchNorm3d；批次大小 2 到 6",
    en="BatchNorm1d, BatchNorm2d, BatchNorm3d; batches of 2 to 6",
)
@given(st.sampled_from([1, 2, 3]), st.integers(2, 6), seeds)
def test_batch_norm_divides_by_n_and_keeps_the_other_variance(dims, size, seed):
    layer = {1: nn.BatchNorm1d, 2: nn.BatchNorm2d, 3: nn.BatchNorm3d}[dims]
    norm = layer(3, eps=1e-12, momentum=1.0).double()
    x = normal(seed, size, 3, *[2] * (dims if dims > 1 else 0))
    over = [0, *range(2, x.dim())]
    out = norm(x)
    torch.testing.assert_close(out.var(over, unbiased=False), torch.ones(3).double())
    torch.testing.assert_close(norm.running_var, x.var(over))


@attacks(
    "labs/noise#batch-norm",
    zh="LayerNorm、RMSNorm、GroupNorm；六个样本一起算和一个个算",
    en="LayerNorm, RMSNorm, GroupNorm; six samples together and one by one",
)
@given(st.sampled_from(["LayerNorm", "RMSNorm", "GroupNorm"]), seeds)
def test_layer_norm_looks_at_one_sample_at_a_time(name, seed):
    norm, x = NORMS[name]().double(), normal(seed, 6, 8)
    torch.testing.assert_close(norm(x), torch.cat([norm(row) for row in x.split(1)]))
    batch_norm = NORMS["BatchNorm1d"]().double()
    assert not torch.allclose(batch_norm(x)[:3], copy.deepcopy(batch_norm)(x[:3]))


def noise_scales(noise: float, seed: int) -> list[float]:
    """The noise scale of a linear model at its start and after 60 and 120 steps of descent."""
    x, found = normal(seed, 64, 4), []
    y = x @ normal(seed + 1, 4, 1) + noise * normal(seed + 2, 64, 1)
    best = torch.linalg.lstsq(x, y).solution
    for steps in (0, 60, 120):
        w = best - torch.matrix_power(torch.eye(4) - 0.1 / 64 * x.t() @ x, steps) @ best
        each = 2 * (x @ w - y) * x
        variance = (each - each.mean(0)).square().sum(1).mean()
        found.append((variance / each.mean(0).square().sum()).item())
    return found


@attacks(
    "labs/noise#noise-scale",
    zh="线性回归，目标有无噪声，120 步",
    en="linear regression with and without noise in the targets, 120 steps",
)
@given(seeds)
def test_the_noise_scale_grows_without_bound_unless_each_sample_is_fitted(seed):
    start, middle, end = noise_scales(0.5, seed)
    assert end > 10 * middle > 10 * start
    end = noise_scales(0.0, seed)[-1]
    assert end < 100


# index


@attacks(
    "labs/index#by-question",
    zh="这一部分每个脚本的最后一行；窗口能不能弹出，看读者的机器",
    en="the last line of each script of this part; that a window opens depends on the reader's machine",
)
def test_scripts_that_draw_end_with_show():
    for script in SCRIPTS:
        text = script.read_text("utf-8")
        last = ast.unparse(ast.parse(text).body[-1])
        assert (last == "plt.show()") == ("matplotlib" in text), script.name
