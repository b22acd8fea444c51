import torch

w = torch.tensor(1.0, requires_grad=True)
(2 * w - 1).backward()
print("backward(), w.grad:", w.grad)

w = torch.tensor(1.0, requires_grad=True)
(2 * w - 1).backward(torch.tensor(1.0))
print("backward(torch.tensor(1.)), w.grad:", w.grad)

try:
    (2 * w - 1).backward(1)
except TypeError as error:
    print("backward(1), TypeError:", error)

w = torch.tensor(1.0, requires_grad=True)
(2 * w - 1).backward(torch.tensor(10.0))
print("backward(torch.tensor(10.)), w.grad:", w.grad)
