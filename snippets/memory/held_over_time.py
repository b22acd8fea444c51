import weakref

import matplotlib.pyplot as plt
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint


class Meter(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        if result.shape[:1] == x.shape[:1]:
            alive.add(result.untyped_storage())
        if not function.is_view:
            held.append(sum(block.nbytes() for block in alive))
        return result


torch.manual_seed(0)
blocks = nn.Sequential()
for _ in range(4):
    blocks.append(nn.Sequential(nn.Linear(16, 64), nn.GELU(), nn.Linear(64, 16)))
x = torch.randn(128, 16)
for way in ("plain", "checkpointed"):
    alive, held, y = weakref.WeakSet(), [], x
    with Meter():
        for block in blocks:
            y = block(y) if way == "plain" else checkpoint(block, y, use_reentrant=False)
        loss = (y**2).mean()
        before = len(held)
        loss.backward()
    held = [size // x.nbytes for size in held]
    backward = held[before:]
    print(f"{way}: {backward[0]} when the backward pass begins, at most {max(held)}")
    print(f"  operations in the backward pass: {len(backward)}")
    plt.plot(range(-before, len(backward)), held, label=way)
plt.axvline(0, lw=1, ls=":", color="C4")
plt.ylim(0, 45)
plt.xlabel("operations since backward() began")
plt.ylabel("activations in memory")
plt.legend()
plt.show()
