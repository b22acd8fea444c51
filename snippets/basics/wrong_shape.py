import torch

w = torch.tensor(1.0, requires_grad=True)
loss = 2 * w - 1

try:
    loss.backward(torch.ones(1))
except RuntimeError as error:
    print("RuntimeError:", error)

loss.backward(torch.ones_like(loss))
print("w.grad:", w.grad)
