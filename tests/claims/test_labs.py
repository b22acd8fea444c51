"""What the pages of labs say in general."""

import pytest
import torch
from torch import nn
from torch.nn import functional as F

pytestmark = pytest.mark.upgrade


@pytest.mark.parametrize("passes", [1, 4])
@pytest.mark.parametrize("uses", [1, 3])
def test_a_post_accumulate_hook_is_called_once_for_each_pass(uses, passes):
    """flow: not once a step, and not once for each use of the weight."""
    w, calls = torch.tensor(2.0, requires_grad=True), []
    w.register_post_accumulate_grad_hook(lambda w: calls.append(w.grad.item()))
    optimizer = torch.optim.SGD([w], lr=0)
    for _ in range(passes):
        (w**2 if uses == 1 else w * w * w).backward()
    optimizer.step()
    gradient = 4 if uses == 1 else 12
    assert calls == [gradient * number for number in range(1, passes + 1)]


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


def test_dead_units_stand_still_and_come_back_only_behind_a_layer_that_moves():
    """flow: with plain SGD, never in the first layer."""
    for layer in (0, 2):
        dead, still = dead_units(layer)
        assert still
        assert dead.any(), f"layer {layer}: nothing to see"
        come_back = (dead[:-1] & ~dead[1:]).any().item()
        assert come_back == (layer == 2)
