import torch


class SquareAndCube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(w)
        return w**2, w**3

    @staticmethod
    def backward(ctx, grad_square, grad_cube):
        print("grad_square:", grad_square, "grad_cube:", grad_cube)
        (w,) = ctx.saved_tensors
        grad_w = torch.zeros_like(w)
        if grad_square is not None:
            grad_w = grad_w + grad_square * 2 * w
        if grad_cube is not None:
            grad_w = grad_w + grad_cube * 3 * w**2
        return grad_w


w = torch.tensor(2.0, requires_grad=True)
square, cube = SquareAndCube.apply(w)
cube.backward()
print("w.grad:", w.grad)
