import torch


def descend(steepness):
    w = torch.tensor(-1.0, requires_grad=True)
    for step in (1, 2, 3):
        loss = steepness * (w - 3) ** 2
        loss.backward()
        with torch.no_grad():
            w -= 0.25 * w.grad
        w.grad = None
        print(f"step {step}, new w:", w.item())


for steepness in (1, 2, 4, 8):
    print("steepness:", steepness)
    descend(steepness)
