from itertools import pairwise

import matplotlib.pyplot as plt
import torch
from torch import nn

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
x = torch.linspace(-3, 3, 128)[:, None]
y = torch.sin(2 * x)
layers = [nn.Linear(*sizes) for sizes in pairwise([1, 32, 32, 32, 32, 32, 32, 1])]
net = nn.Sequential(*(part for layer in layers for part in (layer, nn.Tanh())))[:-1]
optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
grads = []
layers[1].weight.register_hook(lambda grad: grads.append(grad.abs().log10()))
for _ in range(150):
    optimizer.zero_grad()
    nn.functional.mse_loss(net(x), y).backward()
    optimizer.step()
for step in (0, 75, 149):
    low, middle, high = grads[step].flatten().quantile(torch.tensor([0.05, 0.5, 0.95]))
    print(f"step {step}: median {10**middle:.1e}, 90% from {10**low:.1e} to {10**high:.1e}")
shown = torch.stack([grad.histc(20, -7, -2) / 1024 for grad in grads], 1)
plt.imshow(shown, origin="lower", extent=(0, 150, -7, -2), aspect="auto")
plt.colorbar(label="share of the 1024 weights")
plt.xlabel("step")
plt.ylabel("log10 of the gradient")
plt.show()
