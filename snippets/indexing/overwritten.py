import torch

places = torch.tensor([2, 0, 2])
start = torch.zeros(3)
v = torch.tensor([1.0, 10.0, 100.0], requires_grad=True)
moved = torch.tensor([1.5, 10.0, 100.0])

for name in ("scatter", "scatter_add"):
    v.grad = None
    write = getattr(start, name)
    y = write(0, places, v)
    y.sum().backward()
    print(f"{name}:", y.detach())
    print("    v.grad:", v.grad)
    difference = write(0, places, moved).sum() - y.sum()
    print("    v[0] up by 0.5, sum up by:", difference.item())
