import weakref

import matplotlib.pyplot as plt
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint_sequential


class Meter(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        alive.add(result.untyped_storage())
        peaks.append(sum(block.nbytes() for block in alive))
        return result


layers = nn.Sequential()
for _ in range(16):
    layers.append(nn.Sequential(nn.Linear(16, 16), nn.Tanh()))
    layers[-1][0].register_forward_hook(lambda *args: calls.append(1))
heights = []
for segments in range(1, 17):
    alive, peaks, calls = weakref.WeakSet(), [], []
    x = torch.ones(1024, 16, requires_grad=True)
    with Meter():
        loss = checkpoint_sequential(layers, segments, x, use_reentrant=False).mean()
        loss.backward()
    heights.append(max(peaks) // x.nbytes)
    again = len(calls) - 16
    print(f"segments {segments:2}: at most {heights[-1]:2} activations, {again} layers again")
plt.plot(range(1, 17), heights, marker="o")
plt.ylim(0, 20)
plt.xlabel("segments")
plt.ylabel("activations in memory")
plt.show()
