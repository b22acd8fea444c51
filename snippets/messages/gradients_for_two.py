import torch

w = torch.tensor(2.0, requires_grad=True)
first = 3 * w
second = w**2
one = torch.tensor(1.0)
try:
    torch.autograd.backward([first, second], [one])
except RuntimeError as error:
    print("one gradient:", error)

torch.autograd.backward([first, second], [one, one])
print("two gradients, w.grad:", w.grad)
