"""What the pages of distributed say in general: two processes on the CPU, with gloo."""

from itertools import product

import pytest
import torch
from torch import distributed, nn, optim
from torch.nn.parallel import DistributedDataParallel

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


def test_ddp_averages_and_all_processes_take_the_same_step(ranks):
    """sum-or-mean: whatever the number of samples of each; and the weights stay equal."""
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


def test_only_gradients_of_parameters_that_required_one_are_averaged(ranks):
    """sum-or-mean: 1 and 6 have the mean 3.5; the rest stays as each rank has it."""
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


def test_batch_norm_in_training_mode_sees_the_samples_of_its_process(ranks):
    """sum-or-mean: the mean is the gradient of the large batch only without it."""
    for (trained, trained_whole), *others in ranks(batch_norm):
        assert not torch.allclose(trained, trained_whole, rtol=0.01)
        for gradient, whole in others:
            torch.testing.assert_close(gradient, whole, rtol=1e-4, atol=1e-6)
