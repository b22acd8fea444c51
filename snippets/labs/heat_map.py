import matplotlib.pyplot as plt
import torch
from torch import nn

torch.set_default_dtype(torch.float64)
x = torch.linspace(-3, 3, 128)[:, None]
y = torch.sin(2 * x)
figure, panels = plt.subplots(2, 1, sharex=True)


def keep_norm(weight):
    norms[weight].append(weight.grad.norm())


for panel, activation in zip(panels, (nn.Sigmoid, nn.Tanh), strict=True):
    torch.manual_seed(0)
    layers = [nn.Linear(1, 32), *(nn.Linear(32, 32) for _ in range(5)), nn.Linear(32, 1)]
    net = nn.Sequential(*(part for layer in layers for part in (layer, activation())))[:-1]
    norms = {layer.weight: [] for layer in layers}
    for weight in norms:
        weight.register_post_accumulate_grad_hook(keep_norm)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.05)
    for _ in range(150):
        optimizer.zero_grad()
        nn.functional.mse_loss(net(x), y).backward()
        optimizer.step()
    shown = torch.stack([torch.stack(steps) for steps in norms.values()])
    for step in (0, 149):
        ends = f"layer 0 {shown[0, step]:.1e}, layer 6 {shown[6, step]:.1e}"
        print(f"{activation.__name__}, step {step}: {ends}")
    print(f"  outputs at the end differ by {net(x).max() - net(x).min():.1e}")
    image = panel.imshow(shown.log10(), vmin=-6, vmax=0, aspect="auto")
    panel.set(title=activation.__name__, ylabel="layer", yticks=[0, 3, 6])
panels[1].set_xlabel("step")
figure.colorbar(image, ax=panels, label="log10 of the gradient norm")
plt.show()
