import copy

import torch

coef = torch.nn.Parameter(torch.tensor(2.0))
twin = copy.deepcopy(coef)
optimizer = torch.optim.SGD([coef, twin], lr=0.1, weight_decay=1.0)

(coef + 2 * coef).backward()
optimizer.step()
print("coef.grad:", coef.grad, " twin.grad:", twin.grad)
print("after step, coef:", coef.item())
print("after step, twin:", twin.item())
