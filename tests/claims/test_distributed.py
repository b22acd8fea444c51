"""What the pages of distributed say in general: two processes on the CPU, with gloo."""

from contextlib import nullcontext
from copy import deepcopy
from dataclasses import dataclass
from itertools import product

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch import distributed, nn, optim
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, fully_shard
from torch.nn.parallel import DistributedDataParallel
from torch.utils._pytree import tree_flatten
from torch.utils.data import DistributedSampler

pytestmark = [
    pytest.mark.upgrade,
    pytest.mark.filterwarnings("ignore:find_unused_parameters=True"),
]

SETTINGS: list[dict] = [{}, {"gradient_as_bucket_view": True}, {"static_graph": True}]
MODELS = {
    "linear": lambda: nn.Linear(3, 2),
    "layers": lambda: nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)),
    "normalized": lambda: nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.Linear(4, 2)),
}
OPTIMIZERS = [optim.SGD, optim.Adam, optim.AdamW, optim.RMSprop]


def gathered(value: torch.Tensor) -> torch.Tensor:
    """The tensors of both ranks, stacked."""
    both = [torch.zeros_like(value) for _ in range(2)]
    distributed.all_gather(both, value.contiguous())
    return torch.stack(both)


def flat(tensors) -> torch.Tensor:
    return torch.cat([tensor.detach().flatten() for tensor in tensors])


def means(rank: int) -> list:
    """Of many trainings: own gradients of both, the gradient of DDP, the weights after a step."""
    found = []
    for seed, (options, make, optimizer, dtype) in enumerate(
        product(SETTINGS, MODELS.values(), OPTIMIZERS, (torch.float32, torch.float64))
    ):
        torch.manual_seed(seed)
        model = make().to(dtype)
        torch.manual_seed(10 * seed + rank)
        x = torch.randn(2 + 3 * rank, 3, dtype=dtype)  # 2 samples, and 5
        parameters = list(model.parameters())
        own = torch.autograd.grad(model(x).square().mean(), parameters)
        model_of_all = DistributedDataParallel(model, **options)
        chosen = optimizer(parameters, lr=0.1)
        model_of_all(x).square().mean().backward()
        gradient = flat(p.grad for p in parameters)
        chosen.step()
        found.append((gathered(flat(own)), gathered(gradient), gathered(flat(parameters))))
        del model_of_all
    return found


@attacks(
    "distributed/index#distributed",
    "distributed/sum-or-mean#sum-or-mean",
    "distributed/sum-or-mean#unequal",
    zh="gloo 的两个进程，各 2 个和 5 个样本；三种模型，四种优化器，float32 和 float64，DDP 的三种设置",
    en="two gloo ranks with 2 and 5 samples; three models, four optimizers, float32 and float64, three settings of DDP",
)
def test_ddp_averages_and_all_processes_take_the_same_step(ranks):
    """Whatever the number of samples of each; and the weights stay equal."""
    for found in ranks(means):
        for own, gradient, weights in found:
            close = {"rtol": 1e-4, "atol": 1e-6}
            torch.testing.assert_close(gradient[0], own.mean(0), **close)
            assert not torch.allclose(own[0], own[1])
            assert torch.equal(gradient[0], gradient[1]) and torch.equal(weights[0], weights[1])


