"""What the pages of updates say in general."""

import inspect
from itertools import product

import pytest
import torch
from torch import optim
from torch.nn.utils import clip_grad_norm_

pytestmark = pytest.mark.upgrade

OPTIMIZERS = [
    optimizer
    for name in optim.__all__
    if inspect.isclass(optimizer := getattr(optim, name)) and issubclass(optimizer, optim.Optimizer)
]
SWITCHES = {
    "foreach": True,
    "fused": True,
    "maximize": True,
    "weight_decay": 0.1,
    "momentum": 0.9,
    "nesterov": True,
    "amsgrad": True,
    "centered": True,
}


def combinations(optimizer: type[optim.Optimizer]) -> list[dict]:
    """All settings of an optimizer with some of the switches; those that it refuses among them."""
    names = [name for name in SWITCHES if name in inspect.signature(optimizer).parameters]
    chosen = product((False, True), repeat=len(names))
    return [{n: SWITCHES[n] for n, on in zip(names, row, strict=True) if on} for row in chosen]


def writes_into_grad(optimizer: type[optim.Optimizer], options: dict) -> bool:
    """Whether one of three steps leaves another gradient than it found."""
    generator = torch.Generator().manual_seed(0)
    params = [torch.randn(3, 2, generator=generator, requires_grad=True) for _ in range(2)]
    stepper, written = optimizer(params, lr=0.1, **options), False
    for _ in range(3):
        for p in params:
            p.grad = torch.randn(3, 2, generator=generator)
        before = [p.grad.clone() for p in params]
        stepper.step()
        pairs = zip(before, params, strict=True)
        written |= not all(torch.equal(found, p.grad) for found, p in pairs)
    return written


def test_which_optimizers_write_into_grad():
    """by-hand, index: SGD with nesterov and foreach, and no weight decay; no other."""
    others = set(OPTIMIZERS) - {optim.Optimizer, optim.LBFGS, optim.SparseAdam}
    writing, tried = [], set()
    for optimizer in others:
        for options in combinations(optimizer):
            try:
                optimizer([torch.zeros(2, 2, requires_grad=True)], lr=0.1, **options)
            except (RuntimeError, ValueError):
                continue  # foreach and fused at once, nesterov without momentum
            tried.add(optimizer)
            if writes_into_grad(optimizer, options):
                writing.append((optimizer, options))
    assert tried == others
    assert writing == [(optim.SGD, {"foreach": True, "momentum": 0.9, "nesterov": True})]


@pytest.mark.parametrize("optimizer", [optim.SGD, optim.Adagrad, optim.Adam, optim.AdamW])
def test_a_fused_optimizer_with_a_scaler_leaves_the_unscaled_gradient(optimizer):
    w = torch.tensor([1.0], requires_grad=True)
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale((5 * w).sum()).backward()
    assert w.grad.item() == 5 * 65536
    scaler.step(optimizer([w], lr=0.1, fused=True))
    assert w.grad.item() == 5


@pytest.mark.parametrize("options", [{}, {"foreach": True}], ids=str)
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16])
def test_sgd_by_hand_is_sgd_up_to_rounding(dtype, options):
    generator = torch.Generator().manual_seed(0)
    sgd = torch.randn(10_000, generator=generator).to(dtype).requires_grad_()
    hand, gradient = sgd.detach().clone(), torch.randn(10_000, generator=generator).to(dtype)
    sgd.grad = gradient.clone()
    optim.SGD([sgd], lr=0.1, **options).step()
    large = torch.maximum(hand.abs(), 0.1 * gradient.abs())
    hand -= 0.1 * gradient
    assert ((sgd.detach() - hand).abs() <= 2 * torch.finfo(dtype).eps * large).all()
    assert not torch.equal(sgd.detach(), hand)


def test_what_grad_accepts():
    """by-hand: shape and device always; the dtype of the parameter, or that of grad_dtype."""
    w = torch.zeros(2, requires_grad=True)
    for refused in (
        torch.ones(3),
        torch.ones(2, 1),
        torch.ones(2, device="meta"),
        torch.ones(2, dtype=torch.float64),
        torch.ones(2, dtype=torch.int64),
    ):
        with pytest.raises(RuntimeError, match="attempting to assign a gradient"):
            w.grad = refused
    for dtype in (torch.float64, torch.bfloat16):
        w.grad = None
        w.grad_dtype = dtype
        w.grad = torch.ones(2, dtype=dtype)
        optim.SGD([w], lr=1).step()
    assert w.tolist() == [-2, -2]


@pytest.mark.parametrize("options", [{}, {"foreach": True}, {"fused": True}], ids=str)
@pytest.mark.parametrize("optimizer", [optim.Adam, optim.AdamW])
def test_the_first_step_of_adam_is_one_of_each_element(optimizer, options):
    """adam: lr * g / (|g| + eps): a whole step, less where g is about eps, none where it is 0."""
    gradient = torch.tensor([-1e15, -1.0, 1e-3, 1e-6, 1e-8, -1e-10, 0.0])
    w = torch.zeros_like(gradient, requires_grad=True)
    w.grad = gradient.clone()
    optimizer([w], lr=0.1, **options).step()
    moved = [0.1, 0.1, -0.1, -0.1 / 1.01, -0.05, 0.1 / 101, 0.0]
    assert torch.allclose(w.detach(), torch.tensor(moved), rtol=1e-4)


@pytest.mark.parametrize("options", [{}, {"foreach": True}, {"fused": True}], ids=str)
def test_clipping_needs_unscaled_gradients(options):
    """clipping: without unscale_ the step of SGD is 65536 times too short."""
    lengths = {}
    for unscale in (True, False):
        w = torch.zeros(3, requires_grad=True)
        optimizer, scaler = optim.SGD([w], lr=1, **options), torch.amp.GradScaler("cpu")
        scaler.scale((w * torch.tensor([1.0, 2.0, 2.0])).sum()).backward()
        if unscale:
            scaler.unscale_(optimizer)
        clip_grad_norm_([w], max_norm=1.0)
        scaler.step(optimizer)
        lengths[unscale] = w.detach().norm().item()
    assert lengths[True] == pytest.approx(1, rel=1e-5)
    assert lengths[False] * 65536 == pytest.approx(1, rel=1e-5)
