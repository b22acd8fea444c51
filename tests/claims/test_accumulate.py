"""What the pages of accumulate say in general."""

import weakref
from collections.abc import Callable
from contextlib import nullcontext
from itertools import product

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch import distributed, nn, optim
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel

from claims.cases import REAL, output
from claims.graph import nodes_behind, saved_tensors
from claims.optimizers import OPTIMIZERS, made, step, switches
from claims.ranks import on_two_ranks

pytestmark = pytest.mark.upgrade

FACTORS = st.lists(st.integers(-4, 4), min_size=1, max_size=5)
SEEDS = st.integers(0, 10**6)


@attacks(
    "accumulate/index#accumulate",
    "accumulate/two-losses#limits",
    "basics/first-gradient#the-seed",
    "gradient/stuck#not-cleared",
    "basics/grad-fn#read-it",
    zh="叶子和中间张量；五种 dtype，四种形状；`.grad` 原来是 None 或一个数；有无 create_graph",
    en="leaves and intermediate tensors; five dtypes, four shapes; `.grad` None or a number before; with and without create_graph",
)
@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph")
@given(
    dtype=st.sampled_from([*REAL, torch.complex64]),
    shape=st.sampled_from([(), (0,), (3,), (2, 3)]),
    factors=FACTORS,
    before=st.sampled_from([None, 5]),
    by_start=st.booleans(),
    create_graph=st.booleans(),
)
def test_backward_only_ever_adds(dtype, shape, factors, before, by_start, create_graph):
    """The factor of the loss, or the start, times the derivative."""
    w = torch.ones(shape, dtype=dtype, requires_grad=True)
    w.grad = before and torch.full_like(w, before, requires_grad=False)
    middle, added = 2 * w, 0
    middle.retain_grad()
    how = {"retain_graph": True, "create_graph": create_graph}
    for factor in factors:
        if by_start:
            middle.backward(torch.full_like(w, factor), **how)
        else:
            (factor * middle).sum().real.backward(**how)
        added += factor
        assert torch.equal(middle.grad, torch.full_like(middle, added))
        assert torch.equal(w.grad, torch.full_like(w, (before or 0) + 2 * added))
    w.grad = None
    middle.backward(torch.ones_like(w))
    assert torch.equal(w.grad, torch.full_like(w, 2))


@attacks(
    "accumulate/index#accumulate",
    "accumulate/two-losses#limits",
    zh="稀疏和稠密的梯度混着累加",
    en="sparse and dense gradients mixed",
)
@given(sparse=st.lists(st.booleans(), min_size=1, max_size=4), rows=st.integers(1, 3))
def test_backward_adds_sparse_gradients(sparse, rows):
    """Sparse to dense, dense to sparse."""
    w = torch.ones(3, 2, requires_grad=True)
    for number, of_pass in enumerate(sparse, 1):
        F.embedding(torch.arange(rows), w, sparse=of_pass).sum().backward()
        expected = torch.zeros(3, 2)
        expected[:rows] = number
        assert torch.equal(w.grad.to_dense(), expected)


@attacks(
    "accumulate/two-losses#loss-not-branch",
    "accumulate/two-losses#only-branches",
    zh="一到五个分支，每个接零到三个损失；没有损失用到的分支，值是无穷",
    en="one to five branches with zero to three losses each; branches of infinite value that no loss uses",
)
@given(coefficients=FACTORS, data=st.data(), poison=st.sampled_from([1.0, float("inf")]))
def test_paths_from_the_losses_count_and_no_branches(coefficients, data, poison):
    """A branch counts once for each loss on it, and not without one."""
    size = len(coefficients)
    losses = data.draw(st.lists(st.integers(0, 3), min_size=size, max_size=size))
    assume(any(losses))
    w = torch.tensor(1.0, requires_grad=True)
    shared, total = 2 * w, 0
    for coefficient, count in zip(coefficients, losses, strict=True):
        branch = coefficient * shared * (1.0 if count else poison)
        total = total + sum(branch * 1 for _ in range(count))
    total.backward()
    pairs = zip(coefficients, losses, strict=True)
    assert w.grad.item() == sum(2 * coefficient * count for coefficient, count in pairs)


@attacks(
    "accumulate/two-losses#sum-first",
    "basics/vector#shape",
    zh="二到四个损失，float32 和 float64；先相加、一次调用、逐个反向、torch.autograd.grad",
    en="two to four losses in float32 and float64; added first, in one call, one by one, by torch.autograd.grad",
)
@given(seed=SEEDS, count=st.integers(2, 4), dtype=st.sampled_from([torch.float32, torch.float64]))
def test_adding_the_losses_first_is_the_same(seed, count, dtype):
    """One pass walks what is shared once; torch.autograd.grad leaves .grad alone."""
    generator = torch.Generator().manual_seed(seed)
    w = torch.randn(4, generator=generator, dtype=dtype, requires_grad=True)
    targets = torch.randn(count, 4, generator=generator, dtype=dtype)
    each = torch.func.vmap(lambda t: torch.func.grad(lambda w: F.mse_loss(w.tanh(), t))(w))
    expected, walks = each(targets).sum(0), []

    def losses() -> list[torch.Tensor]:
        walks.clear()
        middle = w.tanh()
        middle.grad_fn.register_hook(lambda *_: walks.append(1))
        return [F.mse_loss(middle, target) for target in targets]

    for way, passes in (
        (lambda: sum(losses()).backward(), 1),
        (lambda: torch.autograd.backward(losses()), 1),
        (lambda: [loss.backward(retain_graph=True) for loss in losses()], count),
    ):
        w.grad = None
        way()
        assert len(walks) == passes
        torch.testing.assert_close(w.grad, expected, rtol=1e-4, atol=1e-6)
    w.grad = None
    asked = [torch.autograd.grad(loss, w, retain_graph=True)[0] for loss in losses()]
    assert w.grad is None
    torch.testing.assert_close(sum(asked), expected, rtol=1e-4, atol=1e-6)


