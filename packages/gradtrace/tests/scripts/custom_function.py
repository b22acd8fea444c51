"""Functions with a backward of their own: a linear layer, and rounding passed straight through."""

import torch
from torch import nn
from torch.autograd import Function
from torch.autograd.function import once_differentiable

torch.manual_seed(26)


class LinearFunction(Function):
    @staticmethod
    def forward(ctx, x, weight, bias):
        ctx.save_for_backward(x, weight)
        return x.mm(weight.t()) + bias

    @staticmethod
    @once_differentiable
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        needs_x, needs_weight, needs_bias = ctx.needs_input_grad
        return (
            grad.mm(weight) if needs_x else None,
            grad.t().mm(x) if needs_weight else None,
            grad.sum(0) if needs_bias else None,
        )


class RoundStraightThrough(Function):
    @staticmethod
    def forward(ctx, x, levels):
        return torch.round(x * levels) / levels

    @staticmethod
    def backward(ctx, grad):
        return grad, None


class Linear(nn.Module):
    def __init__(self, inside, outside):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(outside, inside) / inside**0.5)
        self.bias = nn.Parameter(torch.zeros(outside))

    def forward(self, x):
        return LinearFunction.apply(x, RoundStraightThrough.apply(self.weight, 8), self.bias)


double = torch.float64
args = [torch.randn(*s, dtype=double, requires_grad=True) for s in ((3, 4), (2, 4), (2,))]
print("gradcheck:", torch.autograd.gradcheck(LinearFunction.apply, args))

model = nn.Sequential(Linear(5, 8), nn.Tanh(), Linear(8, 1))
optimizer = torch.optim.Adamax(model.parameters(), lr=0.01)
x, y = torch.randn(12, 5), torch.randn(12, 1)
for step in range(4):
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    print(f"step {step}: loss {loss.item():.4f}")
    print("model.2.weight.grad", model[2].weight.grad)
    print("model.0.bias.grad", model[0].bias.grad)
