import math

import torch

torch.set_default_dtype(torch.float64)


def rk4(slope, state, h):
    k1 = slope(state)
    k2 = slope(state + h / 2 * k1)
    k3 = slope(state + h / 2 * k2)
    k4 = slope(state + h * k3)
    return state + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


rate = torch.tensor(1.0, requires_grad=True)
z = torch.tensor(8.0)
for _ in range(2):
    z = rk4(lambda z: -rate * z, z, 0.5)
(through,) = torch.autograd.grad(z, rate)


def backward_slope(state):
    z, adjoint, _ = state
    return torch.stack([-z, adjoint, adjoint * z])


state = torch.stack([z.detach(), torch.tensor(1.0), torch.tensor(0.0)])
for _ in range(2):
    state = rk4(backward_slope, state, -0.5)
print(f"through: {through:.4f}")
print(f"adjoint: {state[2]:.4f}")
print(f"of the equation: {-8 * math.exp(-1):.4f}")
