import torch
from torch.nn.utils import clip_grad_norm_


def train(name, unscale):
    w = torch.tensor([0.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1)
    scaler = torch.amp.GradScaler("cpu")
    scaler.scale((5 * w).sum()).backward()
    if unscale:
        scaler.unscale_(optimizer)
    norm = clip_grad_norm_([w], max_norm=1.0)
    scaler.step(optimizer)
    scaler.update()
    print(f"{name}: norm={norm.item()} w={w.item():.4e}")


train("unscale_, clip, step", unscale=True)
train("clip, step", unscale=False)
