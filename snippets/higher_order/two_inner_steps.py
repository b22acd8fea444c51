import torch

w = torch.tensor(1.0, requires_grad=True)
moved = w
for step in range(2):
    loss = (2 * moved) ** 2
    (g,) = torch.autograd.grad(loss, moved, create_graph=True)
    moved = moved - 0.1 * g
    print(f"step {step}: moved {moved.item():.4f}")
(slope,) = torch.autograd.grad(moved, w)
print(f"derivative of moved at w: {slope.item():.4f}")
