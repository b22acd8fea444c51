"""Pictures made larger: four convolutions and a pixel shuffle."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(16)
FACTOR = 2


class SuperResolution(nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 5, padding=2)
        self.conv2 = nn.Conv2d(16, 16, 3, padding=1)
        self.conv3 = nn.Conv2d(16, 8, 3, padding=1)
        self.conv4 = nn.Conv2d(8, factor**2, 3, padding=1)
        self.pixel_shuffle = nn.PixelShuffle(factor)
        self._initialize_weights()

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.relu(self.conv2(x))
        x = F.relu(self.conv3(x))
        return self.pixel_shuffle(self.conv4(x))

    def _initialize_weights(self):
        for conv in (self.conv1, self.conv2, self.conv3):
            nn.init.orthogonal_(conv.weight, nn.init.calculate_gain("relu"))
        nn.init.orthogonal_(self.conv4.weight)


def waves(count, side=16):
    """Pictures of plane waves with random directions."""
    axis = torch.linspace(0, 6, side)
    a, b = torch.rand(2, count, 1, 1)
    return (torch.sin(a * axis[:, None] + b * axis) / 2 + 0.5).unsqueeze(1)


model = SuperResolution(FACTOR)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for step in range(4):
    large = waves(8)
    small = F.interpolate(large, scale_factor=1 / FACTOR, mode="bilinear")
    optimizer.zero_grad()
    loss = F.mse_loss(model(small), large)
    loss.backward()
    optimizer.step()
    psnr = 10 * torch.log10(1 / loss.detach())
    print(f"step {step}: loss {loss.item():.4f}, {psnr:.2f} dB")
    print("model.conv4.bias.grad", model.conv4.bias.grad)
    print(f"model.conv1.weight.grad.norm() {model.conv1.weight.grad.norm():.4f}")
