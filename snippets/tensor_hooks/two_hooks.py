import torch


def add_100(grad):
    return grad + 100


def show(grad):
    print("  show:", grad)


for hooks in ((add_100, show), (show, add_100)):
    x = torch.tensor([0.0, 1.0, 2.0, 3.0], requires_grad=True)
    w = torch.tensor([1.0, 2.0, 3.0, 4.0])
    z = x + 4
    for hook in hooks:
        z.register_hook(hook)
    print(" then ".join(hook.__name__ for hook in hooks))
    (w @ z).backward()
    print("  x.grad:", x.grad)
