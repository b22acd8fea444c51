import warnings

import torch


class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**2


x = torch.tensor(3.0, requires_grad=True)
try:
    Square.apply(x).backward()
except NotImplementedError as error:
    print("reverse:", error)
with torch.autograd.forward_ad.dual_level():
    dual = torch.autograd.forward_ad.make_dual(x.detach(), torch.tensor(1.0))
    try:
        Square.apply(dual)
    except NotImplementedError as error:
        print("forward mode:", error)


class WithBackward(Square):
    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return 2 * x * grad_output


with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    WithBackward()
    print("an instance:", str(caught[0].message).split("> ")[1])
WithBackward.apply(x).backward()
print("with backward, x.grad:", x.grad)
