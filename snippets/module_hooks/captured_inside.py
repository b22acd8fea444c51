import torch
from torch import nn

fc = nn.Linear(1, 1, bias=False)
nn.init.constant_(fc.weight, 3.0)
kept = {}


def keep(module, args, output):
    kept["output"] = output
    output.register_hook(lambda grad: print("  tensor hook:", grad.item()))


fc.register_forward_hook(keep)
fc.register_full_backward_hook(
    lambda module, grad_input, grad_output: print("  full hook:", grad_input[0].item())
)
x = torch.tensor([[4.0]], requires_grad=True)
y = fc(x)
inner = kept["output"]
print("inner is y:", inner is y)
print("from y")
print("  dy/dx:", torch.autograd.grad(5 * y, x, retain_graph=True)[0].item())
print("from inner")
print("  d(inner)/dx:", torch.autograd.grad(5 * inner, x, retain_graph=True)[0].item())
try:
    torch.autograd.grad(5 * inner, y)
except RuntimeError as error:
    print("RuntimeError:", str(error).split(". ")[0])