class Late(nn.Module):
    """Two weights, of which the second is frozen at first."""

    def __init__(self) -> None:
        super().__init__()
        self.early, self.late = nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(1))
        self.late.requires_grad_(False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.early * x + self.late * x


def local_gradients(rank: int) -> list:
    """Gradients of: a parameter, one unfrozen later, an input and what lies between; the loss."""
    found = []
    for options in SETTINGS:
        model = DistributedDataParallel(Late(), **options)
        model.module.late.requires_grad_()
        x = torch.tensor([1.0 + 2 * rank], requires_grad=True)
        out = model(x)
        out.retain_grad()
        loss = (out * (1 + rank)).sum()
        loss.backward()
        tensors = model.module.early.grad, model.module.late.grad, x.grad, out.grad, loss.detach()
        found.append([gathered(tensor.reshape(1)).flatten().tolist() for tensor in tensors])
        del model
    return found


@attacks(
    "distributed/sum-or-mean#limits",
    zh="gloo 的两个进程，DDP 的三种设置；一个参数、后来才解冻的参数、输入、中间张量、损失",
    en="two gloo ranks, three settings of DDP; a parameter, one unfrozen later, an input, a tensor between, the loss",
)
def test_only_gradients_of_parameters_that_required_one_are_averaged(ranks):
    """1 and 6 have the mean 3.5; the rest stays as each rank has it."""
    for found in ranks(local_gradients):
        for early, late, inputs, between, loss in found:
            assert early == [3.5, 3.5] and late == [1, 6]
            assert inputs == [2, 4] and between == [1, 2] and loss == [2, 12]


def batch_norm(rank: int) -> list:
    """The gradient of DDP, and that of one process with the samples of both ranks."""
    found = []
    for layer in (nn.BatchNorm1d(2), nn.BatchNorm1d(2).eval(), nn.LayerNorm(2)):
        torch.manual_seed(0)
        x, target = torch.randn(8, 2).cumsum(0), torch.randn(8, 2)
        first = nn.Linear(2, 2)
        net = nn.Sequential(first, layer)
        (whole,) = torch.autograd.grad((net(x) - target).square().mean(), first.weight)
        model = DistributedDataParallel(net)
        half = slice(4 * rank, 4 * rank + 4)
        (model(x[half]) - target[half]).square().mean().backward()
        found.append((first.weight.grad, whole))
        del model
    return found


@attacks(
    "distributed/sum-or-mean#limits",
    zh="gloo 的两个进程；两种模式的 BatchNorm1d，LayerNorm",
    en="two gloo ranks; BatchNorm1d in both modes, LayerNorm",
)
def test_batch_norm_in_training_mode_sees_the_samples_of_its_process(ranks):
    """The mean is the gradient of the large batch only without it."""
    for (trained, trained_whole), *others in ranks(batch_norm):
        assert not torch.allclose(trained, trained_whole, rtol=0.01)
        for gradient, whole in others:
            torch.testing.assert_close(gradient, whole, rtol=1e-4, atol=1e-6)


def accumulated(rank: int) -> list:
    """Where forward and backward pass of the first two of three micro-batches stand: what every
    micro-batch leaves in .grad."""
    found = []
    for options, forward, backward in product(
        ({}, {"gradient_as_bucket_view": True}, {"find_unused_parameters": True}),
        (True, False),
        (True, False),
    ):
        model = DistributedDataParallel(nn.Linear(1, 1, bias=False), **options)
        nn.init.ones_(model.module.weight)
        after = []
        for x in (1.0, 2.0, 4.0):
            last = x == 4
            with model.no_sync() if forward and not last else nullcontext():
                loss = model(torch.tensor([[x + 8 * rank]])).sum()
            with model.no_sync() if backward and not last else nullcontext():
                loss.backward()
            after.append(gathered(model.module.weight.grad).flatten().tolist())
        found.append((forward, after))
        del model
    return found


@attacks(
    "distributed/no-sync#forward-outside",
    zh="gloo 的两个进程，三个微批次，DDP 的三种设置；前向和反向各在里面和外面",
    en="two gloo ranks, three micro-batches, three settings of DDP; forward and backward pass each inside and outside",
)
@attacks(
    "distributed/no-sync#limits",
    zh="gloo 的两个进程，三个微批次，DDP 的三种设置；没有试缩放器",
    en="two gloo ranks, three micro-batches, three settings of DDP; not the scaler",
)
def test_the_forward_pass_decides_whether_gradients_are_exchanged(ranks):
    """Wherever the backward pass stands; the end is the same."""
    for found in ranks(accumulated):
        for forward_inside, (first, second, last) in found:
            assert first == ([1, 9] if forward_inside else [5, 5])
            assert second == ([3, 19] if forward_inside else [11, 11])
            assert last == [19, 19]


class Halfway(nn.Linear):
    """A layer whose forward pass enters or leaves no_sync() halfway."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.halfway()
        return super().forward(x)


def prepared(rank: int) -> list:
    """.grad after the first backward pass, for forward passes that end inside or outside."""
    found = []
    for options in ({}, {"gradient_as_bucket_view": True}, {"find_unused_parameters": True}):
        x = torch.tensor([[1.0 + 8 * rank]])
        for way in ("enters", "leaves", "other outside", "log", "log in no_grad"):
            layer = Halfway(1, 1, bias=False)
            model = DistributedDataParallel(layer, **options)
            inside = model.no_sync()
            layer.halfway = {
                "enters": inside.__enter__,
                "leaves": lambda inside=inside: inside.__exit__(None, None, None),
            }.get(way, lambda: None)
            if way == "leaves":
                inside.__enter__()
            elif way == "log":
                model(x)
            elif way == "log in no_grad":
                with torch.no_grad():
                    model(x)
            with model.no_sync() if "log" in way or "other" in way else nullcontext():
                loss = model(x).sum()
            if way == "enters":
                inside.__exit__(None, None, None)
            elif way == "other outside":
                kept = model(x)  # noqa: F841
            with model.no_sync() if "log" in way else nullcontext():
                loss.backward()
            found.append((way, gathered(layer.weight.grad).flatten().tolist()))
            del model
    return found


@attacks(
    "distributed/no-sync#no-sync",
    zh="gloo 的两个进程，DDP 的三种设置；前向中途进入或离开 no_sync()、第一次反向之前前向两次、前向之后不反向",
    en="two gloo ranks, three settings of DDP; a forward pass that enters or leaves no_sync() halfway, two forward passes before the first backward pass, one without a backward pass",
)
@attacks(
    "distributed/no-sync#forward-outside",
    zh="gloo 的两个进程，DDP 的三种设置；有无 no_grad",
    en="two gloo ranks, three settings of DDP; with no_grad and without",
)
def test_what_the_end_of_a_forward_pass_prepares_is_exchanged(ranks):
    """By the next backward pass, also of another forward pass; 1 and 9 have the mean 5."""
    for found in ranks(prepared):
        for way, gradient in found:
            assert gradient == ([1, 9] if way in ("enters", "log in no_grad") else [5, 5])


def never_exchanged(rank: int) -> list:
    """.grad of both ranks, and their weights after a step, with all micro-batches in no_sync()."""
    found = []
    for options, optimizer in product(({}, {"gradient_as_bucket_view": True}), OPTIMIZERS):
        model = DistributedDataParallel(nn.Linear(1, 1, bias=False), **options)
        nn.init.ones_(model.module.weight)
        chosen = optimizer(model.parameters(), lr=0.1)
        with model.no_sync():
            for x in (1.0, -3.0):
                model(torch.tensor([[x + 8 * rank]])).sum().backward()
        gradient = gathered(model.module.weight.grad)
        chosen.step()
        chosen.zero_grad()
        apart = gathered(model.module.weight.detach())
        model(torch.ones(1, 1)).sum().backward()
        chosen.step()
        later = gathered(model.module.weight.detach())
        found.append((gradient.flatten().tolist(), apart, later))
        del model
    return found


@attacks(
    "distributed/no-sync#limits",
    zh="gloo 的两个进程，两个微批次，四种优化器，DDP 的两种设置",
    en="two gloo ranks, two micro-batches, four optimizers, two settings of DDP",
)
def test_without_an_exchange_the_weights_drift_apart_and_stay_so(ranks):
    """An exchange later averages gradients, not weights."""
    for found in ranks(never_exchanged):
        for gradient, apart, later in found:
            assert gradient == [-2, 14]
            assert apart[0] != apart[1] and later[0] != later[1]


def sharded_micro_batches(rank: int) -> list:
    """The gradient of fully_shard after each of two micro-batches, exchanged or not."""
    found = []
    for wait in (False, True):
        model = nn.Linear(2, 2, bias=False)
        nn.init.ones_(model.weight)
        fully_shard(model, mesh=init_device_mesh("cpu", (2,)))
        for x in (1.0, 3.0):
            model.set_requires_gradient_sync(not wait or x == 3)
            model(torch.full((1, 2), x + 4 * rank)).sum().backward()
            grad = model.weight.grad
            found.append(None if grad is None else grad.full_tensor()[0, 0].item())
    return [hasattr(model, "no_sync"), *found]


@attacks(
    "distributed/no-sync#fully-shard",
    zh="gloo 的两个进程，一个 Linear，两个微批次",
    en="two gloo ranks, a Linear, two micro-batches",
)
def test_fully_shard_exchanges_when_it_is_told_to(ranks):
    """1 and 5 have the mean 3, 3 and 7 the mean 5; the sum is 8 both ways."""
    assert ranks(sharded_micro_batches) == [[False, 3, 8, None, 8]] * 2


def flagged(rank: int) -> list:
    """The weights of both ranks after two steps of two micro-batches, with the flag set before the
    forward pass, after it, or by no_sync()."""
    found = []
    for options, optimizer in product(({}, {"gradient_as_bucket_view": True}), OPTIMIZERS):
        weights = {}
        for place in ("no_sync", "before", "after"):
            model = DistributedDataParallel(nn.Linear(1, 1, bias=False), **options)
            nn.init.ones_(model.module.weight)
            chosen = optimizer(model.parameters(), lr=0.1)
            for x in (1.0, -12.0, 2.0, -11.0):
                last = x < 0
                if place == "before":
                    model.require_backward_grad_sync = last
                with nullcontext() if last or place != "no_sync" else model.no_sync():
                    loss = model(torch.tensor([[x + 8 * rank]])).sum()
                    if place == "after":
                        model.require_backward_grad_sync = last
                    loss.backward()
                if last:
                    chosen.step()
                    chosen.zero_grad()
            weights[place] = gathered(model.module.weight.detach()).flatten()
            del model
        found.append(weights)
    return found


@attacks(
    "distributed/no-sync#flag",
    zh="gloo 的两个进程，DDP 的两种设置，四种优化器；两步，每步两个微批次，开关在前向之前设、之后设，以及用 no_sync()",
    en="two gloo ranks, two settings of DDP, four optimizers; two steps of two micro-batches, with the flag before the forward pass and after it, and with no_sync()",
)
def test_the_flag_counts_where_the_forward_pass_finds_it(ranks):
    """Before it, as no_sync() does; after it, the weights drift apart."""
    for found in ranks(flagged):
        for weights in found:
            assert torch.equal(weights["before"], weights["no_sync"])
            assert weights["before"][0] == weights["before"][1]
            assert weights["after"][0] != weights["after"][1]


def held_by_sharded(rank: int) -> list:
    """What a process holds of each gradient after the first of two micro-batches: of its part, and
    of the whole; what its own gradient is; and the gradient of both at the end."""
    found = []
    for make, blocks, wait in product(MODELS.values(), (False, True), (False, True)):
        torch.manual_seed(0)
        net = make()
        torch.manual_seed(1 + rank)
        batches = torch.randn(2, 2, 3)
        own = torch.autograd.grad(net(batches[0]).square().mean(), list(net.parameters()))
        mesh = init_device_mesh("cpu", (2,))
        if blocks and isinstance(net, nn.Sequential):
            for block in net:
                if list(block.parameters()):
                    fully_shard(block, mesh=mesh)
        fully_shard(net, mesh=mesh)
        divided = [m for m in net.modules() if isinstance(m, FSDPModule)]
        net.set_requires_gradient_sync(not wait)
        net(batches[0]).square().mean().backward()
        parts = [p.grad is not None for p in net.parameters()]
        for module in divided:
            module.unshard()
        whole = [None if p.grad is None else p.grad.clone() for p in net.parameters()]
        for module in divided:
            module.reshard()
        net.set_requires_gradient_sync(True)
        net(batches[1]).square().mean().backward()
        end = flat(p.grad.full_tensor() for p in net.parameters())
        found.append((wait, parts, whole, own, end))
    return found


@attacks(
    "distributed/no-sync#fully-shard",
    "distributed/sharded#limits",
    zh="gloo 的两个进程；三种模型，逐块分片或只分整个；两个微批次，第一个交换或不交换",
    en="two gloo ranks; three models, blocks sharded or only the whole; two micro-batches, the first exchanged or not",
)
def test_a_sharded_model_that_waits_holds_the_whole_gradient(ranks):
    """Its own; with an exchange it holds its part alone; the end is the same."""
    for found in ranks(held_by_sharded):
        for wait, parts, whole, own, _ in found:
            assert all(part != wait for part in parts)
            for gradient, expected in zip(whole, own, strict=True):
                if wait:
                    torch.testing.assert_close(gradient, expected, rtol=1e-4, atol=1e-6)
                else:
                    assert gradient is None
        for (*_, exchanged), (*_, waited) in zip(found[::2], found[1::2], strict=True):
            torch.testing.assert_close(waited, exchanged, rtol=1e-4, atol=1e-6)


def seen_by_hooks(rank: int) -> list:
    """What hooks see of each parameter, before and after DDP: its own gradient, in a second pass
    added to the mean of the first."""
    found = []
    for options, early, bucket_cap_mb in product(
        [*SETTINGS, {"find_unused_parameters": True}], (True, False), (0.00001, 25)
    ):
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
        x = torch.tensor([[1.0, 2.0 - 3 * rank]])
        own = torch.autograd.grad(net(x).square().sum(), list(net.parameters()))
        seen: dict[str, torch.Tensor] = {}

        def hook(net=net, seen=seen):
            for name, p in net.named_parameters():
                p.register_hook(
                    lambda grad, name=name: seen.update({f"tensor {name}": grad.clone()})
                )
                p.register_post_accumulate_grad_hook(
                    lambda p, name=name: seen.update({f"post {name}": p.grad.clone()})
                )

        if early:
            hook()
        model = DistributedDataParallel(net, bucket_cap_mb=bucket_cap_mb, **options)
        if not early:
            hook()
        between = []
        net[1].register_full_backward_hook(lambda m, i, o, between=between: between.append(o[0]))
        model(x).square().sum().backward()
        pairs = zip(net.named_parameters(), own, strict=True)
        for (name, p), gradient in pairs:
            found.append((seen[f"tensor {name}"], seen[f"post {name}"], gradient))
            found.append((p.grad.clone(), p.grad.clone(), gathered(gradient).mean(0)))
        (direct,) = torch.autograd.grad(net[2](h := net[1](net[0](x))).square().sum(), h)
        found.append((between[0], between[0], direct))
        model(x).square().sum().backward()
        for (name, p), gradient in zip(net.named_parameters(), own, strict=True):
            mean = gathered(gradient).mean(0)
            found.append((seen[f"tensor {name}"], seen[f"post {name}"] - mean, gradient))
            found.append((p.grad / 2, p.grad / 2, mean))
        del model
    return found


@attacks(
    "distributed/hooks#hooks",
    zh="gloo 的两个进程，DDP 的四种设置，一个桶和几个桶；钩子在 DDP 之前和之后注册；反向两次，中间有无 zero_grad()",
    en="two gloo ranks, four settings of DDP, one bucket and several; hooks registered before and after DDP; two backward passes, with zero_grad() between them and without",
)
@attacks(
    "distributed/hooks#limits",
    zh="gloo 的两个进程，DDP 的四种设置，一个桶和几个桶；钩子在 DDP 之前和之后注册；完整反向钩子",
    en="two gloo ranks, four settings of DDP, one bucket and several; hooks registered before and after DDP; a full backward hook",
)
def test_hooks_see_the_gradient_of_their_process(ranks):
    """On parameters and on what lies between; registered before DDP or after it."""
    for found in ranks(seen_by_hooks):
        for first, second, expected in found:
            torch.testing.assert_close(first, expected)
            torch.testing.assert_close(second, expected)


def clipped(rank: int) -> list:
    """The norms that clip_grad_norm_ finds in both ranks, and that of the mean."""
    found = []
    for seed, options in product(range(5), SETTINGS):
        torch.manual_seed(seed)
        net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
        x = torch.randn(4, 2)[2 * rank : 2 * rank + 2]
        own = flat(torch.autograd.grad(net(x).square().mean(), list(net.parameters())))
        model = DistributedDataParallel(net, **options)
        model(x).square().mean().backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        after = gathered(flat(p.grad for p in net.parameters()))
        found.append((gathered(norm), gathered(own).mean(0), after))
        del model
    return found


@attacks(
    "distributed/hooks#clip",
    zh="gloo 的两个进程，反向之后裁剪",
    en="two gloo ranks that clip after the backward pass",
)
def test_after_the_mean_each_process_clips_by_the_same_norm(ranks):
    """Nothing has to be exchanged for it."""
    for found in ranks(clipped):
        for norms, mean, after in found:
            assert norms[0] == norms[1] and torch.equal(after[0], after[1])
            torch.testing.assert_close(norms[0], mean.norm())
            torch.testing.assert_close(after[0], mean * min(0.1 / (mean.norm() + 1e-6), 1))


def comm_hook(rank: int) -> list:
    """What a hook of the exchange gets, and .grad if it only adds up."""
    found = []
    for options in SETTINGS:
        model = DistributedDataParallel(nn.Linear(2, 1), **options)
        got = []

        def add_up(state, bucket, got=got):
            got.append(bucket.buffer().sum().item())
            work = distributed.all_reduce(bucket.buffer(), async_op=True)
            return work.get_future().then(lambda future: future.value()[0])

        model.register_comm_hook(None, add_up)
        model(torch.full((1, 2), 1.0 + rank)).sum().backward()
        found.append((got, [model.module.weight.grad.tolist(), model.module.bias.grad.tolist()]))
        del model
    return found


@attacks(
    "distributed/hooks#comm-hook",
    zh="gloo 的两个进程，DDP 的三种设置，一个桶",
    en="two gloo ranks, three settings of DDP, one bucket",
)
def test_a_hook_of_the_exchange_gets_its_own_gradients_and_has_to_divide(ranks):
    """The gradients are 1, 1, 1 and 2, 2, 1, in one bucket."""
    for rank, found in enumerate(ranks(comm_hook)):
        assert found == [([(3, 5)[rank]], [[[3, 3]], [2]])] * 3


class Heads(nn.Sequential):
    """Layers of which a call uses one, or returns the outputs of all, or computes all of them and
    returns the first."""

    def forward(self, x: torch.Tensor, head: int | None) -> torch.Tensor | list[torch.Tensor]:
        outputs = [layer(x) for layer in self] if head in (None, -1) else []
        return outputs[0] if head == -1 else outputs or self[head](x)


def with_unused(rank: int) -> list:
    """Gradients after one step and the error of the next: each its own head, both the first, all
    heads with one left out of the loss, with a factor of 0, or not returned."""
    found = []
    unused = {"find_unused_parameters": True}
    for options, way in product(
        (
            {},
            {"gradient_as_bucket_view": True},
            {"bucket_cap_mb": 1e-6},
            unused,
            {"static_graph": True},
            unused | {"gradient_as_bucket_view": True},
        ),
        ("own", "first", "left out", "times 0", "not returned"),
    ):
        layers = [nn.Linear(1, 1, bias=False) for _ in range(2)]
        model = DistributedDataParallel(Heads(*layers), **options)
        x, error = torch.tensor([[2.0 + 4 * rank]]), ""
        try:
            for step in range(2):
                if way in (used := {"own": rank, "first": 0, "not returned": -1}):
                    loss = model(x, used[way]).sum()
                else:
                    first, second = model(x, None)
                    loss = first.sum() + (0 * second.sum() if way == "times 0" else 0)
                if step == 0:
                    loss.backward()
        except RuntimeError as raised:
            error = str(raised)
        grads = [p.grad if p.grad is None else p.grad.item() for p in model.parameters()]
        found.append((options, way, grads, error))
        del model
    return found


MISSING = "Expected to have finished reduction in the prior iteration"


@attacks(
    "distributed/unused#unused",
    "distributed/unused#ways-out",
    zh="gloo 的两个进程，两个头在一个桶或两个桶里；各用自己的头或都用第一个；DDP 的五种设置",
    en="two gloo ranks, two heads in one bucket or in two; each its own head or both the first; five settings of DDP",
)
@attacks(
    "distributed/unused#limits",
    zh="gloo 的两个进程，两个头，输出有限；第二个乘 0 加上、算了不返回、或不算；DDP 的六种设置",
    en="two gloo ranks, two heads of finite outputs, of which the second is added with a factor of 0, computed and not returned, or left out; six settings of DDP",
)
def test_a_parameter_without_a_gradient_leaves_its_bucket_unaveraged(ranks):
    """And the next forward pass raises in both; who looks for it counts it as 0."""
    for rank, found in enumerate(ranks(with_unused)):
        own = 2.0 + 4 * rank
        for options, way, grads, error in found:
            # A view of a bucket has been divided already, and not added up.
            local = own / 2 if options.get("gradient_as_bucket_view") else own
            looks = options.get("find_unused_parameters") or options.get("static_graph")
            if way == "times 0":
                assert not error and grads == [4, 0]
            elif not looks:
                assert error.startswith(MISSING) and f"for rank {rank}: " in error
                used = rank if way == "own" else 0
                assert grads[used] == local and not grads[1 - used]
            else:
                assert not error and grads == ([1, 3] if way == "own" else [4, None])


class AmongFrozen(nn.Module):
    """Layers of which those at the two places of `heads` aren't frozen; the second isn't used."""

    def __init__(self, size: int, heads: tuple[int, int]) -> None:
        super().__init__()
        self.layers = nn.ModuleList(nn.Linear(1, 1, bias=False) for _ in range(size))
        self.used = [n for n in range(size) if n != heads[1]]
        for n in self.used:
            self.layers[n].requires_grad_(n == heads[0])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for n in self.used:
            x = self.layers[n](x)
        return x


def numbered(rank: int) -> list[str]:
    """What the second forward pass says of a head that isn't used."""
    found = []
    for size, heads in product((2, 3, 5), ((0, 1), (1, 2), (0, 4), (2, 4), (3, 1))):
        if max(heads) < size:
            model = DistributedDataParallel(AmongFrozen(size, heads))
            model(torch.ones(1, 1)).sum().backward()
            try:
                model(torch.ones(1, 1))
            except RuntimeError as error:
                found.append(f"{int(heads[0] < heads[1])} {str(error).split('rank ')[1]}")
            del model
    return found


@attacks(
    "distributed/unused#what-went-wrong",
    zh="gloo 的两个进程；两个头之前、之间或之后有零到三个冻结的层",
    en="two gloo ranks; none to three frozen layers before, between or after the two heads",
)
def test_parameters_without_a_gradient_are_numbered_among_those_that_need_one(ranks):
    """Of two that need one, however many frozen ones stand before them."""
    for rank, found in enumerate(ranks(numbered)):
        assert len(found) == 8
        for told in found:
            expected, said = told.split(" ", 1)
            assert said.split(".")[0].split()[:2] == [f"{rank}:", expected]


@dataclass
class Both:
    """The outputs of two heads."""

    first: torch.Tensor
    second: torch.Tensor


RETURNED = {
    "tuple": lambda first, second: (first, second),
    "list": lambda first, second: [first, second],
    "dict": lambda first, second: {"first": first, "second": second},
    "nested": lambda first, second: {"first": (first,), "second": {"more": [second]}},
    "dataclass": Both,
}


class Returning(nn.Module):
    """Two heads whose outputs are returned in a container."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind
        self.heads = nn.ModuleList(nn.Linear(1, 1, bias=False) for _ in range(2))

    def forward(self, x: torch.Tensor):
        return RETURNED[self.kind](*(head(x) for head in self.heads))


def out_of_the_loss(rank: int) -> list:
    """Gradients of both heads after each of two steps, whose loss has the first output alone; in
    rank 1 both outputs, if asked for."""
    found = []
    for kind, more, in_one in product(
        RETURNED, ({}, {"gradient_as_bucket_view": True}), (False, True)
    ):
        if in_one and kind == "dataclass":
            continue  # rank 0 would wait for rank 1
        model = DistributedDataParallel(Returning(kind), find_unused_parameters=True, **more)
        x, grads, error = torch.tensor([[2.0 + 4 * rank]]), [], ""
        try:
            for _ in range(2):
                model.zero_grad()
                out = model(x)
                outputs, _ = tree_flatten(vars(out) if kind == "dataclass" else out)
                sum(outputs[: 1 + (in_one and rank)]).sum().backward()
                grads.append([p.grad and p.grad.item() for p in model.parameters()])
        except RuntimeError as raised:
            error = str(raised)
        found.append((kind, in_one, grads, error))
        del model
    return found


@attacks(
    "distributed/unused#limits",
    zh="gloo 的两个进程，两个头，输出有限；forward 返回元组、列表、字典、嵌套的容器或 dataclass",
    en="two gloo ranks, two heads of finite outputs, which forward returns as a tuple, a list, a dict, nested, or a dataclass",
)
def test_an_output_may_stay_out_of_the_loss_if_ddp_finds_it(ranks):
    """In tuples, lists and dicts; with a dataclass the second forward pass raises."""
    for found in ranks(out_of_the_loss):
        for kind, in_one, grads, error in found:
            if kind == "dataclass":
                assert len(grads) == 1 and error.startswith(MISSING)
            else:
                assert not error and grads == [[4, 3 if in_one else None]] * 2


def joined(rank: int) -> list:
    """Rank 0 has two batches more than rank 1: own and exchanged gradients and weights of each
    step, the weights after the block, and the gradients and weights of a step after it."""
    found = []
    for seed, (options, make, optimizer, initial) in enumerate(
        product(SETTINGS[:2], MODELS.values(), OPTIMIZERS, (True, False))
    ):
        torch.manual_seed(seed)
        model = make()
        wrapped = DistributedDataParallel(model, **options)
        parameters = list(model.parameters())
        chosen = optimizer(parameters, lr=0.1)
        torch.manual_seed(10 * seed + rank)
        steps = []

        def step(wrapped=wrapped, model=model, parameters=parameters, chosen=chosen):
            x = torch.randn(4, 3)
            own = torch.autograd.grad(model(x).square().mean(), parameters)
            chosen.zero_grad()
            wrapped(x).square().mean().backward()
            gradient = flat(p.grad for p in parameters)
            chosen.step()
            return flat(own), gradient, flat(parameters)

        with wrapped.join(divide_by_initial_world_size=initial):
            for _ in range(3 - 2 * rank):
                steps.append(step())
        after = gathered(flat(parameters))
        later = [gathered(part) for part in step()]
        found.append((optimizer is optim.SGD, initial, steps, after, later))
        del model, wrapped
    return found


@attacks(
    "distributed/uneven#uneven",
    "distributed/uneven#join",
    "distributed/uneven#limits",
    zh="gloo 的两个进程，各 3 批和 1 批；三种模型，四种优化器，DDP 的两种设置，两种除法",
    en="two gloo ranks with 3 batches and 1; three models, four optimizers, two settings of DDP, both ways to divide",
)
def test_who_joins_counts_as_zero_and_gets_the_weights_of_the_last(ranks):
    """The first exchange is a mean of two; later ones are halved or not; weights are
    given to all, but what the optimizer remembers is not."""
    first, second = ranks(joined)
    close = {"rtol": 1e-4, "atol": 1e-6}
    for (plain, initial, steps, after, later), (*_, short, _, _) in zip(first, second, strict=True):
        (own, gradient, _), *alone = steps
        torch.testing.assert_close(gradient, (own + short[0][0]) / 2, **close)
        assert torch.equal(gradient, short[0][1]) and len(short) == 1
        for own, gradient, _ in alone:
            torch.testing.assert_close(gradient, own / 2 if initial else own, **close)
        assert torch.equal(after[0], after[1]) and torch.equal(after[0], steps[-1][2])
        _, gradients, weights = later
        assert torch.equal(gradients[0], gradients[1])
        assert torch.equal(weights[0], weights[1]) == plain


def thrown(rank: int) -> list:
    """Both leave the loop at the same step, and go on."""
    found = []
    for options, batches in product(SETTINGS, ((3, 1), (0, 2), (2, 2))):
        model = DistributedDataParallel(nn.Linear(1, 1), **options)
        steps, said = 0, ""
        try:
            with model.join(throw_on_early_termination=True):
                for _ in range(batches[rank]):
                    model(torch.ones(1, 1)).sum().backward()
                    steps += 1
        except RuntimeError as error:
            said = str(error)
        model.module.zero_grad()
        again = DistributedDataParallel(model.module)
        again(torch.ones(1, 1) * (1 + 2 * rank)).sum().backward()
        found.append((batches, steps, said, model.module.weight.grad.item()))
        del model, again
    return found


@attacks(
    "distributed/uneven#join",
    zh="gloo 的两个进程，DDP 的三种设置，三对批数；之后再走一步",
    en="two gloo ranks, three settings of DDP, three pairs of counts; then one more step",
)
def test_who_throws_ends_at_the_same_step_in_both(ranks):
    """With as many batches nothing raises; afterward they still exchange gradients."""
    for rank, found in enumerate(ranks(thrown)):
        for batches, steps, said, later in found:
            assert steps == min(batches) and later == 2
            if batches[0] == batches[1]:
                assert not said
            elif batches[rank] == min(batches):
                assert said == f"Rank {rank} exhausted all inputs."
            else:
                assert said.startswith("Detected at least one rank that exhausted inputs.")


def counted(rank: int) -> list[int]:
    """The batches that are run if both stop after the smaller count; a sharded model can't join."""
    found = []
    for batches in ((3, 1), (0, 2), (2, 2)):
        count = torch.tensor(batches[rank])
        distributed.all_reduce(count, op=distributed.ReduceOp.MIN)
        found.append(int(count))
    mesh = init_device_mesh("cpu", (2,))
    assert not hasattr(fully_shard(nn.Linear(2, 2), mesh=mesh), "join")
    return found


@attacks(
    "distributed/uneven#same-number",
    zh="gloo 的两个进程，三对批数",
    en="two gloo ranks, three pairs of counts",
)
@attacks(
    "distributed/uneven#limits",
    zh="一个 Linear，分片在 gloo 的两个进程上",
    en="a Linear, sharded over two gloo ranks",
)
def test_the_smallest_count_is_that_of_both(ranks):
    """Before the epoch, with one exchange."""
    assert ranks(counted) == [[1, 0, 2], [1, 0, 2]]


@attacks(
    "distributed/uneven#same-number",
    zh="2 到 40 个样本，1 到 8 个进程，进程不多于样本；有无 shuffle 和 drop_last",
    en="2 to 40 samples, 1 to 8 processes, no more than there are samples; with and without shuffle and drop_last",
)
@given(st.integers(2, 40), st.integers(1, 8), st.booleans(), st.booleans())
def test_a_distributed_sampler_gives_all_the_same_number(samples, processes, drop_last, shuffle):
    """With drop_last, or with some of the samples twice."""
    assume(samples >= processes)
    options = {"shuffle": shuffle, "drop_last": drop_last}
    dealt = [
        list(DistributedSampler(range(samples), processes, rank, **options))
        for rank in range(processes)
    ]
    assert len({len(part) for part in dealt}) == 1
    indices = [index for part in dealt for index in part]
    if drop_last:
        assert len(indices) == len(set(indices)) == samples - samples % processes
    else:
        assert set(indices) == set(range(samples)) and len(indices) < samples + processes


def frozen(rank: int) -> list[str]:
    """What DDP says of a model that is frozen, and of one with a frozen part."""
    said = []
    for model in (
        nn.Linear(1, 1).requires_grad_(False),
        Heads(nn.Linear(1, 1), nn.Linear(1, 1).requires_grad_(False)),
    ):
        try:
            wrapped = DistributedDataParallel(model)
            for _ in range(2):
                wrapped(torch.ones(1, 1), 0).sum().backward()
            del wrapped
            said.append("")
        except RuntimeError as error:
            said.append(str(error))
    return said


@attacks(
    "distributed/unused#limits",
    zh="gloo 的两个进程；一个冻结的 Linear，两个头中有一个冻结",
    en="two gloo ranks; a frozen Linear, and two heads of which one is frozen",
)
def test_frozen_parameters_are_not_waited_for(ranks):
    """And a model that has no others isn't wrapped."""
    for whole, part in ranks(frozen):
        assert "DistributedDataParallel is not needed" in whole and part == ""


def sharded_and_ddp(rank: int) -> list:
    """Of many models: the gradient of DDP and of fully_shard, what hooks saw, and the norms."""
    found = []
    for (make, dtype), blocks in product(
        product(MODELS.values(), (torch.float32, torch.float64)), (False, True)
    ):
        torch.manual_seed(0)
        net = make().to(dtype)
        torch.manual_seed(1 + rank)
        x = torch.randn(2, 3, dtype=dtype)
        model = DistributedDataParallel(deepcopy(net))
        model(x).square().mean().backward()
        with_ddp = [p.grad for p in model.module.parameters()]
        del model
        mesh = init_device_mesh("cpu", (2,))
        for block in net if blocks and isinstance(net, nn.Sequential) else ():
            if list(block.parameters()):
                fully_shard(block, mesh=mesh)
        fully_shard(net, mesh=mesh)
        tensor_hook, post = [], []
        for p in net.parameters():
            p.register_hook(tensor_hook.append)
            p.register_post_accumulate_grad_hook(
                lambda p, post=post: post.append(p.grad.to_local().clone())
            )
        net(x).square().mean().backward()
        grads = [p.grad for p in net.parameters()]
        whole = [g.full_tensor() for g in grads]
        parts = [g.to_local().clone() for g in grads]
        items = [g.norm().item() for g in grads]
        norm = nn.utils.clip_grad_norm_(net.parameters(), 0.01).full_tensor()
        clipped = [p.grad.full_tensor() for p in net.parameters()]
        found.append((with_ddp, whole, parts, items, norm, clipped, tensor_hook, post))
    return found


@attacks(
    "distributed/sharded#sharded",
    zh="gloo 的两个进程，损失取平均；三种模型，float32 和 float64，逐块分片或只分整个",
    en="two gloo ranks, a mean as loss; three models, float32 and float64, blocks sharded or only the whole",
)
@attacks(
    "distributed/sharded#hooks",
    zh="gloo 的两个进程；三种模型，float32 和 float64，逐块分片或只分整个",
    en="two gloo ranks; three models, float32 and float64, blocks sharded or only the whole",
)
def test_sharded_gradients_are_those_of_ddp_in_parts(ranks):
    """Rows as chunk() cuts them, the norm over all parts, one kind of hook."""
    for rank, found in enumerate(ranks(sharded_and_ddp)):
        for with_ddp, whole, parts, items, norm, clipped, tensor_hook, post in found:
            close = {"rtol": 1e-4, "atol": 1e-6}
            total = flat(with_ddp).norm()
            torch.testing.assert_close(norm, total, **close)
            for averaged, full, part, item, after in zip(
                with_ddp, whole, parts, items, clipped, strict=True
            ):
                torch.testing.assert_close(full, averaged, **close)
                rows = averaged.chunk(2)
                own = rows[rank] if rank < len(rows) else averaged[:0]
                torch.testing.assert_close(part, own, **close)
                assert item == pytest.approx(own.norm().item(), rel=1e-4, abs=1e-6)
                torch.testing.assert_close(after, averaged * 0.01 / (total + 1e-6), **close)
            assert not tensor_hook and len(post) == len(parts)
            assert all(any(torch.equal(seen, part) for part in parts) for seen in post)


def optimizer_before_sharding(rank: int) -> list[bool]:
    """Whether the weights move, for an optimizer that was created before fully_shard, and after."""
    found = []
    for make, early in product(OPTIMIZERS, (True, False)):
        model = nn.Linear(2, 2)
        parameters = list(model.parameters()) if early else None
        optimizer = make(parameters, lr=0.1) if early else None
        fully_shard(model, mesh=init_device_mesh("cpu", (2,)))
        optimizer = optimizer or make(model.parameters(), lr=0.1)
        before = model.weight.full_tensor().detach().clone()
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        state = optimizer.state.get(model.weight, {})
        assert all(s.shape != (2, 2) or s.to_local().shape == (1, 2) for s in state.values())
        found.append(not torch.equal(before, model.weight.full_tensor()))
    return found


@attacks(
    "distributed/sharded#same",
    "distributed/sharded#limits",
    zh="gloo 的两个进程，一个 Linear，四种优化器",
    en="two gloo ranks, a Linear, four optimizers",
)
def test_an_optimizer_created_before_sharding_changes_nothing(ranks):
    """It holds the parameters that were replaced."""
    assert ranks(optimizer_before_sharding) == [[False, True] * len(OPTIMIZERS)] * 2
