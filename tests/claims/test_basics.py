"""What the pages of basics say in general."""

from datetime import timedelta

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel

pytestmark = pytest.mark.upgrade

DTYPES = (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64)
RESULTS = {
    "w + data": (lambda w, data: w + data, True),
    "data @ w": (lambda w, data: data @ w, True),
    "cat": (lambda w, data: torch.cat([data, w]), True),
    "a view": (lambda w, data: w[:1], True),
    "detach": (lambda w, data: w.detach(), False),
    "data": (lambda w, data: w.data, False),
    "equal": (lambda w, data: w == data, False),
    "isnan": (lambda w, data: w.isnan(), False),
    "long": (lambda w, data: w.real.long(), False),
    "argmax": (lambda w, data: w.real.argmax(), False),
    "indices of sort": (lambda w, data: w.real.sort().indices, False),
    "zeros_like": (lambda w, data: torch.zeros_like(w), False),
    "rand_like": (lambda w, data: torch.rand_like(w), False),
    "tensor": (lambda w, data: torch.tensor(w.tolist()), False),
}


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_what_requires_a_gradient(name, dtype):
    compute, spreads = RESULTS[name]
    data = torch.tensor([1.0, 2.0], dtype=dtype)
    w = data.clone().requires_grad_()
    assert compute(w, data).requires_grad is spreads
    assert not compute(data, data).requires_grad
    for quiet in (torch.no_grad, torch.inference_mode):
        with quiet():
            result = compute(w, data)
        assert name == "a view" or not result.requires_grad


@pytest.mark.parametrize("dtype", [d for d in DTYPES if d.is_floating_point], ids=str)
def test_which_leaves_get_a_gradient(dtype):
    w, unused, frozen = (torch.ones(2, dtype=dtype, requires_grad=True) for _ in range(3))
    frozen.requires_grad_(False)
    data = torch.ones(2, dtype=dtype)
    y = (2 * w * data * frozen - 1).sum()
    assert [x.is_leaf for x in (w, unused, frozen, data)] == [True] * 4
    assert [x.grad for x in (w, unused, frozen, data)] == [None] * 4
    y.backward()
    assert torch.equal(w.grad, torch.full_like(data, 2))
    assert [x.grad for x in (unused, frozen, data)] == [None] * 3


@pytest.mark.parametrize("dtype", [*DTYPES, torch.int64, torch.bool], ids=str)
def test_which_leaves_take_the_flag(dtype):
    with torch.inference_mode():
        made_inside = torch.ones(2, dtype=dtype)
    refused = not (dtype.is_floating_point or dtype.is_complex)
    for leaf, refuses in (
        (torch.ones(2, dtype=dtype), refused),
        (made_inside.clone(), refused),
        (made_inside, True),
    ):
        assert leaf.is_leaf
        if refuses:
            with pytest.raises(RuntimeError):
                leaf.requires_grad_()
        else:
            assert leaf.requires_grad_().requires_grad


VIEWS = {
    "part": lambda w: w[:1],
    "view": lambda w: w.view(2, 1),
    "expand": lambda w: w.expand(3, 2),
    "reshape": lambda w: w.reshape(2, 1),
}


@pytest.mark.parametrize("of", ["a leaf", "an intermediate tensor"])
@pytest.mark.parametrize("quiet", [torch.no_grad, torch.inference_mode])
@pytest.mark.parametrize("name", VIEWS)
def test_a_view_made_where_nothing_is_recorded_loses_the_gradient(name, quiet, of):
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    base = w if of == "a leaf" else 2 * w
    with quiet():
        view = VIEWS[name](base)
    assert view.requires_grad and view.grad_fn is None
    (3 * view).sum().backward()
    assert w.grad is None


LOSSES = {
    "output * 0": lambda model, x: (model(x) * 0).sum(),
    "none, skipped": None,
    "parameters * 0": lambda model, x: sum((p * 0).sum() for p in model.parameters()),
}
"""The loss of a batch without a target; with the last, the model isn't run."""


def gradients(rank: int) -> dict[str, list[float | str]]:
    """The gradients of two batches: 2 in rank 0, 6 in rank 1, where the first has no target."""
    seen = {}
    for name, without_target in LOSSES.items():
        layer = nn.Linear(1, 1, bias=False)
        alone = dist.new_group(timeout=timedelta(seconds=5))
        model = DistributedDataParallel(layer, process_group=alone)
        x = torch.full((1, 1), (2.0, 6.0)[rank])
        seen[name] = []
        for batch in range(2):
            layer.weight.grad = None
            without = (rank, batch) == (1, 0)
            if without and without_target is None:
                continue
            try:
                loss = without_target(model, x) if without else model(x).sum()
                loss.backward()
                seen[name].append(layer.weight.grad.item())
            except RuntimeError:
                seen[name].append("waits in vain")
    return seen


def test_a_batch_without_a_target_in_one_of_two_processes(ranks):
    """The means are (2 + 0) / 2 for the first batch and (2 + 6) / 2 for the second."""
    first, second = ranks(gradients)
    assert first["output * 0"] == second["output * 0"] == [1.0, 4.0]
    mixed = (2.0 + 6.0) / 2
    assert first["none, skipped"] == [mixed, "waits in vain"], "batch 0 meets batch 1"
    assert second["none, skipped"] == [mixed]
    assert first["parameters * 0"] == [mixed, "waits in vain"]
    assert second["parameters * 0"] == [0.0, mixed], "the pass without the model isn't averaged"
