"""What the pages of accumulate say in general."""

import inspect
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

from claims.graph import nodes_behind
from claims.optimizers import OPTIMIZERS

pytestmark = pytest.mark.upgrade

FACTORS = st.lists(st.integers(-4, 4), min_size=1, max_size=5)
SEEDS = st.integers(0, 10**6)


@attacks(
    "accumulate/index#accumulate",
    "accumulate/two-losses#limits",
    zh="叶子和中间张量；四种 dtype，四种形状；稠密和稀疏；有无 create_graph；单进程，没有钩子",
    en="leaves and tensors between them, of four dtypes and four shapes; dense and sparse; with and without create_graph; one process, no hooks",
)
@pytest.mark.filterwarnings("ignore:Using backward.. with create_graph")
@given(
    dtype=st.sampled_from([torch.float16, torch.bfloat16, torch.float64, torch.complex64]),
    shape=st.sampled_from([(), (0,), (3,), (2, 3)]),
    factors=FACTORS,
    create_graph=st.booleans(),
)
def test_backward_only_ever_adds(dtype, shape, factors, create_graph):
    """To leaves, and to a tensor between that keeps its .grad."""
    w = torch.ones(shape, dtype=dtype, requires_grad=True)
    middle = 2 * w
    middle.retain_grad()
    added = 0
    for factor in factors:
        loss = (factor * middle).sum().real
        loss.backward(retain_graph=True, create_graph=create_graph)
        added += factor
        assert torch.equal(middle.grad, torch.full_like(middle, added))
        assert torch.equal(w.grad, torch.full_like(w, 2 * added))
    w.grad = None
    loss.backward()
    assert torch.equal(w.grad, torch.full_like(w, 2 * factors[-1]))


@attacks(
    "accumulate/index#accumulate",
    "accumulate/two-losses#limits",
    zh="一到四次反向，稀疏和稠密的梯度混着来",
    en="one to four passes, with sparse and dense gradients mixed",
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
    "accumulate/loss-not-branch#loss-not-branch",
    "accumulate/loss-not-branch#only-branches",
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
    zh="二到四个损失，float32 和 float64，只差舍入；单进程，没有改梯度的钩子",
    en="two to four losses in float32 and float64, up to rounding; one process, no hook that changes a gradient",
)
@given(seed=SEEDS, count=st.integers(2, 4), dtype=st.sampled_from([torch.float32, torch.float64]))
def test_adding_the_losses_first_is_the_same(seed, count, dtype):
    """One pass walks what is shared once; torch.autograd.grad leaves .grad alone."""
    generator = torch.Generator().manual_seed(seed)
    w = torch.randn(4, generator=generator, dtype=dtype, requires_grad=True)
    targets = torch.randn(count, 4, generator=generator, dtype=dtype)
    found, walks = [], []

    def shared() -> torch.Tensor:
        middle = w.tanh()
        middle.grad_fn.register_hook(lambda *_: walks.append(1))
        return middle

    middle = shared()
    sum(F.mse_loss(middle, target) for target in targets).backward()
    found.append(w.grad)
    assert len(walks) == 1
    w.grad, middle = None, shared()
    for target in targets:
        F.mse_loss(middle, target).backward(retain_graph=True)
    found.append(w.grad)
    assert len(walks) == 1 + count
    w.grad, middle = None, shared()
    each = [
        torch.autograd.grad(F.mse_loss(middle, target), w, retain_graph=True)[0]
        for target in targets
    ]
    assert w.grad is None
    found.append(sum(each))
    for other in found[1:]:
        assert torch.allclose(found[0], other, rtol=1e-4, atol=1e-6)


