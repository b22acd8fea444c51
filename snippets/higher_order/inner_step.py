import torch
from torch import nn
from torch.func import functional_call

net = nn.Linear(1, 1, bias=False)
w = net.weight
x, target = torch.tensor([[2.0]]), torch.tensor([[0.0]])
new_x, new_target = torch.tensor([[1.0]]), torch.tensor([[2.0]])

for create_graph in (False, True):
    with torch.no_grad():
        w.fill_(1.0)
    w.grad = None
    loss = nn.functional.mse_loss(net(x), target)
    (g,) = torch.autograd.grad(loss, w, create_graph=create_graph)
    moved = w - 0.1 * g
    y = functional_call(net, {"weight": moved}, (new_x,))
    new_loss = nn.functional.mse_loss(y, new_target)
    new_loss.backward()
    print(f"create_graph={create_graph}:")
    print(f"  g: {g.item():.4f}  moved: {moved.item():.4f}")
    print(f"  w.grad: {w.grad.item():.4f}")
