import torch
from torch.autograd import forward_ad

with forward_ad.dual_level():
    w = forward_ad.make_dual(torch.tensor(2.0), torch.tensor(1.0))
    square = w * w
    y = square * w + 5 * w
    for name, number in (("w", w), ("square", square), ("y", y)):
        value, tangent = forward_ad.unpack_dual(number)
        print(f"{name}: value {value.item()}  tangent {tangent.item()}")
    print("y.grad_fn:", y.grad_fn)

w = torch.tensor(2.0, requires_grad=True)
y = w * w * w + 5 * w
y.backward()
print("backward, w.grad:", w.grad.item())
