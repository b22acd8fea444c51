"""All optimizers of PyTorch: what a sentence on optimizers in general is tried with."""

import inspect

import torch
from torch import optim

OPTIMIZERS = [
    kind
    for name in optim.__all__
    if inspect.isclass(kind := getattr(optim, name)) and issubclass(kind, optim.Optimizer)
    if kind is not optim.Optimizer
]
SWITCHES = {"foreach": True, "fused": True, "amsgrad": True, "weight_decay": 0.1, "momentum": 0.9}


def switches(kind: type[optim.Optimizer]) -> set[str]:
    """The names in `SWITCHES` that this kind of optimizer knows."""
    return SWITCHES.keys() & inspect.signature(kind).parameters.keys()


def made(kind: type[optim.Optimizer], params: list, *wanted: str) -> optim.Optimizer:
    """An optimizer with the wanted switches, as far as its kind knows them."""
    return kind(params, lr=0.1, **{name: SWITCHES[name] for name in switches(kind) & {*wanted}})


def step(optimizer: optim.Optimizer, *gradients: torch.Tensor | None) -> None:
    """A step after the parameters, in their order, have got these gradients."""
    params = [p for group in optimizer.param_groups for p in group["params"]]
    for p, gradient in zip(params, gradients, strict=False):
        sparse = isinstance(optimizer, optim.SparseAdam) and gradient is not None
        p.grad = gradient.to_sparse(1) if sparse else gradient
    optimizer.step(*[lambda: torch.tensor(1.0)] * isinstance(optimizer, optim.LBFGS))
