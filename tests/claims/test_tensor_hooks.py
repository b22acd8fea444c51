"""What the pages of tensor-hooks say in general."""

from inspect import signature

import pytest
import torch
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.nn.parallel import DistributedDataParallel

pytestmark = pytest.mark.upgrade


def descend(param: torch.Tensor) -> None:
    """A step of plain SGD with the learning rate 0.1, as a hook."""
    with torch.no_grad():
        param -= 0.1 * param.grad
    param.grad = None


def replicated(layer: nn.Linear) -> nn.Module:
    return DistributedDataParallel(layer)


def sharded(layer: nn.Linear) -> nn.Module:
    return fully_shard(layer, mesh=init_device_mesh("cpu", (2,)))


def sharded_as_before(layer: nn.Linear) -> nn.Module:
    return FullyShardedDataParallel(layer, device_id=torch.device("cpu"), use_orig_params=True)


def sharded_flat(layer: nn.Linear) -> nn.Module:
    return FullyShardedDataParallel(layer, device_id=torch.device("cpu"), use_orig_params=False)


WRAPPERS = (replicated, sharded, sharded_as_before, sharded_flat)


def own_weights(model: nn.Module) -> set[float]:
    """The weights that this rank holds, each once: all of them, or its shard."""
    shards = [getattr(p, "to_local", lambda p=p: p)() for p in model.parameters()]
    return {round(value, 4) for shard in shards for value in shard.detach().flatten().tolist()}


def trained(rank: int) -> dict[tuple[str, str], set[float] | str]:
    """The weights, 1 at first, after one pass with the input 2 in rank 0 and 6 in rank 1."""
    left = {}
    for wrap in WRAPPERS:
        for stepping in ("hook, then wrap", "wrap, then hook", "after backward"):
            layer = nn.Linear(2, 2, bias=False)
            nn.init.ones_(layer.weight)
            if stepping == "hook, then wrap":
                layer.weight.register_post_accumulate_grad_hook(descend)
            model = wrap(layer)
            if stepping == "wrap, then hook":
                for p in model.parameters():
                    p.register_post_accumulate_grad_hook(descend)
            try:
                model(torch.full((1, 2), (2.0, 6.0)[rank])).sum().backward()
            except AssertionError:
                left[wrap.__name__, stepping] = "raises"
                continue
            if stepping == "after backward":
                for p in model.parameters():
                    if p.grad is not None:
                        descend(p)
            left[wrap.__name__, stepping] = own_weights(model)
    return left


def test_stepping_inside_the_backward_pass_of_several_processes(ranks):
    """The mean gradient is 4: 1 - 0.1 * 4 = 0.6 is right, in both ranks."""
    first, second = ranks(trained)
    for wrap in WRAPPERS:
        after = wrap.__name__, "after backward"
        assert first[after] == second[after] == {0.6}
    for stepping in ("hook, then wrap", "wrap, then hook"):
        assert first["replicated", stepping] == {0.8}, "rank 0 stepped with its own gradient, 2"
        assert second["replicated", stepping] == {0.4}, "rank 1 stepped with its own gradient, 6"
        for ranks in (first, second):
            assert ranks["sharded_as_before", stepping] == {1.0}, "the hook never fires"
    for ranks in (first, second):
        assert ranks["sharded_flat", "hook, then wrap"] == {1.0}, "the hook never fires"
        assert ranks["sharded_flat", "wrap, then hook"] == "raises"
        assert ranks["sharded", "hook, then wrap"] == {1.0}, "the hook never fires"
        assert ranks["sharded", "wrap, then hook"] == {0.6}, "the hook sees the mean"


def scaled_steps(step_of_scaler: bool, losses) -> tuple[list[float], float]:
    """`a` and `b`, 1 at first, after a step of SGD with each loss, inside the backward pass.

    Returns them and the scale at the end.
    """
    a, b = (torch.ones((), requires_grad=True) for _ in range(2))
    optimizers = {p: torch.optim.SGD([p], lr=0.1) for p in (a, b)}
    scaler = torch.amp.GradScaler("cpu")

    def step(param):
        if step_of_scaler:
            scaler.step(optimizers[param])
        else:
            optimizers[param].step()
        optimizers[param].zero_grad()

    for p in (a, b):
        p.register_post_accumulate_grad_hook(step)
    for loss in losses:
        scaler.scale(loss(a, b)).backward()
        if step_of_scaler:
            scaler.update()
    return [a.item(), b.item()], scaler.get_scale()


def test_a_step_inside_the_backward_pass_takes_the_scaled_gradient():
    def loss(a, b):
        return 3 * a + 2 * b

    scaled, scale = scaled_steps(False, [loss])
    assert scaled == pytest.approx([1 - 0.1 * 3 * scale, 1 - 0.1 * 2 * scale])
    right, _ = scaled_steps(True, [loss])
    assert right == pytest.approx([0.7, 0.8])


def test_a_step_of_the_scaler_inside_the_backward_pass_skips_one_parameter_alone():
    values, _ = scaled_steps(True, [lambda a, b: 3 * a + b * torch.inf])
    assert values == pytest.approx([0.7, 1.0])


MOVE_IT = {"ASGD", "Muon"}
OPTIMIZERS = {
    name: kind
    for name, kind in vars(torch.optim).items()
    if isinstance(kind, type) and issubclass(kind, torch.optim.Optimizer)
    if kind not in (torch.optim.Optimizer, torch.optim.SparseAdam)  # for sparse gradients alone
}
SETTINGS = {
    "lr": 0.01,
    "momentum": 0.9,
    "nesterov": True,
    "amsgrad": True,
    "maximize": True,
    "centered": True,
    "foreach": True,
    "fused": True,
}


CHOICES = [
    (name, setting)
    for name, kind in OPTIMIZERS.items()
    for setting in SETTINGS
    if setting in signature(kind).parameters
]


@pytest.mark.parametrize(("name", "setting"), CHOICES)
def test_who_moves_an_element_that_was_masked_from_the_first_step_on(name, setting):
    parameters = signature(OPTIMIZERS[name]).parameters
    chosen = {"lr": 0.01, setting: SETTINGS[setting]}
    if setting == "nesterov" and "momentum" in parameters:
        chosen["momentum"] = 0.9
    if "weight_decay" in parameters:
        chosen["weight_decay"] = 0
    w = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    mask = torch.tensor([[1.0, 1.0], [1.0, 0.0]])
    w.register_hook(lambda grad: grad * mask)
    optimizer = OPTIMIZERS[name]([w], **chosen)

    def closure():
        optimizer.zero_grad()
        loss = (w**2).sum() + 0.1 * w.prod()
        loss.backward()
        return loss

    for _ in range(5):
        optimizer.step(closure)
    assert w[0, 0].item() != 1, "the others are trained"
    assert (w[1, 1].item() != 4) is (name in MOVE_IT)
