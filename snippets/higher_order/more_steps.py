import math

import torch

torch.set_default_dtype(torch.float64)


def through_the_steps(z, rate, steps):
    for _ in range(steps):
        z = z - rate * z / steps
    return z


class Adjoint(torch.autograd.Function):
    @staticmethod
    def forward(ctx, start, rate, steps):
        end = through_the_steps(start, rate, steps)
        ctx.save_for_backward(end, rate)
        ctx.steps = steps
        return end

    @staticmethod
    def backward(ctx, adjoint):
        z, rate = ctx.saved_tensors
        of_rate = 0.0
        for _ in range(ctx.steps):
            of_rate = of_rate - adjoint * z / ctx.steps
            z = z + rate * z / ctx.steps
            adjoint = adjoint - rate * adjoint / ctx.steps
        return adjoint, of_rate, None


start, rate = torch.tensor(8.0), torch.tensor(1.0, requires_grad=True)
for steps in (2, 10, 100, 1000):
    (through,) = torch.autograd.grad(through_the_steps(start, rate, steps), rate)
    (adjoint,) = torch.autograd.grad(Adjoint.apply(start, rate, steps), rate)
    print(f"steps: {steps}, through: {through:.4f}, adjoint: {adjoint:.4f}")
print(f"of the equation: {-8 * math.exp(-1):.4f}")
