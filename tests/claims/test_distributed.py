"""What the pages of distributed say in general: two processes on the CPU, with gloo."""

from contextlib import nullcontext
from copy import deepcopy
from dataclasses import dataclass
from functools import partial
from itertools import permutations, product

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch import distributed, nn, optim
from torch.distributed._functional_collectives import all_gather_single
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FSDPModule, MixedPrecisionPolicy, fully_shard
from torch.nn.parallel import DistributedDataParallel
from torch.utils._pytree import tree_flatten
from torch.utils.data import DistributedSampler

from claims.ranks import gathered, on_two_ranks, one_weight

pytestmark = pytest.mark.upgrade

VIEW, STATIC, FIND = (
    {name: True} for name in ("gradient_as_bucket_view", "static_graph", "find_unused_parameters")
)
SETTINGS: list[dict] = [{}, VIEW, STATIC]
MODELS = {
    "linear": lambda: nn.Linear(3, 2),
    "layers": lambda: nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2)),
    "normalized": lambda: nn.Sequential(nn.Linear(3, 4), nn.LayerNorm(4), nn.Linear(4, 2)),
}
DTYPES = (torch.float32, torch.float64)
OPTIMIZERS = [optim.SGD, optim.Adam, optim.AdamW, optim.RMSprop]
MISSING = "Expected to have finished reduction in the prior iteration"

assert_close = partial(torch.testing.assert_close, rtol=1e-4, atol=1e-6)


def flat(tensors) -> torch.Tensor:
    return torch.cat([tensor.detach().flatten() for tensor in tensors])


def own_gradient(model: nn.Module, x: torch.Tensor) -> torch.Tensor:
    """Of the mean of the squares, without DDP."""
    return flat(torch.autograd.grad(model(x).square().mean(), list(model.parameters())))


def sharded(model: nn.Module, blocks: bool) -> nn.Module:
    """The model, and its blocks by themselves if asked for."""
    mesh = init_device_mesh("cpu", (2,))
    for block in model.children() if blocks else ():
        if list(block.parameters()):
            fully_shard(block, mesh=mesh)
    return fully_shard(model, mesh=mesh)


@attacks(
    "distributed/index#distributed",
    "distributed/sum-or-mean#sum-or-mean",
    "distributed/sum-or-mean#unequal",
    zh="gloo 的两个进程；2 个和 5 个样本；三种模型，四种优化器，float32 和 float64，DDP 的三种设置",
    en="two gloo ranks; 2 and 5 samples; three models, four optimizers, float32 and float64, three settings of DDP",
)
@on_two_ranks
def test_ddp_averages_and_all_processes_take_the_same_step(rank):
    """Whatever the number of samples of each; and the weights stay equal."""
    cases = product(SETTINGS, MODELS.values(), OPTIMIZERS, DTYPES)
    for seed, (options, make, optimizer, dtype) in enumerate(cases):
        torch.manual_seed(seed)
        model = make().to(dtype)
        torch.manual_seed(10 * seed + rank)
        x = torch.randn(2 + 3 * rank, 3, dtype=dtype)
        own = gathered(own_gradient(model, x))
        ddp = DistributedDataParallel(model, **options)
        chosen = optimizer(model.parameters(), lr=0.1)
        ddp(x).square().mean().backward()
        gradient = gathered(flat(p.grad for p in model.parameters()))
        chosen.step()
        assert_close(gradient[0], own.mean(0))
        assert not torch.allclose(own[0], own[1])
        assert torch.equal(*gradient) and torch.equal(*gathered(flat(model.parameters())))


