import torch

for rates in ([0.1, 0.1, 0.1], [0.1, 0.1, 0.01]):
    print("lr:", rates)
    w = torch.tensor(0.0, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
    position, velocity = 0.0, 0.0
    for lr in rates:
        optimizer.param_groups[0]["lr"] = lr
        w.grad = torch.tensor(1.0)
        optimizer.step()
        velocity = 0.9 * velocity + lr * 1.0
        position -= velocity
        print(f"  torch: {w.item():.4f} lr inside: {position:.4f}")
