"""What the pages of freezing say in general."""

import pytest
import torch
from torch import nn

pytestmark = pytest.mark.upgrade

GO_ON = {
    "BatchNorm1d": (lambda: nn.BatchNorm1d(4), (8, 4)),
    "BatchNorm2d": (lambda: nn.BatchNorm2d(4), (8, 4, 3, 3)),
    "BatchNorm3d": (lambda: nn.BatchNorm3d(4), (8, 4, 3, 3, 3)),
    "Dropout": (lambda: nn.Dropout(), (8, 4)),
    "Dropout2d": (lambda: nn.Dropout2d(), (8, 4, 3, 3)),
    "AlphaDropout": (lambda: nn.AlphaDropout(), (8, 4)),
    "TransformerEncoderLayer": (lambda: nn.TransformerEncoderLayer(4, 2, 8), (8, 4, 4)),
    "LSTM with dropout": (lambda: nn.LSTM(4, 4, 2, dropout=0.5), (8, 4)),
}


def output(model: nn.Module, x: torch.Tensor) -> torch.Tensor:
    result = model(x)
    return result[0] if isinstance(result, tuple) else result


def goes_on(encoder: nn.Module, x: torch.Tensor) -> bool:
    """Whether two forward passes of one input differ, or change a buffer of the encoder."""
    before = [buffer.clone() for buffer in encoder.buffers()]
    if not torch.equal(output(encoder, x), output(encoder, x)):
        return True
    pairs = zip(before, encoder.buffers(), strict=True)
    return any(not torch.equal(old, new) for old, new in pairs)


@pytest.mark.parametrize("name", GO_ON)
def test_a_frozen_encoder_goes_on_in_training_mode(name):
    torch.manual_seed(0)
    make, shape = GO_ON[name]
    encoder, x = make(), torch.rand(shape)
    model = nn.Sequential(encoder, nn.Identity())
    encoder.requires_grad_(False)
    assert goes_on(encoder, x)
    encoder.eval()
    assert not goes_on(encoder, x)
    model.train()
    assert goes_on(encoder, x), "model.train() puts the encoder back into training mode"


CHANGED = {
    "w + 0": (lambda w: w + 0, False),
    "w * 3": (lambda w: w * 3, False),
    "w.view": (lambda w: w.view(2, 1), False),
    "w.mean": (lambda w: w.mean(0, keepdim=True), False),
    "w ** 2": (lambda w: w**2, True),
    "w.sin": (lambda w: w.sin(), True),
    "w * w": (lambda w: w * w, True),
    "w.log": (lambda w: w.log(), True),
}
"""What is computed from w, and whether its backward pass needs the value of w."""


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float32, torch.float64], ids=str)
@pytest.mark.parametrize("name", CHANGED)
def test_an_edit_through_detach_raises_only_where_the_value_was_saved(name, dtype):
    compute, saved = CHANGED[name]
    w = torch.tensor([2.0, 3.0], dtype=dtype, requires_grad=True)
    (unedited,) = torch.autograd.grad(compute(w).sum(), w)
    loss = compute(w).sum()
    w.detach().mul_(10)
    if saved:
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            loss.backward()
    else:
        loss.backward()
        assert torch.equal(w.grad, unedited)


def kept(module: nn.Module, x: torch.Tensor) -> list[torch.Tensor]:
    """What the forward pass of a module keeps for the backward pass, each tensor once."""
    tensors = {}

    def keep(tensor):
        tensors[id(tensor)] = tensor
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        module(x)
    return list(tensors.values())


KEEP = {
    "Linear": (lambda: nn.Linear(4, 4), (8, 4), True),
    "Conv2d": (lambda: nn.Conv2d(4, 4, 3), (8, 4, 5, 5), True),
    "LayerNorm": (lambda: nn.LayerNorm(4), (8, 4), True),
    "Dropout": (lambda: nn.Dropout(), (8, 4), False),
    "Dropout2d": (lambda: nn.Dropout2d(), (8, 4, 3, 3), False),
    "TransformerEncoderLayer": (lambda: nn.TransformerEncoderLayer(4, 2, 8), (8, 4, 4), False),
}
"""Modules, the shape of an input, and whether they keep as much in evaluation mode."""


@pytest.mark.parametrize("name", KEEP)
def test_what_is_kept_in_evaluation_mode(name):
    make, shape, same = KEEP[name]
    module, x = make(), torch.rand(shape, requires_grad=True)
    training = len(kept(module.train(), x))
    evaluation = len(kept(module.eval(), x))
    assert evaluation == training if same else evaluation < training


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16], ids=str)
def test_autocast_keeps_a_copy_of_the_weight(dtype):
    layer, x = nn.Linear(64, 64), torch.rand(1, 64, requires_grad=True)

    def own_weight() -> bool:
        weights = [tensor for tensor in kept(layer, x) if tensor.numel() == layer.weight.numel()]
        return bool(weights) and all(w.data_ptr() == layer.weight.data_ptr() for w in weights)

    assert own_weight()
    with torch.autocast("cpu", dtype=dtype):
        assert not own_weight()
        assert dtype in {tensor.dtype for tensor in kept(layer, x) if tensor.numel() > 64}
