import torch
from torch import nn
from torch.func import hessian

net = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Linear(2, 1, bias=False))
for weight in net.parameters():
    nn.init.constant_(weight, 2.0)

x = torch.ones(2, requires_grad=True)
(g,) = torch.autograd.grad(net(x).sum(), x, create_graph=True)
print("first:", g.tolist(), "g.requires_grad:", g.requires_grad)
try:
    torch.autograd.grad(g.sum(), x)
except RuntimeError as error:
    print("second:", str(error).split(". ")[0])
(second,) = torch.autograd.grad(g.sum(), x, materialize_grads=True)
print("materialize_grads=True:", second.tolist())
print("hessian:", hessian(lambda x: net(x).sum())(x.detach()).tolist())
