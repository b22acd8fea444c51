import torch


def train(name, optimizer, w, clip):
    optimizer.zero_grad()
    (30 * w).backward()
    if clip:
        torch.nn.utils.clip_grad_norm_([w], max_norm=1.0)
    optimizer.step()
    print(f"{name}, w:", round(w.item(), 4))


for clip in (False, True):
    print("clipped:", clip)
    w = torch.tensor(1.0, requires_grad=True)
    train("  SGD", torch.optim.SGD([w], lr=0.1), w, clip)
    w = torch.tensor(1.0, requires_grad=True)
    decayed = torch.optim.SGD([w], lr=0.1, weight_decay=1.0)
    train("  SGD with weight decay", decayed, w, clip)
    w = torch.tensor(1.0, requires_grad=True)
    train("  Adam", torch.optim.Adam([w], lr=0.1), w, clip)