@attacks("accumulate/two-losses#limits", zh="裁剪的张量钩子", en="a tensor hook that clips")
@given(limit=st.floats(0.5, 20), together=st.booleans())
def test_a_hook_that_clips_makes_a_difference(limit, together):
    """24 and 6 arrive at y1 one by one, and 30 together."""
    w = torch.tensor(1.0, requires_grad=True)
    y1 = 2 * w + 1
    y1.register_hook(lambda grad: grad.clamp(-limit, limit))
    loss2, loss3 = (2 * y1) ** 2, (-y1) ** 2
    for loss in (loss2 + loss3,) if together else (loss2, loss3):
        loss.backward(retain_graph=True)
    assert w.grad == pytest.approx(2 * limit + (0 if together else 2 * min(6, limit)))


FIND, VIEW, STATIC = (
    {name: True} for name in ("find_unused_parameters", "gradient_as_bucket_view", "static_graph")
)


class Branches(nn.Module):
    """Two outputs, behind a trunk or not; the input is the gradient of each weight."""

    def __init__(self, trunk: bool) -> None:
        super().__init__()
        layers = [nn.Linear(1, 1, bias=False) for _ in range(3)]
        self.one, self.two, self.trunk = *layers[:2], layers[2] if trunk else nn.Identity()
        for p in self.parameters():
            nn.init.ones_(p)

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.one(self.trunk(x)), self.two(self.trunk(x))


@attacks(
    "accumulate/two-losses#limits",
    "basics/vector#shape",
    zh="gloo 的两个进程；两个损失都到达全部参数，或各到达一部分；DDP 的四种设置",
    en="two gloo ranks; two losses that reach all parameters, or some each; four settings of DDP",
)
@pytest.mark.parametrize("calls", [("both",), ("both", "both"), ("one", "two")])
@on_two_ranks
def test_after_one_forward_pass_ddp_averages_once(rank, calls):
    """The mean of 2 and 6 is 4, for each output; what a second pass adds stays apart."""
    own = (2.0, 6.0)[rank]
    for options in ({}, VIEW, FIND, STATIC):
        branches = Branches(trunk=True)
        model = DistributedDataParallel(branches, **options)
        one, two = model(torch.tensor([[own]]))
        losses = {"one": one, "two": two, "both": one + two}
        losses[calls[0]].backward(retain_graph=True)
        refused = calls[0] == "one" and options in ({}, VIEW)
        for name in calls[1:]:
            with pytest.raises(RuntimeError) if refused else nullcontext():
                losses[name].backward()
        if not refused:
            more = {"both": 2 * own, "two": own}[name] if calls[1:] else 0
            assert branches.trunk.weight.grad == (4 if calls[0] == "one" else 8) + more
    branches = Branches(trunk=False)
    model = DistributedDataParallel(branches)
    one, two = model(torch.tensor([[own]]))
    one.backward()
    assert branches.one.weight.grad == own and branches.two.weight.grad is None
    two.backward()
    assert branches.one.weight.grad == branches.two.weight.grad == 4, "both with the second pass"


CLASSES = 3


