"""Dtypes, modules and edits: what many sentences are tried with."""

import torch
from torch import nn

REAL = (torch.float16, torch.bfloat16, torch.float32, torch.float64)
DTYPES = (*REAL, torch.complex64)
MODULES = {
    "Linear": (lambda: nn.Linear(4, 4), (3, 4)),
    "Conv1d": (lambda: nn.Conv1d(4, 4, 3), (2, 4, 5)),
    "Conv2d": (lambda: nn.Conv2d(4, 4, 3), (2, 4, 5, 5)),
    "ConvTranspose2d": (lambda: nn.ConvTranspose2d(4, 4, 2), (2, 4, 3, 3)),
    "BatchNorm1d": (lambda: nn.BatchNorm1d(4), (5, 4)),
    "BatchNorm2d": (lambda: nn.BatchNorm2d(4), (5, 4, 2, 2)),
    "InstanceNorm1d": (
        lambda: nn.InstanceNorm1d(4, affine=True, track_running_stats=True),
        (2, 4, 5),
    ),
    "LayerNorm": (lambda: nn.LayerNorm(4), (5, 4)),
    "GroupNorm": (lambda: nn.GroupNorm(2, 4), (5, 4)),
    "RMSNorm": (lambda: nn.RMSNorm(4), (5, 4)),
    "PReLU": (lambda: nn.PReLU(), (5, 4)),
    "LSTM": (lambda: nn.LSTM(4, 4), (5, 4)),
    "GRU": (lambda: nn.GRU(4, 4, 2), (5, 4)),
    "TransformerEncoderLayer": (lambda: nn.TransformerEncoderLayer(4, 2, 8), (3, 2, 4)),
}
"""Modules with parameters, and the shape of an input."""

EDITS = {
    "+=": lambda x: x.__iadd__(1),
    "x[0] = 5": lambda x: x.__setitem__(0, 5),
    "x[[0]] = 5": lambda x: x.__setitem__([0], 5),
    "x[mask] = 5": lambda x: x.__setitem__(x > 0, 5),
    "mul_": lambda x: x.mul_(3),
    "copy_": lambda x: x.copy_(torch.full_like(x, 5)),
    "masked_fill_": lambda x: x.masked_fill_(x > 0, 5),
    "ReLU": lambda x: nn.ReLU(inplace=True)(x),
    "a part": lambda x: x[:1].mul_(5),
    "a view": lambda x: x.view(-1).add_(1),
}
"""Edits in place that change a tensor of numbers of both signs."""


def output(model: nn.Module, x: torch.Tensor) -> torch.Tensor:
    """What a model returns, or the first tensor of that."""
    result = model(x)
    return result[0] if isinstance(result, tuple) else result
