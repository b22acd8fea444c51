import matplotlib.pyplot as plt
import torch

steps = 0
lr = 0.25
w = torch.tensor(-1.0, requires_grad=True)
visited = [w.item()]
for _ in range(steps):
    loss = (w - 3) ** 2
    loss.backward()
    with torch.no_grad():
        w -= lr * w.grad
    w.grad = None
    visited.append(w.item())
print("w:", w.item())
print("loss:", (w.item() - 3) ** 2)

curve = torch.linspace(-2, 8, 100)
plt.plot(curve, (curve - 3) ** 2, label="loss")
plt.plot(visited, [(at - 3) ** 2 for at in visited], "o--", label="visited")
plt.plot(w.item(), (w.item() - 3) ** 2, "o", color="C1", markersize=9, gid="ball")
plt.xlabel("w")
plt.legend(loc="upper center")
plt.show()
