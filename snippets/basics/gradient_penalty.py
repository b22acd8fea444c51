import torch
from torch import nn

critic = nn.Conv1d(1, 1, 1, bias=False)
w = critic.weight
with torch.no_grad():
    w.fill_(3.0)

for on in (False, True):
    x = torch.full((1, 1, 1), 5.0, requires_grad=True)
    loss = critic(x).sum()
    (g,) = torch.autograd.grad(loss, x, retain_graph=True, create_graph=on)
    penalty = ((g - 1) ** 2).sum()
    w.grad = None
    (loss + penalty).backward()
    print(f"create_graph={on}:")
    print("  penalty:", penalty.item(), " w.grad:", w.grad.item())
