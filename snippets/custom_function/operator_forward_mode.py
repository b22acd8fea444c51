import torch
from torch.library import custom_op


@custom_op("lab::cube", mutates_args=())
def cube(x: torch.Tensor) -> torch.Tensor:
    return x**3


def save(ctx, inputs, output):
    ctx.save_for_backward(inputs[0])


def backward(ctx, grad_y):
    return grad_y * 3 * ctx.saved_tensors[0] ** 2


cube.register_autograd(backward, setup_context=save)


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return cube(x)

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(*inputs)
        ctx.save_for_forward(*inputs)

    backward = staticmethod(backward)

    @staticmethod
    def jvp(ctx, direction):
        return direction * 3 * ctx.saved_tensors[0] ** 2


x, one = torch.tensor(2.0), torch.tensor(1.0)
for name, run in {"operator": cube, "Function around it": Cube.apply}.items():
    print(f"{name}, torch.func.jvp:", torch.func.jvp(run, (x,), (one,))[1])
    try:
        print(f"{name}, torch.func.grad:", torch.func.grad(run)(x))
    except RuntimeError as error:
        print(f"{name}, torch.func.grad:", str(error).split(" (vmap")[0])
