import torch
from torch.distributions import Normal

mu = torch.tensor(1.0, requires_grad=True)
normal = Normal(mu, 2.0)
z = torch.tensor(2.0)
loss = z**2
stand_in = loss * normal.log_prob(z)
stand_in.backward()
print("loss:", loss.item())
print("stand_in:", round(stand_in.item(), 3))
print("mu.grad:", mu.grad)
