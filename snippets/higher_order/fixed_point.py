import torch

w = torch.tensor(0.5, requires_grad=True)
b = torch.tensor(1.0, requires_grad=True)


def solve(rounds):
    z = torch.tensor(0.0)
    for _ in range(rounds):
        z = w * z + b
    return z


def report(name, z):
    of_w, of_b = torch.autograd.grad(z, (w, b), retain_graph=True)
    print(f"{name} z {z.item()}, dz/dw {of_w.item()}, dz/db {of_b.item()}")


report("through 3 rounds:", solve(3))
report("through 60 rounds:", solve(60))

with torch.no_grad():
    found = solve(60)
again = w * found + b
report("through one more round:", again)
step = (again - found) / (1 - w.detach())
report("through a Newton step:", found + step)
