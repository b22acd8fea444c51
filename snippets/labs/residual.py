import matplotlib.pyplot as plt
import torch

torch.set_default_dtype(torch.float64)


def gradient_norms(connect):
    torch.manual_seed(0)
    h = torch.randn(256, 64, requires_grad=True)
    norms = {}
    for number in range(30):
        h.register_hook(lambda grad, number=number: norms.update({number: grad.norm().item()}))
        branch = torch.tanh(h @ torch.randn(64, 64) * (0.5 / 64**0.5))
        h = connect(h, branch)
    (h * torch.randn(256, 64)).sum().backward()
    return [norms[number] for number in range(30)]


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
