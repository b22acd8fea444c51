import matplotlib.pyplot as plt
import torch
from torch import nn
from torch.optim import SGD, Adam

torch.set_default_dtype(torch.float64)
x = torch.linspace(-3, 3, 128)[:, None]
y = torch.sin(2 * x)
for kind, lr in ((SGD, 0.1), (SGD, 0.01), (Adam, 0.001)):
    torch.manual_seed(0)
    first, middle, last = nn.Linear(1, 32), nn.Linear(32, 32), nn.Linear(32, 1)
    net = nn.Sequential(first, nn.Tanh(), middle, nn.Tanh(), last)
    optimizer, ratios = kind(net.parameters(), lr=lr), []
    for _ in range(100):
        optimizer.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        before = middle.weight.detach().clone()
        optimizer.step()
        ratios.append(((middle.weight - before).norm() / before.norm()).item())
    name = f"{kind.__name__}, lr {lr}"
    print(f"{name}: step 0 {ratios[0]:.1e}, step 99 {ratios[99]:.1e}")
    plt.plot(ratios, label=name)
plt.yscale("log")
plt.yticks([0.0003, 0.001, 0.003, 0.01], [0.0003, 0.001, 0.003, 0.01])
plt.minorticks_off()
plt.xlabel("step")
plt.ylabel("update / weight")
plt.legend()
plt.show()
