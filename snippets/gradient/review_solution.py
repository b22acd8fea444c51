import torch

w = torch.tensor(0.0, requires_grad=True)
lr = 0.1
for step in (1, 2, 3):
    w.grad = None
    loss = (2 * w - 6) ** 2
    loss.backward()
    print(f"step {step}, loss:", round(loss.item(), 4))
    print("  slope:", round(w.grad.item(), 4))
    with torch.no_grad():
        w -= lr * w.grad
    print("  new w:", round(w.item(), 4))
