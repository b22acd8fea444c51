"""What the page then-and-now says in general."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from proofbook.content.attacks import attacks
from torch import nn, optim

from claims.optimizers import OPTIMIZERS

pytestmark = pytest.mark.upgrade


@attacks("then-and-now/index#more", zh="所有优化器和模块", en="all optimizers, and modules")
@pytest.mark.parametrize("kind", [*OPTIMIZERS, None])
def test_zero_grad_sets_none_by_default(kind):
    layer = nn.Linear(2, 2, bias=False)
    zero_grad = kind(layer.parameters()).zero_grad if kind else layer.zero_grad
    for options, left in (({}, None), ({"set_to_none": False}, 0)):
        layer.weight.sum().backward()
        zero_grad(**options)
        assert layer.weight.grad is None if left is None else not layer.weight.grad.any()
        layer.weight.sum().backward()
        assert layer.weight.grad.eq(1).all()


@attacks("then-and-now/index#max-and-min", zh="SGD，2 到 6 个数", en="SGD, 2 to 6 numbers")
@given(
    st.lists(st.floats(-9, 9, width=16), min_size=2, max_size=6),
    st.floats(0.01, 1),
    st.floats(-4, 4, width=16),
    st.booleans(),
)
def test_when_maximum_and_minimum_move_with_the_gradient(values, lr, same, foreach):
    """Each element moves; the ends do where all move alike."""
    start = torch.tensor(values, dtype=torch.float64)
    w, grad = start.clone(), torch.full_like(start, same)
    w.grad = grad
    optim.SGD([w], lr=lr, foreach=foreach).step()
    for end in (torch.max, torch.min, torch.mean):
        assert torch.isclose(end(w), end(start) - lr * same)
    w = torch.tensor([0.0, 1.0])
    w.grad = torch.tensor([-2.0, 0.0])
    optim.SGD([w], lr=1, foreach=foreach).step()
    assert (w.min(), w.max()) == (1, 2), "another element is the least"
