import torch
from torch.nn.utils import clip_grad_norm_


def train(update_always):
    w = torch.tensor(1.0, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.25)
    scaler = torch.amp.GradScaler("cpu")
    for number, factor in enumerate([float("nan"), 1.0], 1):
        optimizer.zero_grad()
        scaler.scale(w * factor).backward()
        scaler.unscale_(optimizer)
        norm = clip_grad_norm_([w], max_norm=1.0)
        if norm.isnan() and not update_always:
            continue
        scaler.step(optimizer)
        scaler.update()
        scale = scaler.get_scale()
        print(f"  step {number}, w: {w.item():g}, scale: {scale:g}")


for update_always in (False, True):
    print(f"update always: {update_always}")
    try:
        train(update_always)
    except RuntimeError as error:
        print(f"  {error}")
