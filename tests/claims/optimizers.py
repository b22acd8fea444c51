"""All optimizers of PyTorch: what a sentence on optimizers in general is tried with."""

import inspect

from torch import optim

OPTIMIZERS = [
    kind
    for name in optim.__all__
    if inspect.isclass(kind := getattr(optim, name)) and issubclass(kind, optim.Optimizer)
    if kind is not optim.Optimizer
]
