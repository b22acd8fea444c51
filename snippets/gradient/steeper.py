import torch


def descend(steepness):
    w = torch.tensor(-1.0, requires_grad=True)
    visited = []
    for _ in range(3):
        loss = steepness * (w - 3) ** 2
        loss.backward()
        with torch.no_grad():
            w -= 0.25 * w.grad
        w.grad = None
        visited.append(w.item())
    print(f"steepness {steepness}, visited:", visited)


for number in (1, 2, 4, 8):
    descend(steepness=number)
