import matplotlib.pyplot as plt
import torch

lr = 0.25
w = torch.tensor(-1.0, requires_grad=True)
visited = []
losses = []
for _ in range(8):
    loss = (w - 3) ** 2
    visited.append(w.item())
    losses.append(loss.item())
    loss.backward()
    with torch.no_grad():
        w -= lr * w.grad
    w.grad = None
print("after 8 steps, w:", round(w.item(), 4))
curve = torch.linspace(-6, 12, 100)
plt.plot(curve, (curve - 3) ** 2, label="loss")
plt.plot(visited, losses, "o-", label="visited")
plt.xlim(-6, 12)
plt.ylim(-5, 80)
plt.xlabel("w")
plt.legend()
plt.show()
