import torch

x = torch.tensor([1.0, 2.0])


def moved_by_one_step(r, scale):
    A = torch.ones(r, 2, requires_grad=True)
    B = torch.zeros(1, r, requires_grad=True)
    optimizer = torch.optim.Adam([A, B], lr=0.01)
    y = scale * (B @ (A @ x))
    y.sum().backward()
    optimizer.step()
    return (scale * (B @ (A @ x))).abs().item()


alpha = 8
for r in (1, 4, 16):
    over_r = moved_by_one_step(r, alpha / r)
    over_root = moved_by_one_step(r, alpha / r**0.5)
    print(f"r = {r}: alpha / r moves y by {over_r:.2f}, alpha / sqrt(r) by {over_root:.2f}")