def batch(seed: int, size: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Inputs and labels; about a third of the labels are ignored."""
    generator = torch.Generator().manual_seed(seed)
    labels = torch.randint(0, CLASSES, (size,), generator=generator)
    labels[torch.rand(size, generator=generator) < 1 / 3] = -100
    labels[0] = 0
    return torch.randn(size, 4, generator=generator), labels


def linear() -> nn.Linear:
    torch.manual_seed(0)
    return nn.Linear(4, CLASSES)


@attacks(
    "accumulate/micro-batches#unequal",
    zh="二到四份，每份一到六个样本；有无类别权重和标签平滑；目标是标签或概率",
    en="two to four parts of one to six samples; with and without class weights and label smoothing; labels and probabilities",
)
@given(
    seed=SEEDS,
    sizes=st.lists(st.integers(1, 6), min_size=2, max_size=4),
    weight=st.sampled_from([None, [5.0, 1.0, 0.5]]),
    label_smoothing=st.sampled_from([0.0, 0.1]),
    probabilities=st.booleans(),
)
def test_shares_by_what_cross_entropy_divides_by(
    seed, sizes, weight, label_smoothing, probabilities
):
    """The labels that are left, their weights, or the samples."""
    inputs, targets = batch(seed, sum(sizes))
    of_class = torch.tensor(weight or [1.0] * CLASSES)
    counted = torch.where(targets < 0, 0.0, of_class[targets.clamp(min=0)])
    if probabilities:
        targets, counted = inputs[:, :CLASSES].softmax(1), torch.ones(len(inputs))
    options = {"weight": weight and of_class, "label_smoothing": label_smoothing}
    whole, summed = linear(), linear()
    F.cross_entropy(whole(inputs), targets, **options).backward()
    parts = (inputs.split(sizes), targets.split(sizes), counted.split(sizes))
    for some, those, counts in zip(*parts, strict=True):
        mean = F.cross_entropy(summed(some), those, **options)
        if counts.sum():
            (mean * counts.sum() / counted.sum()).backward()
        else:
            assert mean.isnan()
            F.cross_entropy(summed(some), those, reduction="sum").backward()
    assert torch.allclose(summed.weight.grad, whole.weight.grad, atol=1e-5)


SIZES = (3, 7)
"""The samples of rank 0 and rank 1."""
WEIGHT = torch.tensor([5.0, 1.0, 0.5])
"""Of the classes."""


@attacks(
    "accumulate/micro-batches#processes",
    "distributed/no-sync#limits",
    zh="gloo 的两个进程，各 3 个和 7 个样本；有无类别权重；一到三个微批次；DDP 的四种设置",
    en="two gloo ranks with 3 and 7 samples; with and without class weights; one to three micro-batches; four settings of DDP",
)
@on_two_ranks
def test_the_mean_of_processes_counts_all_alike_unless_the_loss_is_divided_by_all_counts(rank):
    """With one exchange, after the last micro-batch; the first step of a static graph raises."""
    inputs, labels = batch(0, sum(SIZES))
    of_ranks = list(zip(inputs.split(SIZES), labels.split(SIZES), strict=True))

    def alone(some: torch.Tensor, those: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        net = linear()
        F.cross_entropy(net(some), those, weight).backward()
        return net.weight.grad

    for options, weight in product(({}, FIND, VIEW), (torch.ones(CLASSES), WEIGHT)):
        whole = alone(inputs, labels, weight)
        mean = sum(alone(*part, weight) for part in of_ranks) / 2
        assert not torch.allclose(mean, whole, atol=1e-3)
        own = of_ranks[rank]
        count = weight[own[1][own[1] >= 0]].sum()
        distributed.all_reduce(count)
        for counted, parts in ((False, 1), (True, 1), (True, 2), (True, 3)):
            model, exchanges = DistributedDataParallel(linear(), **options), []

            def counting(state, bucket, exchanges=exchanges):
                exchanges.append(bucket.index())
                return default_hooks.allreduce_hook(state, bucket)

            model.register_comm_hook(None, counting)
            chunks = list(zip(*(tensor.tensor_split(parts) for tensor in own), strict=True))
            for number, (some, those) in enumerate(chunks, 1):
                with nullcontext() if number == parts else model.no_sync():
                    reduction = "sum" if counted else "mean"
                    loss = F.cross_entropy(model(some), those, weight, reduction=reduction)
                    (loss * 2 / count if counted else loss).backward()
            gradient = model.module.weight.grad
            assert torch.allclose(gradient, whole if counted else mean, atol=1e-6)
            assert len(exchanges) == 1
    model = DistributedDataParallel(nn.Linear(1, 1), **STATIC)
    with pytest.raises(RuntimeError, match="expect_autograd_hooks_"):
        with model.no_sync():
            model(torch.ones(1, 1)).sum().backward()
        model(torch.ones(1, 1)).sum().backward()


LOSSES: dict[str, Callable] = {
    "mse": lambda out, t, **mean: F.mse_loss(out, t, **mean),
    "l1": lambda out, t, **mean: F.l1_loss(out, t, **mean),
    "huber": lambda out, t, **mean: F.huber_loss(out, t, **mean),
    "poisson": lambda out, t, **mean: F.poisson_nll_loss(out, t.abs(), **mean),
    "bce": lambda out, t, **mean: F.binary_cross_entropy_with_logits(out, t.sigmoid(), **mean),
    "soft margin": lambda out, t, **mean: F.soft_margin_loss(out, t.sign(), **mean),
    "cross entropy": lambda out, t, **mean: F.cross_entropy(out, t.argmax(1), **mean),
    "multi margin": lambda out, t, **mean: F.multi_margin_loss(out, t.argmax(1), **mean),
    "gaussian": lambda out, t, **mean: F.gaussian_nll_loss(out, t, t.exp(), **mean),
    "cosine": lambda out, t, **mean: F.cosine_embedding_loss(out, t, t[:, 0].sign(), **mean),
}
LAYERS: dict[str, Callable[[], nn.Module]] = {
    "none": nn.Identity,
    "relu": nn.ReLU,
    "layer norm": lambda: nn.LayerNorm(4),
    "group norm": lambda: nn.GroupNorm(2, 4),
    "batch norm in eval mode": lambda: nn.BatchNorm1d(4).eval(),
    "weight norm": lambda: nn.utils.parametrizations.weight_norm(nn.Linear(4, 4)),
}


def accumulated(layer: nn.Module, loss: Callable, data: tuple, parts: int, share: float):
    """The gradient of the first layer's weight, over parts of the data."""
    torch.manual_seed(0)
    first = nn.Linear(4, 4)
    net = nn.Sequential(first, layer, nn.Linear(4, 4)).double()
    for inputs, targets in zip(*(tensor.chunk(parts) for tensor in data), strict=True):
        (loss(net(inputs), targets) * share).backward()
    return first.weight.grad


def samples(seed: int, size: int) -> tuple[torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return tuple(torch.randn(2, size, 4, generator=generator, dtype=torch.float64))


@attacks(
    "accumulate/micro-batches#micro-batches",
    "accumulate/micro-batches#why-divide",
    "accumulate/micro-batches#batch-norm",
    zh="torch.nn.functional 的十种损失；六种层，BatchNorm 在 eval 模式；二到四个微批次",
    en="ten losses of torch.nn.functional; six kinds of layers, BatchNorm in eval mode; two to four micro-batches",
)
@given(
    seed=SEEDS,
    loss=st.sampled_from(list(LOSSES)),
    layer=st.sampled_from(list(LAYERS)),
    parts=st.integers(2, 4),
    each=st.integers(2, 3),
    reduction=st.sampled_from(["mean", "sum"]),
)
def test_micro_batches_equal_one_large_batch(seed, loss, layer, parts, each, reduction):
    """Means are divided, sums are not."""

    def reduced(out, targets):
        return LOSSES[loss](out, targets, reduction=reduction)

    torch.manual_seed(seed)
    used = LAYERS[layer]()
    data = samples(seed, parts * each)
    share = 1 / parts if reduction == "mean" else 1
    whole = accumulated(used, reduced, data, 1, 1)
    assert torch.allclose(accumulated(used, reduced, data, parts, share), whole, atol=1e-9)


def in_batch_negatives(out: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
    return F.cross_entropy(out @ targets.t(), torch.arange(len(out)))


@attacks(
    "accumulate/micro-batches#batch-norm",
    zh="训练模式的 BatchNorm1d，有无滑动统计量；批内负样本；dropout",
    en="BatchNorm1d in training mode, with and without running statistics; in-batch negatives; dropout",
)
@given(seed=SEEDS, parts=st.integers(2, 4))
def test_what_mixes_samples_breaks_the_equality(seed, parts):
    """BatchNorm in training mode, in-batch negatives; dropout draws anew."""
    data = samples(seed, parts * 4)
    for layer, loss in ((nn.BatchNorm1d(4), F.mse_loss), (nn.Identity(), in_batch_negatives)):
        whole = accumulated(layer, loss, data, 1, 1)
        assert not torch.allclose(accumulated(layer, loss, data, parts, 1 / parts), whole)
    torch.manual_seed(seed)
    ones = torch.ones(200)
    assert not torch.equal(F.dropout(ones), F.dropout(ones))
    inputs, before = data
    mean, deviation = inputs.mean(0), inputs.var(0, correction=0).add(1e-5).sqrt()
    for options in ({}, {"track_running_stats": False}, {"momentum": None}):
        norm = nn.BatchNorm1d(4, **options).double()
        norm(before)
        assert torch.allclose(norm(inputs), (inputs - mean) / deviation), "its batch alone counts"


@attacks(
    "accumulate/micro-batches#batch-norm",
    zh="bfloat16 的 `.grad`，份额不超过总和的 1/512",
    en="a `.grad` of bfloat16, shares of at most 1/512 of the sum",
)
@given(share=st.floats(2**-10, 0.5), sum_so_far=st.sampled_from([256.0, 1024.0]))
def test_bfloat16_loses_small_shares(share, sum_so_far):
    """.grad is bfloat16 as well; with autocast it is float32, as the parameter."""
    grads = {}
    for dtype in (torch.bfloat16, torch.float32):
        layer = nn.Linear(1, 1, bias=False, dtype=dtype)
        layer.weight.grad = torch.full((1, 1), sum_so_far, dtype=dtype)
        with torch.autocast("cpu", torch.bfloat16, enabled=dtype == torch.float32):
            out = layer(torch.ones(1, 1, dtype=dtype))
        (out * share).sum().backward()
        assert layer.weight.grad.dtype == dtype
        grads[dtype] = layer.weight.grad.item()
    assert grads[torch.bfloat16] == sum_so_far < grads[torch.float32]


@attacks(
    "accumulate/micro-batches#two-mistakes",
    zh="CPU 上的 GradScaler，一到三步，每步一到五个微批次",
    en="GradScaler on the CPU, one to three steps of one to five micro-batches",
)
@given(factors=FACTORS, exponent=st.integers(0, 16), steps=st.integers(1, 3))
def test_a_scaler_unscales_steps_and_updates_once_per_step(factors, exponent, steps):
    """Then training is as without it; unscale_ and update refuse to be early."""
    moved = {}
    for scaled in (True, False):
        w = torch.tensor(1.0, requires_grad=True)
        optimizer = optim.SGD([w], lr=0.5)
        scaler = torch.amp.GradScaler("cpu", 2.0**exponent, growth_interval=1, enabled=scaled)
        for _ in range(steps):
            for factor in factors:
                scaler.scale(factor * w).backward()
            if scaled:
                with pytest.raises(AssertionError, match="No inf checks were recorded"):
                    scaler.update()
            scaler.unscale_(optimizer)
            if scaled:
                with pytest.raises(RuntimeError, match="already been called"):
                    scaler.unscale_(optimizer)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
        moved[scaled] = w.item()
    assert moved[True] == moved[False] == 1 - 0.5 * steps * sum(factors)


MOVE_ON = {optim.Adam, optim.AdamW, optim.Adamax, optim.NAdam, optim.RAdam}
"""These remember earlier gradients, as all do that have momentum."""


@attacks(
    "accumulate/zero-grad#none-or-zero",
    "basics/first-gradient#why-2",
    "freezing/still-moves#still-moves",
    "basics/requires-grad#flag",
    zh="torch.optim 的所有优化器，开关 foreach、fused、权重衰减、动量、amsgrad；先走零到三步",
    en="all optimizers of torch.optim; foreach, fused, weight decay, momentum, amsgrad on and off; after none to three steps",
)
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@given(data=st.data(), steps=st.integers(0, 3), seed=SEEDS)
def test_optimizers_skip_a_gradient_of_none_and_not_0(optimizer, data, steps, seed):
    """Whatever they remember, None changes nothing; LBFGS takes it for 0."""
    known = sorted(switches(optimizer))
    wanted = data.draw(st.sets(st.sampled_from(known))) if known else set()
    assume(not {"foreach", "fused"} <= wanted)
    ends = []
    for last in (None, torch.zeros(3, 2)):
        generator = torch.Generator().manual_seed(seed)

        def random(generator=generator) -> torch.Tensor:
            return torch.randn(3, 2, generator=generator)

        params = [random().requires_grad_() for _ in range(2)]
        chosen = made(optimizer, params, *wanted)
        for _ in range(steps):
            step(chosen, random(), random())
        before = params[1].detach().clone()
        step(chosen, random(), last)
        ends.append(params[1].detach())
        still = torch.equal(params[1], before)
        if last is None and optimizer is not optim.LBFGS:
            assert still
        elif "weight_decay" in wanted or (
            steps > 1 and (optimizer in MOVE_ON or "momentum" in wanted)
        ):
            assert not still
    assert optimizer is not optim.LBFGS or torch.equal(*ends)
    assert optimizer is not optim.LBFGS or steps < 2 or not still


@attacks(
    "accumulate/zero-grad#zero-grad",
    "accumulate/micro-batches#two-mistakes",
    zh="torch.optim 除 LBFGS 和 SparseAdam 以外的所有优化器；一到五次反向，每次之前清零或从不清零",
    en="all optimizers of torch.optim but LBFGS and SparseAdam; one to five passes, cleared before each or never",
)
@given(
    optimizer=st.sampled_from(sorted(set(OPTIMIZERS) - {optim.LBFGS, optim.SparseAdam}, key=repr)),
    factors=FACTORS,
    clear=st.booleans(),
)
def test_without_zero_grad_each_step_uses_the_sum(optimizer, factors, clear):
    """Of all gradients since the first; cleared before each, the last alone."""
    w = torch.ones(2, 2, requires_grad=True)
    chosen, added = optimizer([w], lr=0.1), 0
    for factor in factors:
        if clear:
            chosen.zero_grad()
        (factor * w).sum().backward()
        added = factor if clear else added + factor
        assert torch.equal(w.grad, torch.full((2, 2), float(added)))
        chosen.step()


@attacks(
    "accumulate/zero-grad#none-or-zero",
    "higher-order/inner-step#warning",
    zh="torch.optim 的所有优化器的 zero_grad()，和一个模块的",
    en="zero_grad() of all optimizers of torch.optim, and of a module",
)
@given(optimizer=st.sampled_from(OPTIMIZERS), by_module=st.booleans(), keep=st.booleans())
def test_zero_grad_sets_none(optimizer, by_module, keep):
    """By default, for optimizers and modules; what follows raises on None."""
    layer = nn.Linear(2, 2, bias=False)
    layer.weight.grad = torch.ones(2, 2)
    cleared = layer if by_module else made(optimizer, [layer.weight])
    cleared.zero_grad(**({"set_to_none": False} if keep else {}))
    if keep:
        assert torch.equal(layer.weight.grad, torch.zeros(2, 2))
        assert layer.weight.grad.norm() == 0
        return
    assert layer.weight.grad is None
    with pytest.raises(AttributeError, match="norm"):
        layer.weight.grad.norm()
    with pytest.raises(TypeError), torch.no_grad():
        layer.weight.sub_(0.1 * layer.weight.grad)


@attacks(
    "accumulate/running-loss#retain-graph",
    zh="nn.Linear、nn.RNN、nn.LSTM 各四轮；每轮之后删掉损失、输出、两者或都不删",
    en="four rounds with nn.Linear, nn.RNN and nn.LSTM; after each, loss, output, both or neither deleted",
)
@pytest.mark.parametrize(
    ("retain_graph", "deleted", "rounds"),
    [
        (True, (), 2),
        (True, ("loss",), 2),
        (True, ("output",), 2),
        (True, ("loss", "output"), 1),
        (False, (), 1),
    ],
)
@pytest.mark.parametrize("layer", [nn.Linear, nn.RNN, nn.LSTM])
def test_retained_graphs_of_two_rounds_are_there_at_once(layer, retain_graph, deleted, rounds):
    """At the end of a forward pass, and no more of them from then on."""
    net, saved, names = layer(4, 4), [], {}
    for number in range(1, 5):
        middle = output(net, torch.randn(1, 5, 4)) * 1
        saved.append(weakref.ref(middle))
        out = middle.square()
        del middle
        assert sum(ref() is not None for ref in saved) == min(number, rounds)
        names |= {"output": out, "loss": out.sum()}
        del out
        names["loss"].backward(retain_graph=retain_graph)
        for name in deleted:
            del names[name]


@attacks(
    "accumulate/running-loss#what-grows",
    "accumulate/running-loss#running-loss",
    zh="一到五个损失，三种 dtype",
    en="one to five losses of three dtypes",
)
@given(factors=FACTORS, dtype=st.sampled_from([torch.float16, torch.float32, torch.float64]))
def test_a_sum_of_losses_keeps_its_graph_and_one_of_detached_losses_has_none(factors, dtype):
    """Each addition makes the graph larger; the values are the same."""
    w, logged, kept = torch.ones((), dtype=dtype, requires_grad=True), 0.0, 0.0
    size = 0
    for factor in factors:
        loss = factor * w
        loss.backward()
        logged, kept = logged + loss.detach(), kept + loss
        smaller, size = size, len(nodes_behind(kept))
        assert size > smaller
    assert logged.grad_fn is None and not logged.requires_grad
    assert logged.item() == kept.item() == sum(factors)


@attacks("accumulate/running-loss#what-grows", zh="任意大小的损失", en="losses of any size")
@given(loss=st.floats(2**-20, 2**20))
def test_a_sum_in_bfloat16_stops_growing(loss):
    """After 512 equal losses at the latest; in float32 it goes on."""
    added = torch.tensor(loss, dtype=torch.bfloat16)
    assert 512 * added + added == 512 * added
    assert 512 * added.float() + added.float() > 512 * added.float()


SAVE_NOTHING: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    "x + 1": lambda x: x + 1,
    "1 - x": lambda x: 1 - x,
    "x + x": lambda x: x + x,
    "add": lambda x: torch.add(x, x, alpha=3),
    "add_": lambda x: x.clone().add_(1),
    "-x": lambda x: -x,
    "sum": lambda x: x.sum(),
    "sum of rows": lambda x: x.sum(-1, keepdim=True),
    "mean": lambda x: x.mean(),
    "mean of rows": lambda x: x.mean(-1),
}
STEPS: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
    **SAVE_NOTHING,
    "2 * x": lambda x: 2 * x,
    "x / 2": lambda x: x / 2,
    "x ** 2": lambda x: x**2,
    "exp": torch.exp,
    "relu": torch.relu,
    "softmax": lambda x: x.softmax(-1),
    "max": lambda x: x.max(),
    "matmul": lambda x: x @ x.t(),
    "std": lambda x: x.std(),
    "where": lambda x: torch.where(x > 0, x, -x),
    "index": lambda x: x[[0]],
    "slice": lambda x: x[:1],
    "reshape": lambda x: x.reshape(-1),
    "cat": lambda x: torch.cat([x, x]),
    "addcmul": lambda x: torch.addcmul(x, x.detach(), x.detach()),
    "layer norm": lambda x: F.layer_norm(x, x.shape[-1:]),
}


def some_of(steps: dict) -> st.SearchStrategy:
    return st.lists(st.sampled_from(list(steps)), min_size=1, max_size=3)


@attacks(
    "accumulate/running-loss#what-grows",
    "accumulate/second-time#second-time",
    "accumulate/second-time#what-is-freed",
    "accumulate/second-time#mend",
    "accumulate/second-time#in-a-loop",
    "basics/vector#shape",
    "higher-order/second-derivative#penalty",
    zh="26 种运算里的一到三种，其中十种什么也不保存；五种 dtype；retain_graph 和 create_graph 的各种取值；一到三次前向",
    en="one to three of 26 operations, of which ten save nothing; five dtypes; all values of retain_graph and create_graph; one to three forward passes",
)
@given(
    case=st.tuples(some_of(SAVE_NOTHING), st.sampled_from([*REAL, torch.complex64]))
    | st.tuples(some_of(STEPS), st.sampled_from(REAL)),
    shape=st.sampled_from([(1, 1), (3, 1), (2, 3)]),
    seed=SEEDS,
    create_graph=st.booleans(),
    retain_graph=st.sampled_from([None, False, True]),
    how=st.sampled_from([torch.Tensor.backward, torch.autograd.backward]),
)
@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph")
def test_the_second_pass_raises_where_a_node_has_saved_a_tensor(
    case, shape, seed, create_graph, retain_graph, how
):
    """Only there, unless the graph is retained, as with create_graph; the nodes stay."""
    names, dtype = case
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(shape, generator=generator).to(dtype).requires_grad_()

    def loss() -> torch.Tensor:
        return sum(STEPS[name](-x).sum() for name in names).real

    fresh = loss()
    before = nodes_behind(fresh)
    saved = any(map(saved_tensors, before))
    assert not saved or not SAVE_NOTHING.keys() >= set(names)
    how(fresh, retain_graph=retain_graph, create_graph=create_graph)
    once, x.grad = x.grad.detach(), None
    assert nodes_behind(fresh) == before
    if saved and not (create_graph if retain_graph is None else retain_graph):
        with pytest.raises(RuntimeError, match="backward through the graph a second time"):
            fresh.backward()
    else:
        fresh.backward()
        torch.testing.assert_close(x.grad, once, rtol=0, atol=0, equal_nan=True)
    x.grad = None
    for number in range(1, 4):
        loss().backward()
        assert torch.allclose(x.grad, number * once, rtol=0.02, equal_nan=True)


@attacks(
    "accumulate/second-time#in-a-loop",
    "in-place/read-message#counts",
    "glossary/index#graph",
    "in-place/read-message#who-edited",
    "in-place/review#ways-out",
    zh="torch.optim 的所有优化器：普通、foreach、fused，在 CPU 上",
    en="all optimizers of torch.optim, plain, foreach and fused, on the CPU",
)
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_fused_optimizers_change_weights_unnoticed(optimizer):
    """With the others, a graph that is retained raises after a step."""
    for switch in ("", *({"foreach", "fused"} & switches(optimizer))):
        w, x = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2, requires_grad=True)
        loss = (w * x).sum()
        loss.backward(retain_graph=True)
        step(made(optimizer, [w], switch), w.grad)
        w.grad = x.grad = None
        assert not torch.equal(w, torch.ones(2, 2))
        if switch == "fused":
            loss.backward()
            assert torch.equal(x.grad, w.detach())
        else:
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                loss.backward()


