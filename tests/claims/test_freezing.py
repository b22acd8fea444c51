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
