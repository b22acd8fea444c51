import matplotlib.pyplot as plt
import torch
from torch import nn

torch.set_default_dtype(torch.float64)
torch.manual_seed(0)
x = torch.linspace(-3, 3, 128)[:, None]
y = torch.sin(2 * x)
net = nn.Sequential(nn.Linear(1, 32), nn.ReLU(), nn.Linear(32, 32), nn.ReLU(), nn.Linear(32, 1))
active = []
net[3].register_forward_hook(lambda relu, args, out: active.append((out > 0).double().mean(0)))
optimizer = torch.optim.SGD(net.parameters(), lr=0.5)
for step in range(60):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(net(x), y)
    loss.backward()
    optimizer.step()
    dead = active[-1] == 0
    if step in (0, 1, 2, 5, 20, 59):
        largest = net[2].weight.grad[dead].abs().amax().item() if dead.any() else 0.0
        print(f"step {step}: {dead.sum()} of 32 dead, largest gradient of their weights {largest}")
dead = torch.stack(active) == 0
back = (dead[:-1] & ~dead[1:]).any(0)
print(f"dead at some step: {dead.any(0).sum()}, came back: {back.sum()}")
plt.imshow(torch.stack(active, 1), aspect="auto")
plt.colorbar(label="share of inputs that pass")
plt.xlabel("step")
plt.ylabel("unit")
plt.show()
