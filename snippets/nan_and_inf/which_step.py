import torch

w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=1.0)
for step in range(1, 7):
    loss = w**4
    optimizer.zero_grad()
    loss.backward()
    print(f"step {step}, loss: {loss.item():.2g}")
    print(f"  gradient: {w.grad.item():.2g}")
    optimizer.step()
    print(f"  new w: {w.item():.2g}")
