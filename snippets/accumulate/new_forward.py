import torch

w = torch.tensor(1.0, requires_grad=True)

for step in range(3):
    loss = (2 * w + 1) ** 2
    loss.backward()
    print(f"step {step}, w.grad: {w.grad}")
