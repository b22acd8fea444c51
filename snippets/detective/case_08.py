import torch

w = torch.tensor(2.5, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=1.0)

for step in range(100):
    loss = (w - 10).abs()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    if step < 3 or step > 95:
        print(f"step {step + 1}, w: {w.item():.2f}")
