import torch

x = torch.tensor([-1.0, 4.0], requires_grad=True)
mask = x > 0

for name, y in [
    ("where", torch.where(mask, x.sqrt(), 0.0)),
    ("mask", mask * x.sqrt()),
]:
    x.grad = None
    y.sum().backward()
    print(f"{name}, y:", y.detach())
    print(f"{name}, x.grad:", x.grad)
