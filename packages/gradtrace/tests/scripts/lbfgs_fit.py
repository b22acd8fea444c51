"""A curve fitted with L-BFGS: the optimizer itself calls the closure, several times a step."""

import torch
from torch import nn

torch.manual_seed(20)
torch.set_default_dtype(torch.float64)


class Decay(nn.Module):
    """amplitude * exp(-rate * t) * cos(frequency * t)"""

    def __init__(self):
        super().__init__()
        self.amplitude = nn.Parameter(torch.tensor(1.0))
        self.rate = nn.Parameter(torch.tensor(0.5))
        self.frequency = nn.Parameter(torch.tensor(2.5))

    def forward(self, t):
        return self.amplitude * torch.exp(-self.rate * t) * torch.cos(self.frequency * t)


t = torch.linspace(0, 4, 40)
measured = 1.5 * torch.exp(-0.3 * t) * torch.cos(2.2 * t) + 0.02 * torch.randn(40)
model = Decay()
optimizer = torch.optim.LBFGS(model.parameters(), lr=1.0, max_iter=4, line_search_fn="strong_wolfe")


def closure():
    optimizer.zero_grad()
    loss = torch.mean((model(t) - measured) ** 2)
    loss.backward()
    return loss


for step in range(3):
    loss = optimizer.step(closure)
    print(f"step {step}: loss before it {loss.item():.6f}")
    print("model.amplitude.grad", model.amplitude.grad)
    print("model.rate.grad", model.rate.grad)
for name, p in model.named_parameters():
    print(name, round(p.item(), 4))
