import matplotlib.pyplot as plt
import torch

eps = 0.01
x = torch.tensor(0.0, requires_grad=True)
torch.sqrt(x + eps).backward()
print("slope at x = 0:", round(x.grad.item(), 4))

xs = torch.linspace(-eps, 0.1, 400, requires_grad=True)
torch.sqrt(xs + eps).sum().backward()
plt.plot(xs.detach(), xs.grad, label="slope of sqrt(x + eps)")
plt.axvline(-eps, ls="--", color="C1", label="wall")
plt.plot(-eps, 0, "o", ms=8, color="C1", gid="ball")
plt.plot(0, min(x.grad.item(), 30), "s", color="#111100", label="slope at 0")
plt.axvline(0, lw=0.8, color="#111105")
plt.xlim(-0.045, 0.1)
plt.ylim(-1.5, 30)
plt.xlabel("x")
plt.legend()
plt.show()
