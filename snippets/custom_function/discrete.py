import torch
from torch.distributions import Bernoulli

torch.manual_seed(0)
p = torch.tensor(0.25, requires_grad=True)
coin = Bernoulli(p)
print("has_rsample:", coin.has_rsample)
try:
    coin.rsample()
except NotImplementedError as error:
    print("rsample raises:", type(error).__name__, error)

total = 0.0
for outcome, loss in ((0.0, 1.0), (1.0, 5.0)):
    p.grad = None
    log_prob = coin.log_prob(torch.tensor(outcome))
    (loss * log_prob).backward(retain_graph=True)
    chance = log_prob.exp().item()
    print(f"outcome: {outcome} chance: {chance:.2f}")
    print(f"  p.grad: {p.grad.item():.2f}")
    total += chance * p.grad.item()
print(f"mean of p.grad: {total:.2f}")
