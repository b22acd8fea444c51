import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x**2

    @staticmethod
    def setup_context(ctx, inputs, output):
        (x,) = inputs
        ctx.save_for_backward(x)
        if with_forward:
            ctx.save_for_forward(x)

    @staticmethod
    def jvp(ctx, x_tangent):
        (x,) = ctx.saved_tensors
        return 2 * x * x_tangent


x = torch.tensor(3.0)
direction = torch.tensor(1.0)
for with_forward in (False, True):
    try:
        _, tangent = torch.func.jvp(Square.apply, (x,), (direction,))
        print("save_for_forward:", with_forward, tangent)
    except ValueError as error:
        print("save_for_forward:", with_forward, error)
