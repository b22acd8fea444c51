import torch
from torch.distributions import Normal

torch.manual_seed(0)
mu = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
normal = Normal(mu, 1.0)

z = normal.rsample((1_000_000,))
loss = (z**2).mean()
(gradient,) = torch.autograd.grad(loss, mu)
print(f"rsample: {gradient.item():.2f}")

z = normal.sample((1_000_000,))
stand_in = (z**2 * normal.log_prob(z)).mean()
(gradient,) = torch.autograd.grad(stand_in, mu)
print(f"REINFORCE: {gradient.item():.2f}")
