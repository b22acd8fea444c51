import torch

for name, decay, in_the_loss in [
    ("weight_decay", 0.5, 0.0),
    ("in the loss", 0.0, 0.5),
]:
    w = torch.tensor(2.0, requires_grad=True)
    optimizer = torch.optim.SGD([w], lr=0.1, weight_decay=decay)
    loss = 3 * w + in_the_loss / 2 * w**2
    loss.backward()
    print(f"{name}, w.grad: {w.grad.item()}")
    optimizer.step()
    print(f"  after step, w.grad: {w.grad.item()}")
    print(f"  after step, w: {w.item():.4f}")
