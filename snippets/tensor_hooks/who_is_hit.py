import torch


def in_place(grad):
    grad *= 100


for hooked in ("d", "c"):
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    d = torch.tensor(4.0, requires_grad=True)
    c = a * b
    e = c + d
    {"c": c, "d": d}[hooked].register_hook(in_place)
    start = torch.tensor(1.0)
    e.backward(start)
    print(f"hook on {hooked}, a.grad:", a.grad)
    print(f"hook on {hooked}, b.grad:", b.grad)
    print(f"hook on {hooked}, d.grad:", d.grad)
    print(f"hook on {hooked}, start:", start)
