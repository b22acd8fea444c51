import torch


class Sum(torch.autograd.Function):
    @staticmethod
    def forward(ctx, *tensors):
        return sum(tensors)

    @staticmethod
    def backward(ctx, grad_y):
        return tuple(grad_y for needed in ctx.needs_input_grad)


class SumOfList(Sum):
    @staticmethod
    def forward(ctx, tensors):
        return sum(tensors)


a = torch.tensor(2.0, requires_grad=True)
b = torch.tensor(3.0, requires_grad=True)
print("one by one:", Sum.apply(a, b))
print("in a list:", SumOfList.apply([a, b]))
