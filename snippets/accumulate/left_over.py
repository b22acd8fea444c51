import torch

w = torch.tensor(0.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=1)

for i in range(5):
    if i % 2 == 0:
        optimizer.zero_grad()
    (w * 10**i).backward()
    if (i + 1) % 2 == 0:
        optimizer.step()
        print(f"step after batch {i}, w.grad:", w.grad)
print("at the end, w:", w.item())
print("never used, w.grad:", w.grad)
