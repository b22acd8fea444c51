import matplotlib.pyplot as plt
import torch
from torch import nn
from torch.nn.utils import parameters_to_vector

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
x = torch.randn(512, 8)
y = x[:, :1] * x[:, 1:2] + torch.randn(512, 1)
net = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))


def gradient(rows):
    loss = nn.functional.mse_loss(net(x[rows]), y[rows])
    return parameters_to_vector(torch.autograd.grad(loss, net.parameters()))


full = gradient(torch.arange(512))
sizes, spreads = [1, 2, 4, 8, 16, 32, 64, 128, 256], []
for size in sizes:
    rounds = range(max(1, size // 4))
    found = torch.stack([gradient(p) for _ in rounds for p in torch.randperm(512).split(size)])
    spreads.append((found - full).square().sum(1).mean().sqrt().item())
    equal = torch.allclose(found.mean(0), full)
    print(f"size {size}: spread {spreads[-1]:.2f}, their mean is the full gradient: {equal}")
plt.loglog(sizes, spreads, "o-", label="measured")
plt.loglog(sizes, [spreads[0] / size**0.5 for size in sizes], label="1 / sqrt(size)")
plt.xticks(sizes, sizes)
plt.yticks([0.5, 1, 2, 4, 8], [0.5, 1, 2, 4, 8])
plt.minorticks_off()
plt.xlabel("size of the micro-batch")
plt.ylabel("spread of the gradient")
plt.legend()
plt.show()
