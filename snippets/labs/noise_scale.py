import matplotlib.pyplot as plt
import torch
from torch import nn

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
x = torch.randn(128, 8)
y = x @ torch.randn(8, 1) + torch.randn(128, 1)
net = nn.Linear(8, 1, bias=False)
optimizer = torch.optim.SGD(net.parameters(), lr=0.02)
steps, scales = [], []
for step in range(101):
    errors = (net(x) - y).square()
    if step % 20 == 0:
        each = [torch.autograd.grad(e, net.weight, retain_graph=True)[0] for e in errors]
        mean = torch.stack(each).mean(0)
        spread = (torch.stack(each) - mean).square().sum((1, 2)).mean()
        steps.append(step)
        scales.append((spread / mean.square().sum()).item())
        if step in (0, 40, 100):
            print(f"step {step}: noise scale {scales[-1]:.1f}")
    optimizer.zero_grad()
    errors.mean().backward()
    optimizer.step()
plt.semilogy(steps, scales, "o-")
plt.yticks([20, 50, 100, 200, 400], [20, 50, 100, 200, 400])
plt.minorticks_off()
plt.xlabel("step")
plt.ylabel("noise scale")
plt.show()
