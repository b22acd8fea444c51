import copy

import torch
from torch import nn

x = torch.ones(1, 2)


def report(label, model):
    grads = [p.grad is not None for p in model.parameters()]
    print(label, "has gradients:", grads)


model = nn.Linear(2, 1)
trained = copy.deepcopy(model)
trained(x).sum().backward()
report("model", model)
report("copy", trained)

model(x).sum().backward()
report("model after its own backward", model)
model.zero_grad()
report("model after zero_grad", model)
