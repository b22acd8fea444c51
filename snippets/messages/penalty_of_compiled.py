import torch
from torch import nn

model = nn.Sequential(nn.Linear(1, 1, bias=False), nn.Tanh())
nn.init.zeros_(model[0].weight)
compiled = torch.compile(model, backend="aot_eager")
x = torch.tensor([3.0], requires_grad=True)
for name, called in [("compiled", compiled), ("compiled._orig_mod", compiled._orig_mod)]:
    (slope,) = torch.autograd.grad(called(x), x, create_graph=True)
    try:
        slope.backward()
        print(f"{name}, weight.grad:", model[0].weight.grad)
    except RuntimeError as error:
        print(f"{name}:", error)
