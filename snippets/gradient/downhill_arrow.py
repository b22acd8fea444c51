import matplotlib.pyplot as plt
import torch

w = torch.tensor(3.0, requires_grad=True)
b = torch.tensor(2.0, requires_grad=True)
loss = (2 * w + b - 11) ** 2
loss.backward()
print("loss:", loss.item())
print("w.grad:", w.grad.item())
print("b.grad:", b.grad.item())

for miss in [-3, 0, 3, 6]:
    w_ends = [(11 + miss) / 2, (6 + miss) / 2]
    plt.plot(w_ends, [0, 5], "-", color="C0")
    plt.text(w_ends[1], 5.1, f"loss {miss**2}", ha="center")
start = (w.item(), b.item())
w_path = [start[0], start[0] - 0.1 * w.grad.item()]
b_path = [start[1], start[1] - 0.1 * b.grad.item()]
plt.plot(w_path, b_path, "--", color="C1")
plt.plot(*start, "o", color="C1")
plt.axis((0, 9, 0, 5))
plt.gca().set_aspect("equal")
plt.xlabel("w")
plt.ylabel("b")
plt.show()
