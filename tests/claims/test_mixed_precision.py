"""What the pages of mixed-precision say in general."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import optim

pytestmark = pytest.mark.upgrade


@given(
    optimizer=st.sampled_from([optim.SGD, optim.Adam, optim.AdamW]),
    overflows=st.lists(st.booleans(), min_size=1, max_size=12),
    bad=st.sampled_from([float("inf"), float("-inf"), float("nan")]),
    interval=st.integers(1, 4),
)
def test_an_overflow_halves_the_scale_and_a_while_without_doubles_it(
    optimizer, overflows, bad, interval
):
    """scaler: and no parameter moves in a step with an overflow, nor does one that is finite."""
    v, w = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
    chosen = optimizer([v, w], lr=0.1)
    scaler = torch.amp.GradScaler("cpu", growth_interval=interval)
    expected, in_a_row = 2.0**16, 0
    assert scaler.get_scale() == expected
    for overflow in overflows:
        chosen.zero_grad()
        before = v.detach().clone(), w.detach().clone()
        scaler.scale(v.sum() + w.sum()).backward()
        if overflow:
            w.grad[1] = bad
        scaler.step(chosen)
        scaler.update()
        stayed = torch.equal(v, before[0]), torch.equal(w, before[1])
        assert stayed == (overflow, overflow)
        in_a_row = 0 if overflow else in_a_row + 1
        if overflow:
            expected /= 2
        elif in_a_row == interval:
            expected, in_a_row = 2 * expected, 0
        assert scaler.get_scale() == expected
