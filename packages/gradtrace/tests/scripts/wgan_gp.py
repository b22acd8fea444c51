"""WGAN with gradient penalty in two dimensions: the critic's loss holds a gradient."""

import torch
from torch import nn

torch.manual_seed(4)


def mlp(inside, outside):
    return nn.Sequential(nn.Linear(inside, 32), nn.LeakyReLU(0.2), nn.Linear(32, outside))


generator, critic = mlp(2, 2), mlp(2, 1)
optimizer_c = torch.optim.Adam(critic.parameters(), lr=1e-3, betas=(0.0, 0.9))
optimizer_g = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.0, 0.9))
CRITIC_STEPS, PENALTY = 3, 10.0


def real_points(count):
    angle = torch.rand(count) * 2 * torch.pi
    return torch.stack([angle.cos(), angle.sin()], dim=1)


def gradient_penalty(real, fake):
    mix = torch.rand(len(real), 1)
    between = (mix * real + (1 - mix) * fake).requires_grad_()
    (gradient,) = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
    return ((gradient.norm(2, dim=1) - 1) ** 2).mean()


for step in range(3):
    for _ in range(CRITIC_STEPS):
        real = real_points(16)
        with torch.no_grad():
            fake = generator(torch.randn(16, 2))
        penalty = gradient_penalty(real, fake)
        loss_c = critic(fake).mean() - critic(real).mean() + PENALTY * penalty
        optimizer_c.zero_grad()
        loss_c.backward()
        optimizer_c.step()
    print(f"step {step}: critic {loss_c.item():.4f}, penalty {penalty.item():.4f}")
    print(f"critic.0.weight.grad.norm() {critic[0].weight.grad.norm():.4f}")

    critic.requires_grad_(False)
    loss_g = -critic(generator(torch.randn(16, 2))).mean()
    optimizer_g.zero_grad()
    loss_g.backward()
    optimizer_g.step()
    critic.requires_grad_(True)
    print(f"step {step}: generator {loss_g.item():.4f}")
    print("generator.2.bias.grad", generator[2].bias.grad)
