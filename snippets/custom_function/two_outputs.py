import torch


class SquareAndCube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, w):
        ctx.save_for_backward(w)
        return w**2, w**3

    @staticmethod
    def backward(ctx, grad_square, grad_cube):
        print("grad_square:", grad_square, "grad_cube:", grad_cube)
        (w,) = ctx.saved_tensors
        from_square = grad_square * 2 * w
        from_cube = grad_cube * 3 * w**2
        return from_square + from_cube


w = torch.tensor(2.0, requires_grad=True)
square, cube = SquareAndCube.apply(w)
loss = 5 * square + cube
loss.backward()
print("both used, w.grad:", w.grad)

w.grad = None
square, cube = SquareAndCube.apply(w)
cube.backward()
print("cube alone, w.grad:", w.grad)
