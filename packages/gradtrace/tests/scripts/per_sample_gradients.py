"""The gradient of each sample by torch.func, clipped one by one as for differential privacy."""

import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call, grad, vmap

torch.manual_seed(19)
model = nn.Sequential(nn.Linear(4, 8), nn.Tanh(), nn.Linear(8, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.2)
data, targets = torch.randn(16, 4), torch.randint(0, 3, (16,))
CLIP, NOISE = 0.5, 0.1


def loss_of_one(parameters, sample, target):
    output = functional_call(model, parameters, (sample.unsqueeze(0),))
    return F.cross_entropy(output, target.unsqueeze(0))


per_sample = vmap(grad(loss_of_one), in_dims=(None, 0, 0))

for step in range(3):
    parameters = {name: p.detach() for name, p in model.named_parameters()}
    gradients = per_sample(parameters, data, targets)
    norms = torch.stack([g.flatten(1).norm(dim=1) for g in gradients.values()]).norm(dim=0)
    factor = (CLIP / norms).clamp(max=1.0)
    optimizer.zero_grad()
    loss = F.cross_entropy(model(data), targets)
    loss.backward()
    plain = model[2].bias.grad.clone()
    print(f"step {step}: loss {loss.item():.4f}, norms {norms.min():.4f} to {norms.max():.4f}")
    print("model.2.bias.grad", model[2].bias.grad)
    print("mean of the samples agrees:", torch.allclose(gradients["2.bias"].mean(0), plain))
    for name, p in model.named_parameters():
        clipped = torch.einsum("n,n...->...", factor, gradients[name]) / len(data)
        p.grad = clipped + NOISE * CLIP / len(data) * torch.randn_like(p)
    print("model.2.bias.grad", model[2].bias.grad)
    optimizer.step()
