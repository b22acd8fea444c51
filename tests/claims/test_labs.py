"""What the pages of labs say in general."""

import ast
import copy
import math
from functools import partial
from itertools import combinations
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


# depth


@attacks(
    "labs/depth#depth", zh="20 层，四种激活，三种大小", en="20 layers, 4 activations, 3 scales"
)
@given(
    st.sampled_from([nn.Identity(), nn.ReLU(), nn.LeakyReLU(), nn.Sigmoid()]),
    st.sampled_from([0.5, 0.7, 1.0]),
    seeds,
)
def test_layers_that_are_alike_multiply_the_gradient_by_about_the_same_factor(act, scale, seed):
    """The two halves of the network are compared."""
    h, norms = normal(seed + 1, 16, 64).requires_grad_(), []
    for weight in normal(seed, 20, 64, 64) * scale / 64**0.5:
        h.register_hook(lambda grad: norms.append(grad.norm().item()))
        h = act(h @ weight)
    h.backward(normal(seed + 2, 16, 64))
    later, earlier = norms[10] / norms[0], norms[-1] / norms[9]
    assert (later / earlier) ** 0.1 == pytest.approx(1, abs=0.1)
    assert later >= 0.1 or norms[-1] < 0.1 * norms[0]


@attacks(
    "labs/depth#activation",
    "labs/flow#dead",
    zh="torch.nn 的 15 种逐元素的激活函数，一到六个输入",
    en="15 activations of torch.nn that take each element by itself, one to six inputs",
)
@given(st.sampled_from(ACTIVATIONS), st.integers(1, 6), seeds)
def test_an_activation_multiplies_each_element_by_its_slope(activation, size, seed):
    """The gradient of a unit is the sum of these over the inputs, times the inputs."""
    h, weight = 2 * normal(seed, size, 3), normal(seed + 1, 2, 3).requires_grad_()
    z, delta, function = h @ weight.t(), normal(seed + 2, size, 2), activation()
    z.retain_grad()
    function(z).backward(delta)
    slopes = (function(z + 1e-6) - function(z - 1e-6)).detach() / 2e-6
    torch.testing.assert_close(z.grad, delta * slopes, rtol=1e-5, atol=1e-6)
    for i, found in enumerate(weight.grad):
        expected = sum(delta[n, i] * slopes[n, i] * h[n] for n in range(size))
        torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-6)


@attacks("labs/depth#residual", zh="宽 1 到 32，抽 500 次", en="widths 1 to 32, 500 draws")
@given(st.integers(1, 32), st.floats(0.3, 2))
def test_a_residual_connection_multiplies_by_the_root_of_one_plus_s_squared(width, scale):
    """On average, within five deviations of the mean."""
    grad = normal(7, width)
    jacobians = normal(8, 500, width, width) * scale / width**0.5
    squares = (grad + jacobians @ grad).square().sum(1) / grad.square().sum()
    spread = squares.std() / len(squares) ** 0.5
    assert abs(squares.mean() - (1 + scale**2)) < 5 * spread


@attacks(
    "labs/depth#normalization", zh="四种归一化，系数 0.01 到 100", en="4 kinds, factors 0.01 to 100"
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
    "labs/depth#normalization", zh="偏置、大的 eps、eval 模式", en="a bias, a large eps, eval mode"
)
@pytest.mark.parametrize(
    ("norm", "size", "bias"),
    [
        (NORMS["LayerNorm"](), 1, normal(2, 8)),
        (nn.LayerNorm(8), 1e-3, 0),
        (NORMS["BatchNorm1d"]().eval(), 1, 0),
    ],
    ids=["a bias", "eps", "eval"],
)
def test_where_larger_weights_do_not_give_the_same_output(norm, size, bias):
    x, weight = normal(0, 16, 8), size * normal(1, 8, 8)
    one, other = (norm.double()(x @ (scale * weight) + bias) for scale in (1, 4))
    assert (one - other).abs().max() > 0.01


