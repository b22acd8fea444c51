import torch

scale = 0.1
a = torch.tensor(5.0, requires_grad=True) * scale
b = (torch.tensor(5.0) * scale).requires_grad_()
print("a.is_leaf:", a.is_leaf, " b.is_leaf:", b.is_leaf)

try:
    torch.optim.SGD([a], lr=1)
except ValueError as error:
    print("ValueError:", error)
(3 * a).backward()

optimizer = torch.optim.SGD([b], lr=1)
(3 * b).backward()
optimizer.step()
print("b.grad:", b.grad)
print("after step, b:", b)
