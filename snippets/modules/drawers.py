import matplotlib.pyplot as plt
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(1, 1)
        self.hidden = [nn.Linear(1, 1)]
        self.scale = nn.Parameter(torch.tensor(1.0))
        self.shift = torch.tensor(1.0, requires_grad=True)
        self.register_buffer("mean", torch.tensor(0.5))


net = Net()
drawers = {
    "_parameters": net._parameters,
    "_buffers": net._buffers,
    "_modules": net._modules,
    "__dict__": net.__dict__,
}
found = [name for name, _ in net.named_parameters()]
print("parameters():", found)
names = ["head", "hidden", "scale", "shift", "mean"]
plt.figure(figsize=(4.4, 3))
for row, (drawer, content) in enumerate(drawers.items()):
    plt.barh(row, 5, 0.86, left=-0.5, color="C4", alpha=0.15)
    for at, name in enumerate(names):
        if name in content:
            kind = type(content[name]).__name__
            print(f"{drawer}: {name} ({kind})")
            known = any(each.split(".")[0] == name for each in found)
            plt.plot((at, at), (-0.6, row - 0.2), ":", lw=1, color="#111100")
            plt.plot(at, row, "o", ms=9, color="C1" if known else "C4")
            plt.text(at, row + 0.32, kind, ha="center")

plt.axis((-0.5, 4.5, 3.5, -0.6))
plt.xticks(range(5), names)
plt.yticks(range(4), drawers)
plt.tick_params(length=0)
plt.box(False)
plt.gca().xaxis.tick_top()
plt.show()
