import torch

w = torch.tensor(3.0, requires_grad=True)
x = torch.tensor(2.0)
loss = w * x**2
try:
    torch.autograd.grad(loss, x)
except RuntimeError as error:
    print(error)

x.requires_grad_()
loss = w * x**2
print("flag set before the loss:", torch.autograd.grad(loss, x))
