import torch


class TimesTen(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x

    @staticmethod
    def backward(ctx, grad_y):
        return 10 * grad_y


class Clones(TimesTen):
    @staticmethod
    def forward(ctx, x):
        return x.clone()


for function in (TimesTen, Clones):
    w = torch.tensor(3.0, requires_grad=True)
    y = function.apply(w)
    print(function.__name__, "y is w:", y is w)
    try:
        y.mul_(2)
    except RuntimeError as error:
        print(str(error).split(". ")[0])
