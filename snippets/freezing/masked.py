import torch

for name in ("mask", "frozen"):
    w = torch.tensor([1.0, 1.0], requires_grad=True)
    v = torch.tensor(1.0, requires_grad=True)
    optimizer = torch.optim.AdamW([w, v], lr=0.1, weight_decay=0.1)
    if name == "mask":
        w.register_hook(lambda grad: grad * torch.tensor([1.0, 0.0]))
    else:
        w.requires_grad_(False)
    (v * w.sum()).backward()
    optimizer.step()
    print(f"{name}, w.grad: {w.grad}")
    print(f"{name}, after step, w: {w.data}")
