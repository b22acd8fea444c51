import torch
from torch import nn


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2

    @staticmethod
    def backward(ctx, grad_y):
        (x,) = ctx.saved_tensors
        return 2 * x * grad_y


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.tensor(2.0))

    def forward(self, x):
        return Square.apply(self.w * x)


def penalty(model):
    (slope,) = torch.autograd.grad(model(x), x, create_graph=True)
    return slope**2


def report(name, backend, part, use_original=False):
    torch.compiler.reset()
    net = Net()
    compiled = torch.compile(net, backend=backend)
    model = net if use_original else compiled
    print(f"{backend}, {name}")
    try:
        (compiled(x) + part(model)).backward()
        print(f"  w.grad {net.w.grad.item():g}")
    except RuntimeError as error:
        print(f"  {error}")


x = torch.tensor(1.0, requires_grad=True)
report("compiled", "eager", penalty)
report("compiled", "inductor", penalty)
report("compiled, disable", "inductor", torch.compiler.disable(penalty))
report("original", "eager", penalty, use_original=True)
report("original", "inductor", penalty, use_original=True)
