import torch

rate = torch.tensor(1.0, requires_grad=True)
h = 0.5


def slope(z):
    return -rate * z


z = torch.tensor(8.0)
for _ in range(2):
    z = z + h * slope(z)
    print("forward: z", z.item())
z.backward()
print("through the steps, rate.grad:", rate.grad.item())

z, adjoint, of_rate = z.detach(), torch.tensor(1.0), 0.0
for _ in range(2):
    z.requires_grad_()
    of_z, share = torch.autograd.grad(slope(z), (z, rate), adjoint)
    of_rate = of_rate + h * share
    z = (z - h * slope(z)).detach()
    adjoint = adjoint + h * of_z
    print("backward: z", z.item(), "adjoint", adjoint.item())
print("by the adjoint, rate's gradient:", of_rate.item())
