import torch
from torch import nn

torch.manual_seed(2)
real, fake = torch.randn(64, 1) + 2, torch.randn(64, 1) - 2
critic = nn.Linear(1, 1)
optimizer = torch.optim.Adam(critic.parameters(), lr=0.05)

for step in range(200):
    between = ((real + fake) / 2).requires_grad_()
    slope = torch.autograd.grad(critic(between).sum(), between)[0]
    penalty = ((slope.abs() - 1) ** 2).mean()
    loss = critic(fake).mean() - critic(real).mean() + 10 * penalty
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step % 50 == 49:
        print(f"step {step + 1}, slope: {slope.abs().mean().item():.1f}")
