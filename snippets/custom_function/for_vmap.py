import torch
from torch.func import grad, vmap


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(w):
        return w**3

    @staticmethod
    def setup_context(ctx, inputs, output):
        (w,) = inputs
        ctx.save_for_backward(w)

    @staticmethod
    def backward(ctx, grad_y):
        (w,) = ctx.saved_tensors
        return grad_y * 3 * w**2


class Batched(Cube):
    generate_vmap_rule = True


w = torch.tensor([1.0, 2.0, 3.0])
try:
    vmap(grad(Cube.apply))(w)
except RuntimeError as error:
    print("error:", str(error).split(" For more")[0])
print("Batched:", vmap(Batched.apply)(w))
print("Batched, grad:", vmap(grad(Batched.apply))(w))
