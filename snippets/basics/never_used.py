import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)
unused = torch.tensor([3.0, 4.0], requires_grad=True)


def ask(**options):
    return torch.autograd.grad((x**2).sum(), [x, unused], **options)


try:
    ask()
except RuntimeError as error:
    print("RuntimeError:", error)
print("allow_unused:", ask(allow_unused=True))
print("materialize_grads:", ask(materialize_grads=True))
