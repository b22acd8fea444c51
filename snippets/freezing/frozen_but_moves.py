import torch

for name, make in [
    ("SGD", lambda p: torch.optim.SGD(p, lr=0.1)),
    ("momentum", lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9)),
    ("weight decay", lambda p: torch.optim.SGD(p, lr=0.1, weight_decay=1.0)),
    ("Adam", lambda p: torch.optim.Adam(p, lr=0.1)),
]:
    print(name)
    for left in ("old", "zero", "None"):
        w = torch.tensor(1.0, requires_grad=True)
        optimizer = make([w])
        (3 * w).backward()
        optimizer.step()

        w.requires_grad_(False)
        if left != "old":
            optimizer.zero_grad(set_to_none=left == "None")
        before = w.item()
        optimizer.step()
        print(f"  .grad {left}: w moves by {w.item() - before:.4f}")
