import torch

w = torch.tensor(0.6)
scale = torch.tensor(0.25, requires_grad=True)

ratio = w / scale
rounded = ratio + (ratio.round() - ratio).detach()
y = rounded * scale
y.backward()
print(f"w / scale: {ratio.item():.1f}, rounded: {rounded.item():.0f}, y: {y.item():.2f}")
print(f"scale.grad: {scale.grad.item():.1f}")
