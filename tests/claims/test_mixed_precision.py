"""What the pages of mixed-precision say in general."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn, optim

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


HALVES = st.sampled_from([torch.bfloat16, torch.float16])


@given(
    half=HALVES,
    given_dtype=st.sampled_from([torch.bfloat16, torch.float32]),
    shape=st.lists(st.integers(1, 4), min_size=1, max_size=3),
)
def test_on_the_cpu_sums_and_softmax_keep_their_dtype(half, given_dtype, shape):
    """autocast: what it casts to float32 on other devices, it leaves alone on the CPU."""
    y = torch.ones(shape, dtype=given_dtype)
    with torch.autocast("cpu", dtype=half):
        results = [y.sum(), y.mean(), y.sum(-1), y.softmax(-1), y.log_softmax(0)]
    assert all(result.dtype == given_dtype for result in results)


@given(
    half=HALVES,
    calls=st.integers(2, 4),
    kind=st.sampled_from([nn.Linear, nn.Conv1d, nn.ConvTranspose1d]),
)
def test_one_copy_of_a_parameter_for_each_block(half, calls, kind):
    """autocast: changed within a block, a parameter is used as it was; in a new one, as it is."""
    layer = kind(1, 1, bias=False) if kind is nn.Linear else kind(1, 1, 1, bias=False)
    nn.init.ones_(layer.weight)
    x = torch.ones(1, 1) if kind is nn.Linear else torch.ones(1, 1, 1)
    with torch.autocast("cpu", dtype=half):
        for _ in range(calls):
            assert layer(x).item() == 1
            with torch.no_grad():
                layer.weight.mul_(2)
    with torch.autocast("cpu", dtype=half):
        y = layer(x)
    assert y.item() == 2**calls
    y.sum().backward()
    assert layer.weight.dtype == layer.weight.grad.dtype == torch.float32
