import torch

w = torch.tensor(2.0, requires_grad=True)
h = (3 * w).detach()
try:
    h.retain_grad()
except RuntimeError as error:
    print("after detach():", error)

h = 3 * w
h.retain_grad()
(h**2).backward()
print("with a graph, h.grad:", h.grad)
