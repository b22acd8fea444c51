import matplotlib.pyplot as plt
import torch
from torch import nn

lr = 0.1875
target = torch.tensor(0.0)
figure, panels = plt.subplots(1, 2, figsize=(5, 2.6))
for panel, loss_function in (panels[0], nn.L1Loss()), (panels[1], nn.MSELoss()):
    w = torch.tensor(1.0, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=lr)
    name = type(loss_function).__name__
    print(f"{name}:")
    visited, losses = [], []
    for step in range(5):
        optimizer.zero_grad()
        loss = loss_function(2 * w - 1, target)
        visited.append(w.item())
        losses.append(loss.item())
        loss.backward()
        if step < 4:
            optimizer.step()
            print(f"  step {step}: w.grad={w.grad.item()} w={w.item()}")
    error = 2 * torch.linspace(-0.1, 1.1, 121) - 1
    panel.plot((error + 1) / 2, error.abs() if name == "L1Loss" else error**2)
    panel.plot(visited, losses, "o-", lw=1.2)
    panel.plot(visited[-1], losses[-1], "s", color="#111100")
    panel.set(title=name, xlabel="w", xlim=(-0.1, 1.1), ylim=(-0.1, 1.3))
plt.show()
