import torch
from torch.nn.utils import clip_grad_norm_


def train(order):
    w = torch.tensor([0.0], requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=1)
    actions = {
        "backward": lambda: (5 * w).sum().backward(),
        "clip": lambda: clip_grad_norm_([w], max_norm=1.0),
        "step": optimizer.step,
    }
    for action in order.split(", "):
        actions[action]()
    print(f"{order}: w={w.item():.4f}")


train("backward, clip, step")
train("clip, backward, step")
train("backward, step, clip")
