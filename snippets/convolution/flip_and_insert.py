import torch
import torch.nn.functional as F

torch.set_default_dtype(torch.float64)
kernel = torch.arange(1.0, 10.0).view(1, 1, 3, 3)
g = torch.tensor([[[[1.0, 10.0], [100.0, 1000.0]]]])


def f(x):
    return (F.conv2d(x, kernel, stride=2, padding=1) * g).sum()


x = torch.zeros(1, 1, 4, 4, requires_grad=True)
f(x).backward()

spread = torch.zeros(1, 1, 3, 3)
spread[..., ::2, ::2] = g
print("zeros inserted:")
print(spread[0, 0].long())
flipped = kernel.flip(2, 3)
print("flipped kernel:")
print(flipped[0, 0].long())
print("x.grad:")
print(x.grad[0, 0].long())
by_hand = F.conv2d(F.pad(spread, (1, 2, 1, 2)), flipped)
print("flipped kernel, equal:", by_hand.equal(x.grad))

steps = torch.eye(16).view(16, 1, 1, 4, 4)
with torch.no_grad():
    slopes = [(f(x + h) - f(x - h)) / 2 for h in steps]
slopes = torch.stack(slopes).view(1, 1, 4, 4)
print("finite differences, equal:", slopes.equal(x.grad))
