import copy

import torch

torch.manual_seed(0)
coef = torch.nn.Parameter(torch.randn(1, 1, 40, 40))
twin = copy.deepcopy(coef)
optimizer = torch.optim.SGD([coef, twin], lr=1)
x = torch.ones(1, 1, 40, 40)


def show(name, p):
    print(f"{name}: mean {p.mean():.4f}  max {p.max():.4f}  min {p.min():.4f}")


show("before step, coef", coef)
loss = (coef * x + 2 * (coef * x)).mean()
loss.backward()
optimizer.step()
show("after step, coef", coef)
show("after step, twin", twin)
print("twin.grad:", twin.grad)
print("twin has the same storage:", twin.data_ptr() == coef.data_ptr())
expected = torch.tensor(3 / 1600)
print("every coef.grad is 3/1600:", torch.allclose(coef.grad, expected))