@attacks(
    "accumulate/second-time#in-a-loop",
    zh="一到三层的 nn.RNN、nn.GRU、nn.LSTM，不是 fused 的 SGD，在 CPU 上",
    en="nn.RNN, nn.GRU and nn.LSTM with one to three layers, SGD that is not fused, on the CPU",
)
@pytest.mark.parametrize("length", [1, 2])
@pytest.mark.parametrize(
    ("rnn", "layers", "round_that_raises"),
    [(nn.RNN, 1, 3), *((kind, n, 2) for kind in (nn.RNN, nn.GRU, nn.LSTM) for n in (2, 3))],
)
def test_when_a_retained_graph_meets_weights_that_changed(rnn, layers, round_that_raises, length):
    """The second round with several layers; the third with one and a single step."""
    net, hidden = rnn(1, 2, num_layers=layers), None
    length = 1 if layers == 1 else length
    optimizer = optim.SGD(net.parameters(), lr=0.1)
    for number in range(1, round_that_raises + 1):
        out, hidden = net(torch.ones(length, 1, 1), hidden)
        optimizer.zero_grad()
        message = pytest.raises(RuntimeError, match="modified by an inplace operation")
        with message if number == round_that_raises else nullcontext():
            out.square().sum().backward(retain_graph=True)
        optimizer.step()


