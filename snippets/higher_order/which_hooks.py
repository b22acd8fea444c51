import torch
from torch import nn
from torch.func import functional_call, grad

net = nn.Linear(1, 1, bias=False)
w = net.weight
with torch.no_grad():
    w.fill_(3.0)
fired = []
net.register_forward_hook(lambda m, args, y: fired.append("forward"))
w.register_hook(lambda g: fired.append("on w"))
w.register_post_accumulate_grad_hook(lambda p: fired.append("after w"))


def loss(weights, x):
    y = functional_call(net, weights, (x,))
    y.register_hook(lambda g: fired.append("on y"))
    return (y**2).sum()


x = torch.tensor([2.0])
weights = {"weight": w}
loss(weights, x).backward()
print("backward:", fired)
print("  w.grad:", w.grad.item())

w.grad = None
fired.clear()
gradient = grad(loss)(weights, x)["weight"]
print("torch.func.grad:", fired)
print("  gradient:", gradient.item(), " w.grad:", w.grad)

fired.clear()
gradient.sum().backward()
print("once more:", fired)
print("  w.grad:", w.grad.item())
