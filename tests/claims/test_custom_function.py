"""What the pages of custom-function say in general."""

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

pytestmark = pytest.mark.upgrade

DTYPES = st.sampled_from([torch.float64, torch.float32, torch.bfloat16])
EDITS = {
    "add_": lambda w: w.add_(1),
    "zero_": lambda w: w.zero_(),
    "copy_": lambda w: w.copy_(torch.ones_like(w)),
    "an element": lambda w: w[0].mul_(2),
}


def weighted(entries):
    """Arguments number 1, 2, ... times 2, 3, ..., summed; backward returns `entries(gradients)`."""

    class Weighted(torch.autograd.Function):
        @staticmethod
        def forward(ctx, *arguments):
            ctx.arguments = arguments
            return sum(n * argument for n, argument in enumerate(arguments, 2))

        @staticmethod
        def backward(ctx, grad_y):
            assert torch.equal(grad_y, torch.full_like(grad_y, 7))
            gradients = [
                n * grad_y if torch.is_tensor(argument) else None
                for n, argument in enumerate(ctx.arguments, 2)
            ]
            for needed, argument in zip(ctx.needs_input_grad, ctx.arguments, strict=True):
                assert needed == (torch.is_tensor(argument) and argument.requires_grad)
            return entries(gradients, ctx.needs_input_grad)

    return Weighted


@given(
    kinds=st.lists(
        st.sampled_from(["needs", "needs none", "integer", "switch"]), min_size=0, max_size=4
    ),
    dtype=DTYPES,
)
def test_one_entry_for_each_argument(kinds, dtype):
    """first-function: by position, None where none is needed; fewer or more raise."""
    kinds = [*kinds, "needs"]

    def argument(kind):
        if kind in ("integer", "switch"):
            return 3 if kind == "integer" else True
        return torch.ones(2, dtype=dtype, requires_grad=kind == "needs")

    def run(entries):
        arguments = [argument(kind) for kind in kinds]
        (7 * weighted(entries).apply(*arguments)).sum().backward()
        return arguments

    def none_where_not_needed(gradients, needed):
        return tuple(g if n else None for g, n in zip(gradients, needed, strict=True))

    for right in (lambda gradients, needed: tuple(gradients), none_where_not_needed):
        for n, (kind, value) in enumerate(zip(kinds, run(right), strict=True), 2):
            if kind == "needs":
                assert torch.equal(value.grad, torch.full_like(value, 7 * n))
            elif kind == "needs none":
                assert value.grad is None

    wrong = "incorrect number of gradients"
    with pytest.raises(RuntimeError, match=wrong):
        run(lambda gradients, needed: (*gradients, gradients[-1]))
    if len(kinds) > 1:
        with pytest.raises(RuntimeError, match=wrong):
            run(lambda gradients, needed: tuple(gradients[:-1]))
    if {"integer", "switch"} & set(kinds):
        with pytest.raises(RuntimeError):
            run(lambda gradients, needed: tuple(gradients[-1] for _ in gradients))


@given(
    edit=st.sampled_from(sorted(EDITS)),
    dtype=DTYPES,
    view=st.booleans(),
    output=st.booleans(),
    saved=st.booleans(),
)
def test_what_was_saved_notices_an_edit_in_place(edit, dtype, view, output, saved):
    """first-function: save_for_backward raises, an attribute doesn't."""

    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx, w):
            y = w**2
            kept = y if output else w
            if saved:
                ctx.save_for_backward(kept)
            else:
                ctx.kept = kept
            return y

        @staticmethod
        def backward(ctx, grad_y):
            kept = ctx.saved_tensors[0] if saved else ctx.kept
            return grad_y * kept

    w = torch.full((3,), 2.0, dtype=dtype, requires_grad=True)
    y = Square.apply(w)
    loss = (3 * y).sum()
    with torch.no_grad():
        edited = y if output else w
        EDITS[edit](edited[:] if view else edited)
    if saved:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()
    else:
        loss.backward()
