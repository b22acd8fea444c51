import torch

w = torch.tensor([[0.0, 0.5], [1.0, 0.0]], requires_grad=True)
x = torch.tensor([1.0, 2.0], requires_grad=True)


def layer(z):
    return torch.relu(w @ z + x)


def solve(rounds):
    z = torch.zeros(2)
    for _ in range(rounds):
        z = layer(z)
    return z


with torch.no_grad():
    found = solve(60)
at = found.clone().requires_grad_()
again = layer(at)
sums = []


def series(g):
    total = g
    for _ in range(60):
        (moved,) = torch.autograd.grad(again, at, total, retain_graph=True)
        total = g + moved
        sums.append(total.tolist())
    return total


z = layer(found)
z.register_hook(series)
z[0].backward()
print("z:", z.tolist())
print("first sums in the hook:", sums[:4])
print("with the hook, x.grad:", x.grad.tolist())
print("with the hook, w.grad:", w.grad.tolist())
for rounds in (1, 3, 60):
    (through,) = torch.autograd.grad(solve(rounds)[0], x)
    print("rounds in the graph:", rounds, "x.grad:", through.tolist())
