import matplotlib.pyplot as plt
import torch

torch.set_default_dtype(torch.float64)
depth, width = 30, 64
cases = {
    "sigmoid, scale 1": (torch.sigmoid, 1.0),
    "tanh, scale 1": (torch.tanh, 1.0),
    "relu, scale 1": (torch.relu, 1.0),
    "relu, scale sqrt(2)": (torch.relu, 2**0.5),
}
for name, (activation, scale) in cases.items():
    torch.manual_seed(0)
    h = torch.randn(256, width, requires_grad=True)
    inputs, squares = [], []
    for _ in range(depth):
        h.retain_grad()
        inputs.append(h)
        z = h @ torch.randn(width, width) * (scale / width**0.5)
        slope = torch.autograd.grad(activation(z).sum(), z, retain_graph=True)[0]
        squares.append(scale**2 * slope.square().mean())
        h = activation(z)
    (h * torch.randn(256, width)).sum().backward()
    norms = [h.grad.norm().item() for h in inputs]
    measured = (norms[0] / norms[29]) ** (1 / 29)
    predicted = torch.stack(squares[:-1]).log().mean().div(2).exp()
    print(f"{name}: per layer {measured:.2f}, predicted {predicted:.2f}")
    plt.plot(norms, label=name)
plt.yscale("log")
plt.xlabel("layer")
plt.ylabel("gradient norm")
plt.legend()
plt.show()
