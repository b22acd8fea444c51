import matplotlib.pyplot as plt
import torch
from torch import nn
from torch.nn.utils import parameters_to_vector

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
x = torch.randn(512, 8)
y = x[:, :1] * x[:, 1:2] + torch.randn(512, 1)


def gradient(net, size):
    net.zero_grad()
    for part in torch.arange(512).split(size):
        loss = nn.functional.mse_loss(net(x[part]), y[part])
        (loss * len(part) / 512).backward()
    return parameters_to_vector(p.grad for p in net.parameters())


sizes = [2, 4, 8, 16, 32, 64, 128, 256]
for norm in (nn.BatchNorm1d, nn.LayerNorm):
    torch.manual_seed(1)
    net = nn.Sequential(nn.Linear(8, 16), norm(16), nn.Tanh(), nn.Linear(16, 1))
    full = gradient(net, 512)
    gaps = [((gradient(net, s) - full).norm() / full.norm()).item() for s in sizes]
    print(f"{norm.__name__}:", " ".join(f"{gap:.2f}" for gap in gaps))
    plt.plot(sizes, gaps, "o-", label=norm.__name__)
plt.semilogx()
plt.xticks(sizes, sizes)
plt.minorticks_off()
plt.xlabel("size of the micro-batch")
plt.ylabel("gap to the full gradient")
plt.legend()
plt.show()