@attacks(
    "accumulate/two-losses#sum-first",
    zh="两个同号的损失；四种 dtype",
    en="two losses of the same sign; four dtypes",
)
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
def test_another_order_may_round_otherwise(dtype):
    """For some factors the last digit differs, and none of them differs much."""
    generator = torch.Generator().manual_seed(0)
    differing = 0
    factors = torch.rand(50, 3, generator=generator, dtype=torch.float64)
    for first, second, shared in factors.tolist():
        grads = []
        for together in (True, False):
            w = torch.ones((), dtype=dtype, requires_grad=True)
            y = shared * w
            if together:
                (first * y + second * y).backward()
            else:
                (first * y).backward(retain_graph=True)
                (second * y).backward()
            grads.append(w.grad.item())
        differing += grads[0] != grads[1]
        assert grads[0] == pytest.approx(grads[1], rel=4 * torch.finfo(dtype).eps)
    assert differing


@attacks(
    "accumulate/two-losses#limits",
    zh="裁剪的张量钩子，上限从 0.5 到 20",
    en="a tensor hook that clips, with limits from 0.5 to 20",
)
@given(limit=st.floats(0.5, 20))
def test_a_hook_that_clips_and_a_step_between_make_a_difference(limit):
    """24 and 6 arrive at y1 one by one, and 30 together."""
    ends = {}
    for together in (True, False):
        w = torch.tensor(1.0, requires_grad=True)
        y1 = 2 * w + 1
        y1.register_hook(lambda grad: grad.clamp(-limit, limit))
        loss2, loss3 = (2 * y1) ** 2, (-y1) ** 2
        if together:
            (loss2 + loss3).backward()
        else:
            loss2.backward(retain_graph=True)
            loss3.backward()
        ends[together] = w.grad.item()
    assert ends[True] == pytest.approx(2 * limit)
    assert ends[False] == pytest.approx(2 * limit + 2 * min(6, limit))


SETTINGS: list[dict] = [{}, {"find_unused_parameters": True}, {"gradient_as_bucket_view": True}]


def two_passes(rank: int) -> list:
    """After one forward pass through DDP: the gradients of two backward passes, and of one."""
    found = []
    for options in (*SETTINGS, {"static_graph": True}):
        for together in (True, False):
            model = DistributedDataParallel(nn.Linear(1, 1, bias=False), **options)
            nn.init.ones_(model.module.weight)
            out = model(torch.tensor([[float(rank + 1)]]))
            square, plain = out.square().sum(), out.sum()
            if together:
                (square + plain).backward()
            else:
                square.backward(retain_graph=True)
                found.append(model.module.weight.grad.item())
                plain.backward()
            found.append(model.module.weight.grad.item())
    return found


@attacks(
    "accumulate/two-losses#limits",
    zh="gloo 的两个进程；两个损失都到达全部参数；DDP 的四种设置；第一个损失漏掉几个参数的情形另有测试",
    en="two gloo ranks; two losses that reach all parameters; four settings of DDP; another test has a first loss that leaves out some",
)
@pytest.mark.filterwarnings("ignore:find_unused_parameters=True")
def test_after_one_forward_pass_only_the_first_backward_pass_averages(ranks):
    """2 x^2 is 2 and 8, of mean 5; x is 1 and 2, of mean 1.5, and stays apart."""
    first, second = ranks(two_passes)
    assert first == [5 + 1.5, 5, 5 + 1] * 4
    assert second == [5 + 1.5, 5, 5 + 2] * 4


