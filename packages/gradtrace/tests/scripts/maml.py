"""MAML on sine waves: the outer gradient runs through the inner steps."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call

torch.manual_seed(5)
INNER_RATE, INNER_STEPS, TASKS = 0.05, 2, 3

model = nn.Sequential(nn.Linear(1, 16), nn.Tanh(), nn.Linear(16, 1))
meta_optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)


def task():
    """Pictures of one wave: points to adapt to, and points to judge by."""
    amplitude, phase = 1 + torch.rand(1), torch.rand(1) * torch.pi
    x = torch.rand(20, 1) * 10 - 5
    y = amplitude * torch.sin(x + phase)
    return x[:10], y[:10], x[10:], y[10:]


def adapted(parameters, x, y):
    """The parameters after some steps of gradient descent, with their graph."""
    for _ in range(INNER_STEPS):
        loss = F.mse_loss(functional_call(model, parameters, (x,)), y)
        gradients = torch.autograd.grad(loss, parameters.values(), create_graph=True)
        pairs = zip(parameters.items(), gradients, strict=True)
        parameters = {name: p - INNER_RATE * g for (name, p), g in pairs}
    return parameters


for step in range(2):
    meta_optimizer.zero_grad()
    total = 0.0
    for _ in range(TASKS):
        x, y, x_query, y_query = task()
        fast = adapted(dict(model.named_parameters()), x, y)
        loss = F.mse_loss(functional_call(model, fast, (x_query,)), y_query) / TASKS
        loss.backward()
        total += loss.item()
    meta_optimizer.step()
    print(f"step {step}: loss {total:.4f}")
    print("model.0.bias.grad", model[0].bias.grad)
    print("model.2.bias.grad", model[2].bias.grad)
