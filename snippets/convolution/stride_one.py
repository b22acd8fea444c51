import torch
import torch.nn.functional as F

kernel = torch.tensor([[[1.0, 2.0, 3.0]]])
x = torch.zeros(1, 1, 5, requires_grad=True)
one = torch.tensor([[[0.0, 1.0, 0.0]]])
F.conv1d(x, kernel).backward(one)
print("only the middle output, x.grad:", x.grad[0, 0])

x.grad = None
g = torch.tensor([[[1.0, 10.0, 100.0]]])
F.conv1d(x, kernel).backward(g)
print("all three outputs, x.grad:", x.grad[0, 0])
flipped = F.conv1d(g, kernel.flip(2), padding=2)
print("flipped kernel:", flipped[0, 0])
not_flipped = F.conv1d(g, kernel, padding=2)
print("kernel as it is:", not_flipped[0, 0])