@attacks(
    "accumulate/second-time#in-a-loop", zh="nn.LSTM 的两个状态", en="the two states of nn.LSTM"
)
@pytest.mark.parametrize(
    ("detached", "raises"), [((), True), ((0,), True), ((1,), True), ((0, 1), False)]
)
def test_an_lstm_has_two_states_to_detach(detached, raises):
    """One of them alone still carries the graph."""
    net, state = nn.LSTM(2, 2), None
    out, state = net(torch.ones(1, 1, 2))
    out.sum().backward()
    state = tuple(s.detach() if i in detached else s for i, s in enumerate(state))
    out, _ = net(torch.ones(1, 1, 2), state)
    second = "backward through the graph a second time"
    with pytest.raises(RuntimeError, match=second) if raises else nullcontext():
        out.sum().backward()


@attacks(
    "accumulate/micro-batches#logged",
    zh="三种损失，1 到 8 个微批次",
    en="three losses, 1 to 8 micro-batches",
)
@given(st.sampled_from([F.mse_loss, F.l1_loss, F.huber_loss]), st.sampled_from([1, 2, 4, 8]), SEEDS)
def test_undivided_means_make_loss_and_gradient_as_many_times_too_large(loss, parts, seed):
    x = torch.randn(8, 2, generator=torch.Generator().manual_seed(seed)).double()
    w = torch.ones(2, dtype=torch.float64, requires_grad=True)
    losses = [loss(part @ w, torch.zeros(len(part)).double()) for part in x.chunk(parts)]
    whole = loss(x @ w, torch.zeros(8).double())
    torch.testing.assert_close(sum(losses), parts * whole)
    (added,), (right,) = (torch.autograd.grad(total, w) for total in (sum(losses), whole))
    torch.testing.assert_close(added, parts * right)


