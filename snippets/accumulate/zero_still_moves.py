import torch

for name, make in [
    ("SGD", lambda p: torch.optim.SGD(p, lr=0.1)),
    ("SGD with momentum", lambda p: torch.optim.SGD(p, lr=0.1, momentum=0.9)),
    ("Adam", lambda p: torch.optim.Adam(p, lr=0.1)),
]:
    w = torch.tensor(1.0, requires_grad=True)
    optimizer = make([w])
    (3 * w).backward()
    optimizer.step()
    before = w.item()

    optimizer.zero_grad(set_to_none=False)
    optimizer.step()
    print(f"{name}: a gradient of 0 moves w by {w.item() - before:.4f}")
