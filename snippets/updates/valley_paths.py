import matplotlib.pyplot as plt
import torch

steepness = 15.0
stretch = torch.tensor([1.0, steepness])
ways = {
    "SGD": (torch.optim.SGD, {}, "o"),
    "momentum": (torch.optim.SGD, {"momentum": 0.9}, "v"),
    "RMSprop": (torch.optim.RMSprop, {}, "s"),
    "Adam": (torch.optim.Adam, {}, "^"),
}
for name, (make, options, marker) in ways.items():
    w = torch.tensor([-4.0, 1.5], requires_grad=True)
    optimizer = make([w], lr=0.1, **options)
    path = [w.detach().clone()]
    for _ in range(30):
        optimizer.zero_grad()
        (stretch * w**2 / 2).sum().backward()
        optimizer.step()
        path.append(w.detach().clone())
    path = torch.stack(path)
    print(f"{name}: {path[-1, 0]:.2f}, {path[-1, 1]:.2f}")
    plt.plot(*path.T, marker=marker, ms=3, lw=1.2, label=name)
side = torch.linspace(-5, 5, 100)
across, up = torch.meshgrid(side, side, indexing="xy")
loss = (across**2 + steepness * up**2) / 2
levels = [0.5, 2, 4.5, 8, 12.5, 18]
plt.contour(across, up, loss, levels, colors="#111105", linewidths=0.6)
plt.xlim(-4.5, 3)
plt.ylim(-2.2, 2.2)
plt.xlabel("w[0]")
plt.ylabel("w[1]")
plt.legend(ncols=2, loc="lower right")
plt.show()