@attacks("labs/depth#activation", zh="nn.Linear，1 到 300 个输入", en="nn.Linear, 1 to 300 inputs")
@given(st.integers(1, 300))
def test_how_linear_draws_its_weights(width):
    weight = nn.Linear(width, 4096 // width + 1).weight.detach()
    assert weight.abs().max() <= 1 / width**0.5
    assert weight.var() * 3 * width == pytest.approx(1, abs=0.15)


Z = torch.linspace(-8, 8, 801, dtype=torch.float64)
DENSITY = torch.exp(-Z * Z / 2) / math.sqrt(2 * math.pi) * (Z[1] - Z[0])


@attacks(
    "labs/depth#normalization", zh="无穷宽，系数 0.1 到 5", en="infinite width, factors 0.1 to 5"
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
        before = [p.detach().clone() for p in net[layer].parameters()]
        optimizer.step()
        for old, new in zip(before, net[layer].parameters(), strict=True):
            still &= torch.equal(old[dead[-1]], new[dead[-1]])
    return torch.stack(dead), still


@attacks("labs/flow#dead", zh="两个隐藏层，60 步", en="both hidden layers, 60 steps")
@pytest.mark.parametrize("layer", [0, 2])
def test_dead_units_stand_still_and_come_back_only_behind_a_layer_that_moves(layer):
    dead, still = dead_units(layer)
    assert still
    assert dead.any(), "nothing to see"
    assert (dead[:-1] & ~dead[1:]).any().item() == (layer == 2)


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


@attacks("labs/flow#dead", zh="权重衰减，带不带偏置", en="decay with and without the bias")
@given(st.floats(-3, -0.1), st.floats(0.1, 0.9), st.floats(0.2, 1), st.booleans())
def test_weight_decay_in_sgd_brings_a_dead_unit_back_only_if_it_spares_the_bias(
    w, part, decay, spared
):
    weight, bias = nn.Parameter(torch.tensor(w)), nn.Parameter(torch.tensor(-w * part))
    groups = [
        {"params": [weight], "weight_decay": decay},
        {"params": [bias], "weight_decay": 0 if spared else decay},
    ]
    assert comes_back(torch.optim.SGD(groups, lr=0.9), weight, bias) == spared


@attacks("labs/flow#dead", zh="SGD 的动量，Adam", en="momentum of SGD, Adam")
@given(
    st.sampled_from([partial(torch.optim.SGD, momentum=0.9), torch.optim.Adam]),
    st.floats(-0.5, -0.1),
)
def test_momentum_and_adam_may_bring_a_dead_unit_back(optimizer, w):
    """The last gradient before the unit died still moves it."""
    weight, bias = nn.Parameter(torch.tensor(w)), nn.Parameter(torch.tensor(0.05))
    chosen = optimizer([weight, bias], lr=0.1)
    weight.grad, bias.grad = torch.tensor(-1.0), torch.tensor(-1.0)
    chosen.step()
    weight.data.fill_(w)
    bias.data.fill_(0.05)
    assert comes_back(chosen, weight, bias)


# noise

LOSSES = {
    "mse": lambda out: F.mse_loss(out, torch.ones_like(out)),
    "l1": lambda out: F.l1_loss(out, torch.full_like(out, 0.3)),
    "cross entropy": lambda out: F.cross_entropy(out, torch.zeros(len(out), dtype=torch.long)),
    "smooth l1": lambda out: F.smooth_l1_loss(out, torch.ones_like(out)),
    "sum": lambda out: out.square().sum(),
    "norm": lambda out: out.norm(),
    "negatives from the batch": lambda out: F.cross_entropy(out @ out.t(), torch.arange(len(out))),
}
NO_MEANS = ("sum", "norm", "negatives from the batch")


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


@attacks(
    "labs/noise#noise",
    "labs/noise#square-root",
    zh="24 个样本，微批次大小 1 到 12；四种取平均的损失和三种别的，有无 LayerNorm；float64",
    en="24 samples in micro-batches of 1 to 12; four losses that take a mean and three others, with and without LayerNorm; float64",
)
@given(
    st.sampled_from(sorted(LOSSES)), st.sampled_from([1, 2, 3, 4, 6, 8, 12]), seeds, st.booleans()
)
def test_gradients_of_equal_micro_batches_average_to_the_full_gradient(name, size, seed, normed):
    """Of losses that take a mean."""
    norm = nn.LayerNorm(3).double() if normed and name not in NO_MEANS else None
    gap = gap_of_mean(LOSSES[name], size, seed, norm)
    assert gap > 1e-3 if name in NO_MEANS else gap < 1e-9


@attacks("labs/noise#batch-norm", zh="BatchNorm1d，两种模式", en="BatchNorm1d in both modes")
@given(st.sampled_from([2, 4, 8]), seeds)
def test_with_batch_norm_only_eval_averages(size, seed):
    for kept in (True, False):
        norm = nn.BatchNorm1d(3, track_running_stats=kept).double()
        assert gap_of_mean(LOSSES["mse"], size, seed, norm) > 1e-3
        norm.eval()
        assert (gap_of_mean(LOSSES["mse"], size, seed, norm) < 1e-9) == kept


@attacks("labs/noise#batch-norm", zh="BatchNorm1d、2d、3d", en="BatchNorm1d, 2d, 3d")
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
    "labs/noise#batch-norm", zh="LayerNorm、RMSNorm、GroupNorm", en="three other normalizations"
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


@attacks("labs/noise#noise-scale", zh="线性回归，120 步", en="linear regression, 120 steps")
@given(seeds)
def test_the_noise_scale_grows_without_bound_unless_each_sample_is_fitted(seed):
    start, middle, end = noise_scales(0.5, seed)
    assert end > 10 * middle > 10 * start
    end = noise_scales(0.0, seed)[-1]
    assert end < 100


# index


@attacks("labs/index#by-question", zh="每个脚本的最后一行", en="the last line of each script")
def test_scripts_that_draw_end_with_show():
    for script in SCRIPTS:
        text = script.read_text("utf-8")
        last = ast.unparse(ast.parse(text).body[-1])
        assert (last == "plt.show()") == ("matplotlib" in text), script.name


@attacks(
    "labs/noise#not-alike",
    zh="6 个样本的所有抽法，梯度的尾部很重",
    en="all draws of 6 samples, heavy tails",
)
@given(seeds, st.sampled_from([1, 2, 3]))
def test_the_root_mean_square_falls_with_the_root_of_the_size_whatever_the_tails(seed, size):
    """The draws are without replacement, so the factor of `#finite` belongs to it."""
    gradients = normal(seed, 6) / normal(seed + 1, 6)
    draws = torch.stack([gradients[list(rows)].mean() for rows in combinations(range(6), size)])
    found = (draws - gradients.mean()).square().mean()
    torch.testing.assert_close(found, gradients.var(unbiased=False) / size * (6 - size) / 5)
