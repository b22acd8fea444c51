import torch


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad_output):
        return 2 * grad_output


w = torch.tensor([3.0], requires_grad=True)
y = Double.apply(w * 1)
try:
    y *= 3
except RuntimeError as error:
    print("edited:", str(error).split(". ")[0])

y = 3 * Double.apply(w * 1)
y.sum().backward()
print("a new tensor, w.grad:", w.grad)
