"""What the second ways have in common: finite differences, and formulas used on many pages."""

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import torch

Value = float | np.ndarray | bool | None
Pairs = list[tuple[str, Value]]
HEADING = np.array([])
"""The value of a label that stands alone: no number follows it."""


def slope(f: Callable, x: float | Sequence | np.ndarray, h: float = 1e-6) -> np.ndarray:
    """df/dx by central differences: (f(x + h) - f(x - h)) / 2h for each element of x.

    Its shape is that of f(x), then that of x: a number's gradient, a vector's Jacobian.
    """
    x = np.array(x, dtype=np.float64)
    columns = []
    for place in np.ndindex(x.shape):
        step = np.zeros_like(x)
        step[place] = h
        columns.append((np.asarray(f(x + step)) - np.asarray(f(x - step))) / (2 * h))
    return np.stack(columns, axis=-1).reshape(columns[0].shape + x.shape)


def mse(y: np.ndarray, target: Sequence | float) -> np.ndarray:
    """nn.MSELoss: the mean of (y - target)^2."""
    return np.mean((y - np.asarray(target)) ** 2)


def sgd(w: Value, gradient: Value, lr: float, weight_decay: float = 0.0) -> Value:
    """torch.optim.SGD without momentum: w - lr * (gradient + weight_decay * w)."""
    return w - lr * (gradient + weight_decay * w)


@cache
def coef() -> np.ndarray:
    """The coefficients that `torch.manual_seed(0); torch.randn(1, 1, 40, 40)` draws, in float64."""
    drawn = torch.randn(1, 1, 40, 40, generator=torch.Generator().manual_seed(0))
    return drawn.double().numpy()
