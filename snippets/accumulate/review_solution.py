import torch

w = torch.tensor(1.0, requires_grad=True)
optimizer = torch.optim.SGD([w], lr=0.1)

x = torch.tensor([1.0, 3.0])
((w * x - 2) ** 2 + (w * x) ** 2).mean().backward()
print("one batch of 2, w.grad:", w.grad.item())

optimizer.zero_grad()
total = 0.0
for x in (1.0, 3.0):
    y = w * x
    loss = (y - 2) ** 2 + y**2
    (loss / 2).backward()
    total += loss.item()
    print(f"after x = {x}, w.grad:", w.grad.item())
optimizer.step()
print("after step, w:", round(w.item(), 4))
print("total:", total)
