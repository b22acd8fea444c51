import torch
from torch.distributions import Normal

torch.manual_seed(0)
mu = torch.tensor(1.0, requires_grad=True)
normal = Normal(mu, 1.0)
z = normal.sample()
print("sample, requires_grad:", z.requires_grad)
try:
    (z**2).backward()
except RuntimeError as error:
    print("error:", error)
z = normal.rsample()
print("rsample, requires_grad:", z.requires_grad)
