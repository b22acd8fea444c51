import torch
from torch.func import grad, jvp


def loss(w):
    return 3 * w[0] ** 2 + 4 * w[0] * w[1] + 3 * w[1] ** 2


w = torch.tensor([1.0, 0.0])
v = torch.tensor([1.0, 0.0])
for _ in range(20):
    _, product = jvp(grad(loss), (w,), (v,))
    v = product / product.norm()
largest = product.norm().item()
print(f"largest curvature: {largest:.4f}")

for lr in (0.18, 0.22):
    w = torch.tensor([1.0, 0.0])
    for _ in range(100):
        w = w - lr * grad(loss)(w)
    print(f"lr {lr}: loss below 0.001:", loss(w).item() < 0.001)
