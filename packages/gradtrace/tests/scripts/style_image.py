"""Style transfer: the picture is what is optimized; the network is frozen and gives features."""

import torch
import torch.nn.functional as F
from torch import nn

torch.manual_seed(17)

features = nn.Sequential(
    nn.Conv2d(3, 8, 3, padding=1),
    nn.Softplus(),
    nn.Conv2d(8, 8, 3, padding=1),
    nn.Softplus(),
    nn.AvgPool2d(2),
    nn.Conv2d(8, 16, 3, padding=1),
    nn.Softplus(),
)
features.requires_grad_(False)
STYLE_LAYERS, CONTENT_LAYER = (1, 3, 6), 3


def activations(picture):
    found = {}
    for i, layer in enumerate(features):
        picture = layer(picture)
        found[i] = picture
    return found


def gram_matrix(activation):
    _, channels, height, width = activation.shape
    flat = activation.view(channels, height * width)
    return flat @ flat.t() / (channels * height * width)


axis = torch.linspace(0, 1, 12)
content = torch.stack([axis.expand(12, 12), axis.expand(12, 12).T, torch.zeros(12, 12)])[None]
style = torch.rand(1, 3, 12, 12)
with torch.no_grad():
    wanted_content = activations(content)[CONTENT_LAYER]
    wanted_style = {i: gram_matrix(activations(style)[i]) for i in STYLE_LAYERS}

picture = content.clone().requires_grad_()
brightness = torch.zeros(3, 1, 1, requires_grad=True)
optimizer = torch.optim.Adam([picture, brightness], lr=0.02)
for step in range(4):
    optimizer.zero_grad()
    found = activations(picture + brightness)
    content_loss = F.mse_loss(found[CONTENT_LAYER], wanted_content)
    style_loss = sum(F.mse_loss(gram_matrix(found[i]), wanted_style[i]) for i in STYLE_LAYERS)
    loss = content_loss + 1e3 * style_loss
    loss.backward()
    optimizer.step()
    with torch.no_grad():
        picture.clamp_(0, 1)
    print(f"step {step}: content {content_loss.item():.4f} style {style_loss.item():.6f}")
    print("brightness.grad", brightness.grad)
    print(f"picture.grad.norm() {picture.grad.norm():.4f}")
