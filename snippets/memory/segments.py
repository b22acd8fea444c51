import weakref

import matplotlib.pyplot as plt
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.checkpoint import checkpoint_sequential


class Meter(TorchDispatchMode):
    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        if isinstance(result, torch.Tensor):
            block = result.untyped_storage()
            if block._cdata not in alive:
                alive[block._cdata] = block.nbytes()
                weakref.finalize(block, alive.pop, block._cdata)
        peaks.append(sum(alive.values()))
        return result


layers = nn.Sequential()
for _ in range(16):
    layers.append(nn.Sequential(nn.Linear(16, 16), nn.Tanh()))
    layers[-1][0].register_forward_hook(lambda *args: calls.append(1))
one = 1024 * 16 * 4
heights = []
for segments in range(1, 17):
    alive, peaks, calls = {}, [], []
    x = torch.ones(1024, 16, requires_grad=True)
    layers.zero_grad()
    with Meter():
        y = checkpoint_sequential(layers, segments, x, use_reentrant=False)
        loss = y.mean()
        del y
        loss.backward()
    heights.append(max(peaks) // one)
    again = len(calls) - 16
    print(f"segments {segments:2}: at most {heights[-1]:2} activations, {again} layers again")
plt.plot(range(1, 17), heights, marker="o")
plt.ylim(0, 20)
plt.xlabel("segments")
plt.ylabel("activations in memory")
plt.show()
