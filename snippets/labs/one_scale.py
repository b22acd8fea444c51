import matplotlib.pyplot as plt
import torch

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
scale = 1.0
h = torch.randn(64, 64, requires_grad=True)
inputs = []
for _ in range(30):
    h.retain_grad()
    inputs.append(h)
    weight = torch.randn(64, 64) * scale / 64**0.5
    h = torch.relu(h @ weight)
(h * torch.randn(64, 64)).sum().backward()
norms = [h.grad.norm().item() for h in inputs]
ratio = norms[0] / norms[29]
print(f"layer 0 / layer 29 = {ratio:.1e}, per layer {ratio ** (1 / 29):.2f}")
plt.plot([norm / norms[29] for norm in norms], label="measured")
plt.plot([0, 29], [1, 1], label="level")
plt.yscale("log")
plt.ylim(1e-12, 1e8)
plt.xlabel("layer")
plt.ylabel("gradient norm / that of layer 29")
plt.legend(loc="lower right")
plt.show()