def memory(tensor: torch.Tensor) -> int:
    return tensor.untyped_storage().data_ptr()


@attacks(
    "accumulate/taken-or-copied#taken-or-copied",
    "accumulate/taken-or-copied#why",
    "accumulate/taken-or-copied#before",
    zh="五种 dtype；新的、留住的、扩展的、转置的梯度；channels_last；有无 create_graph",
    en="five dtypes; gradients that are new, kept, expanded or transposed; channels_last; with and without create_graph",
)
@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph")
@pytest.mark.parametrize("create_graph", [False, True])
@pytest.mark.parametrize("dtype", REAL)
@pytest.mark.parametrize("case", ["new", "kept", "expanded", "transposed", "channels last"])
def test_an_empty_grad_takes_over_what_nothing_else_holds(case, dtype, create_graph):
    """In the strides of the parameter; a second pass adds in place, unless it creates a graph."""
    form = torch.channels_last if case == "channels last" else torch.contiguous_format
    w = torch.ones(1, 2, 3, 4, dtype=dtype).to(memory_format=form).requires_grad_()
    addresses, kept = [], []
    w.register_hook(lambda grad: addresses.append(grad.data_ptr()))
    if case == "kept":
        w.register_hook(lambda grad: kept.append(grad))

    def loss():
        if case == "expanded":
            return w.sum()
        if case == "transposed":
            return (torch.ones(1, 2, 4, 3, dtype=dtype) * w.mT).sum()
        return (3 * w.sin()).sum() if create_graph else (3 * w).sum()

    loss().backward(create_graph=create_graph)
    assert (w.grad.data_ptr() == addresses[0]) is (case == "new" and not create_graph)
    assert w.grad.stride() == w.stride()
    before, value = w.grad, w.grad.detach().clone()
    loss().backward(create_graph=create_graph)
    assert (before is w.grad) is not create_graph
    torch.testing.assert_close(w.grad.detach(), 2 * value)
    before, value = w.grad, w.grad.detach().clone()
    optim.SGD([w], lr=0.1).zero_grad()
    loss().backward()
    assert torch.equal(before.detach(), value), "cleared to None, the old gradient stays"