class TwoHeads(nn.Module):
    """Two layers that share nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.a, self.b = (nn.Linear(1, 1, bias=False) for _ in range(2))

    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        return self.a(x), self.b(x)


def two_heads(rank: int) -> list:
    """The gradients of both heads after a pass through the first, and after one through each."""
    model, found = DistributedDataParallel(TwoHeads()), []
    for head in model(torch.tensor([[(1.0, 3.0)[rank]]])):
        head.sum().backward()
        found += [None if p.grad is None else p.grad.item() for p in model.parameters()]
    return found


@attacks(
    "accumulate/two-losses#limits",
    zh="gloo 的两个进程，两个头；第一次反向只走到一个头",
    en="two gloo ranks with two heads, of which the first pass reaches one",
)
def test_gradients_that_the_first_pass_leaves_unfinished_are_averaged_by_the_second(ranks):
    """The mean of 1 and 3 is 2; both heads are averaged together, once."""
    first, second = ranks(two_heads)
    assert first[0] == 1 and second[0] == 3
    assert first[2:] == second[2:] == [2, 2]


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


@attacks(
    "accumulate/micro-batches#processes",
    zh="一到五个样本的和与它的梯度；没有量等待的时间",
    en="the sum and its gradient, for one to five samples; not the waiting",
)
@given(size=st.integers(1, 5))
def test_a_sum_over_no_labels_is_0(size):
    """And so is its gradient, where a mean is nan."""
    net = linear()
    nothing = torch.full((size,), -100)
    loss = F.cross_entropy(net(torch.ones(size, 4)), nothing, reduction="sum")
    loss.backward()
    assert loss.item() == 0 and not net.weight.grad.any()


SIZES = (3, 7)
"""The samples of rank 0 and rank 1."""
WEIGHT = torch.tensor([5.0, 1.0, 0.5])
"""Of the classes."""


def gradients(rank: int) -> list:
    """The gradient of DDP: means averaged; counted over all ranks; the same in micro-batches.

    Each with the number of times that gradients were exchanged.
    """
    inputs, labels = (part.split(SIZES)[rank] for part in batch(0, sum(SIZES)))
    found = []
    for options, weight in product(SETTINGS, (torch.ones(CLASSES), WEIGHT)):
        count = weight[labels[labels >= 0]].sum()
        distributed.all_reduce(count)
        for counted, parts in ((False, 1), (True, 1), (True, 2), (True, 3)):
            model = DistributedDataParallel(linear(), **options)
            exchanges = []

            def counting(state, bucket, exchanges=exchanges):
                exchanges.append(bucket.index())
                return default_hooks.allreduce_hook(state, bucket)

            model.register_comm_hook(None, counting)
            chunks = list(zip(inputs.tensor_split(parts), labels.tensor_split(parts), strict=True))
            for number, (some, those) in enumerate(chunks, 1):
                with nullcontext() if number == len(chunks) else model.no_sync():
                    reduction = "sum" if counted else "mean"
                    loss = F.cross_entropy(model(some), those, weight, reduction=reduction)
                    (loss * 2 / count if counted else loss).backward()
            found.append((weight, counted, model.module.weight.grad, len(exchanges)))
    return found


@attacks(
    "accumulate/micro-batches#processes",
    "distributed/no-sync#limits",
    zh="gloo 的两个进程，各 3 个和 7 个样本；有无类别权重；一到三个微批次；DDP 的三种设置",
    en="two gloo ranks with 3 and 7 samples; with and without class weights; one to three micro-batches; three settings of DDP",
)
@pytest.mark.filterwarnings("ignore:find_unused_parameters=True")
def test_the_mean_of_processes_counts_all_alike_unless_the_loss_is_divided_by_all_counts(ranks):
    """In several processes, and with no_sync() for all but the last."""
    inputs, labels = batch(0, sum(SIZES))

    def alone(some: torch.Tensor, those: torch.Tensor, weight: torch.Tensor) -> torch.Tensor:
        net = linear()
        F.cross_entropy(net(some), those, weight).backward()
        return net.weight.grad

    for found in ranks(gradients):
        for weight, counted, gradient, exchanges in found:
            whole = alone(inputs, labels, weight)
            parts = zip(inputs.split(SIZES), labels.split(SIZES), strict=True)
            mean = sum(alone(*part, weight) for part in parts) / 2
            assert not torch.allclose(mean, whole, atol=1e-3)
            assert torch.allclose(gradient, whole if counted else mean, atol=1e-6)
            assert exchanges == 1


def static_graph(rank: int) -> str:
    """What the first step says with static_graph and no_sync()."""
    model = DistributedDataParallel(nn.Linear(1, 1), static_graph=True)
    try:
        with model.no_sync():
            model(torch.ones(1, 1)).sum().backward()
        model(torch.ones(1, 1)).sum().backward()
    except RuntimeError as error:
        return str(error)
    return ""


@attacks(
    "accumulate/micro-batches#processes",
    zh="gloo 的两个进程，第一步在 no_sync() 里",
    en="two gloo ranks, a first step with no_sync()",
)
def test_a_static_graph_refuses_no_sync_in_the_first_step(ranks):
    """With DDP."""
    assert all("expect_autograd_hooks_" in text for text in ranks(static_graph))


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
    zh="torch.nn.functional 的十种损失；六种层，BatchNorm 在 eval 模式；二到四个微批次；float64",
    en="ten losses of torch.nn.functional; six kinds of layers, with BatchNorm in eval mode; two to four micro-batches; float64",
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
    zh="随机样本，分成二到四个微批次",
    en="random samples in two to four micro-batches",
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


@attacks(
    "accumulate/micro-batches#batch-norm",
    zh="BatchNorm1d，有无滑动统计量",
    en="BatchNorm1d with and without running statistics",
)
@given(seed=SEEDS, size=st.integers(2, 5))
def test_batch_norm_in_training_mode_uses_its_batch(seed, size):
    """Whatever it has seen before, and whether it keeps statistics or not."""
    inputs, before = samples(seed, size)
    mean, deviation = inputs.mean(0), inputs.var(0, correction=0).add(1e-5).sqrt()
    for options in ({}, {"track_running_stats": False}, {"momentum": None}):
        norm = nn.BatchNorm1d(4, **options).double()
        norm(before)
        assert torch.allclose(norm(inputs), (inputs - mean) / deviation)


@attacks(
    "accumulate/micro-batches#why-divide",
    zh="一到三维的张量",
    en="tensors of one to three dimensions",
)
@given(shape=st.sampled_from([(1,), (3,), (2, 3), (2, 3, 4)]), seed=SEEDS)
def test_mse_loss_takes_the_mean(shape, seed):
    """Over all elements."""
    generator = torch.Generator().manual_seed(seed)
    out, target = torch.randn(2, *shape, generator=generator)
    expected = ((out - target) ** 2).sum().item() / out.numel()
    assert nn.MSELoss()(out, target).item() == pytest.approx(expected, rel=1e-4, abs=1e-7)


@attacks(
    "accumulate/micro-batches#batch-norm",
    zh="每份不超过总和的 1/512；grad_dtype 保持原样",
    en="shares of at most 1/512 of the sum; grad_dtype left as it is",
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
    zh="CPU 上的缩放器；一到三步，每步一到五个微批次；缩放倍数会增长",
    en="the scaler of the CPU; one to three steps of one to five micro-batches; scales that grow",
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


@attacks(
    "accumulate/micro-batches#two-mistakes",
    zh="一到五个微批次",
    en="one to five micro-batches",
)
@given(factors=FACTORS)
def test_clearing_before_each_leaves_the_last(factors):
    """And clearing once per step leaves the sum."""
    w = torch.tensor(1.0, requires_grad=True)
    optimizer = optim.SGD([w], lr=1)
    for often in (True, False):
        optimizer.zero_grad()
        for factor in factors:
            if often:
                optimizer.zero_grad()
            (factor * w).backward()
        assert w.grad.item() == (factors[-1] if often else sum(factors))


SWITCHES = {"foreach": True, "fused": True, "weight_decay": 0.1, "momentum": 0.9}


def made(optimizer: type[optim.Optimizer], params: list, switches: set[str]) -> optim.Optimizer:
    """The optimizer with those of the switches that it knows; rejects what it refuses."""
    known = inspect.signature(optimizer).parameters
    try:
        return optimizer(params, lr=0.1, **{n: SWITCHES[n] for n in switches if n in known})
    except (RuntimeError, ValueError):
        assume(False)


def step(optimizer: optim.Optimizer) -> None:
    """A step; LBFGS asks for the loss, and keeps the gradient that it finds."""
    optimizer.step(*[lambda: torch.tensor(1.0)] * isinstance(optimizer, optim.LBFGS))


def gradient(optimizer: optim.Optimizer, value: torch.Tensor) -> torch.Tensor:
    return value.to_sparse(1) if isinstance(optimizer, optim.SparseAdam) else value


@attacks(
    "accumulate/zero-grad#none-or-zero",
    zh="torch.optim 的所有优化器，凡有 foreach、fused、权重衰减、动量的都开过；已走零到三步",
    en="all optimizers of torch.optim, with foreach, fused, weight decay and momentum where they have them; after none to three steps",
)
@given(
    optimizer=st.sampled_from(OPTIMIZERS),
    switches=st.sets(st.sampled_from(list(SWITCHES))),
    steps=st.integers(0, 3),
    seed=SEEDS,
)
def test_optimizers_skip_a_gradient_of_none(optimizer, switches, steps, seed):
    """Whatever they remember; LBFGS takes it for 0."""
    ends = []
    for last in (None, torch.zeros(3, 2)):
        generator = torch.Generator().manual_seed(seed)
        params = [torch.randn(3, 2, generator=generator, requires_grad=True) for _ in range(2)]
        chosen = made(optimizer, params, switches)
        for _ in range(steps):
            for p in params:
                p.grad = gradient(chosen, torch.randn(3, 2, generator=generator))
            step(chosen)
        before = params[1].detach().clone()
        params[0].grad = gradient(chosen, torch.randn(3, 2, generator=generator))
        params[1].grad = None if last is None else gradient(chosen, last)
        step(chosen)
        ends.append(params[1].detach())
        if last is None and optimizer is not optim.LBFGS:
            assert torch.equal(params[1], before)
        decays = {"weight_decay"} <= switches & inspect.signature(optimizer).parameters.keys()
        if last is not None and decays:
            assert not torch.equal(params[1], before)
    if optimizer is optim.LBFGS:
        assert torch.equal(*ends)


@attacks(
    "accumulate/zero-grad#none-or-zero",
    zh="带动量的 SGD 和 RMSprop，Adam 一族的五种优化器；已走两步",
    en="SGD and RMSprop with momentum, five optimizers of the family of Adam; after two steps",
)
@pytest.mark.parametrize(
    ("optimizer", "switches"),
    [
        (optim.SGD, {"momentum"}),
        (optim.RMSprop, {"momentum"}),
        (optim.Adam, set()),
        (optim.AdamW, set()),
        (optim.Adamax, set()),
        (optim.NAdam, set()),
        (optim.RAdam, set()),
        (optim.LBFGS, set()),
    ],
)
def test_what_remembers_gradients_moves_on_with_0(optimizer, switches):
    """Momentum and Adam; LBFGS even where the gradient is None."""
    generator = torch.Generator().manual_seed(1)
    params = [torch.randn(3, 2, generator=generator, requires_grad=True) for _ in range(2)]
    chosen = made(optimizer, params, switches)
    for last in (False, False, True):
        before = params[1].detach().clone()
        for p in params:
            p.grad = torch.randn(3, 2, generator=generator)
        if last:
            params[1].grad = None if optimizer is optim.LBFGS else torch.zeros(3, 2)
        step(chosen)
    assert not torch.equal(params[1], before)


@attacks(
    "accumulate/zero-grad#zero-grad",
    zh="torch.optim 除 LBFGS 和 SparseAdam 以外的所有优化器，默认设置；一到五步",
    en="all optimizers of torch.optim but LBFGS and SparseAdam, with their defaults; one to five steps",
)
@given(
    optimizer=st.sampled_from(sorted(set(OPTIMIZERS) - {optim.LBFGS, optim.SparseAdam}, key=repr)),
    factors=FACTORS,
)
def test_without_zero_grad_each_step_uses_the_sum(optimizer, factors):
    """Of all gradients since the first."""
    w = torch.ones(2, 2, requires_grad=True)
    chosen, added = optimizer([w], lr=0.1), 0
    for factor in factors:
        (factor * w).sum().backward()
        added += factor
        assert torch.equal(w.grad, torch.full((2, 2), float(added)))
        chosen.step()


@attacks(
    "accumulate/zero-grad#none-or-zero",
    zh="torch.optim 的所有优化器，和一个模块；现在的部分，以及填 0 的结果；没有运行 2.0 以前的 PyTorch",
    en="all optimizers of torch.optim, and a module; today's part, and what filling with 0 gives; no PyTorch before 2.0",
)
@attacks(
    "higher-order/inner-step#warning",
    zh="torch.optim 的所有优化器，和一个模块",
    en="all optimizers of torch.optim, and a module",
)
@given(optimizer=st.sampled_from(OPTIMIZERS), by_module=st.booleans(), keep=st.booleans())
def test_zero_grad_sets_none(optimizer, by_module, keep):
    """By default, for optimizers and modules; what follows raises on None."""
    layer = nn.Linear(2, 2, bias=False)
    layer.weight.grad = torch.ones(2, 2)
    cleared = layer if by_module else made(optimizer, [layer.weight], set())
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


class Middle(nn.Module):
    """Counts, at the end of each forward pass, the tensors that are alive of all passes."""

    def __init__(self) -> None:
        super().__init__()
        self.saved: list[weakref.ref] = []

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        middle = x * 1
        self.saved.append(weakref.ref(middle))
        return middle.square()

    def alive(self) -> int:
        return sum(ref() is not None for ref in self.saved)


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
    net, middle, names = layer(4, 4), Middle(), {}
    for number in range(1, 5):
        out = net(torch.randn(1, 5, 4))
        out = middle(out[0] if isinstance(out, tuple) else out)
        assert middle.alive() == min(number, rounds)
        names["output"] = out
        names["loss"] = out.sum()
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


@attacks(
    "accumulate/running-loss#what-grows",
    zh="相等的损失，大小任意",
    en="equal losses of any size",
)
@given(loss=st.floats(2**-20, 2**20))
def test_a_sum_in_bfloat16_stops_growing(loss):
    """After 512 equal losses at the latest; in float32 it goes on."""
    added = torch.tensor(loss, dtype=torch.bfloat16)
    assert 512 * added + added == 512 * added
    assert 512 * added.float() + added.float() > 512 * added.float()


@attacks(
    "accumulate/running-loss#retain-graph",
    zh="六种层，两种模式；十种损失",
    en="six kinds of layers, in both modes; ten losses",
)
@given(
    layer=st.sampled_from(list(LAYERS)),
    loss=st.sampled_from(list(LOSSES)),
    training=st.booleans(),
    seed=SEEDS,
)
def test_no_graph_under_no_grad(layer, loss, training, seed):
    """Of the forward pass and of the loss."""
    net = nn.Sequential(nn.Linear(4, 4), LAYERS[layer]()).double().train(training)
    inputs, targets = samples(seed, 3)
    with torch.no_grad():
        out = net(inputs)
        value = LOSSES[loss](out, targets)
    for tensor in (out, value):
        assert tensor.grad_fn is None and not tensor.requires_grad


def has_saved_a_tensor(node: torch.autograd.graph.Node) -> bool:
    names = (name for name in dir(node) if name.startswith("_saved_"))
    values = (getattr(node, name) for name in names)
    return any(
        isinstance(one, torch.Tensor)
        for value in values
        for one in (value if isinstance(value, tuple) else (value,))
    )


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


@attacks(
    "accumulate/running-loss#what-grows",
    "accumulate/second-time#second-time",
    "accumulate/second-time#what-is-freed",
    "accumulate/second-time#mend",
    zh="22 种运算里的一到三种，float64；有无 retain_graph；一到三次前向",
    en="one to three of 22 operations, in float64; with and without retain_graph; one to three forward passes",
)
@given(
    names=st.lists(st.sampled_from(list(STEPS)), min_size=1, max_size=3),
    seed=SEEDS,
    retain_graph=st.booleans(),
)
def test_the_second_pass_raises_where_a_node_has_saved_a_tensor(names, seed, retain_graph):
    """Only there, unless the graph is retained; the nodes stay."""
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(2, 3, generator=generator, dtype=torch.float64, requires_grad=True)

    def loss() -> torch.Tensor:
        return sum(STEPS[name](-x).sum() for name in names)

    fresh = loss()
    before = nodes_behind(fresh)
    saved = any(map(has_saved_a_tensor, before))
    fresh.backward(retain_graph=retain_graph)
    once, x.grad = x.grad, None
    assert nodes_behind(fresh) == before
    if saved and not retain_graph:
        with pytest.raises(RuntimeError, match="backward through the graph a second time"):
            fresh.backward()
    else:
        fresh.backward()
        assert torch.equal(x.grad, once)
    x.grad = None
    for number in range(1, 4):
        loss().backward()
        assert torch.allclose(x.grad, number * once)


@attacks(
    "accumulate/second-time#what-is-freed",
    "accumulate/second-time#in-a-loop",
    zh="十种相加、取负、求和、取平均的运算；四种 dtype；三种形状",
    en="ten operations that add, negate, sum or average; four dtypes; three shapes",
)
@given(
    name=st.sampled_from(list(SAVE_NOTHING)),
    shape=st.sampled_from([(1,), (3,), (2, 3)]),
    dtype=st.sampled_from([torch.float16, torch.bfloat16, torch.float32, torch.complex64]),
)
def test_adding_negating_and_the_mean_save_no_tensor(name, shape, dtype):
    """Nor does summing, and two backward passes are fine."""
    x = torch.ones(shape, dtype=dtype, requires_grad=True)
    total = SAVE_NOTHING[name](x).sum().real
    assert not any(map(has_saved_a_tensor, nodes_behind(total)))
    total.backward()
    once = x.grad.clone()
    total.backward()
    assert torch.equal(x.grad, 2 * once)


@attacks(
    "accumulate/second-time#in-a-loop",
    "in-place/read-message#counts",
    zh="torch.optim 的所有优化器：普通、foreach、fused，在 CPU 上",
    en="all optimizers of torch.optim, plain, foreach and fused, on the CPU",
)
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_fused_optimizers_change_weights_unnoticed(optimizer):
    """With the others, a graph that is retained raises after a step."""
    known = {"foreach", "fused"} & inspect.signature(optimizer).parameters.keys()
    for switch in ("", *known):
        w, x = torch.ones(2, 2, requires_grad=True), torch.ones(2, 2, requires_grad=True)
        chosen = made(optimizer, [w], {switch})
        loss = (w * x).sum()
        loss.backward(retain_graph=True)
        w.grad = gradient(chosen, w.grad)
        step(chosen)
        w.grad = x.grad = None
        assert not torch.equal(w, torch.ones(2, 2))
        if switch == "fused":
            loss.backward()
            assert torch.equal(x.grad, w.detach())
        else:
            with pytest.raises(RuntimeError, match="modified by an inplace operation"):
                loss.backward()


def raising_round(net: nn.RNNBase, length: int) -> int | None:
    """The round, from 1, in which training with retain_graph=True and a hidden state raises."""
    optimizer, hidden = optim.SGD(net.parameters(), lr=0.1), None
    for number in range(1, 6):
        out, hidden = net(torch.ones(length, 1, 1), hidden)
        optimizer.zero_grad()
        try:
            out.square().sum().backward(retain_graph=True)
        except RuntimeError as error:
            assert "modified by an inplace operation" in str(error)
            return number
        optimizer.step()
    return None


@attacks(
    "accumulate/second-time#in-a-loop",
    zh="两层和三层的 nn.RNN、nn.GRU、nn.LSTM，不是 fused 的 SGD，在 CPU 上",
    en="nn.RNN, nn.GRU and nn.LSTM with two and three layers, SGD that is not fused, on the CPU",
)
@given(
    rnn=st.sampled_from([nn.RNN, nn.GRU, nn.LSTM]),
    layers=st.integers(2, 3),
    length=st.integers(1, 2),
)
def test_when_a_retained_graph_meets_weights_that_changed(rnn, layers, length):
    """The second round with two layers; the third with one and a single step."""
    assert raising_round(rnn(1, 2, num_layers=layers), length) == 2
    assert raising_round(nn.RNN(1, 2), 1) == 3


@attacks(
    "accumulate/second-time#in-a-loop",
    zh="一层的 nn.LSTM；两个状态都不分离、分离一个、都分离",
    en="nn.LSTM with one layer; none, one or both detached",
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
