import torch


def zero_first(grad):
    print("  stride:", grad.stride())
    grad[0] = 0


def zero_first_of_a_copy(grad):
    grad = grad.clone()
    grad[0] = 0
    return grad


for hook in (zero_first, zero_first_of_a_copy):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    print(hook.__name__)
    x.register_hook(hook)
    x.sum().backward()
    print("  x.grad:", x.grad)
