import torch
from torch import nn

same = nn.Identity()
x = torch.tensor(3.0, requires_grad=True)
print("no hook, same(x) is x:", same(x) is x)

same.register_full_backward_hook(lambda module, grad_input, grad_output: None)
y = same(x)
print("with a hook, same(x) is x:", y is x)
print("  y.grad_fn:", y.grad_fn.name())
print("  same storage:", y.data_ptr() == x.data_ptr())
with torch.no_grad():
    print("under no_grad, same(x) is x:", same(x) is x)
