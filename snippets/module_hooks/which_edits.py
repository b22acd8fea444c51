import torch
from torch import nn


def under_no_grad(y):
    with torch.no_grad():
        y.mul_(2)
    return y


edits = {
    "y * 2": lambda y: y * 2,
    "y.clone().mul_(2)": lambda y: y.clone().mul_(2),
    "y.mul_(2)": lambda y: y.mul_(2),
    "y.mul_(2) under no_grad": under_no_grad,
    "y.detach().mul_(2)": lambda y: (y.detach().mul_(2), y)[1],
}
fc = nn.Linear(2, 2)
fc.register_full_backward_hook(lambda module, grad_input, grad_output: None)
x = torch.ones(2, requires_grad=True)
for label, edit in edits.items():
    try:
        edit(fc(x)).sum().backward()
        print(f"{label}: fine")
    except RuntimeError as error:
        print(f"{label}:", str(error).split(". ")[0])
with torch.no_grad():
    fc(x).mul_(2)
    print("forward under no_grad, y.mul_(2): fine")
