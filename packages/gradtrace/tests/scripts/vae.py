"""A variational autoencoder of small black-and-white pictures."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(2)


class VAE(nn.Module):
    def __init__(self, pixels=64, hidden=32, latent=4):
        super().__init__()
        self.fc1 = nn.Linear(pixels, hidden)
        self.mean = nn.Linear(hidden, latent)
        self.logvar = nn.Linear(hidden, latent)
        self.fc3 = nn.Linear(latent, hidden)
        self.fc4 = nn.Linear(hidden, pixels)

    def encode(self, x):
        h = F.relu(self.fc1(x))
        return self.mean(h), self.logvar(h)

    def reparameterize(self, mean, logvar):
        std = torch.exp(0.5 * logvar)
        return mean + torch.randn_like(std) * std

    def decode(self, z):
        return self.fc4(F.relu(self.fc3(z)))

    def forward(self, x):
        mean, logvar = self.encode(x)
        return self.decode(self.reparameterize(mean, logvar)), mean, logvar


def negative_elbo(logits, x, mean, logvar):
    reconstruction = F.binary_cross_entropy_with_logits(logits, x, reduction="sum")
    divergence = -0.5 * torch.sum(1 + logvar - mean.pow(2) - logvar.exp())
    return (reconstruction + divergence) / len(x), reconstruction / len(x), divergence / len(x)


model = VAE()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
pictures = (torch.rand(6, 64) > 0.5).float()

for step in range(5):
    x = pictures[torch.randint(0, 6, (32,))]
    optimizer.zero_grad()
    logits, mean, logvar = model(x)
    loss, reconstruction, divergence = negative_elbo(logits, x, mean, logvar)
    loss.backward()
    optimizer.step()
    print(f"step {step}: loss {loss:.4f} = {reconstruction:.4f} + {divergence:.4f}")
    print("model.mean.bias.grad", model.mean.bias.grad)
    print("model.logvar.bias.grad", model.logvar.bias.grad)

with torch.no_grad():
    drawn = torch.sigmoid(model.decode(torch.randn(2, 4)))
print("drawn:", drawn.shape, f"{drawn.mean():.4f}")
