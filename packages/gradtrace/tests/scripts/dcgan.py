"""DCGAN on pictures of 16 by 16: two networks, two optimizers, a detach between them."""

import torch
from torch import nn

torch.manual_seed(3)
LATENT, WIDTH = 8, 8


def weights_init(module):
    if isinstance(module, (nn.Conv2d, nn.ConvTranspose2d)):
        nn.init.normal_(module.weight, 0.0, 0.02)
    elif isinstance(module, nn.BatchNorm2d):
        nn.init.normal_(module.weight, 1.0, 0.02)
        nn.init.zeros_(module.bias)


generator = nn.Sequential(
    nn.ConvTranspose2d(LATENT, 2 * WIDTH, 4, 1, 0, bias=False),
    nn.BatchNorm2d(2 * WIDTH),
    nn.ReLU(True),
    nn.ConvTranspose2d(2 * WIDTH, WIDTH, 4, 2, 1, bias=False),
    nn.BatchNorm2d(WIDTH),
    nn.ReLU(True),
    nn.ConvTranspose2d(WIDTH, 1, 4, 2, 1, bias=False),
    nn.Tanh(),
)
discriminator = nn.Sequential(
    nn.Conv2d(1, WIDTH, 4, 2, 1, bias=False),
    nn.LeakyReLU(0.2, inplace=True),
    nn.Conv2d(WIDTH, 2 * WIDTH, 4, 2, 1, bias=False),
    nn.BatchNorm2d(2 * WIDTH),
    nn.LeakyReLU(0.2, inplace=True),
    nn.Conv2d(2 * WIDTH, 1, 4, 1, 0, bias=False),
    nn.Flatten(0),
)
generator.apply(weights_init)
discriminator.apply(weights_init)
criterion = nn.BCEWithLogitsLoss()
optimizer_d = torch.optim.Adam(discriminator.parameters(), lr=2e-4, betas=(0.5, 0.999))
optimizer_g = torch.optim.Adam(generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
columns = torch.linspace(-1, 1, 16).expand(16, 16)

for step in range(3):
    real = columns * torch.empty(8, 1, 1, 1).uniform_(0.5, 1.0)
    ones, zeros = torch.ones(8), torch.zeros(8)

    optimizer_d.zero_grad()
    loss_real = criterion(discriminator(real), ones)
    loss_real.backward()
    fake = generator(torch.randn(8, LATENT, 1, 1))
    loss_fake = criterion(discriminator(fake.detach()), zeros)
    loss_fake.backward()
    optimizer_d.step()

    optimizer_g.zero_grad()
    loss_g = criterion(discriminator(fake), ones)
    loss_g.backward()
    optimizer_g.step()

    print(f"step {step}: D {loss_real + loss_fake:.4f} G {loss_g:.4f}")
    print("generator.1.bias.grad", generator[1].bias.grad)
    print(f"discriminator.0.weight.grad.norm() {discriminator[0].weight.grad.norm():.4f}")
