import matplotlib.pyplot as plt
import torch

start = 0.5
w = torch.tensor(start, requires_grad=True)
visited = []
losses = []
for _ in range(20):
    loss = (w**2 - 1) ** 2
    visited.append(w.item())
    losses.append(loss.item())
    loss.backward()
    with torch.no_grad():
        w -= 0.125 * w.grad
    w.grad = None
print("after 20 steps, w:", round(w.item(), 4))
curve = torch.linspace(-1.6, 1.6, 100)
plt.plot(curve, (curve**2 - 1) ** 2, label="loss")
plt.plot(visited, losses, "o-", label="visited")
plt.xlim(-1.7, 1.7)
plt.ylim(-0.2, 2.6)
plt.xlabel("w")
plt.legend(loc="upper center")
plt.show()
