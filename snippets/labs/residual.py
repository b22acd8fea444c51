import matplotlib.pyplot as plt
import torch

torch.set_default_dtype(torch.float64)


def gradient_norms(connect):
    torch.manual_seed(0)
    h = torch.randn(256, 64, requires_grad=True)
    inputs = []
    for _ in range(30):
        h.retain_grad()
        inputs.append(h)
        branch = torch.tanh(h @ torch.randn(64, 64) * (0.5 / 64**0.5))
        h = connect(h, branch)
    (h * torch.randn(256, 64)).sum().backward()
    return [h.grad.norm().item() for h in inputs]


ways = {
    "branch": lambda h, branch: branch,
    "h + branch": lambda h, branch: h + branch,
    "h + branch / sqrt(30)": lambda h, branch: h + branch / 30**0.5,
}
for name, connect in ways.items():
    norms = gradient_norms(connect)
    print(f"{name}: layer 0 / layer 29 = {norms[0] / norms[-1]:.1e}")
    plt.plot(norms, label=name)
plt.yscale("log")
plt.xlabel("layer")
plt.ylabel("gradient norm")
plt.legend()
plt.show()
