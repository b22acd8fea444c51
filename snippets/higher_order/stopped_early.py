import torch

w = torch.tensor(0.5, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)
with torch.no_grad():
    found = torch.tensor(0.0)
    for _ in range(3):
        found = w * found + b
step = (w * found + b - found) / (1 - w.detach())
z = found + step
of_w, of_b = torch.autograd.grad(z, (w, b))
print("found:", found.item())
print("z:", z.item())
print("dz/dw:", of_w.item())
print("dz/db:", of_b.item())
