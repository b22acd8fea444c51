import torch

w = torch.tensor([1.0, 2.0, 3.0, 4.0], requires_grad=True)
x = 2 * w
first, second = x.split(2)
try:
    first *= 10
except RuntimeError as error:
    print("split:", str(error).split(". ")[0])

x = 2 * w
x[:2] *= 10
x.sum().backward()
print("a slice, w.grad:", w.grad)

w.grad = None
first, second = (2 * w).split(2)
torch.cat([10 * first, second]).sum().backward()
print("a new tensor, w.grad:", w.grad)
