import torch

w = torch.ones(3, requires_grad=True)

try:
    w += 1
except RuntimeError as error:
    print("w += 1:", error)
try:
    w[0] = 5.0
except RuntimeError as error:
    print("w[0] = 5:", error)

with torch.no_grad():
    w[0] = 5.0
print("after no_grad, w:", w)
print("w.is_leaf:", w.is_leaf)
(w**2).sum().backward()
print("w.grad:", w.grad)
