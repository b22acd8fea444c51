import torch

x = torch.ones(1, 3, requires_grad=True)
w = torch.ones(3, 2, requires_grad=True)
y = x @ w
w.data = torch.ones(2, 2)
try:
    y.sum().backward()
except RuntimeError as error:
    print("between the passes:", error)

x = torch.ones(1, 3)
w = torch.ones(3, 2, requires_grad=True)
loss = (x @ w).sum()
loss.backward()
w.data = torch.ones(3, 1)
w.grad = None
try:
    (x @ w).sum().backward()
except RuntimeError as error:
    print("old loss kept:", error)

del loss
(x @ w).sum().backward()
print("old loss deleted, w.grad:", w.grad.flatten())
