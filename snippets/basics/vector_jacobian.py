import torch

x = torch.tensor([1.0, 2.0], requires_grad=True)


def f(x):
    return torch.stack([x[0] * x[1], x[0] + x[1], x[1] ** 2])


v = torch.tensor([1.0, 10.0, 100.0])
J = torch.autograd.functional.jacobian(f, x)
print("v:", v)
print("J (gradients of the three outputs):")
print(J)
print("v @ J:", v @ J)

f(x).backward(v)
print("x.grad:", x.grad)
