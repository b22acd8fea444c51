"""Rounding and print formats are no difference; every digit is one."""

import pytest
from gradtrace import first_difference, same_but_for_rounding

SAME = [
    ("tensor([ 3.0000, 15.0000])", "tensor([ 3., 15.])", "float32"),
    (
        "tensor([[1.0000, 2.0000],\n        [3.0000, 4.0000]])",
        "tensor([[1., 2.],\n        [3., 4.]])",
        "float32",
    ),
    ("tensor([ 1.0000, -2.0000])", "tensor([ 1., -2.])", "float32"),
    ("0.30000001192092896", "0.30000004172325134", "float32"),
    ("0.5", "0.5000000596046448", "float32"),
    ("loss   3.0000|", "loss  3.|", "float32"),
    ("0.30000000000000004", "0.3", "float64"),
    ("1.0000e-03", "0.0010", "float32"),
]
OTHER = [
    ("tensor([ 3., 15.])", "tensor([ 3., 16.])", "float32"),
    ("tensor(0.3333)", "tensor(0.3334)", "float32"),
    ("tensor(0.3333)", "tensor(0.33334)", "float32"),
    ("tensor(3)", "tensor(3.)", "float32"),
    ("3", "4", "float32"),
    ("16777216", "16777217", "float32"),
    ("tensor(-0.)", "tensor(0.)", "float32"),
    ("1.", "-1.", "float32"),
    ("x1: 1.", "x2: 1.", "float32"),
    ("torch 2.13.0", "torch 2.13.1", "float32"),
    ("AddBackward0", "AddBackward1", "float32"),
    ("0.30000000000000004", "0.3", "float32"),
    ("0.1", "0.10000000149011612", "float32"),
    ("0.08000000566244125", "0.08000000566244225", "float64"),
    ("nan", "1.", "float32"),
    ("1.\n2.", "1.\n2.\n", "float32"),
    ("1. 2.", "1.\n2.", "float32"),
    ("1.0000e-03", "1.0000e-04", "float32"),
    ("tensor([1., 2.])", "tensor([ 1., 2.])", "float32"),
    ("tensor([1., 2.])", "tensor([1., 2., 3.])", "float32"),
]


@pytest.mark.parametrize(("one", "other", "dtype"), SAME)
def test_the_same_numbers(one, other, dtype):
    assert same_but_for_rounding(one, other, dtype)
    assert same_but_for_rounding(other, one, dtype)


@pytest.mark.parametrize(("one", "other", "dtype"), OTHER)
def test_other_numbers(one, other, dtype):
    assert not same_but_for_rounding(one, other, dtype)
    assert not same_but_for_rounding(other, one, dtype)


def test_a_recording_may_be_rounded_otherwise_where_a_dtype_is_said():
    kept, now = (
        '"events": [\n{"v": [3.0, 0.30000001192092896]}',
        '"events": [\n{"v": [3.0, 0.30000004172325134]}',
    )
    assert first_difference(kept, now).line == 2
    assert first_difference(kept, now, "float32") is None
    assert first_difference(kept, now.replace("3.0,", "4.0,"), "float32").line == 2
    assert first_difference(kept, now + "\n", "float32") is None
    assert first_difference(kept, now + "\n{}", "float32").line == 3
