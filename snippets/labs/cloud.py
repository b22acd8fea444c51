import matplotlib.pyplot as plt
import torch

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
x = torch.randn(512, 2)
y = x @ torch.tensor([2.0, 1.0]) + torch.randn(512)
w = torch.zeros(2, requires_grad=True)


def gradient(rows):
    loss = (x[rows] @ w - y[rows]).square().mean()
    return torch.autograd.grad(loss, w)[0]


size = 4
full = gradient(torch.arange(512))
found = torch.stack([gradient(torch.randperm(512)[:size]) for _ in range(200)])
spread = (found - full).square().sum(1).mean().sqrt()
against = (found @ full < 0).double().mean()
print(f"size {size}: spread {spread:.2f}, against the full gradient {against:.1%}")
plt.plot(*found[:100].T, "o", label="micro-batch")
plt.plot([0, full[0]], [0, full[1]], "s-", label="full gradient")
plt.xlim(-15, 5)
plt.ylim(-10, 5)
plt.xlabel("gradient of w[0]")
plt.ylabel("gradient of w[1]")
plt.legend(loc="upper left")
plt.show()
