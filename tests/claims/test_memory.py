"""What the pages of memory say in general."""

import weakref

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn
from torch.autograd.graph import saved_tensors_hooks

from claims.graph import nodes_behind

pytestmark = pytest.mark.upgrade

DTYPES = (torch.float32, torch.float64)
LAYERS = {
    "Linear": lambda: nn.Linear(8, 8),
    "GELU": nn.GELU,
    "SiLU": nn.SiLU,
    "ReLU": nn.ReLU,
    "Tanh": nn.Tanh,
    "Softmax": lambda: nn.Softmax(dim=1),
    "Dropout": nn.Dropout,
    "LayerNorm": lambda: nn.LayerNorm(8),
    "RMSNorm": lambda: nn.RMSNorm(8),
    "BatchNorm1d": lambda: nn.BatchNorm1d(8),
    "MaxPool1d": lambda: nn.MaxPool1d(2),
    "Transformer": lambda: nn.TransformerEncoderLayer(8, 2, 8),
}
"""Layers that save tensors, for inputs of 4 by 8."""


class Kept:
    """Stands in the graph for a tensor; the hooks that count them live as long as the `with`."""

    def __init__(self, tensor: torch.Tensor, alive: weakref.WeakSet):
        self.tensor = tensor.detach()
        alive.add(self)


def counting() -> tuple[saved_tensors_hooks, weakref.WeakSet]:
    """Hooks that count what graphs hold, and the set of what they hold now."""
    alive: weakref.WeakSet = weakref.WeakSet()
    return saved_tensors_hooks(lambda t: Kept(t, alive), lambda kept: kept.tensor), alive


# saved-bytes


@given(st.sampled_from(list(LAYERS)), st.sampled_from(DTYPES), st.booleans())
def test_what_is_saved_goes_with_backward_or_with_the_graph(name, dtype, training):
    layer = LAYERS[name]().to(dtype).train(training)
    hooks, alive = counting()
    losses = []
    with hooks:
        for count in (1, 2, 3):
            x = torch.randn(4, 8, dtype=dtype, requires_grad=True)
            loss = layer(x).mean()
            assert alive or (name == "Dropout" and not training)
            loss.backward()
            losses.append(loss)
            assert not alive
            assert len(nodes_behind(loss)) > 1
            assert len(losses) == count
        loss = layer(x).mean()
        assert alive or (name == "Dropout" and not training)
        del loss
        assert not alive
        with torch.no_grad():
            loss = layer(x).mean()
        assert loss.grad_fn is None
        assert not alive


SHAPES = st.sampled_from([(1, 8), (4, 8), (2, 3, 8), (2, 1, 2, 8)])


@given(SHAPES, st.sampled_from(DTYPES))
def test_what_layers_save(shape, dtype):
    for name, layer in (
        ("Linear", nn.Linear(8, 8).to(dtype)),
        ("GELU", nn.GELU()),
        ("Flatten", nn.Flatten(0)),
    ):
        x = torch.randn(shape, dtype=dtype, requires_grad=True)
        places = []

        def pack(tensor, places=places):
            places.append(tensor.data_ptr())
            return tensor.detach()

        with saved_tensors_hooks(pack, lambda packed: packed):
            layer(x)
        weights = {p.data_ptr() for p in layer.parameters()}
        assert set(places) - weights == (set() if name == "Flatten" else {x.data_ptr()})


class Square(torch.autograd.Function):
    by_save = True

    @staticmethod
    def forward(ctx, x):
        if Square.by_save:
            ctx.save_for_backward(x)
        else:
            ctx.x = x
        return x * x

    @staticmethod
    def backward(ctx, grad):
        x = ctx.saved_tensors[0] if Square.by_save else ctx.x
        return 2 * x * grad


@given(SHAPES)
def test_hooks_do_not_see_what_a_function_stores_on_ctx(shape):
    for by_save in (True, False):
        Square.by_save = by_save
        seen = []
        x = torch.randn(shape, requires_grad=True)

        def pack(tensor, seen=seen):
            seen.append(tensor)
            return tensor.detach()

        with saved_tensors_hooks(pack, lambda packed: packed):
            y = Square.apply(x)
        assert len(seen) == by_save
        y.sum().backward()
        assert torch.equal(x.grad, 2 * x.detach())