RESHAPED = {
    "[None]": lambda p: p[None],
    "view": lambda p: p.view(1, 2),
    "reshape": lambda p: p.reshape(2, 1).flatten(),
    "unsqueeze": lambda p: p.unsqueeze(1),
}


@attacks(
    "accumulate/taken-or-copied#one-memory",
    "accumulate/taken-or-copied#way-out",
    zh="四种改变形状的写法；两个或三个参数；三种 dtype；torch.compile 的三种后端；裁剪、unscale_；`.grad` 预先为 0",
    en="four ways to reshape; two or three parameters; three dtypes; three backends of torch.compile; clipping, unscale_; a .grad of zeros before",
)
@pytest.mark.parametrize("backend", [None, "eager", "aot_eager", "inductor"])
@pytest.mark.parametrize("reshaped", RESHAPED)
def test_gradients_of_reshaped_parameters_share_memory(reshaped, backend):
    if backend == "inductor" and reshaped != "[None]":
        return
    reshape, dtypes = RESHAPED[reshaped], (torch.float32, torch.float64, torch.bfloat16)

    def total(parameters, factor):
        return (sum(map(reshape, parameters)) * factor).sum()

    run = total if backend is None else torch.compile(total, backend=backend)
    for dtype, number, zeros in product(dtypes, (2, 3), (False, True)):
        parameters = [torch.ones(2, dtype=dtype, requires_grad=True) for _ in range(number)]
        for p in parameters if zeros else ():
            p.grad = torch.zeros_like(p)
        wrong = 1 if zeros else number
        for added in (1, 1 + wrong):
            run(parameters, 3.0).backward()
            assert {tuple(p.grad.tolist()) for p in parameters} == {(3 * added, 3 * added)}
        shared = {p.grad.data_ptr() for p in parameters}
        assert len(shared) == (number if zeros else 1)
        for p in parameters:
            p.grad = torch.zeros_like(p) if zeros else None
        run(parameters, 3.0).backward()
        norm = nn.utils.clip_grad_norm_(parameters, 1.0).item()
        clipped = 3 / norm**wrong
        assert parameters[0].grad[0].item() == pytest.approx(clipped, rel=0.02)
    parameters = [torch.ones(2, requires_grad=True) for _ in range(2)]
    scaler = torch.amp.GradScaler("cpu", init_scale=8.0)
    scaler.scale(run(parameters, 3.0)).backward()
    scaler.unscale_(optim.SGD(parameters, lr=0.1))
    assert parameters[0].grad.tolist() == [3 / 8, 3 / 8]


