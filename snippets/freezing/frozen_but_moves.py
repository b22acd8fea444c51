import torch


def make(name, w):
    if name == "momentum":
        return torch.optim.SGD([w], lr=0.1, momentum=0.9)
    if name == "weight decay":
        return torch.optim.SGD([w], lr=0.1, weight_decay=1.0)
    if name == "Adam":
        return torch.optim.Adam([w], lr=0.1)
    return torch.optim.SGD([w], lr=0.1)


for name in ("SGD", "momentum", "weight decay", "Adam"):
    print(name)
    for left in ("old", "zero", "None"):
        w = torch.tensor(1.0, requires_grad=True)
        optimizer = make(name, w)
        (3 * w).backward()
        optimizer.step()

        w.requires_grad_(False)
        if left != "old":
            optimizer.zero_grad(set_to_none=left == "None")
        before = w.item()
        optimizer.step()
        print(f"  .grad {left}: w moves by {w.item() - before:.4f}")
