import torch

lr = 0.25
w = torch.tensor(-1.0, requires_grad=True)
print("start, w:", w.item())
for step in (1, 2, 3):
    loss = (w - 3) ** 2
    loss.backward()
    print(f"step {step}, loss:", loss.item())
    print(f"step {step}, slope:", w.grad.item())
    with torch.no_grad():
        w -= lr * w.grad
    w.grad = None
    print(f"step {step}, new w:", w.item())