ADDED = {
    "Linear": (lambda: nn.Linear(4, 3), (5, 4)),
    "Conv1d": (lambda: nn.Conv1d(4, 3, 1), (2, 4, 5)),
    "LayerNorm": (lambda: nn.LayerNorm(4), (5, 4)),
}


@attacks(
    "accumulate/taken-or-copied#one-memory",
    "accumulate/taken-or-copied#bucket-view",
    zh="三种层的输出相加；和激活相加的两个参数，先后次序不同；编译或不编译",
    en="the outputs of two layers of three kinds, added; two parameters added to an activation in either order; compiled and not",
)
@pytest.mark.parametrize("backend", [None, "aot_eager", "inductor"])
def test_layers_that_are_added_have_gradients_of_their_own(backend):
    """Compiled by inductor, two parameters that are added first share one."""

    def right(loss, parameters):
        torch.compiler.reset()
        expected = torch.autograd.grad(loss(), parameters)
        run = loss if backend is None else torch.compile(loss, backend=backend)
        for _ in range(2):
            run().backward()
        return all(
            torch.allclose(p.grad, 2 * g, rtol=1e-3, atol=1e-5)
            for p, g in zip(parameters, expected, strict=True)
        )

    for make, shape in ADDED.values():
        one, two, x = make(), make(), torch.randn(shape)
        parameters = [*one.parameters(), *two.parameters()]
        assert right(lambda one=one, two=two, x=x: (one(x) + two(x)).square().sum(), parameters)
    h = torch.randn(5, 3)
    for first, after in ((False, True), (True, backend != "inductor")):
        a, b = (torch.ones(3, requires_grad=True) for _ in range(2))
        loss = lambda a=a, b=b, first=first: (h + (a + b) if first else h + a + b).square().sum()  # noqa: E731
        assert right(loss, [a, b]) is after


class Reshaped(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = (nn.Parameter(torch.ones(2)) for _ in range(2))

    def forward(self, x):
        return ((self.a[None] + self.b[None]) * x).sum()


@attacks(
    "accumulate/taken-or-copied#bucket-view",
    zh="两个进程；有无 gradient_as_bucket_view 和 no_sync；`.grad` 预先为 0",
    en="two processes; with and without gradient_as_bucket_view and no_sync; a .grad of zeros before",
)
@pytest.mark.parametrize("view", [False, True])
@on_two_ranks
def test_ddp_and_gradients_that_share_memory(rank, view):
    """Views of a bucket don't overlap; under no_sync, both settings take over shared memory."""
    for no_sync, zeros in product((False, True), (False, True)):
        model = Reshaped()
        ddp = DistributedDataParallel(model, gradient_as_bucket_view=view)
        for p in model.parameters() if zeros else ():
            p.grad = torch.zeros_like(p)
        for _ in range(2):
            with ddp.no_sync() if no_sync else nullcontext():
                ddp(torch.ones(2)).backward()
        ddp(torch.ones(2)).backward()
        right = model.a.grad.tolist() == model.b.grad.tolist() == [3, 3]
        assert right is (zeros or (view and not no_sync))
        if view:
            assert memory(model.a.grad) == memory(model.b.grad)
            with pytest.raises(RuntimeError, match="Can't detach views in-place"):
                model.a.grad.detach_()
