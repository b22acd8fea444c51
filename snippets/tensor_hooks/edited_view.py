import torch


def double(grad):
    print("  hook on view:", grad)
    return 2 * grad


for in_place in (False, True):
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    base = 3 * x
    view = base[:2]
    view.register_hook(double)
    if in_place:
        print("edited in place")
        view.mul_(10)
    else:
        print("not in place")
        view = view * 10
    view.sum().backward()
    print("  x.grad:", x.grad)
