import torch
from torch import nn

w = nn.Parameter(torch.tensor([1.0, 1.0]))
w.sum().backward()
torch.optim.SGD([w], lr=0.1).zero_grad()
print("after zero_grad(), w.grad:", w.grad)

x = torch.tensor([1.0, 2.0], requires_grad=True)
z = 3 * x
z.retain_grad()
z.register_hook(lambda grad: 2 * grad)
print("hooks of z in the dict:", len(z._backward_hooks))
z.sum().backward()
print("z.grad:", z.grad)

print("argmax of a tie:", torch.ones(1, 4).argmax(dim=1))
full = hasattr(nn.Module, "register_full_backward_hook")
print("nn.Module has a full backward hook:", full)
