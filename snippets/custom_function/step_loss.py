import math

import torch
from torch.distributions import Normal


def reward(z):
    return 1.0 * (z > 0)


torch.manual_seed(0)
mu = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
normal = Normal(mu, 1.0)
z = normal.rsample((1_000_000,))
print("rsample, requires_grad:", reward(z).requires_grad)

z = normal.sample((1_000_000,))
stand_in = (reward(z) * normal.log_prob(z)).mean()
stand_in.backward()
print(f"REINFORCE: {mu.grad.item():.2f}")
exact = math.exp(-0.5) / math.sqrt(2 * math.pi)
print(f"exact: {exact:.2f}")
