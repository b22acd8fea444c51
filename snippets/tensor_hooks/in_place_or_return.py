import torch


def in_place(grad):
    grad *= 100


def returned(grad):
    return grad * 100


for hook in (in_place, returned):
    a = torch.tensor(2.0, requires_grad=True)
    b = torch.tensor(3.0, requires_grad=True)
    d = torch.tensor(4.0, requires_grad=True)
    e = a * b + d
    d.register_hook(hook)
    e.backward()
    print(f"{hook.__name__}, a.grad:", a.grad)
    print(f"{hook.__name__}, b.grad:", b.grad)
    print(f"{hook.__name__}, d.grad:", d.grad)
