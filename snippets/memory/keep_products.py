import weakref
from functools import partial

import torch
from torch.nn.functional import gelu
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import (
    CheckpointPolicy,
    checkpoint,
    create_selective_checkpoint_contexts,
)


class Meter(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        alive.add(result.untyped_storage())
        calls.append(function)
        return result


def block(x):
    return gelu(x @ wide) @ narrow


def policy(context, function, *args, **kwargs):
    if function == torch.ops.aten.mm.default:
        return CheckpointPolicy.MUST_SAVE
    return CheckpointPolicy.PREFER_RECOMPUTE


x = torch.ones(64, 16, requires_grad=True)
wide = torch.full((16, 64), 0.125, requires_grad=True)
narrow = torch.ones(64, 16, requires_grad=True)
contexts = partial(create_selective_checkpoint_contexts, policy)
again = partial(checkpoint, block, use_reentrant=False)
ways = {"plain": block, "checkpoint": again, "products kept": partial(again, context_fn=contexts)}
for way, run in ways.items():
    alive, calls = weakref.WeakSet(), []
    with Meter():
        y = run(x)
        kept = sum(storage.nbytes() for storage in alive) - y.nbytes
        calls.clear()
        y.sum().backward()
    products = calls.count(torch.ops.aten.mm.default)
    gelus = calls.count(torch.ops.aten.gelu.default)
    print(f"{way}: {kept} bytes kept; in backward() {products} products, {gelus} GELU")
