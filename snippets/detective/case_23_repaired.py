import torch
from torch.distributions import Normal

torch.manual_seed(0)
mean = torch.tensor(1.0, requires_grad=True)
log_std = torch.tensor(0.0, requires_grad=True)
optimizer = torch.optim.SGD([mean, log_std], lr=0.05)

for step in range(400):
    z = Normal(mean, log_std.exp()).rsample((64,))
    data_loss = ((z - 3) ** 2).mean()
    regularizer = 0.01 * (mean**2 + log_std**2)
    loss = data_loss + regularizer
    optimizer.zero_grad()
    loss.backward()
    if step == 0:
        print(f"first gradient of the mean: {mean.grad.item():.2f}")
    optimizer.step()

print(f"mean: {mean.item():.1f}")