class Late(nn.Module):
    """Two weights, of which the second is frozen at first."""

    def __init__(self) -> None:
        super().__init__()
        self.early, self.late = nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(1))
        self.late.requires_grad_(False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.early * x + self.late * x


@attacks(
    "distributed/sum-or-mean#limits",
    zh="一个参数、后来才解冻的参数、输入、中间张量、损失；DDP 的三种设置",
    en="a parameter, one unfrozen later, an input, a tensor between, the loss; three settings of DDP",
)
@on_two_ranks
def test_only_gradients_of_parameters_that_required_one_are_averaged(rank):
    """1 and 6 have the mean 3.5; the rest stays as each rank has it."""
    for options in SETTINGS:
        model = DistributedDataParallel(Late(), **options)
        model.module.late.requires_grad_()
        x = torch.tensor([1.0 + 2 * rank], requires_grad=True)
        out = model(x)
        out.retain_grad()
        loss = (out * (1 + rank)).sum()
        loss.backward()
        assert model.module.early.grad == 3.5 and model.module.late.grad == (1, 6)[rank]
        assert (x.grad, out.grad, loss) == ((2, 1, 2), (4, 2, 12))[rank]


@attacks(
    "distributed/sum-or-mean#limits", zh="两种模式的 BatchNorm1d", en="BatchNorm1d in both modes"
)
@on_two_ranks
def test_batch_norm_in_training_mode_sees_the_samples_of_its_process(rank):
    """The mean is the gradient of the large batch only without it."""
    for layer in (nn.BatchNorm1d(2), nn.BatchNorm1d(2).eval(), nn.LayerNorm(2)):
        torch.manual_seed(0)
        x, target = torch.randn(8, 2).cumsum(0), torch.randn(8, 2)
        net = nn.Sequential(nn.Linear(2, 2), layer)
        (whole,) = torch.autograd.grad((net(x) - target).square().mean(), net[0].weight)
        model, half = DistributedDataParallel(net), slice(4 * rank, 4 * rank + 4)
        (model(x[half]) - target[half]).square().mean().backward()
        alike = torch.allclose(net[0].weight.grad, whole, rtol=0.01, atol=1e-6)
        assert alike != (layer.training and isinstance(layer, nn.BatchNorm1d))
        if alike:
            assert_close(net[0].weight.grad, whole)


@attacks(
    "distributed/no-sync#forward-outside",
    "distributed/no-sync#limits",
    zh="gloo 的两个进程；三个微批次，前向和反向各在里面和外面；DDP 的三种设置",
    en="two gloo ranks; three micro-batches, forward and backward pass each inside and outside; three settings of DDP",
)
@on_two_ranks
def test_the_forward_pass_decides_whether_gradients_are_exchanged(rank):
    """Wherever the backward pass stands; the end is the same."""
    for options, forward, backward in product(({}, VIEW, FIND), (True, False), (True, False)):
        model, weight = one_weight(**options)
        after = []
        for x in (1.0, 2.0, 4.0):
            with model.no_sync() if forward and x < 4 else nullcontext():
                loss = model(torch.tensor([[x + 8 * rank]])).sum()
            with model.no_sync() if backward and x < 4 else nullcontext():
                loss.backward()
            after.append(weight.grad.item())
        assert after == ([(1, 9)[rank], (3, 19)[rank], 19] if forward else [5, 11, 19])


class Halfway(nn.Linear):
    """A layer whose forward pass enters or leaves no_sync() halfway."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        self.halfway()
        return super().forward(x)


@attacks(
    "distributed/no-sync#no-sync",
    "distributed/no-sync#forward-outside",
    zh="gloo 的两个进程；前向中途进入或离开 no_sync()，前向两次、反向一次，有无 no_grad；DDP 的三种设置",
    en="two gloo ranks; no_sync() entered or left within a forward pass, two forward passes before one backward pass, with no_grad and without; three settings of DDP",
)
@pytest.mark.parametrize("way", ["enters", "leaves", "other outside", "log", "log in no_grad"])
@on_two_ranks
def test_what_the_end_of_a_forward_pass_prepares_is_exchanged(rank, way):
    """By the next backward pass, also of another forward pass; 1 and 9 have the mean 5."""
    for options in ({}, VIEW, FIND):
        x, layer = torch.tensor([[1.0 + 8 * rank]]), Halfway(1, 1, bias=False)
        model = DistributedDataParallel(layer, **options)
        inside = model.no_sync()
        layer.halfway = {
            "enters": inside.__enter__,
            "leaves": lambda inside=inside: inside.__exit__(None, None, None),
        }.get(way, lambda: None)
        if way == "leaves":
            inside.__enter__()
        elif "log" in way:
            with torch.set_grad_enabled(way == "log"):
                model(x)
        with model.no_sync() if "log" in way or "other" in way else nullcontext():
            loss = model(x).sum()
        if way == "enters":
            inside.__exit__(None, None, None)
        elif way == "other outside":
            kept = model(x)  # noqa: F841
        with model.no_sync() if "log" in way else nullcontext():
            loss.backward()
        assert layer.weight.grad == ((1, 9)[rank] if way in ("enters", "log in no_grad") else 5)


@attacks(
    "distributed/no-sync#flag",
    "distributed/no-sync#limits",
    zh="gloo 的两个进程；开关在前向之前设、之后设，no_sync() 用在前一个或全部微批次；两步，四种优化器，DDP 的两种设置",
    en="two gloo ranks; the flag set before the forward pass and after it, no_sync() for the first or for all micro-batches; two steps, four optimizers, two settings of DDP",
)
@on_two_ranks
def test_weights_drift_apart_if_the_last_micro_batch_is_not_exchanged(rank):
    """The flag counts where the forward pass finds it; a later exchange averages no weights."""
    for options, optimizer in product(({}, VIEW), OPTIMIZERS):
        weights = {}
        for way in ("no_sync", "before", "after", "all"):
            model, weight = one_weight(**options)
            chosen = optimizer(model.parameters(), lr=0.1)
            for x in (1.0, -12.0, 2.0, -11.0):
                if way == "before":
                    model.require_backward_grad_sync = x < 0
                silent = x > 0 if way == "no_sync" else way == "all" and x in (1, -12)
                with model.no_sync() if silent else nullcontext():
                    loss = model(torch.tensor([[x + 8 * rank]])).sum()
                    if way == "after":
                        model.require_backward_grad_sync = x < 0
                    loss.backward()
                if x < 0:
                    assert way != "all" or x == -11 or weight.grad == (-11, 5)[rank]
                    chosen.step()
                    chosen.zero_grad()
            weights[way] = gathered(weight).flatten()
        assert torch.equal(weights["before"], weights["no_sync"])
        assert [first == second for first, second in weights.values()] == [True, True, False, False]


@attacks(
    "distributed/no-sync#fully-shard",
    "distributed/sharded#limits",
    zh="gloo 的两个进程；三种模型，逐块分片或只分整个；两个微批次，第一个交换或不交换",
    en="two gloo ranks; three models, blocks sharded or only the whole; two micro-batches, the first exchanged or not",
)
@on_two_ranks
def test_a_sharded_model_that_waits_holds_the_whole_gradient(rank):
    """Its own; with an exchange it holds its part alone; the end is the same mean."""
    for make, blocks, wait in product(MODELS.values(), (False, True), (False, True)):
        torch.manual_seed(0)
        net = make()
        torch.manual_seed(1 + rank)
        batches = torch.randn(2, 2, 3)
        own = [own_gradient(net, x) for x in batches]
        sharded(net, blocks)
        assert not hasattr(net, "no_sync")
        divided = [m for m in net.modules() if isinstance(m, FSDPModule)]
        net.set_requires_gradient_sync(not wait)
        net(batches[0]).square().mean().backward()
        assert all((p.grad is None) == wait for p in net.parameters())
        for module in divided:
            module.unshard()
        if wait:
            assert_close(flat(p.grad for p in net.parameters()), own[0])
        else:
            assert all(p.grad is None for p in net.parameters())
        for module in divided:
            module.reshard()
        net.set_requires_gradient_sync(True)
        net(batches[1]).square().mean().backward()
        assert_close(
            flat(p.grad.full_tensor() for p in net.parameters()), gathered(sum(own)).mean(0)
        )


@attacks(
    "distributed/hooks#hooks",
    "distributed/hooks#limits",
    zh="gloo 的两个进程；DDP 的四种设置，一个桶和几个桶；张量、梯度累积后和完整反向钩子，在 DDP 之前和之后注册；反向两次",
    en="two gloo ranks; four settings of DDP, one bucket and several; tensor, post-accumulate and full backward hooks, registered before and after DDP; two backward passes",
)
@on_two_ranks
def test_hooks_see_the_gradient_of_their_process(rank):
    """In a second pass without clearing, a post-accumulate hook sees it added to the mean."""
    for options, early, cap in product([*SETTINGS, FIND], (True, False), (0.00001, 25)):
        torch.manual_seed(0)
        net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
        x = torch.tensor([[1.0, 2.0 - 3 * rank]])
        gradients = torch.autograd.grad(net(x).mean(), list(net.parameters()))
        own = dict(zip(net.parameters(), gradients, strict=True))
        mean = {p: gathered(gradient).mean(0) for p, gradient in own.items()}
        seen, before, between = {}, {}, []

        def hook(net=net, seen=seen, before=before):
            for p in net.parameters():
                p.register_hook(lambda grad, p=p: before.update({p: grad.clone()}))
                p.register_post_accumulate_grad_hook(lambda p: seen.update({p: p.grad.clone()}))

        if early:
            hook()
        model = DistributedDataParallel(net, bucket_cap_mb=cap, **options)
        if not early:
            hook()
        net[1].register_full_backward_hook(lambda m, i, o, between=between: between.append(o[0]))
        for number in (1, 2):
            model(x).mean().backward()
            assert_close(between.pop(), net[2].weight.detach())
            for p, gradient in own.items():
                assert_close(before[p], gradient)
                assert_close(seen[p], gradient + (number - 1) * mean[p])
                assert_close(p.grad, number * mean[p])


@attacks(
    "distributed/hooks#clip",
    "glossary/index#training",
    zh="五个网络，DDP 的三种设置，反向之后裁剪",
    en="five networks, three settings of DDP, clipping after the backward pass",
)
@on_two_ranks
def test_after_the_mean_each_process_clips_by_the_same_norm(rank):
    """Nothing has to be exchanged for it."""
    for seed, options in product(range(5), SETTINGS):
        torch.manual_seed(seed)
        net = nn.Sequential(nn.Linear(2, 3), nn.Tanh(), nn.Linear(3, 1))
        x = torch.randn(4, 2)[2 * rank : 2 * rank + 2]
        mean = gathered(own_gradient(net, x)).mean(0)
        model = DistributedDataParallel(net, **options)
        model(x).square().mean().backward()
        norm = nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        after = gathered(flat(p.grad for p in net.parameters()))
        assert torch.equal(*gathered(norm)) and torch.equal(*after)
        assert_close(norm, mean.norm())
        assert_close(after[0], mean * min(0.1 / (mean.norm() + 1e-6), 1))


@attacks("distributed/hooks#comm-hook", zh="DDP 的三种设置", en="three settings of DDP")
@on_two_ranks
def test_a_hook_of_the_exchange_gets_its_own_gradients_and_has_to_divide(rank):
    """The gradients are 1, 1, 1 and 2, 2, 1, in one bucket."""
    for options in SETTINGS:
        model, got = DistributedDataParallel(nn.Linear(2, 1), **options), []

        def add_up(state, bucket, got=got):
            got.append(bucket.buffer().sum().item())
            work = distributed.all_reduce(bucket.buffer(), async_op=True)
            return work.get_future().then(lambda future: future.value()[0])

        model.register_comm_hook(None, add_up)
        model(torch.full((1, 2), 1.0 + rank)).sum().backward()
        assert got == [(3, 5)[rank]]
        assert flat(p.grad for p in model.parameters()).tolist() == [3, 3, 2]


class Heads(nn.Sequential):
    """Layers of which a call uses one, or returns the outputs of all, or computes all of them and
    returns the first."""

    def forward(self, x: torch.Tensor, head: int | None) -> torch.Tensor | list[torch.Tensor]:
        outputs = [layer(x) for layer in self] if head in (None, -1) else []
        return outputs[0] if head == -1 else outputs or self[head](x)


@attacks(
    "distributed/unused#unused",
    "distributed/unused#ways-out",
    "distributed/unused#limits",
    zh="gloo 的两个进程；两个头，各用自己的或都用第一个；第二个乘 0 加上、不进损失、不返回；DDP 的六种设置",
    en="two gloo ranks; two heads: each rank its own, or both the first; the second times 0, out of the loss, not returned; six settings of DDP",
)
@pytest.mark.parametrize("way", ["own", "first", "left out", "times 0", "not returned"])
@on_two_ranks
def test_a_parameter_without_a_gradient_leaves_its_bucket_unaveraged(rank, way):
    """And the next forward pass raises in both; who looks for it counts it as 0."""
    own, used = 2.0 + 4 * rank, {"own": rank, "first": 0, "not returned": -1}
    for options in ({}, VIEW, {"bucket_cap_mb": 1e-6}, FIND, STATIC, FIND | VIEW):
        model = DistributedDataParallel(
            Heads(*[nn.Linear(1, 1, bias=False) for _ in range(2)]), **options
        )

        def loss(model=model):
            out = model(torch.tensor([[own]]), used.get(way))
            return (
                out.sum()
                if way in used
                else out[0].sum() + 0 * (out[1].sum() if way == "times 0" else 0)
            )

        loss().backward()
        grads = [p.grad if p.grad is None else p.grad.item() for p in model.parameters()]
        if way == "times 0":
            assert grads == [4, 0]
        elif options.keys() & (FIND | STATIC).keys():
            assert grads == ([1, 3] if way == "own" else [4, None])
        else:
            # A view of a bucket has been divided already, and not added up.
            head, local = rank if way == "own" else 0, own / 2 if options == VIEW else own
            assert grads[head] == local and not grads[1 - head]
            with pytest.raises(RuntimeError, match=f"^{MISSING}(.|\n)*for rank {rank}: "):
                loss()
            continue
        loss()


@attacks(
    "distributed/unused#what-went-wrong",
    zh="两个头在四层中的任意两处，别的层冻结",
    en="two heads at any two places among four layers, the others frozen",
)
@on_two_ranks
def test_parameters_without_a_gradient_are_numbered_among_those_that_need_one(rank):
    """Of two that need one, however many frozen ones stand before them."""
    for used, unused in permutations(range(4), 2):
        heads = [nn.Linear(1, 1, bias=False).requires_grad_(n in (used, unused)) for n in range(4)]
        model = DistributedDataParallel(Heads(*heads))
        model(torch.ones(1, 1), used).sum().backward()
        with pytest.raises(RuntimeError, match=f"for rank {rank}: {int(used < unused)}\\b"):
            model(torch.ones(1, 1), used)


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


@attacks(
    "distributed/unused#limits",
    zh="forward 返回元组、列表、字典、嵌套的容器或 dataclass",
    en="forward returns a tuple, a list, a dict, nested ones, or a dataclass",
)
@pytest.mark.parametrize("kind", RETURNED)
@on_two_ranks
def test_an_output_may_stay_out_of_the_loss_if_ddp_finds_it(rank, kind):
    """The loss has the first output alone, or in rank 1 both; a dataclass raises in the second
    forward pass."""
    for more, in_one in product(({}, VIEW), (False, kind != "dataclass")):
        model = DistributedDataParallel(Returning(kind), **FIND, **more)
        for number in (1, 2):
            model.zero_grad()
            if kind == "dataclass" and number == 2:
                with pytest.raises(RuntimeError, match=MISSING):
                    model(torch.ones(1, 1))
                break
            out = model(torch.tensor([[2.0 + 4 * rank]]))
            outputs, _ = tree_flatten(vars(out) if kind == "dataclass" else out)
            sum(outputs[: 1 + (in_one and rank)]).sum().backward()
            if kind != "dataclass":
                grads = [p.grad and p.grad.item() for p in model.parameters()]
                assert grads == [4, 3 if in_one else None]


@attacks(
    "distributed/unused#limits",
    zh="一个冻结的 Linear；两个头中有一个冻结",
    en="a frozen Linear; two heads of which one is frozen",
)
@on_two_ranks
def test_frozen_parameters_are_not_waited_for(rank):
    """And a model that has no others isn't wrapped."""
    frozen = nn.Linear(1, 1).requires_grad_(False)
    with pytest.raises(RuntimeError, match="DistributedDataParallel is not needed"):
        DistributedDataParallel(frozen)
    model = DistributedDataParallel(Heads(nn.Linear(1, 1), frozen))
    for _ in range(2):
        model(torch.ones(1, 1), 0).sum().backward()
    assert model.module[0].weight.grad == 2


@attacks(
    "distributed/uneven#uneven",
    "distributed/uneven#join",
    "distributed/uneven#limits",
    zh="gloo 的两个进程；3 批和 1 批；三种模型，四种优化器，DDP 的两种设置，两种除法",
    en="two gloo ranks; 3 batches and 1; three models, four optimizers, two settings of DDP, both ways to divide",
)
@on_two_ranks
def test_who_joins_counts_as_zero_and_gets_the_weights_of_the_last(rank):
    """The first exchange is a mean of two, later ones are halved or not; all get the weights, but
    not what the optimizer remembers: a step after the block takes them apart."""
    cases = product(({}, VIEW), MODELS.values(), OPTIMIZERS, (True, False))
    for seed, (options, make, optimizer, initial) in enumerate(cases):
        torch.manual_seed(seed)
        model = make()
        ddp = DistributedDataParallel(model, **options)
        chosen = optimizer(model.parameters(), lr=0.1)
        torch.manual_seed(10 * seed + rank)

        def step(ddp=ddp, model=model, chosen=chosen):
            x = torch.randn(4, 3)
            own = own_gradient(model, x)
            chosen.zero_grad()
            ddp(x).square().mean().backward()
            chosen.step()
            return own, flat(p.grad for p in model.parameters())

        with ddp.join(divide_by_initial_world_size=initial):
            (first, exchanged), *alone = [step() for _ in range(3 - 2 * rank)]
            last = flat(model.parameters())
        assert_close(exchanged, gathered(first).mean(0))
        for own, gradient in alone:
            assert_close(gradient, own / 2 if initial else own)
        after = gathered(flat(model.parameters()))
        assert torch.equal(*after) and torch.equal(after[0], gathered(last)[0])
        assert torch.equal(*gathered(step()[1]))
        assert torch.equal(*gathered(flat(model.parameters()))) == (optimizer is optim.SGD)


@attacks(
    "distributed/uneven#join",
    zh="DDP 的三种设置，三对批数；之后再走一步",
    en="three settings of DDP, three pairs of counts; then one more step",
)
@on_two_ranks
def test_who_throws_ends_at_the_same_step_in_both(rank):
    """With as many batches nothing raises; afterward they still exchange gradients."""
    for options, batches in product(SETTINGS, ((3, 1), (0, 2), (2, 2))):
        model = DistributedDataParallel(nn.Linear(1, 1), **options)
        steps, said = 0, f"^Rank {rank} exhausted all inputs.$"
        if batches[rank] > min(batches):
            said = "^Detected at least one rank that exhausted inputs."
        refused = pytest.raises(RuntimeError, match=said)
        loop = model.join(throw_on_early_termination=True)
        with refused if batches[0] != batches[1] else nullcontext(), loop:
            for _ in range(batches[rank]):
                model(torch.ones(1, 1)).sum().backward()
                steps += 1
        assert steps == min(batches)
        model.module.zero_grad()
        again = DistributedDataParallel(model.module)
        again(torch.ones(1, 1) * (1 + 2 * rank)).sum().backward()
        assert model.module.weight.grad == 2


@attacks(
    "distributed/uneven#same-number",
    zh="2 到 40 个样本，1 到 8 个进程；有无 shuffle 和 drop_last",
    en="2 to 40 samples, 1 to 8 processes; with and without shuffle and drop_last",
)
@given(st.integers(2, 40), st.integers(1, 8), st.booleans(), st.booleans())
def test_a_distributed_sampler_gives_all_the_same_number(samples, processes, drop_last, shuffle):
    """With drop_last, or with some of the samples twice."""
    assume(samples >= processes)
    options = {"shuffle": shuffle, "drop_last": drop_last}
    dealt = [
        [*DistributedSampler(range(samples), processes, r, **options)] for r in range(processes)
    ]
    assert len({len(part) for part in dealt}) == 1
    indices = [index for part in dealt for index in part]
    if drop_last:
        assert len(indices) == len(set(indices)) == samples - samples % processes
    else:
        assert set(indices) == set(range(samples)) and len(indices) < samples + processes


@attacks(
    "distributed/sharded#sharded",
    "distributed/sharded#hooks",
    "distributed/uneven#limits",
    zh="gloo 的两个进程；三种模型，float32 和 float64，逐块分片或只分整个；损失取平均",
    en="two gloo ranks; three models, float32 and float64, blocks sharded or only the whole; a mean as loss",
)
@on_two_ranks
def test_sharded_gradients_are_those_of_ddp_in_parts(rank):
    """Rows as chunk() cuts them, the norm over all parts, one kind of hook."""
    for make, dtype, blocks in product(MODELS.values(), DTYPES, (False, True)):
        torch.manual_seed(0)
        net = make().to(dtype)
        torch.manual_seed(1 + rank)
        x = torch.randn(2, 3, dtype=dtype)
        model = DistributedDataParallel(deepcopy(net))
        model(x).square().mean().backward()
        with_ddp = [p.grad for p in model.module.parameters()]
        assert not hasattr(sharded(net, blocks), "join")
        tensor_hook, post = [], {}
        for p in net.parameters():
            p.register_hook(tensor_hook.append)
            p.register_post_accumulate_grad_hook(
                lambda p, post=post: post.update({p: p.grad.to_local().clone()})
            )
        net(x).square().mean().backward()
        assert not tensor_hook and len(post) == len(with_ddp)
        for p, averaged in zip(net.parameters(), with_ddp, strict=True):
            assert_close(p.grad.full_tensor(), averaged)
            rows = averaged.chunk(2)
            own = rows[rank] if rank < len(rows) else averaged[:0]
            assert_close(p.grad.to_local(), own)
            assert torch.equal(post[p], p.grad.to_local())
            assert p.grad.norm().item() == pytest.approx(own.norm().item(), rel=1e-4, abs=1e-6)
        total = flat(with_ddp).norm()
        assert_close(nn.utils.clip_grad_norm_(net.parameters(), 0.01).full_tensor(), total)
        clipped = flat(p.grad.full_tensor() for p in net.parameters())
        assert_close(clipped, flat(with_ddp) * 0.01 / (total + 1e-6))


@attacks(
    "distributed/sharded#same",
    "distributed/sharded#limits",
    zh="一个 Linear，四种优化器",
    en="a Linear, four optimizers",
)
@on_two_ranks
def test_an_optimizer_created_before_sharding_changes_nothing(rank):
    """It holds the parameters that were replaced; later, its state is divided, too."""
    for make, early in product(OPTIMIZERS, (True, False)):
        model = nn.Linear(2, 2)
        optimizer = make(list(model.parameters()), lr=0.1)
        sharded(model, blocks=False)
        optimizer = optimizer if early else make(model.parameters(), lr=0.1)
        before = model.weight.full_tensor().detach().clone()
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
        state = optimizer.state.get(model.weight, {})
        assert all(s.shape != (2, 2) or s.to_local().shape == (1, 2) for s in state.values())
        assert torch.equal(before, model.weight.full_tensor()) == early


def contrastive(own: torch.Tensor, every: torch.Tensor, first: int) -> torch.Tensor:
    """Each row of its own against all rows."""
    labels = torch.arange(first, first + len(own))
    return nn.functional.cross_entropy(own @ every.T, labels)


@attacks(
    "distributed/collectives#collectives",
    "distributed/collectives#why",
    "distributed/collectives#same-loss",
    zh="对比损失，三种大小，两种 dtype，只算自己的行或者算所有的行，与一个进程比较",
    en="a contrastive loss, three sizes, two dtypes, of the own rows or of all rows, against one process",
)
@on_two_ranks
def test_a_gather_with_a_gradient_gives_that_of_one_process(rank):
    """With all_gather the gradient is another one."""
    for seed, (rows, dtype, whole) in enumerate(product((1, 2, 3), DTYPES, (False, True))):
        torch.manual_seed(seed)
        x = torch.randn(2 * rows, 3, dtype=dtype)
        model = nn.Linear(3, 2).to(dtype)
        h = model(x)
        right = flat(torch.autograd.grad(contrastive(h, h, 0), list(model.parameters())))
        ddp = DistributedDataParallel(model)
        for gathers in (True, False):
            model.zero_grad()
            h = ddp(x.chunk(2)[rank])
            if gathers:
                every = all_gather_single(h, 0, distributed.group.WORLD)
            else:
                parts = [torch.zeros_like(h) for _ in range(2)]
                distributed.all_gather(parts, h)
                every = torch.cat(parts)
                assert not every.requires_grad
            if whole and gathers:
                loss = contrastive(every, every, 0)
            else:
                loss = contrastive(h, every, rank * rows)
            loss.backward()
            found = flat(p.grad for p in model.parameters())
            if gathers:
                assert_close(found, right)
            else:
                assert not torch.allclose(found, right, rtol=1e-3)


@attacks("distributed/sum-or-mean#autograd-grad", zh="DDP 的三种设置", en="three settings of DDP")
@on_two_ranks
def test_what_autograd_grad_returns_is_not_averaged(rank):
    for options in SETTINGS:
        ddp, w = one_weight(**options)
        (g,) = torch.autograd.grad(ddp(torch.tensor([[1.0 + 4 * rank]])).sum(), w)
        assert g.item() == 1 + 4 * rank and w.grad is None


@attacks(
    "distributed/uneven#set-epoch",
    zh="2 到 40 个样本，一到四个进程，三个种子",
    en="2 to 40 samples, one to four processes, three seeds",
)
@given(st.integers(2, 40), st.integers(1, 4), st.integers(0, 2), st.integers(1, 5))
def test_without_set_epoch_the_order_stays(count, processes, seed, epoch):
    samplers = [DistributedSampler(range(count), processes, r, seed=seed) for r in range(processes)]
    for sampler in samplers:
        assert list(sampler) == list(sampler)
    for sampler in samplers:
        sampler.set_epoch(epoch)
    assert {i for sampler in samplers for i in sampler} == set(range(count))
    other = DistributedSampler(range(count), processes, 0, seed=seed + epoch)
    assert list(samplers[0]) == list(other)


@attacks(
    "distributed/experts#experts",
    zh="2 到 6 个专家，选 1 个或更多，归一化或不归一化",
    en="2 to 6 experts, one or more chosen, normalized or not",
)
@given(st.integers(2, 6), st.data())
def test_the_gate_carries_the_gradient_of_the_router(count, data):
    k = data.draw(st.integers(1, count))
    torch.manual_seed(data.draw(st.integers(0, 99)))
    scores, outputs = torch.randn(count, requires_grad=True), torch.randn(count) + 3
    for normalized in (False, True):
        best, chosen = scores.softmax(0).topk(k)
        assert not chosen.requires_grad
        best = best / best.sum() if normalized else best
        (g,) = torch.autograd.grad((best * outputs[chosen]).sum(), scores)
        if normalized and k == 1:
            assert g.abs().max() < 1e-6
        elif not (k == count == 1):
            assert g.abs().max() > 1e-6


class Chosen(nn.ModuleList):
    def forward(self, x, chosen, run_all):
        y = self[chosen](x)
        for expert in self if run_all else ():
            y = y + expert(x[:0]).sum()
        return y


@attacks(
    "distributed/experts#idle",
    "distributed/experts#idle-sharded",
    zh="DDP 和 fully_shard，三种补救",
    en="DDP and fully_shard, three remedies",
)
@on_two_ranks
def test_an_expert_without_tokens_counts_as_zero_or_is_mixed_up(rank):
    """Own gradients of 2 and 6, each of another expert."""
    x = torch.tensor([[2.0], [6.0]])[rank : rank + 1]
    for way in ("mixed", "counted", "rows"):
        experts = Chosen(nn.Linear(1, 2, bias=False) for _ in range(2))
        fully_shard(experts, mesh=init_device_mesh("cpu", (2,)))
        experts.set_reduce_scatter_unused_params(way == "counted")
        experts(x, rank, way == "rows").sum().backward()
        grads = [None if e.weight.grad is None else e.weight.grad.to_local() for e in experts]
        if way == "mixed":
            assert grads[1 - rank] is None and grads[rank].item() == 4
        else:
            assert [g.item() for g in grads] == [1, 3]
    for run_all in (False, True):
        experts = Chosen(nn.Linear(1, 2, bias=False) for _ in range(2))
        ddp = DistributedDataParallel(experts, find_unused_parameters=not run_all)
        for _ in range(2):
            experts.zero_grad()
            ddp(x, rank, run_all).sum().backward()
        assert [e.weight.grad[0].item() for e in experts] == [1, 3]


@attacks(
    "distributed/sharded#policy",
    "distributed/sharded#meta",
    zh="两种优化器，两种 reduce_dtype；不同的种子；绑定的权重，两种次序",
    en="two optimizers, two reduce_dtypes; different seeds; tied weights, both orders",
)
@on_two_ranks
def test_sharded_parameters_keep_their_dtype_their_rows_and_their_ties(rank):
    mesh = init_device_mesh("cpu", (2,))
    for kind, reduced in product((optim.SGD, optim.AdamW), (torch.float32, None)):
        torch.manual_seed(rank)
        model = nn.Linear(2, 4, bias=False)
        own = gathered(model.weight)
        policy = MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=reduced)
        fully_shard(model, mesh=mesh, mp_policy=policy)
        assert torch.equal(model.weight.full_tensor(), torch.cat([own[0, :2], own[1, 2:]]))
        chosen = kind(model.parameters(), lr=1e-4)
        y = model(torch.ones(1, 2))
        y.float().sum().backward()
        before = model.weight.to_local().clone()
        chosen.step()
        assert y.dtype == torch.bfloat16
        assert model.weight.dtype == model.weight.grad.dtype == torch.float32
        assert (model.weight.to_local() != before).all()
    for empty_first in (True, False):
        with torch.device("meta"):
            model = nn.Sequential(nn.Embedding(4, 2), nn.Linear(2, 4, bias=False))
        model[1].weight = model[0].weight
        if empty_first:
            model.to_empty(device="cpu")
        fully_shard(model, mesh=mesh)
        model.to_empty(device="cpu")
        assert (model[1].weight is model[0].weight) != empty_first
