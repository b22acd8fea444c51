"""What the pages of accumulate say in general."""

import gc
import weakref
from contextlib import nullcontext

import pytest
import torch
from torch import distributed, nn
from torch.nn import functional as F
from torch.nn.parallel import DistributedDataParallel

pytestmark = pytest.mark.upgrade

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


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("weight", [None, [5.0, 1.0, 0.5]], ids=["alike", "weighted"])
@pytest.mark.parametrize("sizes", [(2, 6), (1, 4, 3), (3, 3, 1, 1)], ids=str)
def test_shares_of_micro_batches_by_what_cross_entropy_divides_by(sizes, weight, smoothing):
    """micro-batches: the labels that are left, with class weights the sum of theirs."""
    inputs, labels = batch(sum(sizes), sum(sizes))
    options = {
        "weight": weight and torch.tensor(weight),
        "label_smoothing": smoothing,
    }
    of_class = torch.tensor(weight or [1.0] * CLASSES)
    divisor = of_class[labels[labels >= 0]].sum()
    whole, summed = linear(), linear()
    F.cross_entropy(whole(inputs), labels, **options).backward()
    for some, those in zip(inputs.split(sizes), labels.split(sizes), strict=True):
        share = of_class[those[those >= 0]].sum() / divisor
        if share:
            (F.cross_entropy(summed(some), those, **options) * share).backward()
    assert torch.allclose(summed.weight.grad, whole.weight.grad, atol=1e-6)


SIZES = (3, 7)
"""The samples of rank 0 and rank 1."""


def gradients(rank: int) -> list[torch.Tensor]:
    """The gradient of DDP: means averaged; counted over all ranks; the same in micro-batches."""
    inputs, labels = (part.split(SIZES)[rank] for part in batch(0, sum(SIZES)))
    count = (labels >= 0).sum()
    distributed.all_reduce(count)
    found = []
    for counted, parts in ((False, 1), (True, 1), (True, 2)):
        model = DistributedDataParallel(linear())
        chunks = list(zip(inputs.tensor_split(parts), labels.tensor_split(parts), strict=True))
        for number, (some, those) in enumerate(chunks, 1):
            with nullcontext() if number == len(chunks) else model.no_sync():
                loss = F.cross_entropy(model(some), those, reduction="sum" if counted else "mean")
                (loss * 2 / count if counted else loss).backward()
        found.append(model.module.weight.grad)
    return found


def test_the_mean_of_processes_counts_all_alike_unless_the_loss_is_divided_by_all_counts(ranks):
    """micro-batches: in several processes, and with no_sync() for all but the last."""
    inputs, labels = batch(0, sum(SIZES))
    whole = linear()
    F.cross_entropy(whole(inputs), labels).backward()
    for means, counted, in_parts in ranks(gradients):
        assert not torch.allclose(means, whole.weight.grad, atol=1e-3)
        assert torch.allclose(counted, whole.weight.grad, atol=1e-6)
        assert torch.allclose(in_parts, whole.weight.grad, atol=1e-6)


@pytest.mark.parametrize(
    ("retain_graph", "delete", "rounds"), [(True, False, 2), (True, True, 1), (False, False, 1)]
)
@pytest.mark.parametrize("model", [nn.Linear, nn.RNN, nn.LSTM])
def test_retained_graphs_of_two_rounds_are_there_at_once(model, retain_graph, delete, rounds):
    """running-loss: at the end of a forward pass, and no more of them from then on."""
    net, saved = model(4, 4), []
    for step in range(4):
        out = net(torch.randn(1, 5, 4))
        middle = (out[0] if isinstance(out, tuple) else out) * 1
        saved.append(weakref.ref(middle))
        new = middle.square().sum()
        del out, middle
        gc.collect()
        assert sum(ref() is not None for ref in saved) == min(step + 1, rounds)
        loss = new
        del new
        loss.backward(retain_graph=retain_graph)
        if delete:
            del loss


def test_a_sum_of_detached_losses_has_no_graph():
    """running-loss: it has the same value."""
    w, logged, kept = torch.tensor(3.0, requires_grad=True), 0.0, 0.0
    for step in range(5):
        loss = (w * step) ** 2
        logged, kept = logged + loss.detach(), kept + loss
    assert kept.grad_fn is not None
    assert logged.grad_fn is None and not logged.requires_grad
    assert logged.item() == kept.item()


def raising_round(net: nn.RNNBase) -> int | None:
    """The round, from 1, in which training with retain_graph=True and a hidden state raises."""
    optimizer, hidden = torch.optim.SGD(net.parameters(), lr=0.1), None
    for number in range(1, 6):
        out, hidden = net(torch.ones(1, 1, 1), hidden)
        optimizer.zero_grad()
        try:
            out.square().sum().backward(retain_graph=True)
        except RuntimeError as error:
            assert "modified by an inplace operation" in str(error)
            return number
        optimizer.step()
    return None


def test_when_a_retained_graph_meets_weights_that_changed():
    """second-time: the third round with one layer, the second with two."""
    assert raising_round(nn.RNN(1, 2)) == 3
    assert raising_round(nn.RNN(1, 2, num_layers=2)) == 2
